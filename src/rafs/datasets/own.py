"""Somebody's own table as a dataset: what an entry of `datasets` in params.yaml may say.

    mydata: {csv: data/own/mydata.csv, target: y, features: [a, b], categorical: [b], split: 0.2}

The entry alone is looked at here; `rafs.datasets.tabular` reads the file.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rafs.errors import ParameterError

CATEGORY = "own"
KINDS = ("csv", "parquet")
FOLDER = "data/raw/own"  # where downloaded tables are kept

Entry = Mapping[str, Any]


def is_own(entry: Entry) -> bool:
    """Tell an own table from changes to a dataset of the paper."""
    return any(kind in entry for kind in KINDS)


def kind(entry: Entry) -> str:
    """Return "csv" or "parquet"."""
    return next(kind for kind in KINDS if kind in entry)


def location(entry: Entry) -> str:
    """Return the path or address of the table."""
    place: str = entry[kind(entry)]
    return place


def is_remote(entry: Entry) -> bool:
    """Whether the table has to be downloaded."""
    return "://" in location(entry)


def file(name: str, entry: Entry, root: Path | str = ".") -> Path:
    """Return where the table is on this machine; a download has its address in its name."""
    if not is_remote(entry):
        return Path(root) / location(entry)
    mark = hashlib.sha256(location(entry).encode()).hexdigest()[:8]
    return Path(FOLDER) / f"{name}-{mark}.{kind(entry)}"


def check(name: str, entry: Entry) -> None:
    """Refuse an entry that contradicts itself; its file is not looked at."""
    where = f"datasets.{name}"
    if all(kind in entry for kind in KINDS):
        raise ParameterError(f"{where} has both csv and parquet; one of them is the table")
    if "target" not in entry:
        raise ParameterError(f"{where}.target is missing: the column that is to be predicted")
    for key in ("train", "test"):
        if key in entry:
            raise ParameterError(
                f"{where}.{key} belongs into {where}.split: {{train: .., test: ..}}"
            )
    if is_remote(entry) and not location(entry).startswith("https://"):
        raise ParameterError(
            f"{where}.{kind(entry)}: {location(entry)} is not an https address; nothing else is "
            "downloaded"
        )
    if "sha256" in entry and not is_remote(entry):
        raise ParameterError(
            f"{where}.sha256 is for a table that is downloaded; this one is a file"
        )
    chosen = entry.get("features")
    if chosen is not None and entry["target"] in chosen:
        raise ParameterError(f"{where}.features contains the target {entry['target']!r}")
    for column in entry.get("categorical", []):
        if chosen is not None and column not in chosen:
            raise ParameterError(f"{where}.categorical: {column!r} is not among the features")
        if column == entry["target"]:
            raise ParameterError(f"{where}.categorical contains the target; it must be a number")
