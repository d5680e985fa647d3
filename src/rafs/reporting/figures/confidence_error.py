"""Error of the predictions that a method is confident in (the paper's Figure 2)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from rafs.reporting import labels, style
from rafs.reporting.figures import _data as data
from rafs.reporting.inputs import Inputs

TITLE = "Confidence error"
CAPTION = (
    "Confidence against error: the RMSE of those test examples whose predicted precision (one "
    "over the predicted variance) exceeds τ. Line: median over seeds; band: its 95 % "
    "interval, taken of the logarithm of the RMSE. Reliable uncertainty makes the error fall as τ "
    "grows. A curve ends where fewer than ten examples are left in one of the seeds; the curves of "
    "overconfident methods go on furthest."
)
READS = ("scores", "predictions", "data")
DATASETS = ("friedman", "abalone")
PLACE = 3
Array = NDArray[np.float64]
THRESHOLDS = 24  # points of a curve
FEWEST = 10  # examples that an RMSE needs
WIDE = 5  # ratio of the largest to the smallest RMSE from which the axis is logarithmic


@style.styled
def draw(inputs: Inputs, options: Mapping[str, Any]) -> Figure:
    """Draw one panel per dataset; options: `datasets`, `methods`, `experiments`."""
    names = list(options.get("datasets", DATASETS))
    rows, notes = data.scores(inputs, {**options, "datasets": names})
    methods = labels.in_order(options.get("methods") or labels.with_paper(rows["method"]))
    figure = style.canvas(height=3.2)
    panels = figure.subplots(1, len(names), squeeze=False)[0]
    for axes, name in zip(panels, names, strict=True):
        axes.set_title(style.title(name))
        runs = {
            method: _runs(inputs, rows[(rows["dataset"] == name) & (rows["method"] == method)])
            for method in methods
        }
        runs = {method: found for method, found in runs.items() if found}
        if runs:
            _panel(axes, runs)
        else:
            style.sentence(axes, f"No predictions: {data.why_not(rows, dataset=name)}.")
    style.legend(figure, methods)
    return style.finish(figure, notes)


def curve(precision: Array, error: Array, thresholds: Array) -> Array:
    """Return the RMSE of the examples more precise than each threshold; NaN if too few are left.

    >>> curve(np.repeat([1.0, 4.0], 10), np.repeat([2.0, 0.5], 10), np.array([0.5, 2.0, 5.0]))
    array([1.45773797, 0.5       ,        nan])
    """
    chosen = [error[precision > threshold] for threshold in thresholds]
    return np.array([np.sqrt(np.mean(e**2)) if e.size >= FEWEST else np.nan for e in chosen])


def _runs(inputs: Inputs, rows: Any) -> list[tuple[Array, Array]]:
    """Return precision and error of every run that has predictions."""
    found = []
    for row in rows[rows["status"] == "ok"].itertuples():
        run = data.predictions(inputs, row.experiment, row.method, row.dataset, int(row.seed))
        known = inputs.data(row.dataset, int(row.seed))
        if run is not None and known is not None:
            found.append((1 / run["variance"], known.y_test - run["mean"]))
    return found


def _panel(axes: Axes, runs: dict[str, list[tuple[Array, Array]]]) -> None:
    """Draw the curves of all methods over common thresholds."""
    pooled = np.concatenate([precision for found in runs.values() for precision, _ in found])
    low, high = np.quantile(pooled, (0.01, 0.99))
    thresholds = np.geomspace(low, max(high, 1.0001 * low), THRESHOLDS)
    drawn = []
    for place, (method, found) in enumerate(runs.items()):
        curves = np.array([curve(*run, thresholds) for run in found])
        kept = np.isfinite(curves).all(axis=0)
        if not kept.any():
            continue
        summary = _summary(curves[:, kept])
        look = style.look(method)
        axes.fill_between(
            thresholds[kept], summary[:, 1], summary[:, 2], color=look.colour, alpha=0.15, lw=0
        )
        every = (place % 4, 4)
        axes.plot(thresholds[kept], summary[:, 0], markevery=every, gid=method, **look.line)
        drawn.append(summary[:, 0])
    style.log_scale(axes, "x")
    values = np.concatenate(drawn)
    if values.max() > WIDE * values.min():
        style.log_scale(axes, "y")
    axes.set_xlabel("precision threshold τ (1 / units of y²)")
    axes.set_ylabel("RMSE where precision > τ (units of y)")


def _summary(curves: Array) -> Array:
    """Return median and 95 % interval over seeds at every threshold, computed on logarithms.

    An RMSE is positive and its axis may be logarithmic, so the ends of its interval are positive.
    """
    logs = np.log(np.maximum(curves, np.finfo(float).tiny))
    return np.exp([data.interval(column) for column in logs.T])
