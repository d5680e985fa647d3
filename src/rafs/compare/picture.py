"""The figure of a comparison: three scores of every method, seed by seed."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rafs.compare.outcome import losses, lost
from rafs.evaluation.metrics import COMPARE, Metric, shown
from rafs.reporting import style

CAPTION = (
    "Negative log-likelihood, error and coverage of every method: small dots are seeds, large "
    "marks their median, from six seeds on with its 95 % interval. Low is good in the first two; "
    "the third should be 0.95. The lowest median NLL, where a run that diverged or failed is "
    "worse than any score, is at the top."
)
PANELS = [metric for metric in shown(COMPARE) if metric.name != "crps"]  # the table has it


@style.styled
def draw(frame: pd.DataFrame, rows: Sequence[Mapping[str, Any]], title: str) -> Figure:
    """Draw a panel per score and a line per method, in the order of `rows`."""
    longest = max(len(row["label"]) for row in rows)
    figure = style.canvas(style.WIDTH + 0.08 * max(0, longest - 15), 0.9 + 0.32 * len(rows))
    panels = figure.subplots(1, len(PANELS), sharey=True)
    for axes, metric in zip(panels, PANELS, strict=True):
        _panel(axes, frame, rows, metric)
        # a third of the width is too narrow for the unit of a coverage
        axes.set_xlabel(metric.axis if metric.nominal is None else metric.title)
    panels[0].set_yticks(range(len(rows)), [style.plain(row["label"]) for row in rows])
    panels[0].set_ylim(len(rows) - 0.5, -0.5)
    panels[0].set_title(style.plain(title))
    left_out = [f"{row['label']} {losses(row)}" for row in rows if lost(row)]
    return style.finish(figure, [f"Left out: {'; '.join(left_out)}."] if left_out else [])


def _panel(
    axes: Axes, frame: pd.DataFrame, rows: Sequence[Mapping[str, Any]], metric: Metric
) -> None:
    name = metric.name
    drawn: list[float] = []
    for place, row in enumerate(rows):
        look = style.look(row["method"])
        part = frame[frame["method"] == row["method"]]
        values = part[name].dropna().to_numpy() if name in part else np.empty(0)
        if not len(values):
            continue
        below = np.full(len(values), place + 0.22)
        axes.plot(values, below, ".", color=look.colour, ms=4, alpha=0.6, clip_on=False)
        found = row[name]
        if found["median"] is None:
            continue
        if found["low"] is not None and found["high"] is not None:
            axes.plot([found["low"], found["high"]], [place] * 2, color=look.colour, lw=1.2)
        axes.plot(found["median"], place, gid=row["method"], clip_on=False, **look.points)
        drawn += [*values, found["median"]]
    if metric.nominal is not None:
        axes.axvline(metric.nominal, color=style.MUTED, lw=0.8, linestyle=(0, (3, 2)))
        axes.set_xlim(right=1.0)
    elif style.is_wide(drawn):
        style.spread_scale(axes, "x")
    axes.tick_params(axis="y", length=0)
