"""Tables of the report, and the format of their numbers.

A table holds its numbers twice: `frame`, tidy and at full precision, for the CSV file; and `rows`,
short strings for readers, for Markdown and LaTeX.
"""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import pandas as pd

from rafs.datasets.core import SPLITS
from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import number as number  # for rafs.compare


@dataclass(frozen=True)
class Cell:
    """A short text, bold where it is the best of its row."""

    text: str
    bold: bool = False


Row = Sequence[Cell | str]


@dataclass(frozen=True, kw_only=True)
class ShownTable:
    """What readers see of a table. `None` among the rows is a line between them."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Row | None]
    notes: Sequence[str] = ()
    align: str = ""

    @property
    def alignment(self) -> str:
        """One letter per column: l (text, and the first column), p (long text), c (numbers)."""
        return (self.align or "l").ljust(len(self.head), "c")


@dataclass(frozen=True, kw_only=True)
class ReportTable(ShownTable):
    """Numbers, how they are shown, and what has to be said about them."""

    frame: pd.DataFrame

    @property
    def csv(self) -> str:
        """The tidy numbers at full precision; what is not known is empty."""
        return self.frame.to_csv(index=False, lineterminator="\n")


@dataclass(frozen=True, kw_only=True)
class StoredTable(ShownTable):
    """A table as `rafs.reporting.table_files` reads it: its numbers are the text of its CSV."""

    csv: str

    @property
    def frame(self) -> pd.DataFrame:
        """The numbers; empty texts are missing values."""
        return pd.read_csv(io.StringIO(self.csv))

    @property
    def texts(self) -> list[dict[str, str]]:
        """The rows of the CSV as they are written; what is not known is an empty text."""
        return list(csv.DictReader(io.StringIO(self.csv)))


# ------------------------------------------------------------------------- runs of a table


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame as dictionaries."""
    return cast(list[dict[str, Any]], frame.to_dict("records"))


def bases(frame: pd.DataFrame) -> "pd.Series[str]":
    """Return the method of each run without the value of a sweep."""
    return frame["method"].map(lambda name: str(name).partition("@")[0])


def selected(frame: pd.DataFrame, options: Mapping[str, Any]) -> pd.DataFrame:
    """Return the runs of the `methods` (at all values of a sweep) and `datasets` in the options."""
    if "methods" in options:
        frame = frame[bases(frame).isin(list(options["methods"]))]
    if "datasets" in options:
        frame = frame[frame["dataset"].isin(list(options["datasets"]))]
    return frame


def chosen(inputs: Inputs, options: Mapping[str, Any]) -> pd.DataFrame:
    """Return the runs of a table, with methods and datasets in the paper's order.

    Options: `experiments`, and perhaps `methods` and `datasets` to restrict them.
    """
    frame = selected(inputs.collect(options["experiments"]), options)
    place = {name: k for k, name in enumerate(labels.in_order(frame["method"]))}
    place |= {name: k for k, name in enumerate(labels.in_order(frame["dataset"]))}
    columns = ["dataset", "method"]
    return frame.sort_values(columns, key=lambda names: names.map(place), kind="stable")


def in_metric(caption: str, metric: str) -> str:
    """Return the caption of a table in NLL for the same table in another metric."""
    return caption.replace("NLL", labels.metric(metric), 1)


def ranked(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the runs of the methods that are compared, without the references."""
    return frame[~frame["method"].isin(labels.REFERENCES)]


def of_the_paper(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the runs on datasets of the paper, for comparisons with it."""
    return frame[frame["dataset"].isin(labels.paper_datasets())]


def gaps(frame: pd.DataFrame, *before: str) -> list[str]:
    """Say how many runs have no score, by status, method and dataset; nothing if all have one.

    The sentences `before` explain the marks of such runs.
    """
    notes = []
    for status, lost in frame[frame["status"] != "ok"].groupby("status"):
        counts = lost.groupby(["method", "dataset"], sort=False).size().rename("runs")
        named = [
            f"{labels.method(cell['method'])} on {labels.dataset(cell['dataset'])} ({cell['runs']})"
            for cell in records(counts.reset_index())[:8]
        ]
        rest = f" and {len(counts) - 8} more cells" if len(counts) > 8 else ""
        reasons = list(lost["message"].dropna()) if "message" in lost else []
        first = f" The first: {reasons[0]}." if status == "failed" and reasons else ""
        notes.append(
            f"{str(status).capitalize()} runs: {len(lost)} of {len(frame)}: "
            f"{', '.join(named)}{rest}.{first}"
        )
    return [*before, *notes] if notes else []


def partly_run(frame: pd.DataFrame) -> list[str]:
    """Name the methods that were not run on all datasets, by how many they were run on."""
    every = frame["dataset"].nunique()
    counts = frame.groupby("method", sort=False)["dataset"].nunique()
    return [
        f"{' and '.join(map(labels.method, methods.index))}: not run on datasets with too many "
        f"rows (`largest`); summaries are over {count} of {every} datasets."
        for count, methods in counts[counts < every].groupby(counts)
    ]


def sections(datasets: Sequence[str], categories: Mapping[str, str]) -> list[str | None]:
    """Return datasets with a line between the synthetic and the real ones, as in the paper."""
    real = [name for name in datasets if categories.get(name) in SPLITS]
    synthetic = [name for name in datasets if name not in real]
    return [*synthetic, *([None] if real and synthetic else []), *real]


def rows_by_dataset(
    frame: pd.DataFrame, cells: Callable[[str], Sequence[Cell | str]]
) -> list[Row | None]:
    """Return a row per dataset of some runs: its title, and what `cells` says of it."""
    categories = dict(zip(frame["dataset"], frame["category"], strict=True))
    names = sections(list(dict.fromkeys(frame["dataset"])), categories)
    return [[labels.dataset(name), *cells(name)] if name else None for name in names]


def by_place(found: pd.DataFrame) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the rows of a frame by dataset and method."""
    return {(row["dataset"], row["method"]): row for row in records(found)}


def scored(cell: Mapping[str, Any]) -> str:
    """Return a remark on missing scores of a cell: nothing, a count, or that there are none."""
    runs = int(cell["scored"] + cell["diverged"] + cell["missing"])
    return "" if cell["scored"] == runs else f" ({int(cell['scored'])}/{runs})"


def lost(cell: Mapping[str, Any]) -> str:
    """Return the word for a cell without any score; `gaps` says why it has none."""
    return "no score" if cell["diverged"] else "missing"


def with_scores(scored: int, runs: int) -> str:
    """Return a remark on how many runs of a method have scores, if not all do."""
    return "" if scored == runs else f" ({scored}/{runs})"


WITH_SCORES = (
    "(a/b): a of b runs have scores, and the medians are over these; a method that loses its "
    "hardest runs looks better than it is."
)
"""Explains `with_scores`; goes with `gaps`."""

TOO_FEW = "The seeds are too few for any difference on generated data to be significant here."
"""Said where no test on a dataset could reject after the correction."""

PAIRED = (
    "The test is paired and weighs how consistent the differences are, so that a smaller one may "
    "be significant where a larger one is not."
)
"""Said where what is significant is not what is largest."""

PARTIAL = (
    "(a/b): a of b runs have a score; a run that diverged or failed counts as worse than any score."
)
"""Explains `scored`; goes with `gaps`."""

ROUNDING = {
    2: "Numbers have three significant digits and at most two decimals.",
    None: "Numbers have three significant digits.",
}
"""Says how numbers are rounded, by the limit of their decimals."""

INTERVAL = (
    "median over seeds with its exact 95 % interval (order statistics; six seeds or more). On real "
    "data the seeds are splits of one table, and the interval is over these"
)
"""What a cell shows."""
