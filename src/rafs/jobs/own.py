"""Look at somebody's own table, and record what is in it or why it is missing."""

from pathlib import Path
from typing import Any

from rafs import paths
from rafs.datasets import tabular
from rafs.errors import DataError
from rafs.files import write_json


def run(spec: dict[str, Any]) -> None:
    """Write the record; a table that cannot be downloaded is an error only if that is asked for."""
    name, entry, file = spec["dataset"], spec["entry"], Path(spec["file"])
    record = paths.FETCHED.format(dataset=name)
    try:
        tabular.obtain(entry, file)
    except DataError as error:
        advice = f"put it to {file}, or delete {record} to try again"
        if spec["strict"]:
            raise DataError(
                f"{name} cannot be had and strict is true: {error}; {advice}"
            ) from error
        write_json(record, tabular.missing(name, entry, f"{error}; {advice}"))
        return
    write_json(record, tabular.describe(name, entry, tabular.read(entry, file), file))
