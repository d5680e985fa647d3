"""Recalibration of predicted intervals on rows that no network was trained on.

Two standard repairs of a prediction N(μ, σ²), both fitted to the scores |y - μ| / σ of held-out
rows:

- `scaled`: one factor on σ, the one with the highest likelihood, sqrt(mean of the squared scores);
- `conformal`: split conformal prediction with normalised scores (Papadopoulos et al. 2002, Lei et
  al. 2018). The interval of a level is μ ± q σ, where q is the ⌈(n + 1) level⌉-th smallest of the n
  scores. Its coverage is at least the level if the new row and the held-out rows are exchangeable;
  with fewer than level / (1 - level) rows only an infinite interval keeps that promise.

Both repair the width on rows like the held-out ones. Neither moves the mean, and neither says
anything about rows elsewhere.
"""

import math

import numpy as np
from numpy.typing import NDArray

from rafs.errors import DataError

Array = NDArray[np.float64]

WAYS = ("raw", "scaled", "conformal")


def scores(y: Array, mean: Array, sd: Array) -> Array:
    """Return |y - mean| / sd of every row."""
    result: Array = np.abs(y - mean) / sd
    return result


def factor(held_out: Array) -> float:
    """Return the factor on the standard deviation that makes held-out rows most likely."""
    _check(held_out)
    return float(np.sqrt(np.mean(held_out**2)))


def quantile(held_out: Array, level: float) -> float:
    """Return half the width of the conformal interval of a level, in standard deviations.

    >>> quantile(np.arange(1.0, 20.0), 0.9), quantile(np.arange(1.0, 5.0), 0.9)
    (18.0, inf)
    """
    _check(held_out)
    n = len(held_out)
    rank = math.ceil(round((n + 1) * level, 9))  # round: 0.9 * 20 is 18, and not 18.000000000000004
    return float(np.sort(held_out)[rank - 1]) if rank <= n else math.inf


def _check(held_out: Array) -> None:
    """Refuse scores that say nothing."""
    if not len(held_out) or not np.isfinite(held_out).all():
        raise DataError("recalibration needs held-out rows with finite predictions")
