"""Damaged results are found by their bytes, named, and made again; what is good stays as it is."""

import contextlib
import json
import os
import re
import signal
from base64 import urlsafe_b64encode
from collections.abc import Callable
from fnmatch import fnmatch
from functools import partial
from hashlib import md5
from pathlib import Path

import numpy as np
import pytest

from processes import has_ended, processes_below, running, wait_until
from rafs import files
from rafs.errors import DamagedFileError, RafsError
from rafs.pipeline import records
from rafs.pipeline.loading import load
from rafs.pipeline.plan import Plan
from rafs.reporting.inputs import Inputs
from small_project import PROJECT, Copy, ran, unchanging

RUN = "results/runs/main/{}/{}/seed-{}/{}"


def flip(path: Path) -> None:
    """Change one digit and keep the date, as a failing disk would."""
    stamp = path.stat()
    content = bytearray(path.read_bytes())
    at = next(i for i in range(len(content) // 2, len(content)) if chr(content[i]) in "012345678")
    content[at] += 1
    path.write_bytes(content)
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def with_nan(path: Path) -> None:
    arrays = files.read_npz(path)
    arrays["mean"][3] = np.nan
    files.write_npz(path, arrays)


def another_version(path: Path) -> None:
    path.write_text(json.dumps({"format": 99, "status": "ok"}))


def not_a_number(path: Path) -> None:
    path.write_text(path.read_text().replace("1.5", "NaN"))


def directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def garbage(path: Path) -> None:
    path.write_bytes(b"<html>502 Bad Gateway</html>")


DAMAGE: dict[str, Callable[[Path], None]] = {
    RUN.format("ae", "he", 0, "metrics.json"): flip,
    RUN.format("ae", "he", 1, "metrics.json"): another_version,
    RUN.format("ae", "forrester", 0, "predictions.npz"): truncate,
    RUN.format("ae", "forrester", 1, "predictions.npz"): with_nan,
    RUN.format("rafs", "he", 1, "run.json"): another_version,
    RUN.format("rafs", "forrester", 1, "best.json"): flip,
    "data/processed/described/he/seed-1.npz": directory,
    "reports/tables/rmse.csv": garbage,
    "reports/claims.json": truncate,
    "reports/tables/nll.tex": flip,
    "reports/figures/overview.pdf": truncate,
    "reports/scores.csv": flip,  # which no job reads, nor the next one
    "results/complete.json": another_version,
}


@pytest.mark.slow
@pytest.mark.workflow
def test_damaged_results_are_named_and_made_again(
    finished: Copy, reproduced: Copy, record_property: Callable[[str, object], None]
) -> None:
    record_property("faults", len(DAMAGE) + 1)
    for name, damage in DAMAGE.items():
        damage(finished.root / name)
    unreadable = RUN.format("rafs", "he", 0, "metrics.json")
    truncate(
        finished.root / ".snakemake/metadata" / urlsafe_b64encode(unreadable.encode()).decode()
    )
    good = finished.snapshot("results/runs/main/rafs/forrester/seed-0/predictions.npz")
    done = finished.run("snakemake")
    for name in (*DAMAGE, unreadable):
        assert f"rafs: {name} is damaged: " in done.stderr, name
    assert f"{unreadable} is damaged: the record of its making cannot be read" in done.stderr
    assert unchanging(finished) == unchanging(reproduced)
    assert finished.snapshot(*good) == good
    assert finished.jobs("snakemake") == {}
    assert finished.jobs("dvc", "repro") == {}


@pytest.mark.slow
@pytest.mark.workflow
def test_the_bytes_of_every_artefact_are_on_record(
    finished: Copy,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    """By the jobs that read it, and in its own record."""
    monkeypatch.chdir(finished.root)
    plan = Plan(load("params.yaml"), finished.root)
    assert records.damaged(plan) == {}
    artefacts = plan.files.all()
    known = records.records()
    sealed = {name: record.seal for name, record in known.items() if record}
    assert all(sealed[name] == records.checksum(name) for name in artefacts)
    for name in artefacts:
        with Path(name).open("ab") as file:
            file.write(b" ")
    record_property("artefacts", len(artefacts))
    assert sorted(records.damaged(plan)) == sorted(artefacts)


def unread_by_the_docs() -> list[str]:
    """Return the patterns of docs/architecture.md of what no job reads."""
    text = (PROJECT / "docs/architecture.md").read_text()
    table = text.partition("| no job reads |")[2].partition("\n\n")[0]
    rows = [line.split("|")[1] for line in table.splitlines()[2:]]
    return [pattern for row in rows for pattern in re.findall("`([^`]+)`", row)]


@pytest.mark.slow
@pytest.mark.workflow
def test_the_list_of_what_no_job_reads(finished: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is complete, and has nothing that is not made; all of it is protected (see above)."""
    patterns = unread_by_the_docs()
    monkeypatch.chdir(finished.root)
    known = records.records()
    read = {name for record in known.values() if record for name in record.input}
    unread = set(known) - read
    assert {"reports/scores.csv", RUN.format("ae", "he", 0, "trials.csv")} <= unread
    assert [name for name in unread if not any(map(partial(fnmatch, name), patterns))] == []
    files = Plan(load(PROJECT / "params.yaml"), PROJECT).files
    made = [*files.all(), *files.extra()]
    assert [each for each in patterns if not any(fnmatch(name, each) for name in made)] == []


@pytest.mark.slow
@pytest.mark.workflow
def test_damage_after_a_kill(
    project: Copy, reproduced: Copy, record_property: Callable[[str, object], None]
) -> None:
    """The run never ended, and no job has read these files: one never will, one has yet to."""
    record_property("faults", 3)
    with running(project, "snakemake", "--cores", "1", "--until", "train") as process:
        wait_until(partial(complete, project), process)
        assert process.poll() is None, (project.root / "output.txt").read_text()
        family = [process.pid, *processes_below(process.pid)]
        for member in family:
            with contextlib.suppress(ProcessLookupError):
                os.kill(member, signal.SIGKILL)
        process.wait()
    assert has_ended(family)
    names = [str(Path(complete(project)[0], name)) for name in ("trials.csv", "run.json")]
    for name in names:
        flip(project.root / name)
    done = project.run("snakemake")
    for name in names:
        assert f"rafs: {name} is damaged: it is not what was made" in done.stderr
    assert unchanging(project) == unchanging(reproduced)


def complete(copy: Copy) -> list[str]:
    """Return the runs that are made according to Snakemake's records."""
    made, begun = (
        {name for name, _ in records.about(copy.root / ".snakemake" / state)}
        for state in ("metadata", "incomplete")
    )
    each = {str(Path(name).parent) for name in made - begun if name.endswith("/trials.csv")}
    return sorted(run for run in each if f"{run}/run.json" in made - begun)


@pytest.mark.slow
@pytest.mark.workflow
@pytest.mark.fault
def test_a_damaged_object_in_the_cache_of_dvc(finished: Copy, reproduced: Copy) -> None:
    """DVC trusts its cache; what it checks out is found to be damaged, and the cache mended."""
    name = "data/processed/described/he/seed-0.npz"
    good = (finished.root / name).read_bytes()
    cached = damaged_in_the_cache(finished, name)
    finished.run("rm", "-r", "data/processed")
    finished.run("dvc", "checkout")
    assert (finished.root / name).read_bytes() != good
    done = finished.run("snakemake")
    assert f"rafs: {name} is damaged" in done.stderr
    assert f"rafs: DVC's copy of {name} was damaged and is replaced" in done.stderr
    assert unchanging(finished) == unchanging(reproduced)
    assert cached.read_bytes() == good


def damaged_in_the_cache(copy: Copy, name: str) -> Path:
    """Damage DVC's copy of a file and return its place."""
    good = (copy.root / name).read_bytes()
    digest = md5(good).hexdigest()
    cached = copy.root / ".dvc/cache/files/md5" / digest[:2] / digest[2:]
    cached.chmod(0o644)
    cached.write_bytes(good[:-20] + b"\0" * 20)
    cached.chmod(0o444)
    return cached


@pytest.mark.slow
@pytest.mark.workflow
@pytest.mark.fault
def test_a_damaged_archive_in_the_cache_of_dvc(finished: Copy, reproduced: Copy) -> None:
    """It is named, and its runs alone are made again."""
    name = "packed/main/ae/he.tar.gz"
    damaged_in_the_cache(finished, name)
    finished.run("rm", "-r", "results", "packed", ".snakemake")
    finished.run("dvc", "checkout")
    done = finished.run("snakemake")
    assert f"rafs: {name} is damaged" in done.stderr
    assert ran(done)["train"] == 2
    assert unchanging(finished) == unchanging(reproduced)


@pytest.mark.parametrize(
    "damage", [flip, truncate, another_version, not_a_number, directory, garbage]
)
@pytest.mark.fault
def test_a_damaged_file_is_never_half_used(
    damage: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a record of their bytes, files that cannot be what they should are named."""
    from rafs.pipeline.jobs import aggregate

    monkeypatch.chdir(tmp_path)
    path = tmp_path / RUN.format("ae", "he", 0, "metrics.json")
    parts = dict.fromkeys(("in_distribution", "out_of_distribution"))
    files.write_json(path, {"status": "ok", "message": None, "metrics": {"nll": 1.5}, **parts})
    spec = {"experiment": "main", "methods": ["ae"], "sweep": {}, "datasets": ["he"], "seeds": [0]}
    spec |= {"categories": {"he": "T"}, "space": {}}
    outputs = ["scores.csv", "costs.csv", "tuned.csv", "recalibrated.csv", "seeds.csv.gz"]
    damage(path)
    if damage is flip:  # still a number: only its checksum tells
        aggregate.run(spec, [], outputs)
        return
    with pytest.raises(DamagedFileError, match=r"seed-0/metrics\.json"):
        aggregate.run(spec, [], outputs)


@pytest.mark.parametrize("damage", [truncate, another_version, directory, garbage])
@pytest.mark.fault
def test_damaged_scores_are_named_by_reports(
    damage: Callable[[Path], None], tmp_path: Path
) -> None:
    path = tmp_path / "results/scores/main.csv"
    files.write_text(path, "experiment,method,dataset,seed,status\nmain,ae,he,0,ok\n")
    damage(path)
    with pytest.raises(RafsError, match=r"scores/main\.csv"):
        Inputs(tmp_path).scores("main")
