"""Make one table, in every format."""

from importlib import import_module
from typing import Any

from rafs import paths
from rafs.reporting.inputs import Inputs
from rafs.reporting.table_files import write


def run(spec: dict[str, Any]) -> None:
    """Build the table that the spec names, and write it."""
    table = import_module(f"rafs.reporting.tables.{spec['name']}").build(Inputs(), spec["options"])
    for form in paths.TABLE_FORMATS:
        write(table, paths.TABLE.format(table=spec["name"], format=form))
