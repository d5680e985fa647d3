"""Recalibration of predicted intervals on rows that no network was trained on.

Two standard corrections of a prediction N(μ, σ²), both fitted to the scores |y - μ| / σ of held-out
rows:

- `scaled`: one factor on σ, the one with the highest likelihood, sqrt(mean of the squared scores);
- `conformal`: split conformal prediction with normalised scores (Papadopoulos et al. 2002, Lei et
  al. 2018). The interval of a level is μ ± q σ, where q is the ⌈(n + 1) level⌉-th smallest of the n
  scores. Its coverage is at least the level if the new row and the held-out rows are exchangeable;
  with fewer than level / (1 - level) rows only an infinite interval has this guarantee.

Both correct the width on rows like the held-out ones. Neither changes the mean, and neither is
valid for rows elsewhere. The held-out rows of a run were also used to choose its trial and its
noise, so the guarantee is approximate there.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rafs.errors import DataError
from rafs.evaluation import metrics
from rafs.evaluation.metrics import Mask, Predictions, Scores

Array = NDArray[np.float64]

WAYS = ("raw", "scaled", "conformal")

NOT_HELD_OUT = "not held out"
"""Status of a run without a tuning of its own: there are no rows to recalibrate it on.

Such runs have `tuning: null`, the tuned values of another experiment, or given predictions.
"""
LEVELS = (90, 95)
SCORES = (
    "nll", *(f"{kind}_{level}" for kind in ("coverage", "width") for level in LEVELS),
    "interval_score_95",
)  # fmt: skip
"""What every recalibration is scored by; a score that is not finite is left out."""


@dataclass(frozen=True)
class Recalibration:
    """A recalibration, fitted to held-out rows.

    `halves` has half the width of the interval of each level, in predicted sd; `factor` is that of
    the 95 % interval divided by the normal quantile.
    """

    factor: float
    halves: dict[int, float]
    density: bool = True  # False: it has intervals and no density


def scores(y: Array, mean: Array, sd: Array) -> Array:
    """Return |y - mean| / sd of every row."""
    with np.errstate(all="ignore"):
        result: Array = np.abs(y - mean) / sd
    return result


def check(held_out: Array) -> None:
    """Refuse scores from which no width of an interval can be estimated."""
    if not held_out.size:
        raise DataError("recalibration needs held-out rows, and there are none")
    if not np.isfinite(held_out).all():
        raise DataError(
            "a held-out target is too far from its prediction to recalibrate on; drop that row or "
            "change units"
        )
    if not held_out.any():
        raise DataError(
            "every held-out error is 0; recalibration needs rows that the model does not fit "
            "exactly"
        )


def factor(held_out: Array) -> float:
    """Return the factor on the standard deviation that maximises the likelihood of the rows."""
    check(held_out)
    return float(np.sqrt(np.mean(held_out**2)))


def quantile(held_out: Array, level: float) -> float:
    """Return half the width of the conformal interval of a level, in standard deviations.

    >>> quantile(np.arange(1.0, 20.0), 0.9), quantile(np.arange(1.0, 5.0), 0.9)
    (18.0, inf)
    """
    check(held_out)
    n = len(held_out)
    rank = math.ceil(round((n + 1) * level, 9))  # round: 0.9 * 20 is 18, and not 18.000000000000004
    return float(np.sort(held_out)[rank - 1]) if rank <= n else math.inf


def fit(held_out: Predictions) -> dict[str, Recalibration]:
    """Fit every recalibration to held-out rows and their predictions."""
    found = scores(held_out.y, held_out.mean, held_out.sd)
    normal = {level: metrics.quantile(level) for level in LEVELS}
    scale = factor(found)
    conformal = {level: quantile(found, level / 100) for level in LEVELS}
    return {
        "raw": Recalibration(1.0, normal),
        "scaled": Recalibration(scale, {level: scale * half for level, half in normal.items()}),
        "conformal": Recalibration(conformal[95] / normal[95], conformal, density=False),
    }


def evaluate(way: Recalibration, test: Predictions, inside: Mask | None) -> dict[str, Scores]:
    """Score recalibrated predictions of all test points, and in and out of distribution.

    Only a factor on sd gives a density, so `conformal` has no NLL. An infinite interval covers
    every target; its width and its interval score are left out.
    """
    return {
        part: _scores(way, test.at(mask))
        for part, mask in metrics.by_part(test.y.size, inside).items()
    }


def _scores(way: Recalibration, test: Predictions) -> Scores:
    """Return the finite scores of recalibrated predictions."""
    found = {}
    with np.errstate(all="ignore"):
        if way.density:
            found["nll"] = metrics.nll(replace(test, variance=test.variance * way.factor**2))
        for level, half in way.halves.items():
            found[f"coverage_{level}"] = metrics.share_within(test, half)
            found[f"width_{level}"] = metrics.mean_width(test, half)
        found["interval_score_95"] = metrics.width_and_misses(test, way.halves[95], 0.95)
    return {name: value for name, value in found.items() if math.isfinite(value)}
