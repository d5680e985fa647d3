"""Scores inside against outside the training range, on the synthetic datasets."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from rafs.evaluation import statistics
from rafs.reporting import labels, style
from rafs.reporting.figures import _data as data
from rafs.reporting.inputs import Inputs

CAPTION = (
    "In- against out-of-distribution. Left: NLL of the test examples inside (across) and outside "
    "(up) the ranges of the training data, one point per synthetic dataset (median over seeds); "
    "above the diagonal a method is worse outside. Right: coverage of the 95 % interval inside "
    "(filled) and outside (open), median over datasets with the interquartile range. Real-world "
    "data have no known ranges and are not shown; nor are datasets with fewer than 5 % of their "
    "test examples inside."
)
READS = ("scores",)
PLACE = 5


@style.styled
def draw(inputs: Inputs, options: Mapping[str, Any]) -> Figure:
    """Draw both parts; options: `experiments`, `methods`, `datasets`, `metric`."""
    rows, notes = data.scores(inputs, options)
    rows, few = statistics.without_few_inside(rows)
    notes += labels.few_inside(few)
    metric = str(options.get("metric", "nll"))
    figure = style.canvas(height=3.6)
    left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
    methods = labels.in_order(rows["method"])
    _scatter(left, rows, methods, metric)
    _coverage(right, rows, methods)
    style.legend(figure, methods)
    return style.finish(figure, notes)


def _pairs(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the medians over seeds of `in_<metric>` and `out_<metric>` per method and dataset."""
    columns = [f"in_{metric}", f"out_{metric}"]
    for column in columns:
        rows = data.usable(rows, column)
    return rows.groupby(["method", "dataset"])[columns].median()


def _scatter(axes: Axes, rows: pd.DataFrame, methods: list[str], metric: str) -> None:
    pairs = _pairs(rows, metric)
    axes.set_title(labels.metric(metric))
    if pairs.empty:
        style.sentence(axes, "No run has scores inside and outside of its training range.")
        return
    for method in methods:
        if method in pairs.index:
            points = pairs.loc[method].to_numpy()
            look = style.look(method)
            axes.plot(*points.T, lw=0, alpha=0.85, gid=method, **look.points)
    if style.is_wide(pairs):
        for axis in "xy":
            style.spread_scale(axes, axis)
    low, high = float(pairs.to_numpy().min()), float(pairs.to_numpy().max())
    limits = axes.get_xlim(), axes.get_ylim()
    axes.plot([low, high], [low, high], color=style.INK, lw=0.8, linestyle=(0, (4, 2)), zorder=1)
    axes.set(xlim=limits[0], ylim=limits[1])
    axes.set_xlabel(f"inside: {style.metric_label(metric)}")
    axes.set_ylabel(f"outside: {style.metric_label(metric)}")


def _coverage(axes: Axes, rows: pd.DataFrame, methods: list[str]) -> None:
    pairs = _pairs(rows, "coverage_95")
    axes.set_title("Coverage of the 95 % interval")
    if pairs.empty:
        style.sentence(axes, "No run has its coverage inside and outside of its training range.")
        return
    for place, method in enumerate(methods):
        if method not in pairs.index:
            continue
        colour = style.look(method).colour
        quartiles = np.quantile(pairs.loc[method].to_numpy(), (0.25, 0.5, 0.75), axis=0)
        for column, (shift, filled) in enumerate(((-0.13, True), (0.13, False))):
            low, middle, high = quartiles[:, column]
            axes.plot([low, high], [place + shift] * 2, color=colour, lw=1.4)
            point = {
                **style.look(method).points,
                "markerfacecolor": colour if filled else "white",
                "markeredgecolor": colour,
                "markeredgewidth": 1.0,
            }
            axes.plot(middle, place + shift, lw=0, **point)
    axes.axvline(0.95, color=style.INK, lw=0.8, linestyle=(0, (4, 2)))
    axes.set_yticks(range(len(methods)), [style.label(name) for name in methods])
    axes.set_ylim(len(methods) - 0.5, -0.5)
    axes.set_xlim(0, 1.02)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("observed coverage (share of examples)")
    grey: dict[str, Any] = {"color": style.MUTED, "marker": "o", "ms": 4.5}
    axes.legend(
        handles=[
            Line2D([], [], label="inside", **grey),
            Line2D([], [], label="outside", mfc="white", **grey),
        ],
        loc="lower left",
    )
