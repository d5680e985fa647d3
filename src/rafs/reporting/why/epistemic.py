"""The epistemic variance that a method predicts, against its error.

The runs of S seeds differ in training rows and networks, and predict the same test points, where
the true function f is known. At a point, with the predicted means μ_s and their average μ̄:

    variance = Σ (μ_s - μ̄)² / (S - 1)
    bias²    = (μ̄ - f)² - variance / S
    error    = bias² + variance, which is the mean of (μ_s - f)²

are unbiased estimates of the squared bias, the variance and the expected squared error of the
ensemble's mean, over samples of data and networks. A predicted epistemic variance v_s(x) is an
estimate of this error. So the ratio of the mean predicted variance to the mean error, over the
points of a part, should be 1, and the two should rank the points alike.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from rafs.errors import DataError
from rafs.evaluation import statistics
from rafs.reporting import labels
from rafs.reporting.inputs import Inputs

Array = NDArray[np.float64]

EXPERIMENT = "epistemic"
PROTOCOL = "described+same_test_points"
PARTS = ("inside", "outside")
FEWEST_SEEDS = 2
FEWEST_POINTS = 5
COLUMNS = (
    "method", "dataset", "part", "seeds", "points", "bias2", "variance", "error", "claimed",
    "ratio", "bias_share", "correlation",
)  # fmt: skip


@dataclass(frozen=True)
class Points:
    """Estimates at each test point, over seeds."""

    bias2: Array
    variance: Array
    claimed: Array

    @property
    def error(self) -> Array:
        """Expected squared error of the ensemble's mean."""
        return self.bias2 + self.variance


def split(means: Array, claimed: Array, truth: Array) -> Points:
    """Split the expected squared error; `means` and `claimed` have a row per seed."""
    variance = means.var(axis=0, ddof=1)
    bias2 = (means.mean(axis=0) - truth) ** 2 - variance / len(means)
    return Points(bias2, variance, claimed.mean(axis=0))


def summary(points: Points, part: NDArray[np.bool_]) -> dict[str, float]:
    """Return the means over the points of a part, and the relation of variance and error."""
    bias2, variance, error, claimed = (
        float(each[part].mean())
        for each in (points.bias2, points.variance, points.error, points.claimed)
    )
    return {
        "points": int(part.sum()),
        "bias2": bias2,
        "variance": variance,
        "error": error,
        "claimed": claimed,
        "ratio": claimed / error if error > 0 else math.nan,
        "bias_share": bias2 / error if error > 0 else math.nan,
        "correlation": _rank_correlation(points.claimed[part], points.error[part]),
    }


def _rank_correlation(a: Array, b: Array) -> float:
    """Return Spearman's correlation; a constant has none."""
    if min(np.ptp(a), np.ptp(b)) == 0:
        return math.nan
    return float(stats.spearmanr(a, b).statistic)


def table(
    inputs: Inputs, rows: pd.DataFrame, datasets: Sequence[str] | None = None
) -> pd.DataFrame:
    """Return the summary of every method, dataset and part; a part with few points has none."""
    done = rows[rows["status"] == "ok"]
    found = []
    for (method, dataset), runs in done.groupby(["method", "dataset"], sort=False):
        if datasets is not None and dataset not in datasets:
            continue
        known = _points(inputs, str(method), str(dataset), runs["seed"])
        if known is None:
            continue
        points, inside = known
        for part, mask in zip(PARTS, (inside, ~inside), strict=True):
            if mask.sum() >= max(FEWEST_POINTS, statistics.FEWEST_INSIDE * mask.size):
                place = {"method": method, "dataset": dataset, "part": part, "seeds": len(runs)}
                found.append({**place, **summary(points, mask)})
    return pd.DataFrame(found, columns=list(COLUMNS))


def _points(
    inputs: Inputs, method: str, dataset: str, seeds: Iterable[int]
) -> tuple[Points, NDArray[np.bool_]] | None:
    """Return the estimates at the test points, and which of these are inside; None without runs."""
    runs = list(_runs(inputs, method, dataset, seeds))
    if len(runs) < FEWEST_SEEDS:
        return None
    data = runs[0][0]
    if any(not np.array_equal(each.x_test, data.x_test) for each, _ in runs):
        raise DataError(f"the seeds of {dataset} are not tested at the same points; sample it anew")
    means = np.stack([found["mean"] for _, found in runs])
    claimed = np.stack([found["variance"] - found["aleatoric"] for _, found in runs])
    return split(means, np.maximum(claimed, 0.0), data.y_test), data.in_distribution


def _runs(
    inputs: Inputs, method: str, dataset: str, seeds: Iterable[int]
) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield data and predictions of the runs that have both."""
    for seed in seeds:
        data = inputs.data(dataset, int(seed), PROTOCOL)
        found = inputs.predictions(EXPERIMENT, method, dataset, int(seed))
        if data is not None and found is not None and found["mean"].size:
            yield data, found


def misjudged(found: pd.DataFrame, part: str) -> pd.DataFrame:
    """Return |ln ratio| of a part: how far the predicted variance is off, by dataset and method."""
    chosen = found[found["part"] == part]
    ratios = chosen.pivot_table(index="dataset", columns="method", values="ratio", sort=False)
    with np.errstate(divide="ignore"):
        off = np.abs(np.log(ratios.to_numpy(dtype=float)))
    return pd.DataFrame(off, index=ratios.index, columns=ratios.columns)


def in_order(found: pd.DataFrame) -> list[str]:
    """Return the methods in the order of the paper."""
    return labels.in_order(found["method"])
