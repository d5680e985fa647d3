"""Reading and splitting of the real datasets.

The paper gives only sizes. Under `described`, every seed has its own random split of these sizes.
The columns are those that the authors use. The noise is unknown.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rafs.datasets import fetch
from rafs.datasets.core import Array, Dataset, Spec
from rafs.datasets.sources import Layout, canonical, checksum
from rafs.errors import DataError, ParameterError
from rafs.seeding import generator


class RawTable(NamedTuple):
    """All rows of a file: features, target, and where the file came from."""

    x: Array
    y: Array
    source: str


def draw(spec: Spec, seed: int, *, train: int, test: int, noise: float | None) -> Dataset:
    """Split the rows at random into the given sizes; the same seed gives the same split."""
    rows = spec.sources[spec.name].rows
    order = generator("data", "described", spec.name, seed, "split").permutation(rows)
    return split(spec, seed, order, train=train, test=test, noise=noise)


def split(
    spec: Spec, seed: int, order: NDArray[np.int_], *, train: int, test: int, noise: float | None
) -> Dataset:
    """Take the training rows from the start of an order of the rows, then the test rows."""
    if train + test > len(order):
        raise ParameterError(
            f"{train} training and {test} test rows of {spec.name!r} are asked for; it has "
            f"{len(order)}"
        )
    return take(spec, seed, table(spec), order[:train], order[train : train + test], noise)


def take(
    spec: Spec,
    seed: int,
    rows: RawTable,
    train: NDArray[np.int_],
    test: NDArray[np.int_],
    noise: float | None,
) -> Dataset:
    """Return the dataset of some rows to train on and others to test on."""
    return Dataset(
        name=spec.name,
        features=spec.features,
        x_train=rows.x[train],
        y_train=rows.y[train],
        x_test=rows.x[test],
        y_test=rows.y[test],
        noise=noise,
        seed=seed,
        protocol="described",
        source=rows.source,
    )


def table(spec: Spec) -> RawTable:
    """Return all rows in the order of the file."""
    name = _source(spec)
    source, result = spec.sources[name], fetch.required(name)
    file = next(file for file in source.files if file.sha256 == result.sha256)
    values = read(spec, Path(result.path), file.layout)
    x, y = values[:, :-1], values[:, -1]
    return RawTable(x, y if source.transform is None else source.transform(y), result.source)


def _source(spec: Spec) -> str:
    """Return the source that is named after a dataset, or else the one that it shares."""
    return spec.name if spec.name in spec.sources else next(iter(spec.sources))


def read(spec: Spec, path: Path, layout: Layout) -> Array:
    """Return the used columns of a file as canonical values; raise a DataError on others."""
    source = spec.sources[_source(spec)]
    values = _parse(path, layout)
    if len(values) != source.rows:
        raise DataError(f"{path} has {len(values)} rows of data; {spec.name} has {source.rows}")
    names = (*spec.features, spec.target)
    if not np.isfinite(values).all():
        row, column = np.argwhere(~np.isfinite(values))[0]
        raise DataError(f"{path} has no value for {names[column]} in row {row + 1} of its data")
    values = canonical(values, source.digits)
    for column, name, (low, high) in zip(values.T, names, source.ranges, strict=True):
        if column.min() < low or column.max() > high:
            raise DataError(
                f"{path} has {name} from {column.min():g} to {column.max():g}; it must lie between "
                f"{low:g} and {high:g}"
            )
    if checksum(values) != source.values:
        raise DataError(
            f"{path} does not hold the values of {spec.name}; delete it and fetch again"
        )
    return values


def _parse(path: Path, layout: Layout) -> Array:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read as text ({error})") from error
    numbered = list(enumerate(text.splitlines(), start=1))[layout.header :]
    lines = [line for _, line in numbered if line.strip()]  # one file contains an empty line
    for number, line in numbered:
        if not line.strip():
            continue
        cells = line.count(layout.delimiter) + 1 if layout.delimiter else len(line.split())
        if cells != layout.width:
            raise DataError(f"{path}, line {number}, has {cells} columns instead of {layout.width}")
    if not lines:
        raise DataError(f"{path} holds no data")
    try:
        values: Array = np.loadtxt(
            lines, delimiter=layout.delimiter, usecols=layout.columns, comments=None, ndmin=2
        )
    except ValueError as error:
        raise DataError(f"{path} has a cell that is not a number ({error})") from error
    return values
