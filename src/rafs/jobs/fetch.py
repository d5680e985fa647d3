"""Get the file of a real dataset, and record where it came from or why it is missing."""

from typing import Any

from rafs import paths
from rafs.datasets.fetch import MISSING, fetch
from rafs.errors import DataError
from rafs.files import write_json


def run(spec: dict[str, Any]) -> None:
    """Write the record; a missing file is an error only if the parameters are strict."""
    result = fetch(spec["dataset"])
    missing = result.status == MISSING
    if missing and spec["strict"]:
        raise DataError(
            f"{spec['dataset']} cannot be had and strict is true: {result.message}; {result.supply}"
        )
    record = {
        "dataset": result.dataset,
        "status": MISSING if missing else "ok",
        "source": result.source,
        "sha256": result.sha256,
        "message": f"{result.message}; {result.supply}" if missing else "",
    }
    write_json(paths.FETCHED.format(dataset=spec["dataset"]), record)
