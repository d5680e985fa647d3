"""Standard streams that are closed or have no reader. Every job imports this: nothing heavy."""

import os
import sys


def open_streams() -> None:
    """Give a process that was started without a standard stream an empty one in its place."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one
    for descriptor, name in ((1, "stdout"), (2, "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(descriptor, "w"))


def silence(descriptor: int) -> None:
    """Discard what is written to a stream from now on."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
