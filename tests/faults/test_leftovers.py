"""What a killed workflow leaves in the temporary directory goes at the next start."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from processes import has_ended, processes_below, running, wait_until
from rafs.pipeline import leftovers
from rafs.pipeline.forkserver.ownership import identity
from small_project import Copy


@pytest.fixture
def temporary() -> Iterator[Path]:
    """Return a temporary directory with a short name, as that of a socket has to be."""
    with tempfile.TemporaryDirectory(prefix="t") as folder:
        yield Path(folder)


@pytest.mark.workflow
@pytest.mark.slow
@pytest.mark.fault
def test_temporary_folders_of_a_killed_workflow(
    project: Copy, tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workflow and fork server are killed together; folders of other programs stay."""
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    caches = (tmp_path / "cache").rglob("snakemake-runtime-cache/*")
    (temporary / "snakemake-of-another").mkdir()
    with running(project) as workflow:
        wait_until(lambda: list(temporary.glob("rafs-*/socket")), workflow)
        family = [workflow.pid, *processes_below(workflow.pid)]
        for process in family:
            subprocess.run(["kill", "-KILL", str(process)], check=False, capture_output=True)
        workflow.wait()
    assert has_ended(family[1:])
    left = sorted(path.name[:5] for path in temporary.iterdir())
    assert left == ["rafs-", "snake", "snake"]
    project.run("snakemake", "--dry-run")
    assert [path.name for path in temporary.iterdir()] == ["snakemake-of-another"]
    assert list(caches) == []


@pytest.fixture
def ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the note of a process that has ended, in a place with a temporary directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    leftovers.NOTES.mkdir(parents=True)
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    name = identity(process.pid)
    process.communicate()
    return leftovers.NOTES / f"{name}@{os.uname().nodename}"


def test_folders_of_a_running_process_stay(ended: Path) -> None:
    folder = Path("tmp/snakemake1").absolute()
    folder.mkdir(parents=True)
    leftovers.note([str(folder)])
    leftovers.sweep()
    assert folder.is_dir()
    ended.write_text(f"{folder}\n")
    leftovers.sweep()
    assert not folder.exists()
    assert not ended.exists()


@pytest.mark.fault
@pytest.mark.parametrize("name", ["results", "tmp/other", "tmp/link", "tmp/snakemake1/in", ".", ""])
def test_a_note_that_names_something_else_is_not_believed(ended: Path, name: str) -> None:
    folder = Path(name).absolute()
    if name == "tmp/link":
        Path("tmp").mkdir()
        folder = Path("tmp/snakemake-link").absolute()
        folder.symlink_to(Path.cwd())
    folder.mkdir(parents=True, exist_ok=True)
    ended.write_text(f"{folder}\n\n/\n..\n")
    leftovers.sweep()
    assert folder.exists()
    assert not ended.exists()
