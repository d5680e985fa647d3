"""Reading and splitting of user datasets (`rafs.datasets.user`): CSV or parquet tables.

A categorical column becomes one column of zeros and ones per value. Values that a network cannot
use, or that are probably mistakes, are refused in a sentence that says what to do.
"""

import csv
import hashlib
import io
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from rafs.datasets.core import Array, Dataset, Entry
from rafs.datasets.download import Network, download
from rafs.datasets.user import is_remote, kind, location
from rafs.errors import DataError
from rafs.files import atomic, sha256
from rafs.seeding import generator

SPLIT = 0.2  # share of the rows that are for testing, unless the entry says otherwise
LEAST_ROWS = 20
LEAST_TRAIN, LEAST_TEST = 10, 2
MOST_VALUES = 100  # of a categorical column

Rows = np.ndarray


def obtain(entry: Entry, file: Path, network: Network | None = None) -> Path:
    """Return the table's file, downloaded if necessary; a given checksum must match."""
    if not is_remote(entry):
        return file
    if file.exists():
        _verify(entry, sha256(file))
        return file
    content = io.BytesIO()
    download(location(entry), content, network or Network())
    _verify(entry, hashlib.sha256(content.getbuffer()).hexdigest())
    with atomic(file) as target:
        target.write(content.getbuffer())
    return file


def _verify(entry: Entry, found: str) -> None:
    if entry.get("sha256", found).lower() != found:
        raise DataError(
            f"{location(entry)} has the SHA-256 {found}, not {entry['sha256']}: it is another file "
            "than the one meant; correct the address or the checksum"
        )


# --- from a file to numbers ---------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """The numbers of a file, and the rows that a column marks for testing, if one does."""

    x: Array
    y: Array
    features: tuple[str, ...]
    columns: int  # of the file that became features
    held_out: Rows | None

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.y)


def read(entry: Entry, file: Path | str) -> Table:
    """Return the numbers of a table, or a DataError that says why it cannot be used."""
    frame = read_frame(Path(file), kind(entry))
    target = entry["target"]
    split = entry.get("split", SPLIT)
    by = split.get("column") if isinstance(split, Mapping) else None
    chosen = entry.get("features") or [c for c in frame.columns if c not in (target, by)]
    for column in (target, *chosen, *entry.get("categorical", []), *([by] if by else [])):
        if column not in frame:
            shown = ", ".join(map(str, list(frame.columns)[:12]))
            raise DataError(f"{file} has no column {column!r}; its columns are {shown}")
    if by in chosen:
        raise DataError(f"{file}: {by!r} decides the split and cannot be a feature too")
    if not chosen:
        raise DataError(f"{file} has no column besides the target {target!r} to predict it from")
    if len(frame) < LEAST_ROWS:
        raise DataError(f"{file} has {len(frame)} rows; at least {LEAST_ROWS} are needed")
    y = numbers(_column(frame, target), file, "the target must be a number")
    if np.ptp(y) == 0:
        raise DataError(f"{file}: the target {target!r} is {y[0]:g} in every row: nothing to learn")
    columns: dict[str, Array] = {}
    for column in chosen:
        if column in entry.get("categorical", []):
            columns |= _indicators(_column(frame, column), file)
        else:
            advice = "list it under categorical, leave it out of features, or convert it"
            columns[str(column)] = numbers(_column(frame, column), file, advice)
    held_out = _held_out(_column(frame, by), split["test"], file) if by else None
    table = Table(np.column_stack(list(columns.values())), y, tuple(columns), len(chosen), held_out)
    parts(table, split, 0, "check", str(file))
    return table


def _column(frame: pd.DataFrame, name: str) -> "pd.Series[Any]":
    """Return one column (a parquet file can have two with the same name)."""
    column = frame[name]
    if not isinstance(column, pd.Series):
        raise DataError(f"there are two columns {name!r}; rename one of them")
    return column


def read_frame(file: Path, kind: str) -> pd.DataFrame:
    """Read the file without conversions; empty cells are missing values."""
    try:
        if kind == "parquet":
            return pd.read_parquet(file)
        with file.open(encoding="utf-8-sig", newline="") as text:
            return _csv(file, text)
    except ImportError as error:
        raise DataError(f"{file}: parquet is read by pyarrow; `pip install pyarrow`") from error
    except FileNotFoundError as error:
        raise DataError(f"there is no file {file}") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{file} is not UTF-8 text ({error.reason}); save it as UTF-8") from error
    except DataError:
        raise
    except (OSError, ValueError) as error:  # pandas and pyarrow raise subclasses of ValueError
        reason = " ".join(str(error).split())[:160]
        raise DataError(f"{file} cannot be read as {kind} ({reason})") from error


def _csv(file: Path, text: IO[str]) -> pd.DataFrame:
    head = text.readline()
    mark = max(",;\t|", key=head.count)
    names = next(csv.reader([head], delimiter=mark), [])
    if not names:
        raise DataError(f"{file} is empty; its first line must name the columns")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise DataError(f"{file} has two columns {twice[0]!r}; rename one of them")
    text.seek(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)  # lines longer than the header
        try:
            return pd.read_csv(text, sep=mark, index_col=False, low_memory=False)
        except pd.errors.ParserWarning as error:
            raise DataError(
                f"{file} has lines with more cells than its {len(names)} names"
            ) from error


def place(column: "pd.Series[Any]", bad: Rows) -> str:
    """Say how many rows are bad and where the first one is, counted from 1 without the header."""
    rows = np.flatnonzero(bad)
    return f"{len(rows)} of {len(column)} rows, first in row {rows[0] + 1}"


def complete(
    column: "pd.Series[Any]",
    file: Path | str,
    advice: str = "fill these in, drop the rows, or leave the column out of features",
) -> None:
    """Refuse a column with missing values."""
    lacking = column.isna().to_numpy()
    if lacking.any():
        raise DataError(
            f"{file}: {column.name!r} has no value in {place(column, lacking)}; {advice}"
        )


def numbers(column: "pd.Series[Any]", file: Path | str, advice: str) -> Array:
    """Return a column of finite numbers, or raise an error that names the invalid rows."""
    complete(column, file)
    if not (pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column)):
        text = pd.to_numeric(column.astype(str), errors="coerce").isna().to_numpy()
        first = column.iloc[int(np.argmax(text))]
        raise DataError(
            f"{file}: {column.name!r} is not a column of numbers ({str(first)!r} in row "
            f"{int(np.argmax(text)) + 1}); {advice}"
        )
    if pd.api.types.is_complex_dtype(column):
        raise DataError(f"{file}: {column.name!r} holds complex numbers; {advice}")
    values = column.to_numpy(dtype=np.float64)
    if not np.isfinite(values).all():
        raise DataError(
            f"{file}: {column.name!r} is infinite in {place(column, ~np.isfinite(values))}; "
            "drop these rows or set a bound"
        )
    return values


def _indicators(column: "pd.Series[Any]", file: Path | str) -> dict[str, Array]:
    """Return a column of zeros and ones per value, the values in order."""
    complete(column, file)
    text = column.astype(str)
    levels = sorted(text.unique())
    if len(levels) > MOST_VALUES:
        raise DataError(
            f"{file}: {column.name!r} has {len(levels)} different values in {len(column)} rows, "
            f"more than the {MOST_VALUES} that categorical allows; is it an identifier?"
        )
    return {
        f"{column.name}={level}": (text == level).to_numpy(dtype=np.float64) for level in levels
    }


def _held_out(column: "pd.Series[Any]", values: Any, file: Path | str) -> Rows:
    complete(column, file)
    wanted = {str(value) for value in (values if isinstance(values, list) else [values])}
    marked: Rows = column.astype(str).isin(wanted).to_numpy()
    if not marked.any():
        known = ", ".join(map(str, sorted(column.astype(str).unique())[:8]))
        raise DataError(
            f"{file}: no row has {column.name!r} equal to {', '.join(sorted(wanted))}, so there is "
            f"nothing to test on; it is one of {known}"
        )
    return marked


# --- from numbers to training and test rows -----------------------------------------------------


def parts(table: Table, split: Any, seed: int, name: str, file: str) -> tuple[Rows, Rows]:
    """Return the training and the test rows.

    `split` is the share of the test rows (sampled anew for every seed), the sizes `{train, test}`
    (sampled anew), the share of the rows at the end `{last: 0.2}`, or `{column, test}`: the rows
    in which a column has one of these values. The last two are the same for every seed.
    """
    n = len(table)
    order: Rows = generator("data", "own", name, seed, "split").permutation(n)
    if table.held_out is not None:
        train, test = np.flatnonzero(~table.held_out), np.flatnonzero(table.held_out)
    elif isinstance(split, Mapping) and "last" in split:
        end = n - round(split["last"] * n)
        train, test = np.arange(end), np.arange(end, n)
    elif isinstance(split, Mapping):
        sizes = split["train"], split["test"]
        if sum(sizes) > n:
            raise DataError(f"{file} has {n} rows; the split asks for {sizes[0]} + {sizes[1]}")
        train, test = order[: sizes[0]], order[sizes[0] : sum(sizes)]
    else:
        count = round(split * n)
        train, test = order[count:], order[:count]
    if len(train) < LEAST_TRAIN or len(test) < LEAST_TEST:
        raise DataError(
            f"{file}: the split leaves {len(train)} rows for training and {len(test)} for testing; "
            f"at least {LEAST_TRAIN} and {LEAST_TEST} are needed"
        )
    return train, test


def draw(name: str, entry: Entry, table: Table, seed: int, source: str) -> Dataset:
    """Split a table for one seed; the same seed gives the same split."""
    train, test = parts(table, entry.get("split", SPLIT), seed, name, source)
    noise = entry.get("noise")
    return Dataset(
        name=name,
        features=table.features,
        x_train=table.x[train],
        y_train=table.y[train],
        x_test=table.x[test],
        y_test=table.y[test],
        noise=None if noise is None else float(noise),
        seed=seed,
        source=source,
    )


def describe(name: str, entry: Entry, table: Table, file: Path | str) -> dict[str, Any]:
    """Return the description of a table for the reports."""
    train, test = parts(table, entry.get("split", SPLIT), 0, name, str(file))
    return {
        "dataset": name,
        "status": "ok",
        "source": location(entry),
        "sha256": sha256(file),
        "message": "",
        "rows": len(table),
        "train": len(train),
        "test": len(test),
        "columns": table.columns,
        "features": list(table.features),
        "target": entry["target"],
        "noise": entry.get("noise"),
    }


def missing(name: str, entry: Entry, message: str) -> dict[str, Any]:
    """Return the record of a table that is unavailable."""
    return {
        "dataset": name, "status": "missing", "source": location(entry), "sha256": "",
        "message": message,
    }  # fmt: skip
