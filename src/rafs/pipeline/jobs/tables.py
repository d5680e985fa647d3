"""Make one table, in every format."""

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from rafs.reporting.inputs import Inputs
from rafs.reporting.table_files import write

if TYPE_CHECKING:
    from rafs.pipeline.job_specs import ShownSpec


def run(spec: "ShownSpec", inputs: Sequence[str], outputs: Sequence[str]) -> None:
    """Build the table that the spec names, and write it."""
    module = import_module(f"rafs.reporting.tables.{spec['name']}")
    table = module.build(Inputs(files=inputs), spec["options"])
    for file in outputs:
        write(table, file)
