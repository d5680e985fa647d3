"""Ranks of the methods on every dataset, by two rules.

One rank is used throughout (tables, figures, README): that of the median over seeds. The paper's
own rule (`paper_ranks`) is for the comparison with its printed ranks.
"""

import pandas as pd

from rafs.evaluation import statistics
from rafs.evaluation.metrics import PAPER_NLL
from rafs.reporting import published

SHOWN = {"nll": PAPER_NLL, "crps": "crps", "rmse": "rmse"}


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
