"""Sample a dataset for one seed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rafs import datasets
from rafs.files import read_json
from rafs.pipeline.jobs import only
from rafs.sampled import write_dataset, write_missing

if TYPE_CHECKING:
    from rafs.pipeline.job_specs import DataSpec


def run(spec: "DataSpec", inputs: Sequence[str], outputs: Sequence[str]) -> None:
    """Write the dataset, or a note that its file is missing.

    The inputs are the records of its sources, and the table of a user dataset. Downloads are found
    by `rafs.datasets`.
    """
    path, entry = only(outputs), dict(spec["entry"])
    count = len(spec["sources"])
    records, tables = inputs[:count], inputs[count:]
    for source in records:
        record = read_json(source)
        if record["status"] != "ok":
            write_missing(path, record["message"])
            return
    if tables:
        entry["file"] = only(tables)
    write_dataset(path, datasets.load(spec["dataset"], spec["seed"], spec["protocol"], **entry))
