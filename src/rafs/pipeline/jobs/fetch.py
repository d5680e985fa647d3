"""Get the file of a dataset, and record where it came from or why it is missing."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rafs import datasets
from rafs.errors import DataError
from rafs.files import write_json
from rafs.pipeline.jobs import only

if TYPE_CHECKING:
    from rafs.pipeline.job_specs import FetchSpec


def run(spec: "FetchSpec", inputs: Sequence[str], outputs: Sequence[str]) -> None:
    """Write the record; a missing file is an error only if the parameters are strict.

    The one input is the table of a user dataset; other files are found by `rafs.datasets`.
    """
    name, entry, path = spec["dataset"], dict(spec.get("entry", {})), only(outputs)
    if inputs:
        entry["file"] = only(inputs)
    record = datasets.origin(name, entry).fetch(name)
    if record["status"] != "ok" and spec["strict"]:
        raise DataError(f"{name} cannot be had and strict is true: {record['message']}")
    write_json(path, record)
