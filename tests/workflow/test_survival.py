"""Killed, doubled, failing or meddled with, a run never ends in results that it should not have."""

import json
import os
import random
import re
import signal
import subprocess
import time
from base64 import urlsafe_b64decode
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from processes import forget_results, has_ended, processes_below, running, wait_until
from small_project import Copy, ran, unchanging

pytestmark = [pytest.mark.workflow, pytest.mark.slow]


def kill_snakemake(process: subprocess.Popen[bytes]) -> None:
    process.kill()


def kill_everything(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):  # it was faster
        os.killpg(process.pid, signal.SIGKILL)


def kill_a_job(process: subprocess.Popen[bytes]) -> None:
    for victim in processes_below(process.pid)[-1:]:
        with suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)


def test_two_runs_and_kills(
    finished: Copy, reproduced: Copy, record_property: Callable[[str, object], None]
) -> None:
    """A second run is turned away; whatever is killed, whenever, the next run goes on to the end.

    It ends with the bytes of an undisturbed run, and what was finished is not made again.
    """
    record_property("faults", 5)
    copy = forget_results(finished)
    chance = random.Random(os.environ.get("RAFS_TEST_SEED", "1"))
    results = copy.root / "results"
    with running(copy) as first:
        wait_until(lambda: list(copy.root.glob("data/processed/**/*.npz")), first)
        os.killpg(first.pid, signal.SIGSTOP)  # however slow the machine, the first is still there
        second = copy.run("snakemake", check=False)
        os.killpg(first.pid, signal.SIGCONT)
        assert second.returncode != 0
        assert f"in use by process {first.pid} on" in second.stderr
        assert "Traceback" not in second.stderr
        wait_until(lambda: list(results.glob("runs/**/best.json")), first)
        family = processes_below(first.pid)
        assert family
        kill_snakemake(first)
        first.wait()
        assert has_ended(family), "a job outlived its workflow"
    for kill in (kill_everything, kill_a_job, kill_snakemake):
        wanted = len(list(results.glob("**/*.json"))) + chance.randint(1, 5)
        with running(copy) as process:
            wait_until(partial(enough, results, wanted), process)
            time.sleep(chance.random())
            kill(process)
            process.wait(timeout=1500)
    marked = {urlsafe_b64decode(m.name) for m in copy.root.glob(".snakemake/incomplete/*")}
    done = {
        name: stamp
        for name, stamp in copy.snapshot("results/runs/**/predictions.npz").items()
        if name.encode() not in marked and not (copy.root / name).with_name("failed.txt").exists()
    }
    assert done
    copy.run("snakemake")
    assert unchanging(copy) == unchanging(reproduced)
    after = copy.snapshot("results/runs/**/predictions.npz")
    assert all(after[name] == stamp for name, stamp in done.items())
    assert copy.jobs("dvc", "repro") == {}


def enough(folder: Path, files: int) -> bool:
    return len(list(folder.glob("**/*.json"))) >= files


SABOTAGE = """
def sabotaged(files, kind, wanted):
    import os

    if os.environ.get("SABOTAGE") and any(wanted in file for file in files):
        raise RuntimeError(f"sabotage of {kind}")
"""


def sabotage(copy: Copy, wanted: dict[str, str]) -> None:
    """Let one job of a kind fail while SABOTAGE is set: the one whose file has this in its name."""
    for kind, place in wanted.items():
        path = copy.root / f"src/rafs/pipeline/jobs/{kind}.py"
        function, files = ("score", "files") if kind == "score" else ("run", "outputs")
        start = rf'def {function}\(spec: [^\n]*{files}: [^\n]*:\n    """.*?"""\n'
        call = f"    sabotaged({files}, {kind!r}, {place!r})\n"
        (found,) = re.findall(start, text := path.read_text(), re.DOTALL)
        path.write_text(text.replace(found, f"{SABOTAGE}\n\n{found}{call}"))


def test_failing_jobs(
    finished: Copy, reproduced: Copy, record_property: Callable[[str, object], None]
) -> None:
    """Three jobs of three kinds fail; all others are made, and the next run makes just those."""
    wanted = {
        "data": "described/forrester/seed-1.npz",
        "train": "main/rafs/he/seed-0/",
        "score": "main/rafs/forrester/seed-0/",
    }
    record_property("faults", len(wanted))
    sabotage(finished, wanted)
    done = finished.run("snakemake", SABOTAGE="1", check=False)
    assert done.returncode != 0
    said = done.stderr
    for kind in wanted:
        assert f"failed: the {kind} job failed: RuntimeError: sabotage of {kind} (see " in said
    scores = pd.read_csv(finished.root / "results/scores/main.csv").set_index(
        ["method", "dataset", "seed"]
    )
    assert (scores["status"] == "ok").sum() == 4
    assert "sabotage of train" in scores.loc[("rafs", "he", 0), "message"]
    assert "sabotage of data" in scores.loc[("ae", "forrester", 1), "message"]
    assert "sabotage of score" in scores.loc[("rafs", "forrester", 0), "message"]
    page = (finished.root / "reports/index.html").read_text()
    assert "sabotage of train" in page
    assert "up to date" not in finished.run("dvc", "status").stdout
    good = finished.snapshot("results/runs/main/rafs/he/seed-1/[!m]*")  # not metrics.json

    again = {"data": 1, "train": 3, "score": 3}
    counted = finished.jobs("snakemake")
    assert {rule: counted.get(rule) for rule in again} == again
    assert finished.snapshot(*good) == good
    for name, content in unchanging(reproduced).items():
        if "/predictions.npz" in name or "/scores/" in name:
            assert (finished.root / name).read_bytes() == content
    assert not list(finished.root.glob("results/**/*failed*"))
    assert finished.jobs("snakemake") == {}
    assert finished.jobs("dvc", "repro") == {}


AGAIN = {"train": 1, "score": 1, "aggregate": 1}


@pytest.mark.fault
def test_a_failing_job_of_a_part(finished: Copy) -> None:
    """Requested by name, the rest is made, and the failure is reported with exit code 1.

    Neither `rafs status` nor a dry run changes that.
    """
    sabotage(finished, {"train": "main/ae/he/seed-0/"})
    done = finished.run("snakemake", "main", SABOTAGE="1", check=False)
    assert done.returncode == 1
    assert "rafs: runs: 7 of 8 are there, 7 of them new" in done.stderr
    assert done.stderr.count("rafs: failed: ") == 1
    last = done.stderr.splitlines()[-1]
    assert last == "rafs: 1 jobs failed; run it again to repeat just those"
    scores = pd.read_csv(finished.root / "results/scores/main.csv")
    assert scores["status"].tolist().count("failed") == 1
    for _ in range(2):
        found = json.loads(finished.run("rafs", "status", "--json").stdout)
        assert found["jobs"]["training"]["failed"] == len(found["failed"]) == 1
        assert re.search(r"train +1\n", finished.run("snakemake", "--dry-run", "main").stdout)
    again = finished.run("snakemake", "main")
    assert ran(again) == {**AGAIN, "table": 2, "figure": 1}
    assert "rafs: runs: 8 of 8 are there, 1 of them new" in again.stderr
    assert json.loads(finished.run("rafs", "status", "--json").stdout)["failed"] == []


@pytest.mark.fault
def test_a_failing_job_by_name_travels_as_such(finished: Copy, tmp_path: Path) -> None:
    """It keeps no default run from its end, and is repeated by name, in a clone too."""
    more = {"methods": ["ae"], "datasets": ["he"], "seeds": [7], "default": False}
    finished.edit(lambda params: params["experiments"].update(more=more))
    sabotage(finished, {"train": "more/ae/he/seed-7/"})
    assert finished.run("snakemake", "more", SABOTAGE="1", check=False).returncode == 1
    done = finished.run("snakemake")
    assert "rafs: failed" not in done.stderr
    complete = json.loads((finished.root / "results/complete.json").read_text())
    assert complete == {"runs": 8, "status": {"ok": 8}}
    clone = finished.pulled(tmp_path)
    clone.compile_like(finished)
    assert clone.jobs("snakemake") == {}
    assert clone.jobs("snakemake", "more") == AGAIN
    assert "failed" not in (clone.root / "results/scores/more.csv").read_text()


@pytest.mark.fault
def test_guard_1_outputs_without_a_record(finished: Copy) -> None:
    """Without its record the origin of an output is unknown."""
    before = finished.snapshot("results/runs/**/predictions.npz")
    finished.run("rm", "-r", ".snakemake/metadata")
    finished.edit(lambda params: params["training"].update(steps=21))
    done = finished.run("snakemake", check=False)
    assert done.returncode == 1
    assert "outputs have no provenance record, for instance data/processed/described" in done.stderr
    assert "Traceback" not in done.stderr
    assert finished.run("dvc", "repro", check=False).returncode != 0
    assert finished.snapshot("results/runs/**/predictions.npz") == before
    finished.run("rafs", "unpack")  # the first advice
    finished.run("git", "checkout", "--quiet", "params.yaml")
    assert finished.jobs("snakemake") == {}
    finished.run("rm", "-r", ".snakemake/metadata")
    finished.run("rafs", "clean", "--unrecorded")  # the second
    assert re.search(r"total +26\n", finished.run("snakemake", "--dry-run").stdout)


@pytest.mark.parametrize(
    "lost",
    [
        {"data/processed/described/he/seed-0.npz": "data"},
        {"results/runs/main/ae/he/seed-0/trials.csv": "train"},
        {"results/tuned/main.csv": "aggregate"},
        {"results/runs/main/ae/he/seed-1/metrics.json": "score"},
        {"reports/tables/nll.tex": "table", "reports/figures/overview.pdf": "figure",
         "reports/claims.json": "claims"},
    ],
    ids=lambda lost: "-".join(lost.values()),
)  # fmt: skip
@pytest.mark.fault
def test_guard_2_every_artefact_is_asked_for(finished: Copy, lost: dict[str, str]) -> None:
    """A file that is gone is made again, though all that was made from it is still there."""
    for file in lost:
        (finished.root / file).unlink()
    done = finished.run("snakemake", "--dry-run")
    for rule in lost.values():
        assert re.search(rf"^{rule} +1$", done.stdout, re.MULTILINE)


@pytest.mark.fault
def test_guard_3_an_edit_with_an_old_date(finished: Copy) -> None:
    """Snakemake compares the date of a file first; code is compared by its hash."""
    path = finished.root / "src/rafs/evaluation/metrics.py"
    stamp = path.stat()
    path.write_text(path.read_text() + "\nANOTHER = 1\n")
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert re.search(r"score +4\n", finished.run("snakemake", "--dry-run").stdout)


@pytest.mark.fault
def test_guard_5_dvc_learns_of_complete_runs_only(finished: Copy) -> None:
    """After a part of the run DVC must not take the old reports for those of the new parameters."""
    finished.edit(lambda params: params["methods"]["rafs"].update(learning_rate=0.02))
    assert ran(finished.run("snakemake", "--until", "train")) == {"train": 4}
    assert "changed" in finished.run("dvc", "status").stdout


@pytest.mark.parametrize(
    "option", [["--config", "edition=smoke"], ["--rerun-triggers", "mtime"]], ids="=".join
)
@pytest.mark.fault
def test_guard_5_other_parameters(finished: Copy, option: list[str]) -> None:
    """Nor results of other parameters, or of some other ones, for those of params.yaml."""
    before = (finished.root / "dvc.lock").read_bytes()
    finished.edit(lambda params: params.update(smoke={"training": {"steps": 10}}))
    finished.edit(lambda params: params["methods"]["rafs"].update(learning_rate=0.02))
    (finished.root / "reports/tables/nll.tex").unlink()
    assert ran(finished.run("snakemake", *option))["table"] >= 1
    assert (finished.root / "dvc.lock").read_bytes() == before
