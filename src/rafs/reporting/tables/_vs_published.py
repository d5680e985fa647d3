"""Our scores beside the published ones, both in the paper's conventions."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from rafs.evaluation import statistics
from rafs.reporting import labels, published
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import NONE, number
from rafs.reporting.table import (
    PARTIAL,
    ROUNDING,
    Cell,
    ReportTable,
    by_place,
    chosen,
    gaps,
    lost,
    of_the_paper,
    ranked,
    records,
    rows_by_dataset,
    scored,
)


def beside(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return our cells with the published value and how the two relate.

    Censored at 100 on both sides, as in the paper, they `agree` if both lie above it or if the
    published value lies in our interval; otherwise ours is `lower` or `higher`.
    """
    ours = statistics.cells(frame, published.METRICS[metric])
    theirs = published.scores(metric).rename(
        columns={"value": "published", "half_width": "published_half_width"}
    )
    both = ours.merge(theirs.drop(columns="bold"), on=["dataset", "method"], how="left")
    both["censored"] = both["censored"].eq(True)
    both["relation"] = [_relation(row) for row in records(both)]
    return both


def _relation(row: Mapping[str, Any]) -> str:
    """Say how our median relates to the published value."""
    if math.isnan(row["published"]) or math.isnan(row["median"]):
        return ""
    if row["censored"]:
        return "agree" if row["median"] > published.LIMIT else "lower"
    if row["low"] <= row["published"] <= row["high"]:
        return "agree"
    return "lower" if row["median"] < row["published"] else "higher"


def score_vs_published(
    inputs: Inputs, options: Mapping[str, Any], metric: str, caption: str, fine: bool = False
) -> ReportTable:
    """Return the table of one metric of the paper; options: `experiments`, `methods`, `datasets`.

    `fine` does not limit the decimals.
    """
    frame = ranked(of_the_paper(chosen(inputs, options)))
    found = beside(frame, metric)
    methods = list(dict.fromkeys(found["method"]))
    cells = by_place(found)
    decimals = None if fine else 2
    return ReportTable(
        caption=f"{caption} {ROUNDING[decimals]}",
        frame=found,
        head=["Dataset", *map(labels.method, methods)],
        rows=rows_by_dataset(
            frame, lambda name: [_cell(cells.get((name, m)), decimals) for m in methods]
        ),
        notes=[
            "Bold: both exceed 100, or the published value lies in our 95 % interval over seeds.",
            _agreement(found),
            *gaps(frame, PARTIAL),
        ],
    )


def _cell(cell: Mapping[str, Any] | None, decimals: int | None) -> Cell:
    if cell is None:
        return Cell("")
    ours = _limited(cell["median"], decimals) + scored(cell) if cell["scored"] else lost(cell)
    theirs = published.printed(math.inf if cell["censored"] else cell["published"])
    return Cell(f"{ours} [{theirs}]", cell["relation"] == "agree")


def _limited(value: float, decimals: int | None) -> str:
    return "> 100" if value > published.LIMIT else number(value, decimals)


def _agreement(found: pd.DataFrame) -> str:
    """Summarise how often, and how closely in order, the two tables agree."""
    counts = found["relation"].value_counts()
    total = int(counts.drop("", errors="ignore").sum())
    known = found[~found["censored"] & found["published"].notna() & np.isfinite(found["median"])]
    order = NONE
    if len(known) > 2 and known["median"].std() > 0 and known["published"].std() > 0:
        order = f"{stats.spearmanr(known['median'], known['published']).statistic:.2f}"
    return (
        f"Of {total} cells {counts.get('agree', 0)} agree, ours is lower in "
        f"{counts.get('lower', 0)} and higher in {counts.get('higher', 0)}; Spearman's correlation "
        f"over the {len(known)} cells that are printed as numbers: {order}."
    )
