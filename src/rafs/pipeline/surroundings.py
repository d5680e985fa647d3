"""Check the environment of a workflow before anything starts.

A closed pipe (`snakemake 2>&1 | head`) or a log file on a full disk does not end a run. Output that
can no longer be written is discarded, and the run continues.
"""

import contextlib
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

from rafs.errors import ParameterError
from rafs.pipeline.forkserver.streams import silence

BATCH = "RAFS_BATCH"  # the number of training jobs per batch
MOST_IN_BATCH = 10_000


def fault(root: Path) -> str:
    """Return why a workflow of the project in `root` cannot run here; nothing if it can."""
    name = os.fsencode(root).decode(errors="replace")
    if "{" in name or "}" in name:
        return f"the project lies in {name}, and Snakemake takes braces for wildcards; rename it"
    for path in (root, Path.cwd()):
        try:
            os.fsencode(path).decode()
        except UnicodeDecodeError:
            return "the path of the project is not valid UTF-8, which DVC needs; rename it"
    closed = [name for name in ("stdin", "stdout", "stderr") if getattr(sys, name) is None]
    if closed:
        return f"{' and '.join(closed)} cannot be closed; use /dev/null instead"
    try:
        batch_size()
    except ParameterError as error:
        return str(error)
    from rafs.engine import compiler_fault

    return compiler_fault()


def batch_size(otherwise: int = 1) -> int:
    """Return the number of training jobs per batch from RAFS_BATCH, if it is set."""
    text = os.environ.get(BATCH, str(min(otherwise, MOST_IN_BATCH))).strip()
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= MOST_IN_BATCH):
        raise ParameterError(
            f"{BATCH}={text[:40]!r} is no number of jobs; give an integer from 1 to {MOST_IN_BATCH}"
        )
    return int(text)


class Unbroken:
    """A text stream that discards output once it cannot be written to."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write what can be written."""
        try:
            return self.stream.write(text)
        except OSError:
            silence(self.stream.fileno())
            return len(text)

    def flush(self) -> None:
        """Write what is buffered."""
        try:
            self.stream.flush()
        except OSError:
            silence(self.stream.fileno())

    def __getattr__(self, name: str) -> Any:
        """Return any other attribute of the stream."""
        return getattr(self.stream, name)


def go_on_unheard(handlers: Iterable[Any]) -> None:
    """Let this process and its log handlers continue when nobody reads their output."""
    unbroken = {}
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and not isinstance(stream, Unbroken):
            unbroken[id(stream)] = Unbroken(stream)
            setattr(sys, name, unbroken[id(stream)])
    for handler in handlers:
        with contextlib.suppress(AttributeError, KeyError):
            handler.stream = unbroken[id(handler.stream)]
