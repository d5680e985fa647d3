"""User datasets: a CSV or parquet table that an entry of `datasets` in params.yaml describes.

    mydata: {csv: data/own/mydata.csv, target: y, features: [a, b], categorical: [b], split: 0.2}

`describe` turns such an entry into a `Spec`, so that a user dataset is used as any other dataset.
`rafs.datasets.tabular` reads the file.
"""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rafs.datasets.core import TABLES, USER, Dataset, Entry, Spec
from rafs.errors import DataError, ParameterError

if TYPE_CHECKING:
    from rafs.datasets.tabular import Table

FOLDER = "data/raw/own"  # where downloaded tables are kept
FILE = "file"  # the key of an entry for the path from the working directory; see `resolve`


def describe(name: str, entry: Entry) -> Spec:
    """Return the description of a user dataset, or say what is wrong with its entry."""
    check(name, entry)
    return Spec(
        name=name,
        title=name,
        category=USER,
        features=(),
        target=entry["target"],
        train=0,
        test=0,
        noise=entry.get("noise"),
        citation="",
        source=location(entry),
        licence="",
        sources={name: UserFile(entry)},
        draw=draw,
    )


def draw(spec: Spec, seed: int, *, train: int, test: int, noise: float | None) -> Dataset:
    """Split the table of a user dataset; its entry decides the sizes."""
    from rafs.datasets import tabular

    source = spec.sources[spec.name]
    assert isinstance(source, UserFile)
    return tabular.draw(spec.name, source.entry, source.read(spec.name), seed, spec.source)


@dataclass(frozen=True)
class UserFile:
    """The file of a user dataset (a `rafs.datasets.core.Origin`)."""

    entry: Entry

    def path(self, name: str) -> Path:
        """Return where the table is, or will be once it is downloaded."""
        return Path(self.entry.get(FILE) or file(name, self.entry))

    def supplied(self, name: str) -> list[str]:
        """Return the file, unless it is to be downloaded."""
        return [] if is_remote(self.entry) else [str(self.path(name))]

    def identity(self) -> dict[str, Any]:
        """Return the entry, which defines how the file is read."""
        return {"entry": dict(self.entry)}

    def available(self, name: str) -> bool:
        """Whether the file is on this machine."""
        return self.path(name).exists()

    def check(self, name: str) -> None:
        """Refuse a table that cannot be used; a table that is not downloaded yet is not checked."""
        from rafs.datasets import tabular

        if self.supplied(name) or self.available(name):
            tabular.read(self.entry, self.path(name))

    def read(self, name: str) -> "Table":
        """Return the numbers of the table, downloaded if necessary."""
        from rafs.datasets import tabular

        return tabular.read(self.entry, tabular.obtain(self.entry, self.path(name)))

    def fetch(self, name: str) -> dict[str, Any]:
        """Return the record of the table: its contents, or why it is missing."""
        from rafs.datasets import tabular

        path = self.path(name)
        try:
            tabular.obtain(self.entry, path)
        except DataError as error:
            return tabular.missing(name, self.entry, f"{error}; put it at {path}")
        return tabular.describe(name, self.entry, tabular.read(self.entry, path), path)


# --- entries ------------------------------------------------------------------------------------


def resolve(name: str, entry: Entry, root: Path | str) -> dict[str, Any]:
    """Return an entry of a project in `root` with the path of its file from here."""
    return {**entry, FILE: os.path.relpath(file(name, entry, root))}


def kind(entry: Entry) -> str:
    """Return "csv" or "parquet"."""
    return next(kind for kind in TABLES if kind in entry)


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


def check(name: str, entry: Mapping[str, Any]) -> None:
    """Refuse an entry that contradicts itself; its file is not read."""
    where = f"datasets.{name}"
    if all(kind in entry for kind in TABLES):
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
