"""The workflow is killed twenty times; the next run resumes and nothing is lost."""

import os
import random
import signal
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from processes import has_ended, processes_below, running, wait_until
from small_project import Copy, unchanging, whole

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

KILLS = 20
OUTPUTS = ("predictions.npz", "run.json", "trials.csv", "best.json", "cost.json", "held_out.npz")
RESULTS = ("data/processed/**/*.npz", "results/**/*.json", "results/**/*.csv", "reports/**/*.svg",
           "reports/**/*.csv", "reports/*.json", "reports/*.html")  # fmt: skip


def count(copy: Copy) -> int:
    return sum(1 for pattern in RESULTS for _ in copy.root.glob(pattern))


def enough(copy: Copy, files: int) -> bool:
    return count(copy) >= files


def kill_all(top: int) -> list[int]:
    """Kill a workflow, its jobs and its fork server; return who they were."""
    family = [top, *processes_below(top)]
    for process in family:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            continue
    return family[1:]


def recorded(copy: Copy, predictions: str) -> bool:
    """Return whether Snakemake has recorded all that a run wrote."""
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


@pytest.mark.timeout(7200)
def test_killed_twenty_times(
    smoked: Copy, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """The smoke reproduction, killed at moments that are spread at random over all it makes."""
    record_property("faults", KILLS)
    project = whole(tmp_path / "project")
    copy, undisturbed = (Copy(each.root / "build/smoke") for each in (project, smoked))
    chance = random.Random(os.environ.get("RAFS_TEST_SEED", "1"))
    total = count(undisturbed)
    finished: dict[str, int] = {}
    for moment in sorted(chance.randrange(total - 2 * KILLS) for _ in range(KILLS)):
        moment = max(moment, count(copy) + 1)  # something is made between two kills
        with running(project, "rafs", "smoke", "--cores", "2") as process:
            wait_until(partial(enough, copy, moment), process)
            time.sleep(chance.uniform(0.0, 0.5))
            said = (project.root / "output.txt").read_text()
            assert process.poll() is None, said
            family = kill_all(process.pid)
            process.wait()
        assert has_ended(family), "a job outlived its workflow"
        kept = runs(copy)
        assert {name: kept.get(name) for name in finished} == finished, said
        finished = kept
    assert finished
    project.run("rafs", "smoke", "--cores", "2")
    assert unchanging(copy) == unchanging(undisturbed)
    after = runs(copy)
    assert {name: after[name] for name in finished} == finished
    assert leftovers(copy.root) == []
    record_property("finished runs kept", len(finished))
