"""Scores of predicted intervals of any kind.

Coverage, width and interval score need only the two ends of an interval; for the intervals of a
Gaussian they equal the scores of `rafs.evaluation.metrics`.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from rafs.evaluation import metrics
from rafs.evaluation.metrics import Array

Intervals = Mapping[int, tuple[Array, Array]]
"""Lower and upper ends by the probability in percent."""

PERCENTS = tuple(sorted({*metrics.INTERVALS, *metrics.CURVE}))


def central(levels: Sequence[float], quantiles: Array) -> dict[int, tuple[Array, Array]]:
    """Return the central intervals whose two ends are among the quantiles."""
    place = {round(value, 9): k for k, value in enumerate(levels)}
    ends = {p: (round(0.5 - p / 200, 9), round(0.5 + p / 200, 9)) for p in PERCENTS}
    return {
        p: (quantiles[:, place[low]], quantiles[:, place[high]])
        for p, (low, high) in ends.items()
        if low in place and high in place
    }


def scores(y: Array, intervals: Intervals) -> metrics.Scores:
    """Return the scores of intervals, by the names of the metrics."""
    return {
        name: value
        for percent, (low, high) in intervals.items()
        for name, value in _scores(y, low, high, percent)
        if name in metrics.BY_NAME
    }


def _scores(y: Array, low: Array, high: Array, percent: int) -> Iterator[tuple[str, float]]:
    """Yield the scores of one interval (Gneiting and Raftery 2007, section 6.2)."""
    missed = np.maximum(low - y, 0.0) + np.maximum(y - high, 0.0)
    covered = float(np.mean(missed == 0.0))
    yield f"coverage_{percent}", covered
    yield f"calib_{percent}", covered
    yield f"width_{percent}", float(np.mean(high - low))
    penalty = 2.0 / (1.0 - percent / 100)
    yield f"interval_score_{percent}", float(np.mean(high - low + penalty * missed))
