"""Coverage of raw, scaled and conformal intervals inside and outside the training range."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from rafs.evaluation import statistics
from rafs.evaluation.recalibration import WAYS
from rafs.reporting import labels, recalibrated, style
from rafs.reporting.figures import _data as data
from rafs.reporting.inputs import Inputs

TITLE = "Recalibration"
CAPTION = (
    "Recalibration on held-out training rows: coverage of the 95 % interval inside (left) and "
    "outside (right) the training range, for raw, scaled (one factor on the standard deviation) "
    "and split conformal intervals. Small markers: datasets (medians over the runs with "
    "scores); large markers: their median, with its exact 95 % interval. Dashed: the nominal level."
)
READS = ("scores", "recalibrated")
PLACE = 10
SECTION = "intervals"
STEP = 0.24  # between the kinds of intervals of a method
MARKERS = {"raw": "o", "scaled": "s", "conformal": "D"}


@style.styled
def draw(inputs: Inputs, options: Mapping[str, Any]) -> Figure:
    """Draw a panel per part; options: `experiments`, `methods`, `datasets`."""
    rows, notes = data.scores(inputs, options)
    runs, few = recalibrated.runs_of(inputs, rows)
    found = recalibrated.by_dataset(runs) if len(runs) else pd.DataFrame(columns=["method"])
    notes += labels.few_inside(few)
    methods = labels.in_order(found["method"])
    figure = style.canvas(height=1.0 + 0.5 * max(3, len(methods)))
    left, right = figure.subplots(1, 2, sharex=True)
    for axes, part in ((left, "inside"), (right, "outside")):
        axes.set_title(f"{part} the training range")
        _panel(axes, found, methods, part)
    right.tick_params(axis="y", labelleft=not left.axison)
    style.legend(figure, (), _handles())
    return style.finish(figure, notes)


def _panel(axes: Axes, found: pd.DataFrame, methods: list[str], part: str) -> None:
    """Draw the three ways of every method in one part of the test rows."""
    mine = found[found["part"].eq(part)] if len(found) else found
    if mine.empty:
        style.sentence(axes, f"No run has recalibrated scores {part} of its training range.")
        return
    for place, method in enumerate(methods):
        for k, way in enumerate(WAYS):
            chosen = mine[mine["method"].eq(method) & mine["way"].eq(way)]
            _way(axes, chosen["coverage_95"].to_numpy(), place + STEP * (k - 1), method, way)
    axes.axvline(0.95, color=style.INK, lw=0.8, linestyle=(0, (4, 2)), zorder=1)
    axes.set_yticks(range(len(methods)), [style.label(name) for name in methods])
    axes.set(xlim=(-0.02, 1.02), ylim=(len(methods) - 0.5, -0.5))
    axes.set_xlabel(style.metric_label("coverage_95"))
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")


def _way(axes: Axes, shares: Any, y: float, method: str, way: str) -> None:
    """Draw the datasets of one way, and their median with its interval."""
    if not len(shares):
        return
    colour = style.look(method).colour
    look: dict[str, Any] = {"marker": MARKERS[way], "color": colour, "lw": 0}
    axes.plot(shares, np.full(len(shares), y), ms=2, alpha=0.35, mew=0, **look)
    axes.plot(statistics.median_interval(shares), [y, y], color=colour, lw=1)
    face = "white" if way == "raw" else colour
    axes.plot(np.median(shares), y, ms=5, mfc=face, zorder=4, gid=f"{method}: {way}", **look)


def _handles() -> list[Line2D]:
    look: dict[str, Any] = {"color": style.MUTED, "lw": 0, "ms": 5}
    return [
        Line2D(
            [], [], label=way, marker=MARKERS[way], mfc="white" if way == "raw" else None, **look
        )
        for way in WAYS
    ]
