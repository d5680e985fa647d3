"""Large data and two hidden layers: a table for the paper's paragraph on scalability."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs.evaluation import statistics
from rafs.evaluation.metrics import PAPER_NLL
from rafs.reporting import labels, published
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import NONE, interval
from rafs.reporting.table import INTERVAL, PARTIAL, ReportTable, Row, chosen, gaps, lost, scored

TITLE = "Scalability"
CAPTION = "Large datasets with two hidden layers of 128"
READS = ("scores",)

METRICS = (PAPER_NLL, "rmse", "crps", "coverage_95")


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `methods`, `datasets`."""
    frame = chosen(inputs, options)
    found = {m: statistics.cells(frame, m).set_index(["dataset", "method"]) for m in METRICS}
    rows: list[Row | None] = []
    for dataset, method in found[PAPER_NLL].index:
        cells = {metric: found[metric].loc[(dataset, method)].to_dict() for metric in METRICS}
        printed = published.TEXT.get((dataset, method), math.nan)
        shown = [_shown(cells[metric]) for metric in METRICS]
        rows.append(
            [
                labels.dataset(dataset),
                labels.method(method),
                shown[0],
                published.printed(printed),
                *shown[1:],
            ]
        )
    return ReportTable(
        caption=f"{CAPTION}: {INTERVAL}. NLL without the constant ½ ln 2π.",
        frame=pd.concat(
            [table.reset_index().assign(metric=metric) for metric, table in found.items()]
        ),
        head=["Dataset", "Method", "NLL", "NLL, published", "RMSE", "CRPS", "95 % coverage"],
        rows=rows,
        notes=gaps(frame, PARTIAL),
        align="ll",
    )


def _shown(cell: Mapping[str, Any]) -> str:
    if not cell["scored"]:
        return lost(cell) if cell["diverged"] or cell["missing"] else NONE
    return interval(cell["median"], cell["low"], cell["high"]) + scored(cell)
