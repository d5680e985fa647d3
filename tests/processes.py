"""Running workflows that are stopped and killed."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from small_project import Copy


def forget_results(copy: Copy) -> Copy:
    """Return to the state before the first run; the compiled code stays."""
    copy.run("rm", "-r", "results", "packed", "reports", "data/processed", ".snakemake", "dvc.lock")
    return copy


@contextmanager
def running(copy: Copy, *command: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command, or else Snakemake, as the leader of a process group."""
    with (copy.root / "output.txt").open("wb") as output:
        process = subprocess.Popen(
            command or ("snakemake",), cwd=copy.root, env=copy.env, start_new_session=True,
            stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def wait_until(condition: Callable[[], object], process: subprocess.Popen[bytes]) -> None:
    while not condition() and process.poll() is None:
        time.sleep(0.02)


def processes_below(top: int) -> list[int]:
    """Return the processes that a process started, directly or not."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(status.parent.name)] = int(fields[1])
    found = [top]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found[1:]


def has_ended(family: list[int]) -> bool:
    """Wait for processes that should be ending."""
    deadline = time.monotonic() + 300
    while any(Path(f"/proc/{member}/cwd").exists() for member in family):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
