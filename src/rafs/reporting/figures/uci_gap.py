"""How much ensembles widen and their error grows in gaps and tails of UCI tables."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from rafs.reporting import labels, style
from rafs.reporting.figures import _data as data
from rafs.reporting.inputs import Inputs
from rafs.reporting.widening import RATIOS, by_table, joined

TITLE = "UCI gap"
CAPTION = (
    "Test rows in a gap (left) and in the tails (right) of the training rows, against training "
    "rows that were held out: the ratio of the root mean predicted variance (filled) and that of "
    "RMSE (open). Small points are UCI tables (medians over the splits with scores), large ones "
    "the medians over tables. An ensemble whose filled marker lies left of its open one widens "
    "less than its error grows."
)
READS = ("scores", "recalibrated")
PLACE = 40
SECTION = "uci"

PANELS = {"uci_gap": "gap", "uci_tail": "tails"}
SHIFT = {"widening": -0.16, "growth": 0.16}


@style.styled
def draw(inputs: Inputs, options: Mapping[str, Any]) -> Figure:
    """Draw one panel per kind of split; options: `experiments`, `methods`, `datasets`."""
    rows, notes = data.scores(inputs, options)
    names = [name for name in dict.fromkeys(rows["experiment"]) if name in PANELS]
    found = {name: _tables(inputs, rows, name) for name in names}
    methods = labels.in_order(name for part in found.values() for name in part["method"])
    figure = style.canvas(height=1.1 + 0.3 * max(4, len(methods)))
    panels = figure.subplots(1, len(PANELS), sharey=True, sharex=True)
    for axes, (name, title) in zip(panels, PANELS.items(), strict=True):
        axes.set_title(title)
        if name not in found or found[name].empty:
            style.sentence(axes, "No run of this kind has held-out rows.")
            continue
        _panel(axes, found[name], methods)
    if methods:
        panels[0].set_yticks(range(len(methods)), [style.label(name) for name in methods])
        panels[0].set_ylim(len(methods) - 0.5, -0.5)
        style.legend(figure, (), _handles())
    return style.finish(figure, notes)


def _tables(inputs: Inputs, rows: pd.DataFrame, experiment: str) -> pd.DataFrame:
    return by_table(joined(inputs, rows[rows["experiment"] == experiment], [experiment]))


def _panel(axes: Axes, found: pd.DataFrame, methods: list[str]) -> None:
    """Draw both ratios of every method."""
    for place, method in enumerate(methods):
        look = style.look(method)
        for name, shift in SHIFT.items():
            values = np.exp(found.loc[found["method"] == method, name].to_numpy(dtype=float))
            if not values.size:
                continue
            y = np.full(values.size, place + shift)
            axes.plot(values, y, "o", ms=2, color=look.colour, alpha=0.35, mew=0)
            point = {
                **look.points,
                "markerfacecolor": look.colour if name == "widening" else "white",
                "markeredgecolor": look.colour,
                "markeredgewidth": 1.0,
            }
            axes.plot(float(np.median(values)), place + shift, lw=0, gid=f"{method}-{name}",
                      **point)  # fmt: skip
    axes.axvline(1.0, color=style.INK, lw=0.8)
    style.log_scale(axes, "x")
    axes.set_xlabel("test rows / held-out rows (ratio)")
    axes.grid(visible=False, axis="y")


def _handles() -> list[Line2D]:
    grey: dict[str, Any] = {"color": style.MUTED, "marker": "o", "ms": 6, "lw": 0}
    names = dict(zip(RATIOS, ("root mean predicted variance", "RMSE"), strict=True))
    return [
        Line2D([], [], label=names["widening"], **grey),
        Line2D([], [], label=names["growth"], mfc="white", **grey),
    ]
