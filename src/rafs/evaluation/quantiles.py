"""Predicted quantiles: their levels, the Gaussian nearest to them, and scores of intervals.

Coverage, width and interval score need the ends of an interval alone, so that intervals of any kind
are scored here as `rafs.evaluation.metrics` scores those of a Gaussian.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from rafs.errors import DataError
from rafs.evaluation import metrics
from rafs.evaluation.metrics import Array

Intervals = Mapping[int, tuple[Array, Array]]
"""Lower and upper ends by the probability in percent."""

PERCENTS = tuple(sorted({*metrics.INTERVALS, *metrics.CURVE}))
LOOKS_LIKE = re.compile(r"q[\W_]*\d", re.IGNORECASE)


def level(column: str) -> float | None:
    """Return the level of a column of quantiles; None for any other column.

    Without a leading zero and a point the number is in percent.

    >>> level("q05"), level("q97.5"), level("q0.025"), level("quality")
    (0.05, 0.975, 0.025, None)
    """
    if not LOOKS_LIKE.match(column):
        return None
    found = re.fullmatch(r"q(\d\d?|0?\.\d+|[1-9]\d?\.\d+)", column)
    if not found:
        raise DataError(f"{column!r} is no column of quantiles; write q05, q2.5 or q0.025")
    number = float(found[1])
    result = number if found[1].lstrip("0").startswith(".") else number / 100
    if not 0 < result < 1:
        raise DataError(f"{column!r} must be a quantile with a level between 0 and 1")
    return round(result, 12)


def gaussian(levels: Sequence[float], quantiles: Array) -> tuple[Array, Array]:
    """Return mean and standard deviation of the Gaussian nearest to quantiles [n, levels].

    Least squares: quantiles are regressed on those of the standard normal distribution.
    """
    z = ndtri(np.asarray(levels))
    centred = z - z.mean()
    sd = quantiles @ centred / (centred @ centred)
    return quantiles.mean(axis=1) - sd * z.mean(), sd


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


def pinball(y: Array, levels: Sequence[float], quantiles: Array) -> float:
    """Return the pinball loss, averaged over rows and levels (Koenker and Bassett 1978)."""
    error = y[:, None] - quantiles
    tau = np.asarray(levels)
    return float(np.mean(np.maximum(tau * error, (tau - 1.0) * error)))


def crossing(quantiles: Array) -> NDArray[np.bool_]:
    """Return the rows in which a quantile lies above one of a higher level."""
    return np.asarray((np.diff(quantiles, axis=1) < 0).any(axis=1))
