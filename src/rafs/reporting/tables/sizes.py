"""Numbers of features, training and test points: the paper's Table 4."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs.reporting import published
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import NONE
from rafs.reporting.table import Cell, ReportTable, rows_by_dataset
from rafs.reporting.tables._datasets import listed

TITLE = "Sizes"
CAPTION = (
    "Size of the datasets, and in brackets the published size where the paper gives one and it is "
    "another."
)
READS = ("sources",)


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `entries` of datasets in params.yaml, `datasets` if not all."""
    printed = published.sizes().set_index("dataset").to_dict("index")
    records: dict[str, dict[str, Any]] = {}
    for spec in listed(options):
        name, known = spec.name, vars(spec)
        if not spec.train:  # only the file tells
            known = inputs.record(name) or {}
        records[name] = {
            "dataset": name,
            "category": spec.category,
            "features": len(known.get("features", ())),
            "train": known.get("train"),
            "test": known.get("test"),
            "published_train": printed.get(name, {}).get("train"),
            "published_test": printed.get(name, {}).get("test"),
        }
    frame = pd.DataFrame(records.values())
    return ReportTable(
        caption=CAPTION,
        frame=frame,
        head=["Dataset", "Category", "Features", "Training points", "Test points"],
        rows=rows_by_dataset(frame, lambda name: _row(records[name])),
        align="ll",
    )


def _row(record: Mapping[str, Any]) -> list[Cell | str]:
    counts = []
    for part in ("train", "test"):
        size, printed = record[part], record[f"published_{part}"]
        counts.append(
            "" if size is None else f"{size}" if printed in (None, size) else f"{size} [{printed}]"
        )
    return [record["category"], str(record["features"]), *(c or NONE for c in counts)]
