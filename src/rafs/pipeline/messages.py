"""Print the messages of a workflow, and stop it with one."""

import contextlib
import os
import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from rich.console import Console


def say(message: str) -> None:
    """Print a message; ignore a closed stderr."""
    with contextlib.suppress(OSError):
        print(f"rafs: {message}", file=sys.stderr, flush=True)


def is_live(console: "Console") -> bool:
    """Return whether a progress bar can be shown: only on a terminal that is not dumb.

    Rich treats a pipe as a terminal if FORCE_COLOR is set.
    """
    return console.is_interactive and console.file.isatty()


def stop(message: str, code: int = 1) -> NoReturn:
    """Exit at once with a message; Snakemake would print a traceback for an exception."""
    if sys.stdout is not None:
        sys.stdout.flush()
    say(message)
    os._exit(code)
