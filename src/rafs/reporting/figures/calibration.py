"""Observed against nominal coverage of the central intervals of every method."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from rafs.evaluation.metrics import CURVE
from rafs.reporting import labels, style
from rafs.reporting.figures import _data as data
from rafs.reporting.inputs import Inputs

TITLE = "Calibration"
CAPTION = (
    "Calibration: share of test examples inside the central predictive interval against its "
    "nominal level. Below the diagonal a method is overconfident, above it underconfident. Thin "
    "grey: single datasets (mean over seeds); thick with markers: their median; band: their "
    "interquartile range. The first panel puts the medians of all methods into one frame."
)
READS = ("scores",)
PLACE = 4
COLUMNS = [f"calib_{level}" for level in CURVE]
TICKS = (0, 0.25, 0.5, 0.75, 1)
NOMINAL = np.array(CURVE) / 100


@style.styled
def draw(inputs: Inputs, options: Mapping[str, Any]) -> Figure:
    """Draw one panel per method and one for all; options: `experiments`, `methods`, `datasets`."""
    rows, notes = data.scores(inputs, options)
    known = rows
    for column in COLUMNS:
        known = data.usable(known, column)
    curves = known.groupby(["method", "dataset"])[COLUMNS].mean()
    wanted = rows["method"] if len(rows) else options.get("methods", labels.PAPER_METHODS)
    methods = labels.in_order(wanted)
    across = 4
    down = -(-(len(methods) + 1) // across)
    figure = style.canvas(height=0.35 + 1.85 * down)
    panels = figure.subplots(down, across, squeeze=False, sharex=True, sharey=True)
    together, *single = panels.flat
    together.set_title("all methods")
    for axes in panels.flat[: len(methods) + 1]:
        axes.plot([0, 1], [0, 1], color=style.INK, lw=0.8, linestyle=(0, (4, 2)))
        axes.set(xlim=(0, 1), ylim=(0, 1), xticks=TICKS, yticks=TICKS, aspect="equal")
    for axes, method in zip(single, methods, strict=False):
        axes.set_title(style.label(method))
        if method not in curves.index:
            style.sentence(axes, f"No scores: {data.why_not(rows, method=method)}.")
            continue
        middle = _panel(axes, pd.DataFrame(curves.loc[method]), method)
        together.plot(NOMINAL, middle, **style.look(method).line)
    for place in range(len(methods) + 1, panels.size):
        panels.flat[place].set_axis_off()
        panels.flat[place - across].tick_params(labelbottom=True)
        panels.flat[place - across].set_xlabel("nominal coverage (share)")
    for axes in panels[-1]:
        axes.set_xlabel("nominal coverage (share)")
    for axes in panels.flat:
        axes.xaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_major_formatter("{x:g}")
    for axes in panels[:, 0]:
        axes.set_ylabel("observed coverage (share)")
    style.legend(figure, (), _handles())
    return style.finish(figure, notes)


def _panel(axes: Axes, curves: pd.DataFrame, method: str) -> Any:
    """Draw every dataset of one method, and their median, which is returned."""
    look = style.look(method)
    axes.plot(NOMINAL, curves.to_numpy().T, color="#b0b0b0", lw=0.5)
    low, middle, high = np.quantile(curves.to_numpy(), (0.25, 0.5, 0.75), axis=0)
    axes.fill_between(NOMINAL, low, high, color=look.colour, alpha=0.25, lw=0)
    axes.plot(NOMINAL, middle, gid=method, **look.line)
    return middle


def _handles() -> list[Any]:
    return [
        Line2D([], [], color=style.INK, lw=0.8, linestyle=(0, (4, 2)), label="perfect"),
        Line2D([], [], color="#b0b0b0", lw=0.5, label="one dataset"),
        Line2D([], [], color=style.LOOKS["rafs"].colour, label="median over datasets"),
        Patch(color=style.LOOKS["rafs"].colour, alpha=0.25, label="half of the datasets"),
    ]
