"""The parts of a dataset: its description (`Spec`), files (`Origin`), and rows (`Dataset`).

There is one interface for three kinds of datasets, which differ in `draw`:

- a synthetic one is a function with noise, ``SPEC`` of its module in `rafs.datasets.catalogue`,
  sampled by `rafs.datasets.sampling.draw`;
- a real one is a published file, also a module of the catalogue, split by
  `rafs.datasets.real.draw`;
- a user dataset is a table that params.yaml describes, split by `rafs.datasets.user.draw`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rafs.errors import ParameterError
from rafs.sampled import Dataset

__all__ = ["Array", "Dataset", "Entry", "Function", "Interval", "Origin", "Spec", "columns"]

Array = NDArray[np.float64]
Function = Callable[[Array], Array]
Interval = tuple[float, float]
Entry = Mapping[str, Any]  # an entry of `datasets` in params.yaml

TABLES = ("csv", "parquet")  # keys of an entry that make it a user dataset


@dataclass(frozen=True)
class Category:
    """A category of datasets: its label, and its group in params.yaml."""

    label: str
    group: str
    random: bool = False  # whether test rows are always a random part of a table


USER = "own"  # the category of user datasets, and the name of their group in params.yaml
CATEGORIES = {
    "PM": Category("Physical models", "synthetic"),
    "MLM": Category("Many local minima", "synthetic"),
    "T": Category("Trigonometric", "synthetic"),
    "O": Category("Others", "synthetic"),
    "real": Category("Real-world", "real", random=True),
    "large": Category("Large", "large", random=True),
    "uci": Category("UCI", "uci", random=True),
    "uci_gap": Category("UCI, gap splits", "uci_gap"),
    "uci_tail": Category("UCI, tail splits", "uci_tail"),
    USER: Category("Own data", USER),
}
PAPER = "paper"  # the group of the datasets in the paper's tables, of several categories
GROUPS = {  # the categories of all others
    group: tuple(name for name, kind in CATEGORIES.items() if kind.group == group)
    for group in dict.fromkeys(kind.group for kind in CATEGORIES.values())
}
SYNTHETIC = GROUPS["synthetic"]
SPLITS = tuple(name for name in CATEGORIES if name not in SYNTHETIC)
"""Categories whose seeds are overlapping splits of one table."""


class Origin(Protocol):
    """Where a file of a dataset comes from; `name` is its key in `Spec.sources`."""

    def supplied(self, name: str) -> list[str]:
        """Return the paths of files that the user supplies."""

    def identity(self) -> dict[str, Any]:
        """Return the inputs of fetching besides the code of the dataset."""

    def available(self, name: str) -> bool:
        """Whether the file is available offline."""

    def check(self, name: str) -> None:
        """Raise a DataError if the file exists but cannot be used."""

    def fetch(self, name: str) -> dict[str, Any]:
        """Get the file; return its record: `status` (ok or missing), `source`, `message`, ..."""


@dataclass(frozen=True)
class Spec:
    """Everything that is known about a dataset before its rows are sampled.

    `features` is empty, and `train` and `test` are 0, if they are known only from the file.

    Ranges hold one interval per feature, in the order of the columns; they are empty for real data.
    With `clusters`, the training points of a one-dimensional set lie in these intervals only, in
    equal numbers, and its test points form an even grid over the test range.

    `draw` is called as ``draw(spec, seed, train=..., test=..., noise=...)`` with the sizes and the
    noise to use (None if it is unknown). `sources` are the origins of the files that rows are read
    from, by name: for real data and user datasets, the name of the dataset. For a dataset with
    fixed `splits`, a seed is the number of a split, from 0 up.
    """

    name: str
    title: str
    category: str
    features: tuple[str, ...]
    target: str
    train: int
    test: int
    citation: str
    draw: Callable[..., Dataset] = field(repr=False)
    place: int | None = None  # in the paper's tables; datasets that are not in them follow by name
    doi: str = ""
    source: str = "generated"
    licence: str = "none needed: generated from a published formula"
    units: tuple[str, ...] = ()
    target_unit: str = ""
    noise: float | None = None
    train_ranges: tuple[Interval, ...] = ()
    test_ranges: tuple[Interval, ...] = ()
    clusters: tuple[Interval, ...] = ()
    function: Function | None = field(default=None, repr=False)
    sources: Mapping[str, Any] = field(default_factory=dict, repr=False)  # of Origins
    splits: int | None = None

    @property
    def dimension(self) -> int:
        """The number of features; 0 if it is known only from the file."""
        return len(self.features)

    @property
    def synthetic(self) -> bool:
        """Whether the data are generated from a function."""
        return self.category in SYNTHETIC

    def seeds(self, asked: Iterable[int]) -> list[int]:
        """Return the requested seeds that the dataset has: all, or the numbers of its splits."""
        return [seed for seed in asked if self.splits is None or seed < self.splits]


def columns(x: Array, count: int) -> tuple[Array, ...]:
    """Return the columns of an [n, count] array of inputs."""
    x = np.asarray(x, dtype=np.float64)
    if x.ndim != 2 or x.shape[1] != count:
        raise ParameterError(
            f"the inputs have the shape {x.shape}; the function needs rows of {count} numbers"
        )
    return tuple(x.T)
