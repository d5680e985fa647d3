"""Split somebody's own table for one seed."""

from pathlib import Path
from typing import Any

from rafs import paths
from rafs.datasets import tabular
from rafs.files import read_json
from rafs.storage import write_dataset, write_missing


def run(spec: dict[str, Any]) -> None:
    """Write the dataset, or a note that its table is missing."""
    name, entry, seed = spec["dataset"], spec["entry"], spec["seed"]
    path = paths.DATA.format(protocol=spec["protocol"], dataset=name, seed=seed)
    record = read_json(paths.FETCHED.format(dataset=name))
    if record["status"] != "ok":
        write_missing(path, record["message"])
        return
    table = tabular.read(entry, tabular.obtain(entry, Path(spec["file"])))
    write_dataset(path, tabular.draw(name, entry, table, seed, record["source"]))
