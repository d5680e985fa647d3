"""Numbers of features, training and test points: the paper's Table 4."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs import datasets
from rafs.reporting import labels, published
from rafs.reporting.inputs import Inputs
from rafs.reporting.tables.table import NONE, Cell, Row, Table, sections


def build(inputs: Inputs, options: Mapping[str, Any]) -> Table:
    """Build the table; options: `datasets`, `own`, and `overrides`, the sizes that differ."""
    overrides = options.get("overrides", {})
    printed = published.sizes().set_index("dataset").to_dict("index")
    records: dict[str, dict[str, Any]] = {}
    for name in options.get("datasets", datasets.names()):
        spec, other = datasets.spec(name), overrides.get(name, {})
        records[name] = {
            "dataset": name,
            "category": spec.category,
            "features": spec.dimension,
            "train": other.get("train", spec.train),
            "test": other.get("test", spec.test),
            "published_train": printed.get(name, {}).get("train"),
            "published_test": printed.get(name, {}).get("test"),
        }
    for name in options.get("own", []):
        table = inputs.record(name) or {}
        records[name] = {
            "dataset": name,
            "category": "own",
            "features": len(table.get("features", ())),
            "train": table.get("train"),
            "test": table.get("test"),
            "published_train": None,
            "published_test": None,
        }
    categories = {name: str(record["category"]) for name, record in records.items()}
    rows: list[Row | None] = [
        _row(records[name]) if name else None for name in sections(list(records), categories)
    ]
    return Table(
        caption="Size of the datasets, and in brackets the published size where the paper gives "
        "one and it is another.",
        frame=pd.DataFrame(records.values()),
        head=["Dataset", "Category", "Features", "Training points", "Test points"],
        rows=rows,
        align="ll",
    )


def _row(record: Mapping[str, Any]) -> list[Cell | str]:
    counts = []
    for part in ("train", "test"):
        size, printed = record[part], record[f"published_{part}"]
        counts.append(
            "" if size is None else f"{size}" if printed in (None, size) else f"{size} [{printed}]"
        )
    title = labels.dataset(record["dataset"])
    return [title, record["category"], str(record["features"]), *(c or NONE for c in counts)]
