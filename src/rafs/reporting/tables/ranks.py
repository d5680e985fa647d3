"""Ranks of the methods on every dataset, and their means: the paper's Table 3, by our rule."""

from collections.abc import Mapping
from typing import Any

from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import NONE, interval
from rafs.reporting.ranks import SHOWN, median_ranks
from rafs.reporting.table import Cell, ReportTable, by_place, chosen, gaps, ranked, rows_by_dataset

TITLE = "Ranks"
CAPTION = (
    "Rank of the methods in NLL, CRPS and RMSE by the median over seeds (1 is best; equal medians "
    "share their mean rank), and the mean over datasets with its 95 % interval (datasets and seeds "
    "are resampled)."
)
READS = ("scores",)


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `methods`, `datasets`."""
    frame = ranked(chosen(inputs, options))
    ranks = median_ranks(frame)
    methods = list(dict.fromkeys(frame["method"]))
    cells = by_place(ranks)
    rows = rows_by_dataset(frame, lambda name: [_cell(cells.get((name, m))) for m in methods])
    rows.append(None)
    for name, metric in SHOWN.items():
        means = [_mean(cells["mean", m], name) for m in methods]
        rows.append([f"Mean, {labels.metric(metric).split(' (')[0]}", *means])
    return ReportTable(
        caption=CAPTION,
        frame=ranks,
        head=["Dataset", *map(labels.method, methods)],
        rows=rows,
        notes=[
            "Bold: rank 1 in NLL. Ranks are compared by the tables `pairwise` and `comparison`.",
            *gaps(frame),
        ],
    )


def _cell(row: Mapping[str, Any] | None) -> Cell:
    if row is None:
        return Cell(NONE)
    ranks = [row[f"{name}_rank"] for name in SHOWN]
    shown = [NONE if rank != rank else f"{rank:g}" for rank in ranks]
    return Cell(", ".join(shown), ranks[0] == 1)


def _mean(row: Mapping[str, Any], name: str) -> str:
    return interval(row[f"{name}_rank"], row[f"{name}_low"], row[f"{name}_high"])
