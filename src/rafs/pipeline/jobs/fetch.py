"""Get the file of a dataset, and record where it came from or why it is missing."""

from typing import Any

from rafs import datasets, paths
from rafs.errors import DataError
from rafs.files import write_json


def run(spec: dict[str, Any]) -> None:
    """Write the record; a missing file is an error only if the parameters are strict."""
    name = spec["dataset"]
    record = datasets.origin(name, spec.get("entry", {})).fetch(name)
    if record["status"] != "ok" and spec["strict"]:
        raise DataError(f"{name} cannot be had and strict is true: {record['message']}")
    write_json(paths.FETCHED.format(dataset=name), record)
