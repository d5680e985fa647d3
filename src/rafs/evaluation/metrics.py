"""Scores of Gaussian predictions: N(mean, variance) for every test point, in the units of y.

`METRICS` is the only list of metrics. The contents of reports, the columns of the scores and the
values allowed in params.yaml are derived from its entries.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from rafs.errors import ParameterError
from rafs.evaluation.likelihood import HALF_LOG_TWO_PI, gaussian_nll

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Scores = dict[str, float]

INTERVALS = (50, 90, 95)
CURVE = (10, 20, 30, 40, 50, 60, 70, 80, 90)
NATS, UNITS, SHARE = "nats per example", "units of y", "share of examples"
HEADLINE, EXPLORER, COMPARE = "headline", "explorer", "compare"
"""Where metrics are shown: the README, the score tables of the page, and `rafs compare`."""


@dataclass(frozen=True)
class Predictions:
    """Targets with the predicted means and variances, all finite, and derived quantities."""

    y: Array
    mean: Array
    variance: Array

    def at(self, mask: Mask) -> "Predictions":
        """Return the selected points."""
        return Predictions(self.y[mask], self.mean[mask], self.variance[mask])

    @cached_property
    def sd(self) -> Array:
        """Predicted standard deviations."""
        return np.sqrt(self.variance)

    @cached_property
    def error(self) -> Array:
        """Target minus predicted mean."""
        return self.y - self.mean

    @cached_property
    def z(self) -> Array:
        """Errors in predicted standard deviations."""
        return self.error / self.sd


@dataclass(frozen=True)
class Metric:
    """A metric and how it is presented.

    `label` is its short name in tables, `title` the one on the axes of figures. Lower is better,
    unless there is a `nominal` value that it should equal. `place` orders the metrics of one kind
    of report, `published` is the paper's name for it if the paper prints it.
    """

    name: str
    label: str
    title: str
    unit: str
    function: Callable[[Predictions], float]
    nominal: float | None = None
    rewards: str = ""
    shown: tuple[str, ...] = ()
    place: int = 0
    published: str = ""

    @property
    def axis(self) -> str:
        """Title and unit, in one pair of brackets."""
        if self.title.endswith(")"):
            return f"{self.title.removesuffix(')')}, {self.unit})"
        return f"{self.title} ({self.unit})"

    @property
    def goal(self) -> str:
        """A description of good values."""
        if self.nominal is None:
            return "lower is better"
        return f"nearest to {self.nominal:g} is best"


def nll(p: Predictions) -> float:
    """Return the mean negative log-likelihood."""
    return float(np.mean(gaussian_nll(p.y, p.mean, p.variance)))


def nll_paper(p: Predictions) -> float:
    """Return the NLL without its constant ½ ln 2π, as the published tables have it."""
    return nll(p) - HALF_LOG_TWO_PI


def rmse(p: Predictions) -> float:
    """Return the root mean squared error of the predicted means."""
    return float(np.sqrt(np.mean(p.error**2)))


def mae(p: Predictions) -> float:
    """Return the mean absolute error of the predicted means."""
    return float(np.mean(np.abs(p.error)))


def crps(p: Predictions) -> float:
    """Return the continuous ranked probability score (Gneiting and Raftery, JASA 2007).

    For a Gaussian it has a closed form (their section 4.2).
    """
    density = np.exp(-0.5 * p.z**2) / math.sqrt(2.0 * math.pi)
    each = p.sd * (p.z * (2.0 * ndtr(p.z) - 1.0) + 2.0 * density - 1.0 / math.sqrt(math.pi))
    return float(np.mean(each))


def coverage(p: Predictions, percent: int) -> float:
    """Return the share of targets inside the central interval of this level."""
    return share_within(p, quantile(percent))


def width(p: Predictions, percent: int) -> float:
    """Return the mean width of the central interval of this level."""
    return mean_width(p, quantile(percent))


def interval_score(p: Predictions, level: float) -> float:
    """Return the width of the central interval plus 2 / (1 - level) times the misses.

    A miss is the distance by which a target lies outside (Gneiting and Raftery 2007, section 6.2).
    """
    return width_and_misses(p, float(ndtri(0.5 + level / 2.0)), level)


def share_within(p: Predictions, half: float) -> float:
    """Return the share of targets inside mean ± half · sd."""
    return float(np.mean(np.abs(p.z) <= half))


def mean_width(p: Predictions, half: float) -> float:
    """Return the mean width of mean ± half · sd."""
    return float(np.mean(2.0 * half * p.sd))


def width_and_misses(p: Predictions, half: float, level: float) -> float:
    """Return the interval score of mean ± half · sd as an interval of this level."""
    missed = np.maximum(np.abs(p.z) - half, 0.0)
    return float(np.mean(p.sd * (2.0 * half + 2.0 / (1.0 - level) * missed)))


def calibration_error(p: Predictions) -> float:
    """Return the mean over levels of |level - share of targets below that predicted quantile|.

    The levels are 1 %, ..., 99 % (Kuleshov, Fenner and Ermon, ICML 2018, in the absolute form of
    Chung et al., Uncertainty Toolbox, 2021). Unlike the coverage of central intervals it also
    detects a bias: 0 is perfect; as the predicted sd goes to zero the limit is 0.25 for an unbiased
    mean, and 0.5 for a mean that always errs on the same side.
    """
    levels = np.arange(1, 100) / 100.0
    below = np.searchsorted(np.sort(ndtr(p.z)), levels, side="right") / p.z.size
    return float(np.mean(np.abs(below - levels)))


def sharpness(p: Predictions) -> float:
    """Return the root of the mean predicted variance."""
    return float(np.sqrt(np.mean(p.variance)))


def quantile(percent: int) -> float:
    """Return half the width of the central interval of this level, in standard deviations."""
    return float(ndtri(0.5 + percent / 200.0))


DENSITY = (
    "NLL rewards a high predicted density at the target; a few confident misses can dominate it."
)

METRICS: tuple[Metric, ...] = (
    Metric("nll", "NLL", "NLL", NATS, nll, rewards=DENSITY, shown=(HEADLINE,), place=1),
    Metric(
        "nll_paper", "NLL (without ½ ln 2π)", "NLL (without ½ ln 2π)", NATS, nll_paper,
        rewards=DENSITY, shown=(EXPLORER, COMPARE), place=1, published="nll",
    ),
    Metric(
        "rmse", "RMSE", "RMSE", UNITS, rmse,
        rewards="RMSE rewards an accurate mean, in the units of y, and ignores the predicted "
        "uncertainty.",
        shown=(HEADLINE, EXPLORER, COMPARE), place=3, published="rmse",
    ),
    Metric("mae", "MAE", "mean absolute error", UNITS, mae),
    Metric(
        "crps", "CRPS", "CRPS", UNITS, crps,
        rewards="CRPS rewards predictive mass near the target, in the units of y; single misses "
        "weigh less than in NLL.",
        shown=(HEADLINE, EXPLORER, COMPARE), place=2,
    ),
    *(
        Metric(
            f"coverage_{p}", f"{p} % coverage", f"coverage of the {p} % interval", SHARE,
            partial(coverage, percent=p), nominal=p / 100,
        )
        for p in INTERVALS[:-1]
    ),
    Metric(
        "coverage_95", "95 % coverage", "coverage of the 95 % interval", SHARE,
        partial(coverage, percent=95), nominal=0.95,
        rewards="95 % coverage rewards intervals that contain 95 % of the targets, however wide "
        "they are.",
        shown=(HEADLINE, EXPLORER, COMPARE), place=4,
    ),
    *(
        Metric(
            f"width_{p}", f"{p} % width", f"width of the {p} % interval", UNITS,
            partial(width, percent=p),
        )
        for p in INTERVALS
    ),
    Metric(
        "interval_score_95", "95 % interval score", "95 % interval score", UNITS,
        partial(interval_score, level=0.95),
        rewards="The 95 % interval score rewards narrow intervals, and charges for every target "
        "outside by its distance, in the units of y.",
        shown=(HEADLINE, EXPLORER), place=5,
    ),
    Metric(
        "calibration_error", "Calibration error", "calibration error", SHARE, calibration_error,
        shown=(EXPLORER,), place=6,
    ),
    Metric("sharpness", "Sharpness", "sharpness", UNITS, sharpness),
    *(
        Metric(
            f"calib_{p}", f"Calibration at {p} %", f"calibration at {p} %", SHARE,
            partial(coverage, percent=p), nominal=p / 100,
        )
        for p in CURVE
    ),
)  # fmt: skip
"""All metrics, in the order of the columns of results/scores.

`calib_p` is the coverage at p = 10, 20, ..., 90 %: the points of a calibration curve.
"""

PAPER_NLL = nll_paper.__name__
"""The NLL in which reports compare with the paper."""

PARTS = {"": "metrics", "in_": "in_distribution", "out_": "out_of_distribution"}
"""The parts of the test points with scores of their own, by the prefix of their columns."""

WHOLE, INSIDE, OUTSIDE = PARTS

BY_NAME = {metric.name: metric for metric in METRICS}
NAMES = tuple(BY_NAME)


def find(column: str) -> Metric | None:
    """Return the metric of a column of scores (`rmse`, `in_rmse`, `out_rmse`), or None."""
    return BY_NAME.get(column.removeprefix(INSIDE).removeprefix(OUTSIDE))


def shown(where: str) -> list[Metric]:
    """Return the metrics that one kind of report shows, in its order."""
    return sorted((m for m in METRICS if where in m.shown), key=lambda metric: metric.place)


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
    masks = by_part(y.size, inside)
    for name in ("in_distribution", "out_of_distribution"):
        mask = masks.get(name)
        parts[name] = None if mask is None else scores(y[mask], mean[mask], variance[mask])
    return parts


def by_part(points: int, inside: Mask | None) -> dict[str, Mask]:
    """Return which points are scored: all and, where known, those in and out of distribution.

    A part without points is left out.
    """
    masks = {"metrics": np.ones(points, dtype=np.bool_)}
    if inside is not None:
        masks |= {"in_distribution": inside, "out_of_distribution": ~inside}
    return {part: mask for part, mask in masks.items() if mask.any()}


def scores(y: Array, mean: Array, variance: Array) -> Scores:
    """Return every score of checked, non-empty arrays."""
    predictions = Predictions(y, mean, variance)
    with np.errstate(over="ignore"):
        values = {metric.name: metric.function(predictions) for metric in METRICS}
    for name, value in values.items():
        if not math.isfinite(value):
            raise ParameterError(
                f"{name} is too large to be a number; scale the data or look for a diverged run"
            )
    return values


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
