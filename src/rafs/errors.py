"""Errors that a user can encounter, each with a sentence and an exit code."""

import difflib
import os
import sys
from collections.abc import Iterable


class RafsError(Exception):
    """An error that is reported in one sentence, without a traceback."""

    exit_code = 1


def sentence(error: BaseException) -> str:
    """Return the error in one line."""
    if isinstance(error, MemoryError):
        return "not enough memory for this job; give it more or use less data"
    if isinstance(error, OSError):
        return f"{error.strerror or error}: {error.filename or 'a file'}"
    if isinstance(error, RafsError):
        return str(error)
    return " ".join(f"{type(error).__name__}: {error}".split())


def closest(name: object, known: Iterable[str], likeness: float = 0.0) -> str | None:
    """Return the known name that is most like another name; None if none is."""
    near = difflib.get_close_matches(str(name), list(known), n=1, cutoff=likeness)
    return near[0] if near else None


def complain(sentence: str, code: int = 1) -> int:
    """Print the error, in red on a terminal, and return the exit code."""
    red = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    print(f"\x1b[31mrafs: {sentence}\x1b[0m" if red else f"rafs: {sentence}", file=sys.stderr)
    return code


class ParameterError(RafsError, ValueError):
    """A parameter, a name or an argument that cannot be used."""

    exit_code = 2


class DataError(RafsError, ValueError):
    """A data file that is missing, damaged or not what it claims to be."""


class DamagedFileError(RafsError, ValueError):
    """A file written by this project that cannot be read back."""


class DeviceError(RafsError, RuntimeError):
    """A requested device that is not available."""


class DivergedError(RafsError, ArithmeticError):
    """A training whose parameters or loss became non-finite."""

    status = "diverged"  # of a run that ends with it

    def __init__(self, step: int, member: int, detail: str = "") -> None:
        self.step = step
        self.member = member
        super().__init__(
            f"the training of member {member} diverged at step {step}"
            f"{f' ({detail})' if detail else ''}; lower its learning rate or scale its data"
        )


class EstimatorError(DivergedError):
    """An estimator that cannot be fitted, or does not predict a mean and a standard deviation."""

    status = "failed"

    def __init__(self, message: str) -> None:
        RafsError.__init__(self, message)
