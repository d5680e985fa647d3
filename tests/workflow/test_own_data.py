"""A table that somebody brings goes through the whole graph, and its changes too."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from small_project import Copy, ran

pytestmark = [pytest.mark.workflow]

METHODS = ["de", "ae", "rafs"]
TABLE = "data/own/houses.csv"


def houses(rows: int = 60) -> pd.DataFrame:
    random = np.random.default_rng(0)
    size = random.uniform(30, 200, rows)
    kind = random.choice(["flat", "house"], rows)
    price = 2 * size + 50 * (kind == "house") + random.normal(0, 10, rows)
    return pd.DataFrame({"size": size, "kind": kind, "price": price})


def with_own_data(params: dict[str, Any]) -> None:
    params["datasets"]["houses"] = {"csv": TABLE, "target": "price", "categorical": ["kind"]}
    params["experiments"]["main"] = {"methods": METHODS, "datasets": ["he", "own"]}
    params["tables"] = {
        name: {"experiments": ["main"]}
        for name in ("nll", "rmse", "ranks", "nll_vs_published", "ranks_vs_published", "comparison")
    } | {"sizes": {"experiments": []}, "datasets": {"experiments": []}}
    params["figures"] = {
        "overview": {"experiments": ["main"]},
        "confidence_error": {"experiments": ["main"], "datasets": ["houses"]},
    }


@pytest.fixture
def owner(project: Copy) -> Copy:
    houses().to_csv(project.root / TABLE, index=False)
    project.edit(with_own_data)
    return project


@pytest.mark.slow
def test_from_a_file_to_the_page(owner: Copy) -> None:
    done = owner.run("snakemake")
    runs = len(METHODS) * 2 * 2
    counts = ran(done)
    assert counts["own"] == 1
    assert counts["own_data"] == counts["data"] == 3
    assert counts["train"] == counts["score"] == runs
    scores = pd.read_csv(owner.root / "results/scores/main.csv")
    assert set(scores["dataset"]) == {"he", "houses"}
    assert (scores["status"] == "ok").all()
    assert set(scores.loc[scores["dataset"] == "houses", "category"]) == {"own"}
    for table in ("nll", "rmse", "ranks", "sizes", "datasets"):
        assert "houses" in (owner.root / f"reports/tables/{table}.md").read_text(), table
    for table in ("nll_vs_published", "ranks_vs_published"):
        assert "houses" not in (owner.root / f"reports/tables/{table}.md").read_text(), table
    sizes = (owner.root / "reports/tables/sizes.md").read_text()
    assert re.search(r"\| houses +\| own +\| 3 +\| 48 +\| 12 +\|", sizes)
    page = (owner.root / "reports/index.html").read_text()
    assert 'id="dataset-houses"' in page
    assert "size, kind=flat, kind=house" in page
    assert owner.jobs("snakemake") == {}

    # the same content under another date is no change; one more row is, for this dataset alone
    table = owner.root / TABLE
    content = table.read_bytes()
    table.write_bytes(content)
    assert owner.jobs("snakemake") == {}
    others = owner.snapshot("results/*/main/*/he/**/*", "data/processed/described/he/*")
    table.write_bytes(content + b"100.0,flat,180.0\n")
    counts = owner.jobs("snakemake")
    assert counts["own"] == 1
    assert counts["own_data"] == 3
    assert counts["tune"] == len(METHODS)
    assert counts["train"] == runs // 2
    assert "data" not in counts
    assert others == owner.snapshot("results/*/main/*/he/**/*", "data/processed/described/he/*")

    # what is asked of it changed: its split
    owner.edit(lambda params: params["datasets"]["houses"].update(split={"last": 0.25}))
    assert owner.jobs("snakemake", "data/processed/described/houses/seed-0.npz") == {
        "own": 1,
        "own_data": 1,
    }
    with np.load(owner.root / "data/processed/described/houses/seed-0.npz") as drawn:
        assert drawn["y_test"][-1] == 180.0


def stopped(copy: Copy, *command: str) -> str:
    done = copy.run(*command, check=False)
    assert done.returncode in (1, 2), done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert not Path(copy.root, "data/processed").exists()
    (said,) = re.findall(r"^rafs: (.+)$", done.stderr, re.MULTILINE)
    return str(said)


def test_a_table_that_cannot_be_used_stops_everything_with_a_sentence(owner: Copy) -> None:
    for command in (("snakemake",), ("rafs", "check")):
        owner.replace(TABLE, ",flat,", ",,")
        said = stopped(owner, *command)
        assert "datasets.houses" in said
        assert "'kind' has no value in 1 of 60 rows" in said
        owner.replace(TABLE, ",,", ",flat,")
    (owner.root / TABLE).unlink()
    assert f"there is no file {TABLE}" in stopped(owner, "snakemake")


def test_dvc_sees_a_change_of_the_table(owner: Copy) -> None:
    owner.run("git", "init", "--quiet")
    owner.run("dvc", "init", "--quiet")
    owner.run("dvc", "commit", "--force", "--quiet", "reproduce", check=False)
    deps = owner.run("dvc", "status", "--json").stdout
    assert "data/own" in deps
