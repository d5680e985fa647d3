"""Only what changed runs again, through Snakemake and through DVC alike."""

from collections.abc import Callable
from typing import Any

import pytest

import made_up
from rafs import guards, provenance
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
        "predictions.npz", "metrics.json", "run.json", "cost.json", "log.txt", "benchmark.tsv",
    }  # fmt: skip


@TOOLS
def test_setting_of_a_method(finished: Copy, tool: tuple[str, ...]) -> None:
    same = untouched(finished, "results/*/main/ae/**/*", "data/**/*", "reports/figures/training*")
    finished.edit(set_learning_rate)
    assert finished.jobs(*tool) == {"tune": 2, "tuned": 1, "train": 4, "score": 4, **SHOWN}
    assert same()
    assert finished.jobs("snakemake") == {}
    assert finished.jobs("dvc", "repro") == {}


def test_with_another_snakemake(finished: Copy) -> None:
    """One that is not made faster does the same; the locked one is."""
    locked = provenance.pins(finished.root / "requirements.lock")["snakemake"]
    assert locked.startswith(f"{guards.QUICKENED}.")
    finished.replace("src/rafs/guards.py", f'QUICKENED = "{guards.QUICKENED}"', 'QUICKENED = "8.0"')
    finished.edit(set_learning_rate)
    assert finished.jobs("snakemake") == {"tune": 2, "tuned": 1, "train": 4, "score": 4, **SHOWN}
    assert finished.jobs("snakemake") == {}


@TOOLS
def test_dataset(finished: Copy, tool: tuple[str, ...]) -> None:
    """Its size and then its noise."""
    same = untouched(finished, "results/*/main/*/forrester/**/*", "data/**/forrester/*")
    expected = {"data": 3, "tune": 2, "tuned": 1, "train": 4, "score": 4, **SHOWN, "figure": 2}
    for change in ({"train": 15}, {"train": 15, "noise": 0.5}):
        finished.edit(lambda params, change=change: params["datasets"].update(he=change))
        assert finished.jobs(*tool) == expected
    assert same()


@TOOLS
def test_seeds(finished: Copy, tool: tuple[str, ...]) -> None:
    same = untouched(finished, "results/runs/**/*", "results/tuning/main/*/*/*")
    finished.edit(lambda params: params.update(seeds=1))
    assert finished.jobs(*tool) == {"tuned": 1, **SHOWN}
    assert same()
    old = untouched(finished, "results/runs/**/seed-[01]/*", "results/tuning/main/*/*/*")
    finished.edit(lambda params: params.update(seeds=3))
    expected = {"data": 2, "tuned": 1, "train": 4, "score": 4, **SHOWN}
    assert finished.jobs(*tool) == expected  # seed 1 was still there
    assert old()


@TOOLS
def test_new_dataset_and_method(finished: Copy, tool: tuple[str, ...]) -> None:
    """With a third dataset and a third method five of nine pairs are new."""
    same = untouched(finished, *(f"results/*/main/{m}/{d}/**/*" for m, d in OLD), "data/**/he/*")

    def grow(params: dict[str, Any]) -> None:
        params["experiments"]["main"]["datasets"].append("friedman")
        params["experiments"]["main"]["methods"].append("rp+rafs")

    finished.edit(grow)
    new = {"data": 3, "tune": 5, "tuned": 1, "train": 10, "score": 10, **SHOWN}
    assert finished.jobs(*tool) == new
    assert same()


def test_new_experiment_with_a_sweep(finished: Copy) -> None:
    same = untouched(finished, "results/*/main/**/*", "reports/figures/*", "reports/tables/nll*")
    new = {"methods": ["rafs"], "datasets": ["he"], "sweep": {"size": [2, 3]}, "tuning": "main"}
    finished.edit(lambda params: params["experiments"].update(size=new))
    expected = {"train": 4, "score": 4, "aggregate": 1, **REPORTS}
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
    runs = untouched(finished, "results/runs/**/predictions.npz", "results/tuning/**/*")
    base = finished.root / "src/rafs/methods/base.py"
    base.write_text("# only a comment\n" + base.read_text().replace("\n\n\n", "\n\n\n\n"))
    finished.replace("src/rafs/metrics.py", '"""', '"""In other words: ')
    assert finished.jobs(*tool) == {}
    assert finished.jobs("dvc", "repro") == {}  # DVC takes note of the files, and runs nothing
    assert "up to date" in finished.run("dvc", "status").stdout
    metrics = finished.root / "src/rafs/metrics.py"
    metrics.write_text(metrics.read_text() + "\nANOTHER = 1\n")
    assert finished.jobs(*tool) == {"score": 8, **SHOWN}
    assert runs()
    ae = untouched(finished, "results/*/main/ae/**/*")
    rafs = finished.root / "src/rafs/methods/rafs.py"
    rafs.write_text(rafs.read_text() + "\nANOTHER = 1\n")
    assert finished.jobs(*tool) == {"tune": 2, "tuned": 1, "train": 4, "score": 4, **SHOWN}
    assert ae()


@TOOLS
def test_same_tuned_values(finished: Copy, tool: tuple[str, ...]) -> None:
    """Tuning that ends in the same values is no reason to train."""
    same = untouched(finished, "results/runs/**/*", "results/scores/*", "reports/tables/*")
    finished.replace("src/rafs/jobs/tune.py", "the default is used", "the defaults are used")
    assert finished.jobs(*tool) == {"tune": 4, "tuned": 1}
    assert same()


@TOOLS
def test_same_data(finished: Copy, tool: tuple[str, ...]) -> None:
    """Data that come out as they were are tuned on again, but are no reason to train."""
    same = untouched(finished, "results/runs/**/*", "results/scores/*", "reports/tables/*")
    family = finished.root / "src/rafs/datasets/trigonometric.py"
    family.write_text(family.read_text() + "\nANOTHER = 1\n")
    counted = finished.jobs(*tool)
    drawn = [counted.pop(rule, 0) for rule in ("figure", "page", "verify")]  # of the data alone
    assert counted == {"data": 6, "tune": 4, "tuned": 1}
    assert drawn[0] == 1
    assert same()
