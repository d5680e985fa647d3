"""A user dataset and a user's method, added exactly as in the documentation."""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from documented import block, commands
from small_project import Copy, ran

pytestmark = [pytest.mark.workflow]

DATA, METHOD = "docs/own-data.md", "docs/own-method.md"
TABLE = "data/own/waves.csv"
AGAIN = {"fetch": 1, "data": 2, "train": 4, "score": 2}


def add_table(copy: Copy) -> None:
    """Make the table of the documentation and describe it in params.yaml."""
    copy.run(sys.executable, "-c", block(DATA, "make_table.py"))
    entry = yaml.safe_load(block(DATA, "params.yaml"))["datasets"]

    def change(params: dict[str, Any]) -> None:
        params["datasets"].update(entry)
        params["experiments"]["main"]["datasets"].append("own")
        for name in ("ranks", "nll_vs_published", "ranks_vs_published"):
            params["tables"][name] = {"experiments": ["main"]}
        for name in ("sizes", "datasets"):
            params["tables"][name] = {"experiments": []}
        params["figures"]["confidence_error"] = {"experiments": ["main"], "datasets": ["waves"]}

    copy.edit(change)


def add_method(copy: Copy) -> None:
    """Write the file and the entry of the documentation."""
    path = "src/rafs/methods/random_features.py"
    (copy.root / path).write_text(block(METHOD, path))
    entry = yaml.safe_load(block(METHOD, "params.yaml: methods"))
    listed = yaml.safe_load(block(METHOD, "params.yaml: experiments.main"))["methods"]

    def change(params: dict[str, Any]) -> None:
        params["methods"].update(entry)
        known = params["experiments"]["main"]["methods"]
        known += [name for name in listed if name not in params["methods"] or name in entry]

    copy.edit(change)


@pytest.mark.slow
def test_a_table_and_a_method_as_documented(finished: Copy) -> None:
    before = finished.snapshot("results/runs/**/*")
    add_table(finished)
    add_method(finished)
    run = commands(DATA)
    assert ["rafs", "check"] in run
    assert ["snakemake"] in run
    finished.run("rafs", "check")
    counts = finished.jobs("snakemake")
    assert counts["fetch"] == 1
    assert counts["data"] == 2
    # of two seeds: the method everywhere, the table with the two old methods
    assert counts["train"] == 2 * counts["score"] == 2 * (3 + 2)
    assert before == {name: finished.snapshot(name)[name] for name in before}
    check_reports(finished)
    check_that_compare_agrees(finished)
    check_changes(finished)


def check_reports(copy: Copy) -> None:
    scores = pd.read_csv(copy.root / "results/scores/main.csv")
    assert set(scores["method"]) == {"ae", "rafs", "random_features"}
    assert (scores["status"] == "ok").all()
    assert set(scores.loc[scores["dataset"] == "waves", "category"]) == {"own"}
    tables = {path.stem: path.read_text() for path in (copy.root / "reports/tables").glob("*.md")}
    for name in ("nll", "rmse", "ranks", "sizes", "datasets"):
        assert "waves" in tables[name], name
    for name in ("nll", "rmse", "ranks"):
        assert "Random features" in tables[name], name
    for name in ("nll_vs_published", "ranks_vs_published"):
        assert "waves" not in tables[name], name
    assert re.search(r"\| waves +\| own +\| 3 +\| 96 +\| 24 +\|", tables["sizes"])
    page = (copy.root / "reports/index.html").read_text()
    assert 'id="dataset-waves"' in page
    assert "x, kind=high, kind=low" in page
    assert "Random features" in page
    assert (
        "random_features" in json.loads((copy.root / "reports/metrics.json").read_text())["excess"]
    )


def check_that_compare_agrees(copy: Copy) -> None:
    """One line on the same table gives the numbers of the workflow, bit for bit."""
    done = copy.run(
        "rafs", "compare", TABLE, "--target", "y", "--categorical", "kind", "--methods", "ae",
        "random_features", "--seeds", "2", "--cores", "1", "--params", "params.yaml",
    )  # fmt: skip
    assert "Random features" in done.stdout
    ours = pd.read_csv(copy.root / "waves-comparison/scores.csv").set_index(["method", "seed"])
    theirs = pd.read_csv(copy.root / "results/scores/main.csv")
    theirs = theirs[theirs["dataset"] == "waves"].set_index(["method", "seed"])
    for score in ("nll", "rmse", "coverage_95", "crps"):
        assert ours[score].to_dict() == theirs.loc[ours.index, score].to_dict()


def check_changes(copy: Copy) -> None:
    """The same content with another date is no change; one row more is, for this table alone."""
    table = copy.root / TABLE
    content = table.read_bytes()
    table.write_bytes(content)
    only = "results/runs/main/ae/waves/seed-0/best.json"
    assert copy.jobs("snakemake", only) == {}
    table.write_bytes(content + b"100.0,low,180.0\n")
    assert "data/own" in copy.run("dvc", "status").stdout
    counts = copy.jobs("snakemake", only)
    assert counts == {"fetch": 1, "data": 1, "train": 1}
    stale = json.loads(copy.run("rafs", "status", "--json").stdout)
    assert {name.split("/")[-3] for name in stale["stale"] if "/runs/" in name} == {"waves"}
    copy.edit(lambda params: params["datasets"]["waves"].update(split={"last": 0.25}))
    drawn = "data/processed/described/waves/seed-0.npz"
    assert copy.jobs("snakemake", drawn) == {"fetch": 1, "data": 1}
    with np.load(copy.root / drawn) as data:
        assert data["y_test"][-1] == 180.0


@pytest.mark.slow
@pytest.mark.fault
def test_another_table_with_an_old_date(finished: Copy) -> None:
    """Snakemake compares the date of an input first; user datasets are compared by their hash."""
    add_table(finished)
    finished.run("snakemake")
    table = finished.root / TABLE
    for command, row in {("snakemake",): "100.0,low,180.0", ("dvc", "repro"): "0,low,5"}.items():
        table.write_text(f"{table.read_text()}{row}\n")
        os.utime(table, (0, 0))
        counts = finished.jobs(*command)
        assert {rule: counts.get(rule) for rule in AGAIN} == AGAIN
        assert finished.jobs("snakemake") == finished.jobs("dvc", "repro") == {}


def stopped(copy: Copy, *command: str) -> str:
    done = copy.run(*command, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert not Path(copy.root, "data/processed").exists()
    (said,) = re.findall(r"^rafs: (.+)$", done.stderr, re.MULTILINE)
    return str(said)


@pytest.mark.refusal
def test_a_table_that_cannot_be_used_stops_everything_with_a_sentence(project: Copy) -> None:
    add_table(project)
    project.replace(TABLE, ",low,", ",,")
    for command in ("snakemake", "rafs check"):
        said = stopped(project, *command.split())
        assert said.startswith("params.yaml: datasets.waves: data/own/waves.csv: 'kind' has no")
    (project.root / TABLE).unlink()
    assert f"there is no file {TABLE}" in stopped(project, "snakemake")


def test_a_hostile_name_of_a_file_is_only_a_name(project: Copy) -> None:
    """Of a file and of a column: neither reaches a shell, a format or a pattern."""
    name, column = "$(touch x); .. 'é\" & `touch y`.csv", "$(touch x)"
    rows = [f"{i * 0.37 % 1},{i}" for i in range(40)]
    (project.root / "data/own" / name).write_text("\n".join([f"{column},y", *rows]))
    entry = {"csv": f"data/own/{name}", "target": "y"}

    def change(params: dict[str, Any]) -> None:
        params["datasets"]["waves"] = entry
        params["experiments"]["main"]["datasets"] = ["waves"]

    project.edit(change)
    drawn = "data/processed/described/waves/seed-0.npz"
    done = project.run("snakemake", drawn)
    assert ran(done) == {"fetch": 1, "data": 1}
    assert "rafs: runs: 0 of 4 are there, 0 of them new" in done.stderr
    with np.load(project.root / drawn) as data:
        assert len(data["y_train"]) == 32
    quick = ("--methods", "de", "--seeds", "1", "--trials", "1", "--steps", "5", "--cores", "1")
    project.run("rafs", "compare", entry["csv"], "--target", "y", "--out", "compared", *quick)
    assert (project.root / "compared/comparison.png").is_file()
    assert not list(project.root.rglob("[xy]"))
