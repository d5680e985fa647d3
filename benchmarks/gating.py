"""What gate.py and gate_references.py share: splits, scores and how a number is judged."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rafs.evaluation.likelihood import gaussian_nll
from rafs.methods.ensemble import Prediction

METRICS = ("RMSE", "NLL")
PBP = "PBP, Hernández-Lobato and Adams 2015"


@dataclass(frozen=True)
class Check:
    """One number with its reference value and tolerance.

    On UCI data two standard errors over splits are allowed (of HDE: of the difference to DE).
    """

    method: str
    source: str
    dataset: str
    metric: str
    wanted: float
    ours: float
    allowed: float
    met: bool


@dataclass(frozen=True)
class Split:
    """Rows to learn from and rows to predict."""

    x: np.ndarray
    y: np.ndarray
    x_test: np.ndarray
    y_test: np.ndarray


def splits(folder: Path, name: str, count: int) -> Iterator[Split]:
    """Yield the first of the 20 published splits of a table."""
    data = np.loadtxt(folder / name / "data.txt")
    n, stream = len(data), np.random.RandomState(1)
    for _ in range(count):
        order = stream.choice(n, n, replace=False)
        yield cut(data[order], round(0.9 * n))


def cut(data: np.ndarray, size: int) -> Split:
    """Return the first rows to learn from, the others to predict."""
    learn, test = data[:size], data[size:]
    return Split(learn[:, :-1], learn[:, -1], test[:, :-1], test[:, -1])


def score(p: Prediction, y: np.ndarray) -> tuple[float, float]:
    """Return RMSE and NLL of a prediction in the units of y."""
    rmse = np.sqrt(np.mean((p.mean - y) ** 2))
    return float(rmse), float(np.mean(gaussian_nll(y, p.mean, p.variance)))


def at_most(method: str, source: str, dataset: str, wanted, found: Sequence) -> Iterator[Check]:
    """Yield whether the mean over splits is at most as printed, up to two standard errors."""
    for metric, printed, values in zip(METRICS, wanted, np.array(found).T, strict=True):
        ours, error = float(values.mean()), 2 * float(values.std(ddof=1)) / len(values) ** 0.5
        yield Check(method, source, dataset, metric, printed, ours, error, ours <= printed + error)


def posterior(method, source, dataset, exact, p: Prediction, m: int, slack: float):
    """Yield how far mean and spread of m members are from a posterior (slack: finite width).

    The errors at the test points are dependent, because all are those of the same m functions;
    three standard errors of a mean, and of a standard deviation, of m draws are allowed.
    """
    mean, variance = exact
    sd = np.sqrt(variance)
    off = float(np.sqrt(np.mean(((p.mean - mean) / sd) ** 2)))
    allowed = 3 / m**0.5 + slack
    yield Check(method, source, dataset, "error of the mean, sd", 0.0, off, allowed, off <= allowed)
    ratio = float(np.sqrt(np.mean(p.epistemic / variance)))
    allowed = 3 / (2 * m) ** 0.5 + slack
    met = abs(ratio - 1) <= allowed
    yield Check(method, source, dataset, "sd / exact sd", 1.0, ratio, allowed, met)
