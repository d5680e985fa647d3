"""Prediction intervals from a mean and a standard deviation: Gaussian, or split conformal.

The scores |y - mean| / std of rows that were not trained on replace the quantile of the Gaussian
(`rafs.evaluation.recalibration`).
"""

import math
from numbers import Real

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from rafs.errors import DataError, ParameterError
from rafs.evaluation import recalibration
from rafs.seeding import generator

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

LEAST_KEPT = 2  # rows to train on


def held_out(n: int, share: float | None, seed: int) -> tuple[Rows, Rows]:
    """Return the rows to train on and a random share of n rows to calibrate on."""
    if share is None:
        return np.arange(n), np.arange(0)
    if isinstance(share, bool) or not (isinstance(share, Real) and 0 < share < 1):
        raise ParameterError(
            f"conformal = {share!r} is not usable; give a share of the rows between 0 and 1, or "
            "None"
        )
    size = max(1, round(share * n))
    if n - size < LEAST_KEPT:
        raise DataError(
            f"conformal = {share} holds {size} of {n} rows out and {LEAST_KEPT} must remain to "
            "train on; give more rows or a smaller share"
        )
    order = generator("estimator", seed, "conformal").permutation(n)
    return np.sort(order[size:]), np.sort(order[:size])


def scores(y: Array, mean: Array, std: Array) -> Array:
    """Return the scores of rows to calibrate on."""
    found = recalibration.scores(y, mean, std)
    recalibration.check(found)
    return found


def half_width(coverage: float, calibration: Array | None) -> float:
    """Return half the width of an interval in standard deviations.

    >>> round(half_width(0.95, None), 2), half_width(0.9, np.arange(1.0, 20.0))
    (1.96, 18.0)
    """
    if isinstance(coverage, bool) or not (isinstance(coverage, Real) and 0 < coverage < 1):
        raise ParameterError(f"coverage = {coverage!r} is not usable; give a share such as 0.9")
    if calibration is None:
        return float(ndtri(0.5 + coverage / 2))
    found = recalibration.quantile(calibration, coverage)
    if math.isinf(found):
        raise DataError(
            f"a conformal interval with coverage {coverage} needs {least_rows(coverage)} rows to "
            f"calibrate on, and there are {len(calibration)}; give more rows or a smaller coverage"
        )
    return found


def least_rows(coverage: float) -> int:
    """Return how many scores a finite conformal interval needs: coverage / (1 - coverage).

    >>> least_rows(0.9), least_rows(0.95), least_rows(0.99)
    (9, 19, 99)
    """
    return math.ceil(round(coverage / (1 - coverage), 9))
