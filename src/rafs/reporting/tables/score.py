"""What the tables of one score share: a row per dataset, a column per method."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from rafs import statistics
from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.tables.table import (
    PARTIAL,
    Cell,
    Row,
    Table,
    chosen,
    decimals_for,
    gaps,
    lost,
    number,
    records,
    scored,
    sections,
    spread,
)


def score_table(
    inputs: Inputs, options: Mapping[str, Any], metric: str, what: str, fine: bool = False
) -> Table:
    """Return means over seeds with their intervals; `fine` fits the decimals to each row."""
    frame = chosen(inputs, options, ("main",))
    found = statistics.cells(frame, metric)
    best = statistics.leaders(frame, metric)
    categories = dict(zip(frame["dataset"], frame["category"], strict=True))
    cells = {(row["dataset"], row["method"]): row for row in records(found)}
    methods = list(dict.fromkeys(found["method"]))
    rows: list[Row | None] = []
    for name in sections(list(dict.fromkeys(found["dataset"])), categories):
        if name is None:
            rows.append(None)
            continue
        means = [cells[name, m]["mean"] for m in methods if (name, m) in cells]
        decimals = decimals_for(means) if fine else 2
        leading = best.get(name, set())
        shown = [_cell(cells.get((name, m)), m in leading, decimals, fine) for m in methods]
        rows.append([labels.dataset(name), *shown])
    lost_runs = gaps(frame)
    far = [cell for cell in cells.values() if _moved(cell, fine)]
    return Table(
        caption=f"{what}, mean over seeds with its 95 % interval (Student's t). Lower is better.",
        frame=found.assign(category=found["dataset"].map(categories), metric=metric),
        head=["Dataset", *map(labels.method, methods)],
        rows=rows,
        notes=[
            "Bold: the lowest mean, and every method that does not lose to it over the same seeds "
            "(exact signed-rank test at 5 %, Holm's correction over the row).",
            *_robust(far),
            *([PARTIAL, *lost_runs] if lost_runs else []),
        ],
    )


def _cell(cell: Mapping[str, Any] | None, bold: bool, decimals: int, fine: bool) -> Cell:
    if cell is None:
        return Cell("")
    if not cell["scored"]:
        return Cell(lost(cell))
    half_width = (cell["high"] - cell["low"]) / 2
    mark = "†" if _moved(cell, fine) else ""
    return Cell(spread(cell["mean"], half_width, decimals) + mark + scored(cell), bold)


def _moved(cell: Mapping[str, Any], fine: bool) -> bool:
    """Say whether a few seeds moved the mean far away from where most of them are.

    One or two of ten seeds that are far out shift the mean by about half of its own interval. Far
    is more than the middle half's mean itself, and for an NLL, which may be near 0, more than 1.
    """
    shift = abs(cell["mean"] - cell["iqm"])
    half_width = (cell["high"] - cell["low"]) / 2
    far = max(abs(cell["iqm"]), 0.0 if fine else 1.0, 0.4 * half_width)
    return bool(math.isfinite(shift) and shift > far)


def _robust(far: Sequence[Mapping[str, Any]]) -> list[str]:
    """Give the interquartile mean where single seeds rule the mean."""
    if not far:
        return []
    named = [
        f"{labels.method(c['method'])} on {labels.dataset(c['dataset'])} {number(c['iqm'])}"
        for c in far
    ]
    return [f"†: a few seeds rule this mean; the interquartile mean is: {', '.join(named)}."]


def matrix(found: pd.DataFrame, value: str) -> pd.DataFrame:
    """Return one value of the cells with a row per dataset and a column per method, in order."""
    table = found.set_index(["dataset", "method"])[value]
    wide = table.unstack("method")  # noqa: PD010 (an aggregating pivot would drop NaN)
    return wide.reindex(
        index=list(dict.fromkeys(found["dataset"])), columns=list(dict.fromkeys(found["method"]))
    )
