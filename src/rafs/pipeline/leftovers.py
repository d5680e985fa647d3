"""Remove temporary folders of killed workflows.

Snakemake keeps one in the temporary directory and one in its cache, the fork server one for its
socket. Every workflow lists its own in a note; the next one in the same directory removes those of
processes that have ended.
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from rafs import paths
from rafs.pipeline.forkserver.ownership import identity
from rafs.pipeline.snakemake_compat import RUNTIME_CACHE, TEMPORARY

NOTES = Path(paths.SNAKEMAKE, "rafs.temporary")
PREFIXES = (TEMPORARY, "rafs-")  # of names in the temporary directory


def note(folders: Iterable[str]) -> None:
    """Add folders to the note of this process."""
    NOTES.mkdir(parents=True, exist_ok=True)
    with _note().open("a") as file:
        file.writelines(f"{folder}\n" for folder in folders)


def sweep() -> None:
    """Remove the folders of processes on this machine that have ended."""
    for file in NOTES.glob(f"*@{os.uname().nodename}"):
        if not _runs(file.name.rpartition("@")[0]):
            with contextlib.suppress(OSError):
                for folder in filter(_is_ours, map(Path, file.read_text().splitlines())):
                    shutil.rmtree(folder, ignore_errors=True)
                file.unlink()


def _note() -> Path:
    return NOTES / f"{identity(os.getpid())}@{os.uname().nodename}"


def _runs(process: str) -> bool:
    """Tell whether a process, given by its identity, is still running."""
    try:
        return identity(int(process.partition("@")[0])) == process
    except (ProcessLookupError, ValueError):
        return False


def _is_ours(folder: Path) -> bool:
    """Tell whether a folder is a temporary one of a workflow, independent of the note."""
    temporary = folder.parent == Path(tempfile.gettempdir()) and folder.name.startswith(PREFIXES)
    if not (temporary or folder.parent.name == RUNTIME_CACHE) or folder.is_symlink():
        return False
    return folder.is_dir() and folder.stat().st_uid == os.geteuid()
