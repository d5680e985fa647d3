"""`snakemake -n` lists the jobs that then run: no more, no fewer."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from small_project import Copy, ran

pytestmark = [pytest.mark.workflow, pytest.mark.slow, pytest.mark.timeout(1800)]

Change = Callable[[dict[str, Any]], object]
FOLDERS = ("data/processed/**/*", "results/**/*", "reports/**/*")
REPORTS = {"claims": 1, "summary": 1, "page": 1, "verify": 1}
SHOWN = {"aggregate": 1, "table": 2, "figure": 1, **REPORTS}
MORE = {"methods": ["ae", "rafs"], "datasets": ["he"], "sweep": {"size": [2, 3]}, "tuning": "main"}

# In turn: seeds are few by the time that everything is trained again.
EDITS: dict[str, tuple[Change, dict[str, int]]] = {
    "a figure's option": (
        lambda params: params["figures"]["overview"].update(metric="crps"),
        {"figure": 1, "page": 1, "verify": 1},
    ),
    "a method's setting": (
        lambda params: params["methods"]["rafs"].update(learning_rate=0.02),
        {"train": 4, "score": 2, **SHOWN},
    ),
    "a method's search range": (
        lambda params: params["methods"]["ae"]["search"].update(
            learning_rate={"log_uniform": [0.002, 0.2]}
        ),
        {"train": 4, "score": 2, **SHOWN},
    ),
    "seeds up": (
        lambda params: params.update(seeds=3),
        {"data": 2, "train": 4, "score": 4, **SHOWN},
    ),
    "seeds down": (lambda params: params.update(seeds=1), {"score": 4, **SHOWN}),
    "a dataset's noise": (
        lambda params: params["datasets"].update(he={"noise": 0.3}),
        {"data": 1, "train": 2, "score": 2, **SHOWN, "figure": 2},
    ),
    "a dataset's size": (
        lambda params: params["datasets"].update(forrester={"train": 15}),
        {"data": 1, "train": 2, "score": 2, **SHOWN},
    ),
    "tuning trials": (
        lambda params: params["tuning"].update(trials=3),
        {"train": 4, "score": 4, **SHOWN},
    ),
    "training steps": (
        lambda params: params["training"].update(steps=16),
        {"train": 4, "score": 4, **SHOWN},
    ),
    "an experiment": (
        lambda params: params["experiments"].update(more=MORE),
        {"train": 4, "score": 4, "aggregate": 1, **REPORTS},
    ),
    "an experiment by name only": (
        lambda params: params["experiments"]["more"].update(default=False),
        REPORTS,
    ),
    "a method removed": (
        lambda params: params["experiments"]["main"]["methods"].remove("ae"),
        SHOWN,
    ),
}


def planned(copy: Copy, *targets: str) -> tuple[dict[str, int], set[str]]:
    """Return how many jobs of each rule a dry run lists, and the files that these would write."""
    done = copy.run("snakemake", "--dry-run", "--quiet", "host", "--", *targets)
    if "Nothing to be done" in done.stdout + done.stderr:
        return {}, set()
    rows = re.findall(r"^(\w+) +(\d+)$", done.stdout, re.MULTILINE)  # of the job table
    counts: Counter[str] = Counter()
    for rule, number in dict(rows).items():  # it is printed twice
        counts["score" if rule.startswith("score_") else rule] += int(number)
    total = counts.pop("total")
    assert sum(counts.values()) == total
    listed = re.findall(r"^ +output: (.+)$", done.stdout, re.MULTILINE)
    kept = {rule: n for rule, n in counts.items() if rule not in ("all", *targets)}
    return kept, {file for line in listed for file in line.split(", ")}


def dates(copy: Copy) -> dict[str, int]:
    files = (path for pattern in FOLDERS for path in copy.root.glob(pattern) if path.is_file())
    return {str(path.relative_to(copy.root)): path.stat().st_mtime_ns for path in files}


def held(copy: Copy, *targets: str) -> dict[str, int]:
    """Hold a dry run against a run: the jobs of each rule, and the files; return the jobs."""
    counts, files = planned(copy, *targets)
    before = dates(copy)
    assert ran(copy.run("snakemake", *targets)) == counts
    after = dates(copy)
    beside = ("log.txt", "benchmark.tsv")  # of a job, and no outputs
    made = {name for name, date in after.items() if date != before.get(name)}
    assert {name for name in made if not name.endswith(beside)} == files
    return counts


def test_a_dry_run_is_what_runs(finished: Copy) -> None:
    finished.run("rm", "-r", ".git")  # without DVC, which would take as long as the jobs
    finished.replace("params.yaml", "seeds: 2", "seeds: 2  # a comment")
    assert planned(finished) == ({}, set())
    for name, (change, expected) in EDITS.items():
        finished.edit(change)
        assert held(finished) == expected, name
    assert planned(finished) == ({}, set())


def test_what_is_run_by_name_does_without_what_main_has_lost(finished: Copy) -> None:
    """It leaves out a method and a seed, with a note; the dry run knows."""

    def change(params: dict[str, Any]) -> None:
        params["experiments"]["main"]["methods"].remove("ae")
        params["experiments"]["main"]["seeds"] = 1
        params["experiments"]["more"] = {**MORE, "default": False}

    finished.run("rm", "-r", ".git")
    finished.edit(change)
    expected = {"train": 2, "score": 2, "aggregate": 1}
    assert planned(finished, "more")[0] == expected
    done = finished.run("snakemake", "more")
    assert ran(done) == expected
    assert "rafs: experiment more leaves out ae, seed 1: main does not tune it" in done.stderr
    assert not (finished.root / "results/runs/more/ae@size=2").exists()
