"""The jobs of the workflow, one module each: `run(spec, inputs, outputs)`.

A job reads and writes the files that its rule names, in the order of the rule. The spec is what it
depends on besides files. A job's module, and what it imports, is the code whose change makes the
job run again.
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
    """Return the file of a job that takes one."""
    if len(given) != 1:
        raise ParameterError(f"a job got {len(given)} files where it takes one")
    return given[0]
