"""One method: the median over seeds of a dataset, and shares over datasets, with intervals."""

import math
from dataclasses import dataclass
from typing import cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from rafs.evaluation.statistics.scores import LEVEL, Array, values


@dataclass(frozen=True)
class Summary:
    """One cell: the summary over seeds of a method on a dataset.

    `low` and `high` are the interval of the median. A diverged run is +inf in the median and its
    interval, and is left out of the mean.
    """

    median: float
    low: float
    high: float
    mean: float
    scored: int
    diverged: int
    missing: int


def summarise(scores: ArrayLike, level: float = LEVEL) -> Summary:
    """Summarise the scores of several seeds; +inf is a diverged run, NaN a missing one."""
    runs = np.asarray(scores, dtype=float).ravel()
    known = runs[~np.isnan(runs)]
    scored = known[np.isfinite(known)]
    low, high = median_interval(known, level)
    return Summary(
        median=float(np.median(known)) if known.size else math.nan,
        low=low,
        high=high,
        mean=_mean(scored),
        scored=scored.size,
        diverged=known.size - scored.size,
        missing=runs.size - known.size,
    )


def median_interval(scores: Array, level: float = LEVEL) -> tuple[float, float]:
    """Return the interval of the median between two order statistics.

    It is that of the sign test: exact for any continuous distribution, however skewed. Fewer than
    six scores cannot give 95 %, and it is NaN.
    """
    cut = int(stats.binom.ppf((1 - level) / 2, scores.size, 0.5)) if scores.size else 0
    # ppf is the first count whose tail exceeds the level; the counts before it may be cut
    if cut < 1:
        return math.nan, math.nan
    ordered = np.sort(scores)
    return float(ordered[cut - 1]), float(ordered[-cut])


def mean_over_datasets(values: ArrayLike, level: float = LEVEL) -> tuple[float, float, float]:
    """Return the mean of a share on each dataset, with Student's interval, within 0 and 1.

    The values differ by dataset and by their seeds, so both are in the interval. With four or five
    datasets it covers more than the bootstrap of `resampling` does.
    """
    known = np.asarray(values, dtype=float)
    if known.size < 2:
        return (float(known.mean()) if known.size else math.nan), math.nan, math.nan
    half = float(stats.t.ppf(0.5 + level / 2, known.size - 1) * stats.sem(known))
    mean = float(known.mean())
    return mean, max(0.0, mean - half), min(1.0, mean + half)


def share_interval(count: int, total: int, level: float = LEVEL) -> tuple[float, float]:
    """Return the exact interval of a share: Clopper and Pearson (1934)."""
    found = stats.binomtest(count, total).proportion_ci(level, method="exact")
    return float(found.low), float(found.high)


def cells(frame: pd.DataFrame, metric: str, level: float = LEVEL) -> pd.DataFrame:
    """Return a `Summary` per method and dataset, as a table in order of entry."""
    groups = values(frame, metric).groupby([frame["method"], frame["dataset"]], sort=False)
    rows = []
    for key, group in groups:
        method, dataset = cast(tuple[str, str], key)
        rows.append({"method": method, "dataset": dataset, **vars(summarise(group, level))})
    columns = ["method", "dataset", *Summary.__dataclass_fields__]
    return pd.DataFrame(rows, columns=columns)


def _mean(scores: Array) -> float:
    """Return the mean, without overflow on the way."""
    if scores.size == 0:
        return math.nan
    scale = float(np.max(np.abs(scores))) or 1.0
    return float(np.mean(scores / scale)) * scale
