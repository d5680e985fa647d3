"""Tie a job to its run: it ends with that run and writes only while that run is the latest.

A workflow that is killed cannot stop its jobs. A job that outlives it could overwrite results of
the next run, which may have other parameters. Three mechanisms prevent that: the kernel ends the
jobs of the fork server with it, every job watches the process of its workflow, and an output is
renamed into place only while the run that started the job is the latest one in the directory.

Every job imports this module at its start, so it must not import anything slow.
"""

import contextlib
import fcntl
import os
import select
import signal
import time
from collections.abc import Iterator

from rafs.errors import RafsError

OWNER = "RAFS_OWNER"  # the process that owns these jobs: its id and start time
RUN = "RAFS_RUN"  # the token of the run that jobs belong to
TOKEN = ".snakemake/rafs.run"  # holds the token of the latest run in this directory  # noqa: S105
PATIENCE = 10.0  # seconds to wait for a job of an earlier run that is renaming a file
PR_SET_PDEATHSIG = 1  # see prctl(2)


class LostError(RafsError):
    """The run that a job belongs to has ended, or another one has taken its place."""


def identity(pid: int) -> str:
    """Return a unique name of a process; process ids alone are reused."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
            started = file.read().rpartition(b")")[2].split()[19].decode()
    except FileNotFoundError:
        raise ProcessLookupError(pid) from None
    return f"{pid}@{started}"


def open_owner() -> int | None:
    """Return a pidfd of the workflow's process, or None if no workflow is named."""
    owner = os.environ.get(OWNER)
    if not owner:
        return None
    pid = int(owner.partition("@")[0])
    try:
        descriptor = os.pidfd_open(pid)
        if "@" in owner and identity(pid) != owner:
            raise ProcessLookupError(pid)
    except ProcessLookupError:
        raise LostError("the workflow that started this job has ended") from None
    return descriptor


def end_with(owner: int) -> None:
    """Kill this process when the process behind a pidfd exits."""
    import threading

    def watch() -> None:
        select.select([owner], [], [])
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def end_with_parent(parent: int) -> None:
    """Let the kernel kill this process when its parent, which has just forked it, exits."""
    import ctypes

    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it ended before the call above
        os.kill(os.getpid(), signal.SIGKILL)


def begin_run() -> None:
    """Make this process's run the latest one: jobs of earlier runs can write no more outputs."""
    token = os.urandom(16).hex()
    descriptor = os.open(TOKEN, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _lock(descriptor, fcntl.LOCK_EX)
        os.truncate(descriptor, 0)
        os.pwrite(descriptor, token.encode(), 0)
    finally:
        os.close(descriptor)
    os.environ[RUN] = token


def join_run() -> None:
    """On a node of a cluster, join the run that submitted this process, or else the latest."""
    if RUN not in os.environ:
        with contextlib.suppress(OSError), open(TOKEN) as file:  # noqa: PTH123
            os.environ[RUN] = file.read()


@contextlib.contextmanager
def owned() -> Iterator[None]:
    """Enclose the renaming of an output; raise if this job may no longer write it.

    Outside of a workflow it always may. No run can begin within the block.
    """
    token = os.environ.get(RUN)
    if token is None:
        yield
        return
    try:
        descriptor = os.open(TOKEN, os.O_RDONLY)
    except FileNotFoundError:
        raise LostError("the run that this job belongs to is not known here any more") from None
    try:
        _lock(descriptor, fcntl.LOCK_SH)
        if os.pread(descriptor, 64, 0).decode(errors="replace") != token:
            raise LostError("another run has begun in this directory; this job's output is dropped")
        owner = open_owner()
        if owner is not None:
            os.close(owner)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, kind: int) -> None:
    """Take a lock; continue without one on a file system that has no locks."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise LostError(
                    "a job of an earlier run has stopped in the middle of writing; end it first"
                ) from None
            time.sleep(0.01)
        except OSError:
            return None
