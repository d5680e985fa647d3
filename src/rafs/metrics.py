"""Scores of Gaussian predictions: N(mean, variance) for every test point, in the units of y.

Lower is better for every score except coverage, which should equal its nominal level.

- ``nll``: mean negative log-likelihood; ``nll_paper`` leaves out 0.5 ln(2 pi), as the published
  tables do, so that the two differ by a constant only.
- ``rmse``, ``mae``: errors of the mean. ``crps``: continuous ranked probability score (Gneiting and
  Raftery, JASA 2007), in the units of y.
- ``coverage_p``, ``width_p``: share of targets inside the central p % interval, and its mean width.
  ``calib_p`` is the same share at p = 10, 20, ..., 90: the points of a calibration curve.
- ``calibration_error``: mean absolute distance between a quantile level and the share of targets
  below that predicted quantile, over the levels 1 %, ..., 99 % (Kuleshov, Fenner and Ermon, ICML
  2018; the absolute form is that of Chung et al., Uncertainty Toolbox, 2021). Unlike the coverage
  of central intervals it also sees a bias: 0 is perfect, 0.25 is the limit of absurd confidence in
  an unbiased mean, and 0.5 that in a mean which always errs on the same side.
- ``sharpness``: root of the mean predicted variance, in the units of y.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from rafs.errors import ParameterError
from rafs.likelihood import HALF_LOG_TWO_PI, gaussian_nll

Array = NDArray[np.float64]
Scores = dict[str, float]

INTERVALS = (50, 90, 95)
CURVE = (10, 20, 30, 40, 50, 60, 70, 80, 90)

NAMES = (
    "nll",
    "nll_paper",
    "rmse",
    "mae",
    "crps",
    *(f"coverage_{p}" for p in INTERVALS),
    *(f"width_{p}" for p in INTERVALS),
    "calibration_error",
    "sharpness",
    *(f"calib_{p}" for p in CURVE),
)


def evaluate(
    y: ArrayLike,
    mean: ArrayLike,
    variance: ArrayLike,
    in_distribution: ArrayLike | None = None,
) -> dict[str, Scores | None]:
    """Score predictions on all points and, where known, inside and outside the training range.

    A part without points has no scores (None).
    """
    y, mean, variance = _column("y", y), _column("mean", mean), _column("variance", variance)
    if y.size == 0:
        raise ParameterError("there are no test points to score; pass at least one")
    if not y.size == mean.size == variance.size:
        raise ParameterError(
            f"y, mean and variance differ in length ({y.size}, {mean.size}, {variance.size}); "
            "pass one of each per test point"
        )
    if np.any(variance <= 0.0):
        raise ParameterError(
            f"variance is not positive at test point {int(np.argmax(variance <= 0.0))}; "
            "add the noise variance before scoring"
        )
    parts: dict[str, Scores | None] = {"metrics": scores(y, mean, variance)}
    inside = None if in_distribution is None else np.asarray(in_distribution)
    if inside is not None and (inside.dtype != np.bool_ or inside.shape != y.shape):
        raise ParameterError(
            f"in_distribution must hold one boolean per test point ({y.size}), "
            f"not {inside.dtype} of shape {inside.shape}"
        )
    for name, mask in (
        ("in_distribution", inside),
        ("out_of_distribution", None if inside is None else ~inside),
    ):
        chosen = mask is not None and bool(mask.any())
        parts[name] = scores(y[mask], mean[mask], variance[mask]) if chosen else None
    return parts


def scores(y: Array, mean: Array, variance: Array) -> Scores:
    """Return every score of checked, non-empty arrays."""
    sd = np.sqrt(variance)
    error = y - mean
    z = error / sd
    with np.errstate(over="ignore"):
        nll = float(np.mean(gaussian_nll(y, mean, variance)))
        values = {
            "nll": nll,
            "nll_paper": nll - HALF_LOG_TWO_PI,
            "rmse": float(np.sqrt(np.mean(error**2))),
            "mae": float(np.mean(np.abs(error))),
            "crps": float(np.mean(_crps(z, sd))),
            "calibration_error": _calibration_error(ndtr(z)),
            "sharpness": float(np.sqrt(np.mean(variance))),
        }
    for level in sorted({*INTERVALS, *CURVE}):
        quantile = float(ndtri(0.5 + level / 200.0))
        covered = float(np.mean(np.abs(z) <= quantile))
        if level in INTERVALS:
            values[f"coverage_{level}"] = covered
            values[f"width_{level}"] = float(np.mean(2.0 * quantile * sd))
        if level in CURVE:
            values[f"calib_{level}"] = covered
    for name in NAMES:
        if not math.isfinite(values[name]):
            raise ParameterError(
                f"{name} is too large to be a number; scale the data or look for a diverged run"
            )
    return {name: values[name] for name in NAMES}


def _crps(z: Array, sd: Array) -> Array:
    """Return the CRPS of a Gaussian in closed form (Gneiting and Raftery 2007, section 4.2)."""
    density = np.exp(-0.5 * z**2) / math.sqrt(2.0 * math.pi)
    return sd * (z * (2.0 * ndtr(z) - 1.0) + 2.0 * density - 1.0 / math.sqrt(math.pi))


def _calibration_error(pit: Array) -> float:
    """Return the mean over levels of |level - share of the PIT values below it|."""
    levels = np.arange(1, 100) / 100.0
    observed = np.searchsorted(np.sort(pit), levels, side="right") / pit.size
    return float(np.mean(np.abs(observed - levels)))


def _column(name: str, values: ArrayLike) -> Array:
    """Return finite float64 values of one dimension, or say what is wrong with them."""
    column = np.asarray(values, dtype=np.float64)
    if column.ndim != 1:
        raise ParameterError(f"{name} must have one dimension, not shape {column.shape}")
    finite = np.isfinite(column)
    if not finite.all():
        raise ParameterError(
            f"{name} is not finite at test point {int(np.argmin(finite))}; "
            "a diverged run cannot be scored"
        )
    return column
