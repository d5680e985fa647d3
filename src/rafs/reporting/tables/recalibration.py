"""Intervals before and after recalibration on held-out rows, inside and outside of the range."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from rafs.evaluation import statistics
from rafs.evaluation.recalibration import WAYS
from rafs.reporting import labels, recalibrated
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import interval, number
from rafs.reporting.recalibrated import PARTS, REACHED
from rafs.reporting.table import WITH_SCORES, Cell, ReportTable, Row, chosen, gaps, with_scores

TITLE = "Recalibration"
CAPTION = (
    "Recalibration on held-out training rows: raw intervals, intervals with one factor on the "
    "standard deviation (scaled), and split conformal intervals with normalised scores; at all "
    "test rows, and inside and outside the training range where it is known. Coverage of the 90 % "
    "and 95 % intervals, width and interval score of the 95 % interval relative to raw, and NLL "
    "(with ½ ln 2π). Medians over datasets of medians over the runs with scores, of the 95 % "
    "coverage with the exact 95 % interval over datasets."
)
READS = ("scores", "recalibrated")
SECTION = "intervals"
HEAD = (
    "Method", "Test rows", "Intervals", "90 %", "95 %", "holds on", "width", "interval score",
    "NLL",
)  # fmt: skip


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `methods`, `datasets`."""
    frame, few = recalibrated.runs_of(inputs, chosen(inputs, options))
    found = recalibrated.by_dataset(frame)
    runs = frame[frame["way"].eq("raw")]
    rows: list[Row | None] = []
    for method, mine in found.groupby("method", sort=False):
        rows += [None] if rows else []
        statuses = runs.loc[runs["method"].eq(method), "status"]
        scored = with_scores(int(statuses.eq("ok").sum()), len(statuses))
        rows += _rows(f"{labels.method(str(method))}{scored}", mine)
    return ReportTable(
        caption=CAPTION,
        frame=found,
        head=HEAD,
        rows=rows,
        notes=[
            recalibrated.sentence(found),
            f"Holds on: datasets whose median coverage of the 95 % interval is at least {REACHED}; "
            "bold: the median over datasets is. A conformal interval is no density and has no NLL.",
            "Held-out rows are predicted by the models of the best trial, which did not see them, "
            "and test rows by a model trained on all training rows; the held-out rows have also "
            "chosen the trial and the noise. The conformal guarantee is therefore approximate also "
            "inside, and it does not extend to rows unlike the training rows.",
            *_infinite(frame),
            *labels.few_inside(few),
            *gaps(runs, WITH_SCORES),
        ],
        align="lll",
    )


def _rows(label: str, mine: pd.DataFrame) -> list[Row]:
    """Return the parts of the test rows that a method has scores in, a row per way."""
    return [
        [label, part, way, *_medians(mine[mine["part"].eq(part) & mine["way"].eq(way)])]
        for part in PARTS.values()
        if mine["part"].eq(part).any()
        for way in WAYS
    ]


def _medians(cells: pd.DataFrame) -> Row:
    """Return medians over datasets."""
    shares = cells["coverage_95"].to_numpy(dtype=float)
    median, (low, high) = float(np.median(shares)), statistics.median_interval(shares)
    scores = ("width_ratio", "interval_score_ratio", "nll")
    return [
        number(float(cells["coverage_90"].median())),
        Cell(interval(median, low, high), bold=median >= REACHED),
        f"{int((shares >= REACHED).sum())}/{len(shares)}",
        *(number(float(cells[name].median())) for name in scores),
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
