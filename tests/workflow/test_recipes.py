"""The ten recipes of CONTRIBUTING.md, carried out as written on one copy of the project."""

import csv
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from documented import Block, blocks
from small_project import Copy, copied, once

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

PAGE = "CONTRIBUTING.md"


def apply(copy: Copy, block: Block) -> None:
    """Do what a block says: write a file, edit one, run a script, or add to params.yaml."""
    path, _, key = block.title.partition(": ")
    if key:
        copy.edit(lambda params: params[key].update(yaml.safe_load(block.text)))
    elif block.language == "diff":
        before, after = (
            "".join(line[1:] for line in block.text.splitlines(True) if line[0] in kept)
            for kept in (" -", " +")
        )
        copy.replace(path, before, after)
    else:
        file = copy.root / path
        assert not file.exists(), path
        file.write_text(block.text)
        if "/" not in path:
            copy.run(sys.executable, path)


def use(params: dict[str, Any]) -> None:
    """Let the small workflow use all that was added."""
    params["methods"]["ae"]["activation"] = "leaky_relu"
    params["experiments"]["rates"] |= {"tuning": None, "training": {"optimiser": "momentum"}}
    params["experiments"]["main"] |= {
        "methods": ["ae", "rafs", "ae_wide"],
        "datasets": ["he", "ripple", "tides"],
    }
    params["tables"]["nll"]["metric"] = "largest_error"


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """Return a copy in which every recipe was followed and the workflow run."""

    def make(root: Path) -> Copy:
        copy = copied(root)
        for block in blocks(PAGE):
            if block.title:
                apply(copy, block)
        copy.edit(use)
        copy.run("rafs", "check")
        copy.run("snakemake", "--cores", "2", RAFS_DATA_DIR=str(root / "data"))
        return copy

    return once(tmp_path_factory, "extended", make)


def runs(copy: Copy, experiment: str = "main") -> list[dict[str, str]]:
    with (copy.root / f"results/scores/{experiment}.csv").open() as file:
        return list(csv.DictReader(file))


def test_there_are_ten_recipes() -> None:
    text = Path(__file__).resolve().parents[2].joinpath(PAGE).read_text()
    section = text.partition("## Ten changes\n")[2].partition("\n## ")[0]
    assert len(re.findall(r"^### ", section, re.MULTILINE)) == 10


def test_methods_and_datasets_have_scores(extended: Copy) -> None:
    found = runs(extended)
    assert {row["dataset"] for row in found} == {"he", "ripple", "tides"}
    assert {row["method"] for row in found} == {"ae", "rafs", "ae_wide"}
    assert {row["status"] for row in found} == {"ok"}


def test_the_activation_and_the_optimiser_were_used(extended: Copy) -> None:
    run = extended.root / "results/runs/rates/ae@steps=20/he/seed-0/run.json"
    record = json.loads(run.read_text())
    assert record["status"] == "ok"
    assert record["settings"]["activation"] == "leaky_relu"
    assert record["training"]["optimiser"] == "momentum"


def test_the_metric_is_a_column_and_a_table(extended: Copy) -> None:
    assert all(float(row["largest_error"]) >= float(row["rmse"]) for row in runs(extended))
    with (extended.root / "reports/tables/nll.csv").open() as file:
        assert {row["metric"] for row in csv.DictReader(file)} == {"largest_error"}


def test_the_table_the_figure_and_the_claim_are_reported(extended: Copy) -> None:
    reports = extended.root / "reports"
    with (reports / "tables/runs.csv").open() as file:
        assert {row["runs"] for row in csv.DictReader(file)} == {"6"}
    assert (reports / "figures/seeds.svg").stat().st_size > 0
    claims = json.loads((reports / "claims.json").read_text())["claims"]
    assert 26 in [claim["number"] for claim in claims]
    page = (reports / "index.html").read_text()
    assert 'id="table-runs"' in page
    assert 'id="figure-seeds"' in page


def test_the_sweep_has_a_row_for_every_value(extended: Copy) -> None:
    found = runs(extended, "rates")
    assert {(row["sweep_name"], row["sweep_value"]) for row in found} == {
        ("steps", "10"), ("steps", "20"),
    }  # fmt: skip
