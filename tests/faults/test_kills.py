"""Twenty times everything is killed in the middle; the next run goes on and nothing is lost."""

import os
import random
import signal
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable
from pathlib import Path

import pytest

from processes import forget_results, has_ended, processes_below, running
from small_project import Copy, unchanging

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

KILLS = 20
OUTPUTS = ("predictions.npz", "run.json", "cost.json")
RESULTS = ("data/processed/**/*.npz", "results/**/*.json", "results/**/*.csv", "reports/**/*.svg",
           "reports/**/*.csv", "reports/*.json", "reports/*.html")  # fmt: skip


def count(copy: Copy) -> int:
    return sum(1 for pattern in RESULTS for _ in copy.root.glob(pattern))


def kill_all(top: int) -> list[int]:
    """Kill a workflow, its jobs and its warm parent; return who they were."""
    family = [top, *processes_below(top)]
    for process in family:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            continue
    return family[1:]


def recorded(copy: Copy, predictions: str) -> bool:
    """Tell whether Snakemake has taken note of all that a run wrote."""
    state = copy.root / ".snakemake"
    outputs = [Path(predictions).with_name(name) for name in OUTPUTS]
    names = [urlsafe_b64encode(str(output).encode()).decode() for output in outputs]
    return all((state / "metadata" / name).is_file() for name in names) and not any(
        (state / "incomplete" / name).exists() for name in names
    )


def runs(copy: Copy) -> dict[str, int]:
    """Return the runs that are complete, with the date of their predictions."""
    found = copy.snapshot("results/runs/**/predictions.npz")
    return {name: date for name, (date, _) in found.items() if recorded(copy, name)}


def leftovers(root: Path) -> list[str]:
    return [str(path) for path in root.rglob(".*.tmp")]


@pytest.mark.timeout(1800)
def test_killed_twenty_times(
    finished: Copy, reproduced: Copy, record_property: Callable[[str, object], None]
) -> None:
    copy = forget_results(finished)
    chance = random.Random(os.environ.get("RAFS_TEST_SEED", "1"))
    total = count(reproduced)
    moments = sorted(chance.randrange(total) for _ in range(KILLS))
    finished_runs: dict[str, int] = {}
    killed = 0
    for moment in moments:
        with running(copy) as process:
            while count(copy) < moment and process.poll() is None:
                time.sleep(0.05)
            time.sleep(chance.uniform(0.0, 3.0) if moment == 0 else chance.uniform(0.0, 0.3))
            if process.poll() is None:
                killed += 1
            family = kill_all(process.pid)
            process.wait()
        assert has_ended(family), "a job outlived its workflow"
        kept = runs(copy)
        said = (copy.root / "output.txt").read_text()
        assert {name: kept.get(name) for name in finished_runs} == finished_runs, said
        finished_runs = kept
    copy.run("snakemake")
    assert unchanging(copy) == unchanging(reproduced)
    after = runs(copy)
    assert {name: after[name] for name in finished_runs} == finished_runs
    assert leftovers(copy.root) == []
    assert copy.jobs("dvc", "repro") == {}
    assert killed >= KILLS - 1  # the last may come after the end
    record_property("kills", killed)
    record_property("runs kept", len(finished_runs))
