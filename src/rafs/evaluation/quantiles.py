"""Predicted quantiles: their levels, the Gaussian nearest to them, and their pinball loss.

Methods use this module, so it must not import the metrics: an edit of a metric retrains nothing.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from rafs.errors import DataError

Array = NDArray[np.float64]

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


def pinball(y: Array, levels: Sequence[float], quantiles: Array) -> float:
    """Return the pinball loss, averaged over rows and levels (Koenker and Bassett 1978)."""
    error = y[:, None] - quantiles
    tau = np.asarray(levels)
    return float(np.mean(np.maximum(tau * error, (tau - 1.0) * error)))


def crossing(quantiles: Array) -> NDArray[np.bool_]:
    """Return the rows in which quantiles cross."""
    return np.asarray((np.diff(quantiles, axis=1) < 0).any(axis=1))
