"""What a workflow says to people, and how it stops with a sentence."""

import contextlib
import os
import sys
from typing import NoReturn


def say(message: str) -> None:
    """Write a line for people; that nobody listens any more is no reason to stop."""
    with contextlib.suppress(OSError):
        print(f"rafs: {message}", file=sys.stderr, flush=True)


def stop(message: str, code: int = 1) -> NoReturn:
    """End the process at once with a sentence; Snakemake would wrap it in a traceback."""
    if sys.stdout is not None:
        sys.stdout.flush()
    say(message)
    os._exit(code)
