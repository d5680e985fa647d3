"""The jobs of the workflow, one module each: `run(spec, inputs, outputs)`.

A job reads and writes the files that its rule names, in the order of the rule. The spec contains
its dependencies besides files. A change of the job's module, or of modules that it imports, makes
the job run again.
"""

from collections.abc import Sequence
from typing import TypeVar

from rafs import files
from rafs.errors import ParameterError
from rafs.pipeline.forkserver.ownership import owned

files.renaming = owned

Names = TypeVar("Names", bound="tuple[str | None, ...]")


def named(names: type[Names], given: Sequence[str]) -> Names:
    """Return the files of a job by their names (`names` is a NamedTuple)."""
    try:
        return names(*given)
    except TypeError as error:
        wanted = ", ".join(names.__annotations__)
        raise ParameterError(
            f"a job got {len(given)} files where it takes these: {wanted}"
        ) from error


def only(given: Sequence[str]) -> str:
    """Return the only file of a job."""
    if len(given) != 1:
        raise ParameterError(f"a job got {len(given)} files where it takes one")
    return given[0]
