"""Temporary folders of a killed workflow, which nobody else would remove.

Snakemake keeps one in the temporary directory and one in its cache, the fork server one for its
socket. Every workflow notes its own; the next one in the same directory removes what is noted of
processes that have ended.
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from rafs.pipeline.forkserver.ownership import identity

NOTES = Path(".snakemake/rafs.temporary")
PREFIXES = ("snakemake", "rafs-")  # of what lies in the temporary directory
CACHE = "snakemake-runtime-cache"  # what lies in there has any name


def note(folders: Iterable[str]) -> None:
    """Add to the note of what this process has to remove."""
    NOTES.mkdir(parents=True, exist_ok=True)
    with _note().open("a") as file:
        file.writelines(f"{folder}\n" for folder in folders)


def sweep() -> None:
    """Remove the folders of processes that have ended on this machine without doing so."""
    for file in NOTES.glob(f"*@{os.uname().nodename}"):
        if not _runs(file.name.rpartition("@")[0]):
            with contextlib.suppress(OSError):
                for folder in filter(_is_ours, map(Path, file.read_text().splitlines())):
                    shutil.rmtree(folder, ignore_errors=True)
                file.unlink()


def _note() -> Path:
    return NOTES / f"{identity(os.getpid())}@{os.uname().nodename}"


def _runs(process: str) -> bool:
    """Tell whether a process, given by its identity, is still there."""
    try:
        return identity(int(process.partition("@")[0])) == process
    except (ProcessLookupError, ValueError):
        return False


def _is_ours(folder: Path) -> bool:
    """Tell whether a folder is such a one, whatever a note says."""
    temporary = folder.parent == Path(tempfile.gettempdir()) and folder.name.startswith(PREFIXES)
    if not (temporary or folder.parent.name == CACHE) or folder.is_symlink():
        return False
    return folder.is_dir() and folder.stat().st_uid == os.geteuid()
