"""Scores of the conformal 95 % interval of a run, calibrated on its held-out rows."""

import math

from rafs.errors import DataError
from rafs.evaluation import metrics, recalibration
from rafs.methods.tuning import HeldOut
from rafs.reporting import labels

PREFIX = "conformal_"
SCORED = tuple(name for name in recalibration.SCORES if name.endswith("_95"))


def scores(held: HeldOut, test: metrics.Predictions) -> dict[str, float]:
    """Return scores of the conformal interval; none if there are too few held-out rows."""
    try:
        fitted = recalibration.fit(metrics.Predictions(held.y, held.mean, held.variance))
    except DataError:
        return {}
    if not math.isfinite(fitted["conformal"].factor):
        return {}
    found = recalibration.evaluate(fitted["conformal"], test, None)["metrics"]
    return {f"{PREFIX}{name}": found[name] for name in SCORED if name in found}


def is_conformal(name: str) -> bool:
    """Whether a column of the comparison is about the conformal interval."""
    return name.startswith(PREFIX)


def heading(name: str) -> str:
    """Return the heading of a column of the comparison."""
    label = labels.metric(name.removeprefix(PREFIX))
    return f"{label}, conformal" if is_conformal(name) else label
