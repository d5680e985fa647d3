"""Experiments that are run by name only: the default does not know them, the page shows them."""

from base64 import urlsafe_b64encode
from typing import Any

import pandas as pd
import pytest
import yaml

from rafs.pipeline.loading import load
from rafs.pipeline.plan import Plan
from rafs.pipeline.snakemake_compat import METADATA, about
from small_project import PROJECT, Copy, ran

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

NOWHERE = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"),
                        "http://127.0.0.1:9") | {"no_proxy": "", "NO_PROXY": ""}  # fmt: skip


def by_name(params: dict[str, Any]) -> None:
    """Add small forms of `released` and `quirks`, and their tables."""
    whole = yaml.safe_load((PROJECT / "params.yaml").read_text())
    released, quirks = (whole["experiments"][name] for name in ("released", "quirks"))
    released |= {"methods": ["ae", "rp"], "datasets": ["he", "puma560"], "seeds": 1}
    released |= {"cost": "a few seconds"}
    released["settings"] = {m: released["settings"][m] for m in released["methods"]}
    released["training"]["steps"] = 20
    released["settings"]["rp"]["training"] = {"epochs": 2, "batch_size": 10}
    del released["largest"]
    released["parts"] = {"half": {"methods": ["rp"], "cost": "half as much"}}
    quirks |= {"methods": ["ae"], "datasets": ["he", "forrester"], "seeds": 1}
    quirks["sweep"] = {"quirk": ["noise_free_test"]}
    params["experiments"] |= {"released": released, "quirks": quirks}
    for name in ("released_vs_published", "quirks"):
        params["tables"][name] = whole["tables"][name]


def test_part_of_it(finished: Copy) -> None:
    """A part is run and shown, with what is not; what there is costs nothing to show."""
    finished.edit(by_name)
    table = finished.root / "reports/tables/released_vs_published.md"
    done = finished.run("snakemake", "released_half", **NOWHERE)
    assert "rafs: experiment released_half costs half as much" in done.stderr
    assert ran(done) == {
        "fetch": 2, "data": 2, "train": 2, "score": 2, "aggregate": 1, "table": 1,
    }  # fmt: skip
    scores = pd.read_csv(finished.root / "results/scores/released.csv")
    assert set(scores.loc[scores["method"] == "ae", "status"]) == {"not run"}
    assert "Of the 300 printed cells 2 were run" in table.read_text()
    assert "; AE on any dataset; " in table.read_text()
    assert "The experiment in whole costs a few seconds." in table.read_text()
    for part in ("released_half", "released_so_far"):
        assert finished.jobs("snakemake", part, **NOWHERE) == {}
    finished.run("snakemake", "results/runs/released/ae/he/seed-0/metrics.json", **NOWHERE)
    assert finished.jobs("snakemake", "released_so_far", **NOWHERE) == {"aggregate": 1, "table": 1}
    assert "Of the 300 printed cells 4 were run" in table.read_text()
    assert finished.jobs("snakemake") == {"page": 1, "verify": 1}
    rest = finished.jobs("snakemake", "table_released_vs_published", **NOWHERE)
    assert rest == {"train": 1, "score": 1, "aggregate": 1, "table": 1}
    assert "costs a few seconds" not in table.read_text()  # all was run, though one has no data


def test_every_file_is_known(finished: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the rules make is guarded, also if no default target asks for it."""
    finished.edit(by_name)
    more = {"methods": ["ae"], "datasets": ["ishigami"], "seeds": 1, "default": False}
    finished.edit(lambda params: params["experiments"].update(more=more))
    finished.run("snakemake", "released", "more", **NOWHERE)
    monkeypatch.chdir(finished.root)
    plan = Plan(load("params.yaml"))
    made = {output for output, _ in about(METADATA)}
    best, trials = (
        f"results/runs/more/ae/ishigami/seed-0/{name}" for name in ("best.json", "trials.csv")
    )
    assert {best, trials, "results/tuned/more.csv", "results/tuned/released.csv"} <= made
    assert made - {*plan.files.all(), *plan.files.extra()} == set()
    finished.replace(best, "values", "worths")
    done = finished.run("snakemake", "--dry-run", "more")
    assert f"rafs: {best} is damaged: it is not what later jobs have read" in done.stderr
    for file in (".snakemake/metadata", ".snakemake/incomplete"):
        name = urlsafe_b64encode(trials.encode()).decode()
        (finished.root / file / name).unlink(missing_ok=True)
    done = finished.run("snakemake", "--dry-run", "more", check=False)
    assert f"1 outputs have no provenance record, for instance {trials}" in done.stderr


def test_part_of_it_elsewhere(finished: Copy) -> None:
    """A job of a cluster, which does not know what was asked for, gathers the same runs."""
    finished.edit(by_name)
    finished.run("snakemake", "released_half", **NOWHERE)
    scores = finished.root / "results/scores/released.csv"
    before = scores.read_bytes()
    scores.unlink()
    finished.run(
        "snakemake", "--mode", "remote", "--target-jobs", "aggregate:experiment=released",
        "--allowed-rules", "aggregate", "--cores", "1", "--force", "--nolock", "--no-hooks",
        **NOWHERE,
    )  # fmt: skip
    assert scores.read_bytes() == before


def test_by_name_only(finished: Copy) -> None:
    """What is run, what is missing, what is said, and what the default makes of it."""
    finished.edit(by_name)
    page = finished.root / "reports/index.html"
    assert finished.jobs("snakemake") == {"page": 1, "verify": 1}  # it shows the parameters
    assert "table-quirks" not in page.read_text()
    done = finished.run("snakemake", "released", **NOWHERE)
    assert "rafs: experiment released costs a few seconds" in done.stderr
    assert ran(done) == {
        "fetch": 2, "data": 4, "train": 6, "score": 6, "aggregate": 2, "table": 2,
    }  # fmt: skip
    scores = pd.read_csv(finished.root / "results/scores/released.csv")
    status = scores.groupby("dataset")["status"].unique().map(list).to_dict()
    assert status == {"he": ["ok"], "puma560": ["missing"]}
    assert scores["interval"].notna().sum() == 2
    assert "pumadyn_train" in done.stderr  # what is missing, and how to supply it
    quirks = pd.read_csv(finished.root / "reports/tables/quirks.csv")
    assert set(quirks["quirk"]) == {"noise_free_test"}
    assert set(quirks["dataset"]) == {"he", "forrester"}
    text = (finished.root / "reports/tables/released_vs_published.md").read_text()
    assert "Of the 300 printed cells 4 were run" in text
    assert finished.jobs("snakemake", "released", **NOWHERE) == {}
    # the default shows what there is, and asks for no more of it
    assert finished.jobs("snakemake") == {"page": 1, "verify": 1}
    assert "table-quirks" in page.read_text()
    assert "table-released_vs_published" in page.read_text()
    finished.edit(lambda params: params["experiments"]["released"].update(seeds=3))
    assert finished.jobs("snakemake") == {"page": 1, "verify": 1}
    assert finished.jobs("snakemake") == {}
