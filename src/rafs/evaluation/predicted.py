"""Read predictions from a file of any origin: a table with a row per test point.

Columns: `y`; `mean` with `sd` or `variance`, or quantiles (`q05`, `q97.5`, `q0.025`), or both; and,
where there are several, `dataset`, `method`, `split` (or `seed`), `group` of rows, `n_train` (the
number of training rows) and `role` (test, or calibrate for rows that recalibration is fitted to).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rafs.datasets import tabular
from rafs.errors import DataError, ParameterError, closest
from rafs.evaluation import quantiles
from rafs.evaluation.quantiles import Array

KEYS = ("dataset", "method", "split", "group", "role")
OTHERS = ("y", "mean", "sd", "variance", "seed", "n_train")
ROLES = ("test", "calibrate")
LARGEST = 1e150  # larger numbers have no square
TOLERANCE = 1e-6  # of a target, and of the spread of targets
REPAIR = "fill these in or drop the rows"


@dataclass(frozen=True)
class Predicted:
    """Targets with their predictions, and the keys of the rows."""

    keys: pd.DataFrame  # those of KEYS and n_train that the file has
    y: Array
    mean: Array
    variance: Array
    levels: tuple[float, ...]
    quantiles: Array  # [n, len(levels)]
    ignored: tuple[str, ...] = ()  # columns of the file that are not used

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.y)

    def take(self, rows: Any) -> "Predicted":
        """Return some of the rows, by a mask or by their positions."""
        return replace(
            self,
            keys=self.keys.iloc[rows].reset_index(drop=True),
            **{key: getattr(self, key)[rows] for key in ("y", "mean", "variance", "quantiles")},
        )

    def where(self, **values: Any) -> "Predicted":
        """Return the rows with these values in the columns that the file has."""
        rows = np.ones(len(self), dtype=bool)
        for key, value in values.items():
            if key in self.keys:
                rows &= (self.keys[key] == value).to_numpy()
        return self.take(rows)


def read(file: Path | str, group: str = "group") -> Predicted:
    """Read predictions, or raise a DataError that says what is wrong with the file."""
    kind = "parquet" if Path(file).suffix in (".parquet", ".pq") else "csv"
    frame = tabular.read_frame(Path(file), kind)
    if group != "group":
        frame = _grouped(frame, group, file)
    levels = _levels(frame, file)
    _check_names(frame, levels, file)
    _check_needed(frame, levels, file)
    if frame.empty:
        raise DataError(f"{file} has no rows; it needs one per test point")
    values = {
        name: _numbers(frame[name], file)
        for name in (*OTHERS[:4], *levels, "n_train")
        if name in frame
    }
    if (values.get("n_train", np.ones(1)) < 1).any():
        raise DataError(f"{file}: 'n_train' must be the number of training rows, at least 1")
    found = np.column_stack([values[name] for name in levels] or [np.empty((len(frame), 0))])
    rows = quantiles.crossing(found)
    if rows.any():
        raise DataError(
            f"{file}: the quantiles cross in {tabular.place(frame['y'], rows)}; sort those of a row"
        )
    mean, variance = _moments(values, tuple(levels.values()), found, file)
    ignored = tuple(str(name) for name in frame if name not in {*KEYS, *OTHERS, *levels})
    return Predicted(
        _keys(frame, file), values["y"], mean, variance, tuple(levels.values()), found, ignored
    )


def _grouped(frame: pd.DataFrame, group: str, file: Path | str) -> pd.DataFrame:
    """Use another column for the groups."""
    if group not in frame:
        raise ParameterError(f"{file} has no column {group!r}; {_near(group, frame)}")
    if group in (*KEYS, *OTHERS):
        raise ParameterError(f"--group: {group!r} has a meaning of its own; name another column")
    return frame.drop(columns="group", errors="ignore").rename(columns={group: "group"})


def _levels(frame: pd.DataFrame, file: Path | str) -> dict[str, float]:
    """Return the columns of quantiles with their levels, lowest first."""
    try:
        found = {str(name): quantiles.level(str(name)) for name in frame}
    except DataError as error:
        raise DataError(f"{file}: {error}") from None
    levels = {name: value for name, value in found.items() if value is not None}
    for name, value in levels.items():
        if twin := next((n for n, v in levels.items() if v == value and n != name), None):
            raise DataError(f"{file}: {name!r} and {twin!r} are the same quantile; drop one")
    return dict(sorted(levels.items(), key=lambda entry: entry[1]))


def _check_names(frame: pd.DataFrame, levels: Mapping[str, float], file: Path | str) -> None:
    """Refuse a column that looks misspelt or duplicates another one."""
    names, known = [str(name) for name in frame], (*KEYS, *OTHERS)
    for name in names:
        if name in known or name in levels:
            continue
        if near := closest(name.lower(), known, likeness=0.7):
            raise DataError(
                f"{file} has an unknown column {name!r}; did you mean {near!r}? Rename or drop it"
            )
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise DataError(f"{file} has two columns {twice[0]!r}; rename one of them")
    for pair in (("sd", "variance"), ("split", "seed")):
        if set(pair) <= set(names):
            raise DataError(f"{file} has both {pair[0]!r} and {pair[1]!r}; drop one")


def _check_needed(frame: pd.DataFrame, levels: Mapping[str, float], file: Path | str) -> None:
    """Refuse a file without targets or without predictions."""
    names = [str(name) for name in frame]
    spread = "sd" in names or "variance" in names
    if "y" not in names:
        raise DataError(
            f"{file} has no column 'y' with the targets; its columns are {_list(names)}"
        )
    if len(levels) > 1 and "mean" not in names and not spread:
        return
    if "mean" not in names or not spread:
        lacking = "'sd' or 'variance'" if "mean" in names else "'mean'"
        raise DataError(
            f"{file} has no column {lacking}; it needs mean and sd, or at least two quantiles such "
            f"as q05 and q95 (its columns are {_list(names)})"
        )


def _list(names: Iterable[Any]) -> str:
    return ", ".join(map(str, list(names)[:12]))


def _near(name: str, known: Iterable[Any]) -> str:
    """Suggest the name that was probably meant."""
    near = closest(name, map(str, known), likeness=0.6)
    return f"did you mean {near!r}?" if near else f"its columns are {_list(known)}"


def _numbers(column: "pd.Series[Any]", file: Path | str) -> Array:
    tabular.complete(column, file, REPAIR)
    values = tabular.numbers(column, file, "correct the row")
    large = np.abs(values) > LARGEST
    if large.any():
        where = tabular.place(column, large)
        raise DataError(f"{file}: {column.name!r} is beyond 1e150 in {where}; scale the data")
    return values


def _moments(
    values: Mapping[str, Array], levels: tuple[float, ...], found: Array, file: Path | str
) -> tuple[Array, Array]:
    """Return mean and variance: those of the file, or of the Gaussian nearest to its quantiles."""
    if "mean" in values:
        name = "sd" if "sd" in values else "variance"
        mean, spread = values["mean"], values[name]
        what, advice = f"{name!r}", "a prediction needs a spread"
    else:
        name = "sd"
        mean, spread = quantiles.gaussian(levels, found)
        what, advice = "the spread of the quantiles", "a density needs a width"
    variance = spread**2 if name == "sd" else spread
    bad = (spread <= 0) | (variance == 0)
    if bad.any():
        rows = tabular.place(pd.Series(spread), bad)
        raise DataError(f"{file}: {what} is not above 0 in {rows}; {advice}")
    return mean, variance


def _keys(frame: pd.DataFrame, file: Path | str) -> pd.DataFrame:
    """Return the keys of the rows."""
    frame = frame.rename(columns={"seed": "split"})
    keys = frame[[name for name in (*KEYS, "n_train") if name in frame]]
    for name in keys:
        tabular.complete(keys[name], file, REPAIR)
    if "role" in keys and not (known := keys["role"].isin(ROLES)).all():
        odd = keys["role"][~known].iloc[0]
        raise DataError(f"{file}: 'role' must be {' or '.join(ROLES)}, not {str(odd)!r}")
    return keys


@dataclass(frozen=True)
class PredictedRun:
    """The rows of a file for one run of the benchmark."""

    place: str
    rows: Predicted

    @classmethod
    def read(cls, file: str, dataset: str, split: int, method: str | None = None) -> "PredictedRun":
        """Read the test rows of a dataset's split, of one method if the file has several."""
        found = read(file)
        for column in ("dataset", "split", *(["method"] if method else [])):
            if column not in found.keys:
                raise DataError(f"{file} has no column {column!r}; add it")
        if method is not None:
            found = found.where(method=method)
        elif "method" in found.keys and len(set(found.keys["method"])) > 1:
            raise DataError(f"{file} has several methods; name one with the setting `method`")
        place = f"{file}, {dataset}, split {split}"
        rows = found.where(dataset=dataset, split=split, role="test")
        if not len(rows):
            raise DataError(f"{place}: it has no rows for this run")
        return cls(place, rows)

    def check(self, y: Array) -> None:
        """Refuse rows whose targets differ from these, up to rounding."""
        given = self.rows.y
        wrong = ~np.isclose(given, y, rtol=TOLERANCE, atol=TOLERANCE * float(np.std(y)))
        if wrong.any():
            row = int(np.argmax(wrong))
            raise DataError(
                f"{self.place}: y is not that of the test rows in {wrong.sum()} of {len(y)} rows, "
                f"first in row {row + 1} ({given[row]:g}, not {y[row]:g}); keep the rows in the "
                "order of the test rows"
            )
