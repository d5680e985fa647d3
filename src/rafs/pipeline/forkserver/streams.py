"""Standard streams that are closed or have no reader; imported by every job, so kept light."""

import os
import sys


def open_streams() -> None:
    """Open an empty stream for each standard stream that is missing."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number is this one
    for descriptor, name in ((1, "stdout"), (2, "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(descriptor, "w"))


def silence(descriptor: int) -> None:
    """Discard everything that is written to a stream from now on."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
