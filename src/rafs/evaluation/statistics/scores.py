"""Scores of single runs: how runs without scores count, and how scores are compared.

Scores in the units of y (RMSE, CRPS, ...) are compared across datasets by the logarithm of their
ratio, all others (NLL, shares) by their difference.
"""

import math

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from rafs.datasets.core import SPLITS
from rafs.errors import DataError
from rafs.evaluation import metrics

Array = NDArray[np.float64]

ALPHA = 0.05
"""The level of every test; intervals have the level 1 - ALPHA."""
LEVEL = 1 - ALPHA
BASELINE = "constant"
"""The no-skill predictor: training mean and standard deviation."""
FEWEST_INSIDE = 0.05
"""Datasets with a smaller share of test rows inside the training range have no score there."""


def values(frame: pd.DataFrame, metric: str) -> "pd.Series[float]":
    """Return a metric run by run: +inf where the run diverged, NaN where it has no score.

    A method that fails on data that it was given (`n_test`) counts as diverged; otherwise failing
    on hard data would improve its scores. A job that fails for other reasons has no score.
    """
    known = frame[metric] if metric in frame else pd.Series(math.nan, index=frame.index)
    scores = known.astype(float).where(frame["status"].eq("ok"))
    given = frame["n_test"].notna() if "n_test" in frame else False
    lost = frame["status"].eq("diverged") | (frame["status"].eq("failed") & given)
    return scores.where(~lost, math.inf)


def wide(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return `values` with a row per (dataset, seed) and a column per method, in order of entry."""
    keys = ["method", "dataset", "seed"]
    if frame.duplicated(keys).any():
        row = frame[frame.duplicated(keys)].iloc[0]
        raise DataError(
            f"{row.method} on {row.dataset} with seed {row.seed} occurs twice in the scores; "
            "choose experiments that do not share a run"
        )
    runs = frame[keys].assign(value=values(frame, metric)).set_index(keys)["value"]
    table = runs.unstack("method")  # noqa: PD010 (an aggregating pivot would drop NaN)
    table = table.reindex(columns=list(dict.fromkeys(frame["method"])))
    if table.empty:
        return table
    return table.reindex(list(dict.fromkeys(frame["dataset"])), level="dataset")


def losses(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return `wide` so that lower is better: a coverage becomes its distance from the nominal."""
    known = metrics.find(metric)
    if known is None or known.nominal is None:
        return wide(frame, metric)
    return (wide(frame, metric) - known.nominal).abs()


def medians(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the median over seeds of `losses`, a row per dataset and a column per method.

    All statistics across datasets (ranks, tests, skill) are computed from this table.
    """
    return losses(frame, metric).groupby(level="dataset", sort=False).median()


def is_ratio(metric: str) -> bool:
    """Return whether a score has the units of y, so that only ratios compare across datasets."""
    known = metrics.find(metric)
    return known is not None and known.unit == metrics.UNITS


def contrast(method: ArrayLike, rival: ArrayLike, metric: str) -> Array:
    """Return the difference of two scores, or of their logarithms if they have units."""
    a, b = np.asarray(method, dtype=float), np.asarray(rival, dtype=float)
    if is_ratio(metric):
        with np.errstate(divide="ignore", invalid="ignore"):
            a, b = np.log(a), np.log(b)
    with np.errstate(invalid="ignore"):
        return np.where(a == b, 0.0, a - b)


def split_ratios(frame: pd.DataFrame) -> dict[str, float]:
    """Return n_test / n_train of the datasets whose seeds are splits of one table.

    The ratio is NaN if the scores lack the sizes of the table.
    """
    if "category" not in frame:
        return {}
    split = frame[frame["category"].isin(SPLITS)]
    sizes = split.reindex(columns=["n_train", "n_test"]).astype(float)
    ratio = (sizes["n_test"] / sizes["n_train"]).groupby(split["dataset"], sort=False).median()
    return {str(name): float(value) for name, value in ratio.items()}


def without_few_inside(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Remove the inside scores of datasets with few test rows inside; return their names."""
    if not {"n_inside", "n_test"} <= set(frame.columns):
        return frame, []
    share = (frame["n_inside"] / frame["n_test"]).groupby(frame["dataset"], sort=False).median()
    few = [str(name) for name, value in share.items() if value < FEWEST_INSIDE]
    inside = [column for column in frame if str(column).startswith("in_")]
    cleared = frame.copy()
    cleared.loc[cleared["dataset"].isin(few), inside] = math.nan
    return cleared, few
