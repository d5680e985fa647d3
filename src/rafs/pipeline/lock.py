"""One run per directory, by a lock that the kernel releases when its holder ends.

`filelock` does not tell who holds a lock, and without flock it uses a file that outlives its
holder.
"""

import contextlib
import fcntl
import os
from pathlib import Path
from typing import IO

from rafs import paths

FILE = Path(paths.SNAKEMAKE, "rafs.lock")
IN_USE = "this directory is in use by {}; wait for it or stop it"


def held_by() -> str:
    """Return who holds the lock of this directory, or nothing; IN_USE is the message."""
    with contextlib.suppress(FileNotFoundError), FILE.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return file.read().strip() or "another process"
    return ""


def take() -> IO[str] | None:
    """Take the lock and return its file, to be kept open; None if another process has it."""
    FILE.parent.mkdir(exist_ok=True)
    file = FILE.open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    file.truncate(0)
    file.write(f"process {os.getpid()} on {os.uname().nodename}")
    file.flush()
    return file
