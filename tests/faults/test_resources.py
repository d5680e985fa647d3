"""A full or read-only disk, a forbidden folder, too little memory: reported and resumed."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest

from processes import forget_results
from small_project import Copy, unchanging

pytestmark = [pytest.mark.workflow, pytest.mark.slow]


AS_ROOT = () if os.geteuid() == 0 else ("sudo", "--non-interactive")
MINE = f"uid={os.geteuid()},gid={os.getegid()}"


def command(*words: str | Path) -> bool:
    """Run a system command; return whether it succeeded."""
    try:
        done = subprocess.run([str(word) for word in words], check=False, capture_output=True)
    except FileNotFoundError:
        return False
    return done.returncode == 0


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    """Put a disk of a given size in the place of a folder, what is in it included."""
    folder.mkdir(exist_ok=True)
    kept = folder.with_name(f"{folder.name}-kept")
    folder.rename(kept)
    folder.mkdir()
    try:
        options = f"size={size},{MINE}"
        if not command(*AS_ROOT, "mount", "-t", "tmpfs", "-o", options, "tmpfs", folder):
            pytest.skip("mounting a small disk is not allowed here")
        try:
            command("cp", "--archive", f"{kept}/.", folder)
            yield
        finally:
            command(*AS_ROOT, "umount", "--lazy", folder)
    finally:
        command("rm", "-r", kept)


@contextmanager
def forbidden(folder: Path) -> Iterator[None]:
    """Make a folder read-only for all; root is stopped only by the attribute `immutable`."""
    on, off = ("+i", "-i") if os.geteuid() == 0 else ("u-w", "u+w")
    tool = "chattr" if os.geteuid() == 0 else "chmod"
    if not command(tool, on, folder):
        pytest.skip("this file system has no way to keep root from writing")
    try:
        yield
    finally:
        command(tool, off, folder)


def test_a_full_disk_and_a_read_only_one(
    finished: Copy, reproduced: Copy, record_property: Callable[[str, object], None]
) -> None:
    """The jobs that had room are kept; with more room the rest is made; nothing is half there."""
    record_property("faults", 2)
    copy = forget_results(finished)
    results = copy.root / "results"
    with small_disk(results, "160k"):
        done = copy.run("snakemake", check=False)
        assert done.returncode != 0
        assert "rafs: results cannot be written to: No space left on device" in done.stderr
        assert "Traceback" not in done.stderr
        assert copy.run("snakemake", check=False).stderr.count("nothing was started") == 1
        tuned = copy.snapshot("results/runs/**/best.json")
        kept = {path: was for path, was in tuned.items() if b'"status": "ok"' in was[1]}
        assert kept
        assert command(*AS_ROOT, "mount", "-o", "remount,size=16m", results)
        copy.run("snakemake")
        assert unchanging(copy) == unchanging(reproduced)
        assert copy.snapshot(*kept) == kept

        assert command(*AS_ROOT, "mount", "-o", "remount,ro", results)
        copy.edit(lambda params: params.update(seeds=3))
        before = copy.snapshot("results/**/*")
        done = copy.run("snakemake", check=False)
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        said = ("results cannot be written to: Read-only file system", "Write-protected output")
        assert any(sentence in done.stderr for sentence in said)  # ours or Snakemake's
        assert copy.snapshot("results/**/*") == before


def test_a_forbidden_folder_and_too_little_memory(
    finished: Copy, reproduced: Copy, record_property: Callable[[str, object], None]
) -> None:
    """A read-only folder is reported at once; one job that is too large does not affect others."""
    record_property("faults", 2)
    forgotten = finished.root / "results/runs/main/ae/he/seed-0"
    for file in forgotten.iterdir():
        file.unlink()
    big = {"methods": ["rafs"], "datasets": ["he"], "seeds": 1,
           "ensemble": {"hidden": [100000, 5000]}}  # fmt: skip
    small = {"methods": ["rp"], "datasets": ["he"], "seeds": 1}
    finished.edit(lambda params: params["experiments"].update(big=big, other=small))
    with forbidden(forgotten):
        done = finished.run("snakemake", check=False)
        assert done.returncode == 1
        assert "seed-0 cannot be written to: it is forbidden; nothing was started" in done.stderr
        assert "Traceback" not in done.stderr
    done = finished.run("prlimit", "--as=3000000000", "snakemake", check=False)
    assert done.returncode != 0
    assert "not enough memory for this job; give it more or use less data" in done.stderr
    assert "Traceback" not in done.stderr
    for name, status in (("other", "ok"), ("big", "failed")):
        scores = pd.read_csv(finished.root / f"results/scores/{name}.csv")
        assert list(scores["status"]) == [status]

    finished.edit(lambda params: params["experiments"]["big"]["ensemble"].update(hidden=[6]))
    counts = finished.jobs("snakemake")
    assert counts["train"] == 1
    again = unchanging(finished)
    for name, content in unchanging(reproduced).items():
        if name.startswith(("data/", "results/")):
            assert again[name] == content
