"""The epistemic variance that methods predict, against their error."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from rafs.reporting import style
from rafs.reporting.figures import _data as data
from rafs.reporting.inputs import Inputs
from rafs.reporting.why import epistemic

TITLE = "Epistemic"
CAPTION = (
    "Claimed epistemic variance against the expected squared error of the ensemble's mean, over "
    "draws of data and networks, on the synthetic functions: inside (filled) and outside (open) "
    "the training range, a small point per dataset, and the median over datasets. Left: their "
    "ratio; left of the line a method is overconfident. Middle: rank correlation over test points. "
    "Right: the share of squared bias in the error, which no spread of members can show."
)
READS = ("scores", "predictions", "data")
PLACE = 33
SECTION = "why"

PANELS = {
    "ratio": "claimed / actual",
    "correlation": "rank correlation",
    "bias_share": "share of squared bias",
}


@style.styled
def draw(inputs: Inputs, options: Mapping[str, Any]) -> Figure:
    """Draw one panel per measure; options: `experiments`, `methods`, `datasets`."""
    rows, notes = data.scores(inputs, options)
    found = epistemic.table(inputs, rows)
    methods = epistemic.in_order(found)
    figure = style.canvas(height=1.0 + 0.32 * max(4, len(methods)))
    panels = figure.subplots(1, len(PANELS), sharey=True)
    for axes, (measure, words) in zip(panels, PANELS.items(), strict=True):
        if not methods:
            style.sentence(axes, "No method has runs of two seeds with predictions.")
            continue
        _panel(axes, found, methods, measure)
        axes.set_xlabel(words)
        axes.locator_params(axis="x", nbins=5)
    if methods:
        panels[0].set_xscale("log")
        panels[0].xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        panels[0].xaxis.set_minor_formatter(NullFormatter())
        panels[0].axvline(1.0, color=style.INK, lw=0.8)
        panels[0].set_yticks(range(len(methods)), [style.label(name) for name in methods])
        panels[0].set_ylim(len(methods) - 0.5, -0.5)
    return style.finish(figure, notes)


def _panel(axes: Axes, found: pd.DataFrame, methods: list[str], measure: str) -> None:
    for place, method in enumerate(methods):
        look = style.look(method)
        for part, shift in zip(epistemic.PARTS, (-0.16, 0.16), strict=True):
            mine = found[(found["method"] == method) & (found["part"] == part)][measure]
            values = mine[np.isfinite(mine)].to_numpy(dtype=float)
            if measure == "ratio":
                values = values[values > 0]
            if not values.size:
                continue
            y = np.full(values.size, place + shift)
            axes.plot(values, y, "o", ms=2, color=look.colour, alpha=0.35, mew=0)
            inside = part == "inside"
            point = {
                **look.points,
                "markerfacecolor": look.colour if inside else "white",
                "markeredgecolor": look.colour,
                "markeredgewidth": 1.0,
            }
            axes.plot(float(np.median(values)), place + shift, lw=0, gid=f"{method}-{part}",
                      **point)  # fmt: skip
    axes.grid(visible=False, axis="y")
