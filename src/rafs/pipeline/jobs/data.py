"""Sample a dataset for one seed."""

from typing import Any

from rafs import datasets, paths
from rafs.files import read_json
from rafs.storage import write_dataset, write_missing


def run(spec: dict[str, Any]) -> None:
    """Write the dataset, or a note that its file is missing."""
    dataset, protocol, seed = spec["dataset"], spec["protocol"], spec["seed"]
    path = paths.DATA.format(protocol=protocol, dataset=dataset, seed=seed)
    for source in spec["sources"]:
        record = read_json(paths.FETCHED.format(dataset=source))
        if record["status"] != "ok":
            write_missing(path, record["message"])
            return
    write_dataset(path, datasets.load(dataset, seed, protocol, **spec["entry"]))
