"""Print the messages of a workflow, and stop it with one."""

import contextlib
import os
import sys
from typing import NoReturn


def say(message: str) -> None:
    """Print a message; ignore a closed stderr."""
    with contextlib.suppress(OSError):
        print(f"rafs: {message}", file=sys.stderr, flush=True)


def stop(message: str, code: int = 1) -> NoReturn:
    """Exit at once with a message; Snakemake would print a traceback for an exception."""
    if sys.stdout is not None:
        sys.stdout.flush()
    say(message)
    os._exit(code)
