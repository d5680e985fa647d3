"""An estimator as the documentation adds it, and what happens when one fails or is edited."""

import json
from typing import Any

import pandas as pd
import pytest
import yaml

from documented import block, commands
from small_project import Copy

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

PAGE, PLUGIN = "docs/any-estimator.md", "plugins/my_models.py"
BROKEN = """

class Broken:
    def fit(self, X, y):
        raise RuntimeError("it does not converge")

    def predict(self, X):
        return X[:, 0]
"""


def add(copy: Copy) -> None:
    """Add what the page adds, and a class that fails."""
    (copy.root / PLUGIN).write_text(block(PAGE, PLUGIN) + BROKEN)
    entries = yaml.safe_load(block(PAGE, "params.yaml: methods"))
    listed = yaml.safe_load(block(PAGE, "params.yaml: experiments.main"))["methods"]

    def change(params: dict[str, Any]) -> None:
        params["methods"] |= entries | {"broken": {"estimator": "my_models.Broken"}}
        params["experiments"]["main"]["methods"] = [*listed, "broken"]

    copy.edit(change)


@pytest.mark.fault
def test_an_estimator_as_documented(finished: Copy) -> None:
    before = finished.snapshot("results/runs/**/predictions.npz")
    add(finished)
    assert commands(PAGE)[:2] == [["rafs", "check"], ["snakemake", "main"]]
    finished.run("rafs", "check")
    counts = finished.jobs("snakemake", "main")
    assert counts["train"] == 3 * 2 * 2  # methods, seeds, datasets
    assert before == {name: finished.snapshot(name)[name] for name in before}
    scores = pd.read_csv(finished.root / "results/scores/main.csv")
    status = scores.groupby("method")["status"].agg(lambda s: "+".join(sorted(set(s)))).to_dict()
    assert status == dict.fromkeys(["ae", "rafs", "knn", "spread"], "ok") | {"broken": "failed"}
    message = "broken: fit failed with RuntimeError (it does not converge)"
    assert set(scores.loc[scores["method"] == "broken", "message"]) == {message}
    tuned = pd.read_csv(finished.root / "results/tuned/main.csv")
    assert set(tuned.loc[tuned["method"] == "knn", "name"]) >= {"n_neighbors"}
    check_that_an_edit_runs_its_own_methods(finished)


def check_that_an_edit_runs_its_own_methods(copy: Copy) -> None:
    """Other code in the file is noticed, by `snakemake` and by DVC; other methods are not run."""
    run = "results/runs/main/spread/he/seed-0/run.json"
    uses = json.loads((copy.root / run).read_text())["settings"]["estimator"]
    assert uses == "my_models.NearestSpread"
    copy.replace(PLUGIN, "+ 0.05", "+ 0.1")
    assert "plugins" in copy.run("dvc", "status").stdout
    counts = copy.jobs("snakemake", "main")
    assert counts["train"] == 2 * 2 * 2  # spread and broken, which are in that file
