"""The picture at the end of a comparison: three scores of every method, seed by seed."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rafs.reporting.figures import style

CAPTION = (
    "Negative log-likelihood, error and coverage of every method: small dots are seeds, large "
    "marks their mean with its 95 % interval. Low is good in the first two; the third should be "
    "0.95. The lowest median NLL, where a diverged run is worse than any score, is at the top."
)
PANELS = {
    "nll_paper": style.METRICS["nll_paper"],
    "rmse": style.METRICS["rmse"],
    "coverage_95": "coverage of the 95 % interval",  # in a third of the width
}


@style.styled
def draw(frame: pd.DataFrame, rows: Sequence[Mapping[str, Any]], title: str) -> Figure:
    """Draw a panel per score and a line per method, in the order of `rows`."""
    figure = style.canvas(height=0.9 + 0.32 * len(rows))
    panels = figure.subplots(1, len(PANELS), sharey=True)
    for axes, (name, label) in zip(panels, PANELS.items(), strict=True):
        _panel(axes, frame, rows, name)
        axes.set_xlabel(label)
    panels[0].set_yticks(range(len(rows)), [style.plain(row["label"]) for row in rows])
    panels[0].set_ylim(len(rows) - 0.5, -0.5)
    panels[0].set_title(style.plain(title))
    lost = [f"{row['label']} {row['diverged']} of {row['runs']}" for row in rows if row["diverged"]]
    return style.finish(figure, [f"Diverged and left out: {', '.join(lost)}."] if lost else [])


def _panel(axes: Axes, frame: pd.DataFrame, rows: Sequence[Mapping[str, Any]], name: str) -> None:
    shown: list[float] = []
    for place, row in enumerate(rows):
        look = style.look(row["method"])
        part = frame[frame["method"] == row["method"]]
        values = part[name].dropna().to_numpy() if name in part else np.empty(0)
        below = np.full(len(values), place + 0.22)
        axes.plot(values, below, ".", color=look.colour, ms=4, alpha=0.6)
        found = row[name]
        if found["mean"] is None:
            continue
        if found["low"] is not None:
            axes.plot([found["low"], found["high"]], [place] * 2, color=look.colour, lw=1.2)
        axes.plot(found["mean"], place, gid=row["method"], **look.points)
        shown += [*values, found["mean"]]
    if name == "coverage_95":
        axes.axvline(0.95, color=style.MUTED, lw=0.8, linestyle=(0, (3, 2)))
    elif style.is_wide(shown):
        style.spread_scale(axes, "x")
    axes.tick_params(axis="y", length=0)
