"""Only what changed runs again, through Snakemake and through DVC alike."""

from collections.abc import Callable
from typing import Any

import pytest

import made_up
from rafs.pipeline import provenance, snakemake_compat
from small_project import Copy

pytestmark = pytest.mark.workflow

COMMANDS = {"snakemake": ("snakemake",), "dvc": ("dvc", "repro")}
TOOLS = pytest.mark.parametrize("tool", COMMANDS.values(), ids=COMMANDS)
REPORTS = {"claims": 1, "summary": 1, "page": 1, "verify": 1}
OLD = [(method, dataset) for method in ("ae", "rafs") for dataset in ("he", "forrester")]
SHOWN = {"aggregate": 1, "table": 2, "figure": 1, **REPORTS}  # what follows from a run of main


def untouched(copy: Copy, *patterns: str) -> Callable[[], bool]:
    """Return a question: have these files still the same bytes and the same dates?"""
    before = copy.snapshot(*patterns)
    assert before
    return lambda: copy.snapshot(*patterns) == before


def contents(copy: Copy, pattern: str) -> dict[str, bytes]:
    return {name: content for name, (_, content) in copy.snapshot(pattern).items()}


def set_learning_rate(params: dict[str, Any]) -> None:
    params["methods"]["rafs"]["learning_rate"] = 0.02


def test_nothing(finished: Copy) -> None:
    same = untouched(finished, "results/**/*", "reports/**/*", "data/**/*")
    assert finished.jobs("snakemake") == {}
    assert finished.jobs("dvc", "repro") == {}  # agrees with what Snakemake made
    assert "up to date" in finished.run("dvc", "status").stdout
    finished.replace("params.yaml", "seeds: 2", "seeds: 2  # a comment")
    assert finished.jobs("dvc", "repro") == {}
    assert finished.jobs("snakemake") == {}
    assert finished.jobs("snakemake", "--snakefile", "workflow/Snakefile") == {}
    assert same()
    run = finished.root / "results/runs/main/rafs/he/seed-1"
    assert {file.name for file in run.iterdir()} == {
        "predictions.npz", "metrics.json", "run.json", "best.json", "trials.csv", "cost.json",
        "held_out.npz", "log.txt", "benchmark.tsv",
    }  # fmt: skip


@TOOLS
def test_setting_of_a_method(finished: Copy, tool: tuple[str, ...]) -> None:
    same = untouched(finished, "results/*/main/ae/**/*", "data/**/*", "reports/figures/training*")
    finished.edit(set_learning_rate)
    assert finished.jobs(*tool) == {"train": 4, "score": 2, **SHOWN}
    assert same()
    assert finished.jobs("snakemake") == {}
    assert finished.jobs("dvc", "repro") == {}


def test_with_another_snakemake(finished: Copy) -> None:
    """One that is not made faster does the same; the locked one is."""
    locked = provenance.pins(finished.root / "requirements.lock")["snakemake"]
    assert locked.startswith(f"{snakemake_compat.KNOWN}.")
    finished.replace(
        "src/rafs/pipeline/snakemake_compat.py",
        f'KNOWN = "{snakemake_compat.KNOWN}"',
        'KNOWN = "8.0"',
    )
    finished.edit(set_learning_rate)
    assert finished.jobs("snakemake") == {"train": 4, "score": 2, **SHOWN}
    assert finished.jobs("snakemake") == {}


@TOOLS
def test_dataset(finished: Copy, tool: tuple[str, ...]) -> None:
    """Its size and then its noise."""
    same = untouched(finished, "results/*/main/*/forrester/**/*", "data/**/forrester/*")
    expected = {"data": 2, "train": 4, "score": 2, **SHOWN, "figure": 2}
    for change in ({"train": 15}, {"train": 15, "noise": 0.5}):
        finished.edit(lambda params, change=change: params["datasets"].update(he=change))
        assert finished.jobs(*tool) == expected
    assert same()


@TOOLS
def test_seeds(finished: Copy, tool: tuple[str, ...]) -> None:
    """No run is trained again; the seeds of a cell are scored again, to the same bytes."""
    runs = "results/runs/**/seed-[01]/[!m]*"  # all files but metrics.json
    same, metrics = untouched(finished, runs), contents(finished, "results/runs/**/metrics.json")
    finished.edit(lambda params: params.update(seeds=1))
    assert finished.jobs(*tool) == {"score": 4, **SHOWN}
    assert same()
    finished.edit(lambda params: params.update(seeds=3))
    expected = {"data": 2, "train": 4, "score": 4, **SHOWN}
    assert finished.jobs(*tool) == expected  # seed 1 was still there
    assert same()
    assert contents(finished, "results/runs/**/seed-[01]/metrics.json") == metrics


@TOOLS
def test_new_dataset_and_method(finished: Copy, tool: tuple[str, ...]) -> None:
    """With a third dataset and a third method five of nine pairs are new."""
    same = untouched(finished, *(f"results/*/main/{m}/{d}/**/*" for m, d in OLD), "data/**/he/*")

    def grow(params: dict[str, Any]) -> None:
        params["experiments"]["main"]["datasets"].append("friedman")
        params["experiments"]["main"]["methods"].append("rp+rafs")

    finished.edit(grow)
    new = {"data": 2, "train": 10, "score": 5, **SHOWN}
    assert finished.jobs(*tool) == new
    assert same()


def test_new_experiment_with_a_sweep(finished: Copy) -> None:
    same = untouched(finished, "results/*/main/**/*", "reports/figures/*", "reports/tables/nll*")
    new = {"methods": ["rafs"], "datasets": ["he"], "sweep": {"size": [2, 3]}, "tuning": "main"}
    finished.edit(lambda params: params["experiments"].update(size=new))
    expected = {"train": 4, "score": 2, "aggregate": 1, **REPORTS}
    assert finished.jobs("snakemake") == expected
    assert same()
    assert finished.snapshot("results/runs/size/rafs@size=3/he/seed-1/metrics.json")


def test_an_experiment_that_is_no_more(finished: Copy) -> None:
    """What it left behind decides no verdict and is not counted."""
    made = ("reports/claims.json", "reports/metrics.json", "results/complete.json")
    before = {name: (finished.root / name).read_text() for name in made}
    left = made_up.scores("scalability", ["ae", "rp", "rafs"], ["superconductivity", "news"])
    left.to_csv(finished.root / "results/scores/scalability.csv", index=False)
    for name in made:
        (finished.root / name).unlink()
    assert finished.jobs("snakemake") == REPORTS
    assert {name: (finished.root / name).read_text() for name in made} == before


@TOOLS
def test_what_is_shown(finished: Copy, tool: tuple[str, ...]) -> None:
    same = untouched(
        finished, "results/runs/**/*", "results/scores/*", "reports/tables/rmse*",
        "reports/figures/training*", "reports/claims.json", "reports/metrics.json",
    )  # fmt: skip
    finished.edit(lambda params: params["figures"]["overview"].update(metric="crps"))
    assert finished.jobs(*tool) == {"figure": 1, "page": 1, "verify": 1}
    finished.edit(lambda params: params["tables"]["nll"].update(methods=["rafs"]))
    assert finished.jobs(*tool) == {"table": 1, "page": 1, "verify": 1}
    assert same()
    finished.edit(lambda params: params.update(figures={}))
    finished.run("rm", "-r", "reports/figures")
    assert finished.jobs(*tool) == {"page": 1, "verify": 1}
    assert "up to date" in finished.run("dvc", "status").stdout


@TOOLS
def test_source_files(finished: Copy, tool: tuple[str, ...]) -> None:
    """Each edit runs the jobs whose import closure contains it, and no other."""
    runs = untouched(finished, "results/runs/**/predictions.npz", "results/runs/**/best.json")
    base = finished.root / "src/rafs/methods/base.py"
    base.write_text("# only a comment\n" + base.read_text().replace("\n\n\n", "\n\n\n\n"))
    finished.replace("src/rafs/evaluation/metrics.py", '"""', '"""In other words: ')
    assert finished.jobs(*tool) == {}
    assert finished.jobs("dvc", "repro") == {}  # DVC takes note of the files, and runs nothing
    assert "up to date" in finished.run("dvc", "status").stdout
    metrics = finished.root / "src/rafs/evaluation/metrics.py"
    metrics.write_text(metrics.read_text() + "\nANOTHER = 1\n")
    every_figure = {**SHOWN, "figure": 2}  # their axes are labelled by the metrics
    assert finished.jobs(*tool) == {"score": 4, **every_figure}
    assert runs()
    ae = untouched(finished, "results/*/main/ae/**/*")
    rafs = finished.root / "src/rafs/methods/rafs.py"
    rafs.write_text(rafs.read_text() + "\nANOTHER = 1\n")
    assert finished.jobs(*tool) == {"train": 4, "score": 2, **SHOWN}
    assert ae()
