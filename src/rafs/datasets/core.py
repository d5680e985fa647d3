"""What a dataset is: its description (`Spec`) and one drawn copy of it (`Dataset`).

A family is a module of this package that describes some datasets. It exposes

- ``SPECS: tuple[Spec, ...]``, the descriptions, and
- ``draw(spec, seed, *, train, test, noise) -> Dataset``, which draws one of them. The sizes are
  always given (the described ones unless overridden); `noise` is the standard deviation or None.

The synthetic families share `rafs.datasets.sampling.draw`; the real ones have their own.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rafs.errors import ParameterError
from rafs.storage import Dataset

__all__ = ["Array", "Dataset", "Function", "Interval", "Spec", "columns"]

Array = NDArray[np.float64]
Function = Callable[[Array], Array]
Interval = tuple[float, float]

CATEGORIES = {
    "PM": "physical models",
    "MLM": "many local minima",
    "T": "trigonometric",
    "O": "others",
    "real": "real-world",
    "large": "real-world, large",
}
SYNTHETIC = ("PM", "MLM", "T", "O")


@dataclass(frozen=True)
class Spec:
    """Everything that is known of a dataset before a single row of it is drawn.

    Ranges hold one interval per feature, in the order of the columns; they are empty for real data.
    With `clusters`, the training points of a one-dimensional set lie in these intervals only, in
    equal numbers, and its test points form an even grid over the test range.
    """

    name: str
    title: str
    category: str
    features: tuple[str, ...]
    target: str
    train: int
    test: int
    citation: str
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

    @property
    def dimension(self) -> int:
        """The number of features."""
        return len(self.features)

    @property
    def synthetic(self) -> bool:
        """Whether the data are generated from a function."""
        return self.category in SYNTHETIC


def columns(x: Array, count: int) -> tuple[Array, ...]:
    """Return the columns of an [n, count] array of inputs."""
    x = np.asarray(x, dtype=np.float64)
    if x.ndim != 2 or x.shape[1] != count:
        raise ParameterError(
            f"the inputs have the shape {x.shape}; the function needs rows of {count} numbers"
        )
    return tuple(x.T)
