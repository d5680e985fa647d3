"""Hierarchical bootstrap: datasets are resampled, and the seeds within each.

Random numbers come from streams with fixed names, so the same scores give the same intervals.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from rafs.evaluation.statistics.scores import LEVEL, Array
from rafs.seeding import generator

RESAMPLES = 2000


def hierarchical(
    datasets: Sequence[Array], statistic: Callable[[Array], Array], resamples: int = RESAMPLES
) -> Array:
    """Return resampled means over datasets of a statistic over seeds.

    Each dataset is an array with a row per seed; `statistic` maps resampled seeds, of shape
    (resamples, seeds, ...), to one value, or one row of values, per resample.
    """
    rng = generator("bootstrap", *(len(seeds) for seeds in datasets))
    pools = np.stack(
        [
            statistic(seeds[rng.integers(0, len(seeds), (resamples, len(seeds)))])
            for seeds in datasets
        ]
    )
    which = rng.integers(0, len(pools), (resamples, len(pools)))
    draw = rng.integers(0, resamples, which.shape)
    return np.asarray(pools[which, draw].mean(axis=1))


def percentiles(draws: Array, level: float = LEVEL) -> tuple[Array, Array]:
    """Return the ends of the central interval of resampled values, column by column.

    The ends are values that occurred: no interpolation, hence no inf - inf.
    """
    tail = (1 - level) / 2
    low, high = np.quantile(draws, [tail, 1 - tail], axis=0, method="inverted_cdf")
    return low, high


def mean_interval(
    datasets: Sequence[Array], level: float = LEVEL, resamples: int = RESAMPLES
) -> tuple[float, float]:
    """Return the interval of the mean over datasets of the mean over seeds."""
    known = [seeds for seeds in datasets if seeds.size]
    if len(known) < 2 and max((seeds.size for seeds in known), default=0) < 2:
        return math.nan, math.nan
    low, high = percentiles(hierarchical(known, lambda s: s.mean(axis=1), resamples), level)
    return float(low), float(high)
