"""`rafs status` agrees with what the workflow then does."""

import fcntl
import json
from base64 import urlsafe_b64encode
from dataclasses import replace
from typing import Any

import pytest

import called
from rafs.experiments import Run
from rafs.pipeline.loading import load
from rafs.pipeline.plan import Plan
from small_project import Copy

pytestmark = pytest.mark.workflow


def status(copy: Copy) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(copy.run("rafs", "status", "--json", "--cores", "2").stdout)
    return found


def states(found: dict[str, Any], state: str) -> dict[str, int]:
    return {kind: counts[state] for kind, counts in found["jobs"].items() if counts[state]}


def test_status(finished: Copy) -> None:
    found = status(finished)
    assert found["complete"]
    assert found["running"] is None
    assert states(found, "done") == {"data": 4, "training": 8, "scoring": 4, "reports": 9}
    assert found["seconds_left"] == 0
    shown = finished.run("rafs", "status").stdout
    assert "everything is up to date" in shown
    assert "\x1b" not in shown
    plain = finished.run("rafs", "status", PYTHONIOENCODING="ascii").stdout
    assert plain.isascii()
    assert "everything is up to date" in plain

    # a changed setting, a lost file, a failed job, a dataset that is not here
    finished.edit(lambda params: params["methods"]["rafs"].update(learning_rate=0.02))
    (finished.root / "results/runs/main/ae/he/seed-0/metrics.json").unlink()
    (finished.root / "log.txt").write_text("it was [/red] told to")
    job = called.train(
        Plan(load(finished.root / "params.yaml"), finished.root), Run("main", "ae", "he", 1)
    )
    finished.run("rafs", *job.failed("log.txt"))
    gone = replace(job, outputs=[name.replace("main", "gone") for name in job.outputs])
    finished.run("rafs", *gone.failed("log.txt"))  # of no experiment any more
    told = "the train job failed: it was [/red] told to (see log.txt)"
    finished.edit(lambda params: params["experiments"]["main"]["datasets"].append("boston"))
    found = status(finished)
    assert not found["complete"]
    assert states(found, "stale") == {"training": 4, "scoring": 2, "reports": 8}
    assert states(found, "failed") == {"training": 1}
    assert states(found, "to do") == {"data": 3, "training": 4, "scoring": 3}
    assert [entry["message"] for entry in found["failed"]] == [told]
    assert [entry["dataset"] for entry in found["missing"]] == ["boston"]
    assert found["seconds_left"] > 0
    shown = finished.run("rafs", "status").stdout
    assert f"failed: {told}" in shown
    assert "missing: boston: not on this machine" in shown
    assert "the rest takes about " in shown


def test_while_it_runs(finished: Copy) -> None:
    """As it is while a workflow holds the directory and has begun to make an output again."""
    output = "results/runs/main/ae/he/seed-0/predictions.npz"
    begun = finished.root / ".snakemake/incomplete" / urlsafe_b64encode(output.encode()).decode()
    begun.parent.mkdir(exist_ok=True)
    begun.write_text("{}")
    with (finished.root / ".snakemake/rafs.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write("process 7 on here")
        lock.flush()
        found = status(finished)
        assert states(found, "running") == {"training": 1}
        assert found["running"] == "process 7 on here"
        assert not found["complete"]
        assert "running: process 7 on here" in finished.run("rafs", "status").stdout
        done = finished.run("rafs", "clean", "--unrecorded", check=False)
        assert done.returncode == 1
        assert done.stderr.startswith("rafs: this directory is in use by process 7 on here; wait")
    assert states(status(finished), "to do") == {"training": 1}


def test_before_anything_has_run(project: Copy) -> None:
    found = status(project)
    assert states(found, "to do") == {"data": 4, "training": 8, "scoring": 4, "reports": 9}
    assert found["seconds_left"] is None
    assert "not known before some of it has run" in project.run("rafs", "status").stdout
    project.edit(lambda params: params.update(seeds="x"))
    done = project.run("rafs", "status", check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("rafs: params.yaml: seeds must be")
