"""Shared code of the tables of swept experiments: mean ranks of the methods at every value."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata

from rafs.evaluation import statistics
from rafs.evaluation.statistics.resampling import hierarchical, percentiles
from rafs.evaluation.statistics.scores import losses
from rafs.reporting import labels

Array = NDArray[np.float64]


def mean_ranks(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the mean rank with a row per method and a column per swept value, ascending.

    At each value the methods are ranked among themselves, on the same datasets.
    """
    found = {
        value: pd.Series(statistics.ranking(part, metric).mean_ranks)
        for value, part in _by_value(frame).items()
    }
    table = pd.DataFrame(found)
    return table.reindex(labels.in_order(table.index))


def difference_intervals(frame: pd.DataFrame, metric: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return both ends of the 95 % intervals of the differences from the largest value.

    They have the shape of `mean_ranks`. Datasets and seeds are resampled; seeds of a dataset on
    which a run has no score are left out.
    """
    ranks = mean_ranks(frame, metric)
    parts = {value: losses(part, metric) for value, part in _by_value(frame).items()}
    scores = pd.concat({value: part[ranks.index] for value, part in parts.items()}, axis=1)
    strata = [
        seeds.to_numpy(dtype=float).reshape(len(seeds), *ranks.shape[::-1])
        for _, seeds in scores.dropna().groupby(level="dataset", sort=False)
    ]
    if not strata:
        unknown = ranks * np.nan
        return unknown, unknown
    ends = percentiles(hierarchical(strata, _differences))
    low, high = (
        pd.DataFrame(end.reshape(ranks.shape[::-1]).T, ranks.index, ranks.columns) for end in ends
    )
    return low, high


def _by_value(frame: pd.DataFrame) -> dict[float, pd.DataFrame]:
    """Return the runs at every swept value, ascending, under the names of their methods."""
    swept = frame.dropna(subset="sweep_value")
    swept = swept.assign(method=swept["base"], value=pd.to_numeric(swept["sweep_value"]))
    return {float(str(value)): part for value, part in swept.groupby("value")}


def _differences(seeds: Array) -> Array:
    """Return ranks by value and method, less those at the last value, of resampled seeds."""
    ranks = rankdata(np.median(seeds, axis=1), axis=-1)
    return np.asarray((ranks - ranks[:, -1:]).reshape(len(ranks), -1))
