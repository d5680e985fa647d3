"""Ranks in NLL and RMSE by the paper's rule: its Table 3."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs import statistics
from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.tables.table import (
    NONE,
    Cell,
    Row,
    Table,
    chosen,
    gaps,
    number,
    records,
    sections,
)

METRICS = {"nll": "nll_paper", "rmse": "rmse"}
RULE = (
    "Rank 1 is best; methods tie while their 95 % intervals over seeds overlap, and overlap is "
    "passed on from one to the next (the paper's rule, as far as its tables tell)."
)


def paper_ranks(frame: pd.DataFrame) -> pd.DataFrame:
    """Return dataset, method, nll_rank and rmse_rank of runs, by the paper's rule."""
    parts = []
    for name, metric in METRICS.items():
        found = statistics.cells(frame, metric)
        for _, part in found.groupby("dataset", sort=False):
            ranks = statistics.paper_ranks(part["mean"], part["low"], part["high"])
            parts.append(part[["dataset", "method"]].assign(metric=f"{name}_rank", rank=ranks))
    tall = pd.concat(parts).set_index(["dataset", "method", "metric"])["rank"]
    wide = tall.unstack("metric").reset_index()  # noqa: PD010 (ranks may be NaN)
    order = {key: k for k, key in enumerate(dict.fromkeys(frame["method"]))}
    order |= {key: k for k, key in enumerate(dict.fromkeys(frame["dataset"]))}
    return wide.sort_values(["dataset", "method"], key=lambda names: names.map(order))


def build(inputs: Inputs, options: Mapping[str, Any]) -> Table:
    """Build the table; options: `experiments`, `methods`, `datasets`."""
    frame = chosen(inputs, options, ("main",))
    ranks = paper_ranks(frame)
    categories = dict(zip(frame["dataset"], frame["category"], strict=True))
    methods = list(dict.fromkeys(frame["method"]))
    cells = {(r["dataset"], r["method"]): r for r in records(ranks)}
    rows: list[Row | None] = []
    for name in sections(list(dict.fromkeys(frame["dataset"])), categories):
        if name is None:
            rows.append(None)
            continue
        shown = [_cell(cells[name, m]) if (name, m) in cells else NONE for m in methods]
        rows.append([labels.dataset(name), *shown])
    means = ranks.groupby("method")[["nll_rank", "rmse_rank"]].mean()
    mean_row = [f"{number(means.nll_rank[m])}, {number(means.rmse_rank[m])}" for m in methods]
    return Table(
        caption=f"Rank of the methods in NLL (left) and RMSE (right). {RULE}",
        frame=ranks,
        head=["Dataset", *map(labels.method, methods)],
        rows=[*rows, None, ["Mean", *mean_row]],
        notes=["Bold: rank 1 in NLL.", *gaps(frame)],
    )


def _cell(row: Mapping[str, Any]) -> Cell:
    both = (row["nll_rank"], row["rmse_rank"])
    shown = [NONE if math.isnan(rank) else str(int(rank)) for rank in both]
    return Cell(", ".join(shown), row["nll_rank"] == 1)
