"""Ranks of the methods on every dataset, and their means: the paper's Table 3, by our rule.

One rank is used throughout (here, in the figures, in the README): that of the median over seeds.
The paper's own rule (`paper_ranks`) is for the comparison with its printed ranks.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs.evaluation import statistics
from rafs.reporting import labels, published
from rafs.reporting.inputs import Inputs
from rafs.reporting.table import (
    NONE,
    Cell,
    ReportTable,
    Row,
    chosen,
    gaps,
    interval,
    ranked,
    records,
    sections,
)

CAPTION = (
    "Rank of the methods in NLL, CRPS and RMSE by the median over seeds (1 is best; equal medians "
    "share their mean rank), and the mean over datasets with its 95 % interval (datasets and seeds "
    "are resampled)."
)
READS = ("scores",)

SHOWN = {"nll": "nll_paper", "crps": "crps", "rmse": "rmse"}


def paper_ranks(frame: pd.DataFrame) -> pd.DataFrame:
    """Return dataset, method, nll_rank and rmse_rank of runs, by the paper's rule."""
    parts = []
    for name, metric in published.METRICS.items():
        found = statistics.cells(frame, metric)
        for _, part in found.groupby("dataset", sort=False):
            ranks = statistics.paper_ranks(part["median"], part["low"], part["high"])
            parts.append(part[["dataset", "method"]].assign(metric=f"{name}_rank", rank=ranks))
    tall = pd.concat(parts).set_index(["dataset", "method", "metric"])["rank"]
    wide = tall.unstack("metric").reset_index()  # noqa: PD010 (ranks may be NaN)
    return _in_order(wide, frame)


def median_ranks(frame: pd.DataFrame) -> pd.DataFrame:
    """Return dataset, method and a rank per metric, by the median over seeds; then their means.

    The means, of the dataset "mean", have the columns <metric>_low and <metric>_high.
    """
    parts, means = [], []
    for name, metric in SHOWN.items():
        table, _ = statistics.ranks(frame, metric)
        tall = table.rename_axis("dataset").reset_index()
        tall = tall.melt("dataset", var_name="method", value_name=f"{name}_rank")
        parts.append(tall.set_index(["dataset", "method"]))
        ends = pd.DataFrame(statistics.rank_intervals(frame, metric)).T
        ends.columns = pd.Index([f"{name}_low", f"{name}_high"])
        means.append(ends.assign(**{f"{name}_rank": table.mean()}))
    each = pd.concat(parts, axis=1).reset_index()
    mean = pd.concat(means, axis=1).rename_axis("method").reset_index().assign(dataset="mean")
    return pd.concat([_in_order(each, frame), mean], ignore_index=True)


def _in_order(table: pd.DataFrame, frame: pd.DataFrame) -> pd.DataFrame:
    """Sort ranks as the runs are sorted."""
    order = {key: k for k, key in enumerate(dict.fromkeys(frame["method"]))}
    order |= {key: k for k, key in enumerate(dict.fromkeys(frame["dataset"]))}
    return table.sort_values(["dataset", "method"], key=lambda names: names.map(order))


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `methods`, `datasets`."""
    frame = ranked(chosen(inputs, options))
    ranks = median_ranks(frame)
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


def _cell(row: Mapping[str, Any]) -> Cell:
    ranks = [row[f"{name}_rank"] for name in SHOWN]
    shown = [NONE if rank != rank else f"{rank:g}" for rank in ranks]
    return Cell(", ".join(shown), ranks[0] == 1)


def _mean(row: Mapping[str, Any], name: str) -> str:
    return interval(row[f"{name}_rank"], row[f"{name}_low"], row[f"{name}_high"])
