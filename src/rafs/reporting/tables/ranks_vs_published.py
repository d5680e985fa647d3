"""Our ranks beside the published ones."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs.reporting import labels, published
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import NONE
from rafs.reporting.ranks import paper_ranks
from rafs.reporting.table import (
    Cell,
    ReportTable,
    by_place,
    chosen,
    gaps,
    of_the_paper,
    ranked,
    rows_by_dataset,
)

TITLE = "Ranks against published"
CAPTION = (
    "Rank in NLL: ours, and in brackets the published one. Rank 1 is best; methods tie while their "
    "95 % intervals over seeds overlap, and overlap is passed on from one to the next (the paper's "
    "rule, as far as its tables tell). The CSV file has the ranks in RMSE too."
)
READS = ("scores",)


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `methods`, `datasets`."""
    frame = ranked(of_the_paper(chosen(inputs, options)))
    theirs = published.ranks().rename(
        columns={"nll_rank": "published_nll_rank", "rmse_rank": "published_rmse_rank"}
    )
    found = paper_ranks(frame).merge(theirs, on=["dataset", "method"], how="left")
    methods = list(dict.fromkeys(frame["method"]))
    cells = by_place(found)
    return ReportTable(
        caption=CAPTION,
        frame=found,
        head=["Dataset", *map(labels.method, methods)],
        rows=rows_by_dataset(frame, lambda name: [_cell(cells.get((name, m))) for m in methods]),
        notes=[f"Bold: the same rank. {_agreement(found)}", *gaps(frame)],
    )


def _cell(row: Mapping[str, Any] | None) -> Cell:
    if row is None:
        return Cell("")
    ours, theirs = row["nll_rank"], row["published_nll_rank"]
    shown = [NONE if math.isnan(rank) else str(int(rank)) for rank in (ours, theirs)]
    return Cell(f"{shown[0]} [{shown[1]}]", ours == theirs)


def _agreement(found: pd.DataFrame) -> str:
    """Count the cells whose rank is the same, in both metrics."""
    parts = []
    for metric in ("nll", "rmse"):
        pairs = found[[f"{metric}_rank", f"published_{metric}_rank"]].dropna()
        same = int((pairs.iloc[:, 0] == pairs.iloc[:, 1]).sum())
        parts.append(f"{labels.metric(metric)} {same} of {len(pairs)} cells")
    return f"Same rank: {', '.join(parts)}."
