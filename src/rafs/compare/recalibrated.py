"""The conformal 95 % interval of a run, from its held-out rows, in the scores of the raw one."""

import numpy as np
from scipy.special import ndtri

from rafs.errors import DataError
from rafs.evaluation import metrics, recalibration
from rafs.methods.tuning import HeldOut
from rafs.reporting import labels

PREFIX = "conformal_"
SCORED = ("coverage_95", "width_95", "interval_score_95")
NORMAL = float(ndtri(0.975))


def scores(held: HeldOut, test: metrics.Predictions) -> dict[str, float]:
    """Return scores of the conformal interval; none if the held-out rows are too few for one.

    It is that of a Gaussian with another standard deviation.
    """
    found = recalibration.scores(held.y, held.mean, np.sqrt(held.variance))
    try:
        factor = recalibration.quantile(found, 0.95) / NORMAL
    except DataError:
        return {}
    if not np.isfinite(factor):
        return {}
    widened = metrics.Predictions(test.y, test.mean, test.variance * factor**2)
    return {f"{PREFIX}{name}": metrics.BY_NAME[name].function(widened) for name in SCORED}


def heading(name: str) -> str:
    """Return what a column of the comparison is called."""
    label = labels.metric(name.removeprefix(PREFIX))
    return f"{label}, conformal" if name.startswith(PREFIX) else label
