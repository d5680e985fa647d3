"""Draw a dataset for one seed."""

from pathlib import Path
from typing import Any

from rafs import datasets, paths
from rafs.files import read_json
from rafs.storage import write_dataset, write_missing


def run(spec: dict[str, Any]) -> None:
    """Write the dataset, or a note that its file is missing."""
    dataset, protocol, seed = spec["dataset"], spec["protocol"], spec["seed"]
    path = paths.DATA.format(protocol=protocol, dataset=dataset, seed=seed)
    for name in spec.get("sources", [dataset]):
        fetched = Path(paths.FETCHED.format(dataset=name))
        record = read_json(fetched) if fetched.exists() else {"status": "ok"}
        if record["status"] != "ok":
            write_missing(path, record["message"])
            return
    write_dataset(path, datasets.load(dataset, seed, protocol, **spec["overrides"]))
