"""Scores inside against outside the training range, on the synthetic datasets."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from rafs.evaluation import statistics
from rafs.evaluation.metrics import INSIDE, OUTSIDE, PAPER_NLL
from rafs.reporting import labels, style
from rafs.reporting.figures import _data as data
from rafs.reporting.inputs import Inputs

TITLE = "Inside and outside the training range"
CAPTION = (
    "In- against out-of-distribution, method by method. Each thin line is a synthetic dataset and "
    "joins the score of the test examples inside the ranges of the training data (filled end) with "
    "that of the examples outside (open end), both medians over seeds; large markers are the "
    "medians over datasets. Left: NLL in the paper's convention (without ½ ln 2π). Right: coverage "
    "of the 95 % interval. Real-world data have no known ranges and are not shown; nor are "
    "datasets with fewer than 5 % of their test examples inside."
)
READS = ("scores",)
PLACE = 5
SPREAD = 0.3  # how far above and below its method the lines of the datasets lie


@style.styled
def draw(inputs: Inputs, options: Mapping[str, Any]) -> Figure:
    """Draw both parts; options: `experiments`, `methods`, `datasets`, `metric`."""
    rows, notes = data.scores(inputs, options)
    rows, few = statistics.without_few_inside(rows)
    notes += labels.few_inside(few)
    metric = str(options.get("metric", PAPER_NLL))
    methods = labels.in_order(rows["method"])
    figure = style.canvas(height=1.0 + 0.5 * max(3, len(methods)))
    left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
    _paired(left, rows, methods, metric)
    _paired(right, rows, methods, "coverage_95")
    if right.axison:
        right.tick_params(axis="y", labelleft=not left.axison)
        right.set_xlim(0, 1.02)
        right.axvline(0.95, color=style.INK, lw=0.8, linestyle=(0, (4, 2)), zorder=1)
    style.legend(figure, (), _handles())
    return style.finish(figure, notes)


def pairs(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the medians over seeds of `in_<metric>` and `out_<metric>` per method and dataset."""
    columns = [f"{INSIDE}{metric}", f"{OUTSIDE}{metric}"]
    for column in columns:
        rows = data.usable(rows, column)
    return rows.groupby(["method", "dataset"])[columns].median()


def _paired(axes: Axes, rows: pd.DataFrame, methods: list[str], metric: str) -> None:
    """Draw a row per method: a line per dataset from inside to outside, and both medians."""
    found = pairs(rows, metric)
    axes.set_title(labels.metric(metric))
    if found.empty:
        what = labels.metric(metric)
        style.sentence(axes, f"No run has its {what} inside and outside of its training range.")
        return
    for place, method in enumerate(methods):
        if method in found.index:
            _row(axes, found.loc[[method]], place, method)
    if style.is_wide(found):
        style.spread_scale(axes, "x")
    axes.set_yticks(range(len(methods)), [style.label(name) for name in methods])
    axes.set_ylim(len(methods) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel(style.metric_label(metric))


def _row(axes: Axes, scores: pd.DataFrame, place: int, method: str) -> None:
    """Draw the datasets of one method around its place, ordered by their score outside."""
    look = style.look(method)
    ends = scores.to_numpy()
    ends = ends[np.argsort(ends[:, 1], kind="stable")]
    step = 2 * SPREAD / max(1, len(ends) - 1)
    small: dict[str, Any] = {"marker": "o", "ms": 2.2, "lw": 0, "mew": 0.5, "mec": look.colour}
    for row, (inside, outside) in enumerate(ends):
        y = place - SPREAD + step * row if len(ends) > 1 else place
        gid = f"{method}: dataset"
        axes.plot([inside, outside], [y, y], color=look.colour, lw=0.7, alpha=0.55, gid=gid)
        axes.plot(inside, y, mfc=look.colour, alpha=0.7, **small)
        axes.plot(outside, y, mfc="white", alpha=0.7, **small)
    inside, outside = scores.median()
    large = {**look.points, "markersize": look.points["markersize"] + 2, "zorder": 4}
    axes.plot(inside, place, lw=0, gid=method, **large)
    empty = {"markerfacecolor": "white", "markeredgecolor": look.colour, "markeredgewidth": 1.2}
    axes.plot(outside, place, lw=0, gid=f"{method}: outside", **{**large, **empty})


def _handles() -> list[Line2D]:
    grey: dict[str, Any] = {"color": style.MUTED, "marker": "o", "ms": 6, "lw": 0}
    return [
        Line2D([], [], label="inside, median over datasets", **grey),
        Line2D([], [], label="outside", mfc="white", **grey),
        Line2D([], [], label="one dataset", color=style.MUTED, lw=0.8),
    ]
