"""Intervals before and after recalibration on held-out rows, inside and outside of the range."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from rafs.evaluation import statistics
from rafs.evaluation.recalibration import WAYS
from rafs.reporting import labels, recalibrated
from rafs.reporting.inputs import Inputs
from rafs.reporting.recalibrated import PARTS, REACHED
from rafs.reporting.table import NONE, Cell, ReportTable, Row, chosen, gaps, interval, number

CAPTION = (
    "Recalibration on held-out training rows: raw intervals, intervals with one factor on the "
    "standard deviation (scaled), and split conformal intervals with normalised scores. Coverage "
    "of the 90 % and 95 % intervals, width and interval score of the 95 % interval relative to "
    "raw, and NLL; at all test rows, and inside and outside the training range (generated data "
    "only). Medians over datasets of medians over seeds, of the 95 % coverage with the exact 95 % "
    "interval over datasets."
)
READS = ("scores", "recalibrated")
SHOWN = {
    "coverage_95": "95 %",
    "holds": "holds on",
    "interval_score_ratio": "interval score",
    "nll": "NLL",
}


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `methods`, `datasets`."""
    frame, few = recalibrated.runs_of(inputs, chosen(inputs, options, ("main",)))
    found = recalibrated.by_dataset(frame)
    rows: list[Row | None] = []
    for method, mine in found.groupby("method", sort=False):
        rows += [None] if rows else []
        rows += [_row(str(method), way, mine[mine["way"].eq(way)]) for way in WAYS]
    heads = [f"{part}: {head}" for part in PARTS.values() for head in SHOWN.values()]
    return ReportTable(
        caption=CAPTION,
        frame=found,
        head=["Method", "Intervals", "width", "90 %", *heads],
        rows=rows,
        notes=[
            recalibrated.sentence(found),
            f"Holds on: datasets whose median coverage of the 95 % interval is at least {REACHED}; "
            f"bold: the median over datasets is. A width ratio is the same at every test row. A "
            "conformal interval is no density and has no NLL.",
            "Held-out rows are predicted by the models of the best trial, which did not see them, "
            "and test rows by a model trained on all training rows: the conformal guarantee is "
            "approximate for that reason also inside, and does not extend to rows unlike the "
            "training rows.",
            *_infinite(frame),
            *labels.few_inside(few),
            *gaps(frame[frame["way"].eq("raw")]),
        ],
    )


def _row(method: str, way: str, cells: pd.DataFrame) -> Row:
    """Return a way of a method: medians over datasets."""
    everywhere = cells[cells["part"].eq("all")]
    whole = [number(float(everywhere[name].median())) for name in ("width_ratio", "coverage_90")]
    parts = [_part(cells[cells["part"].eq(part)]) for part in PARTS.values()]
    return [labels.method(method), way, *whole, *(cell for part in parts for cell in part)]


def _part(cells: pd.DataFrame) -> list[Cell | str]:
    """Return what is shown of one part of the test rows."""
    if cells.empty:
        return [NONE] * len(SHOWN)
    shares = cells["coverage_95"].to_numpy(dtype=float)
    median, (low, high) = float(np.median(shares)), statistics.median_interval(shares)
    return [
        Cell(interval(median, low, high), bold=median >= REACHED),
        f"{int((shares >= REACHED).sum())}/{len(shares)}",
        number(float(cells["interval_score_ratio"].median())),
        number(float(cells["nll"].median())),
    ]


def _infinite(frame: pd.DataFrame) -> list[str]:
    """Say how many conformal intervals are infinite, if any."""
    runs = frame[frame["way"].eq("conformal") & frame["status"].eq("ok")]
    count = int(runs["width_95"].isna().sum()) if len(runs) else 0
    if not count:
        return []
    return [
        f"The conformal 95 % interval is infinite in {count} of {len(runs)} runs, which held out "
        "fewer than 19 rows: its coverage counts as 1, its width and its interval score as larger "
        "than any other."
    ]
