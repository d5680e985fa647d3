"""What the two ablations share: a score against a swept setting, with its interval over seeds."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rafs.reporting import labels, style
from rafs.reporting.figures import _data as data
from rafs.reporting.inputs import Inputs


@style.styled
def draw_sweep(
    inputs: Inputs,
    options: Mapping[str, Any],
    experiment: str,
    datasets: tuple[str, ...],
    xlabel: str,
) -> Figure:
    """Draw one panel per dataset; options: `experiments`, `datasets`, `methods`, `metric`."""
    metric = str(options.get("metric", "nll_paper"))
    rows, notes = data.scores(inputs, options, (experiment,))
    names = list(options.get("datasets", labels.in_order(rows["dataset"]) or datasets))
    known = data.usable(rows, metric)
    figure = style.canvas(style.WIDTH if len(names) > 1 else 0.6 * style.WIDTH, 2.7)
    panels = figure.subplots(1, len(names), squeeze=False)[0]
    for axes, name in zip(panels, names, strict=True):
        axes.set_title(style.title(name))
        here = known[known["dataset"] == name]
        if here.empty:
            style.sentence(axes, f"No scores: {data.why_not(rows, dataset=name)}.")
            continue
        _panel(axes, here, metric)
        axes.set_xlabel(xlabel)
        axes.set_ylabel(style.metric_label(metric))
    bases = labels.in_order(data.bases(known))
    if len(bases) > 1:
        style.legend(figure, bases)
    return style.finish(figure, notes)


def _panel(axes: Axes, rows: pd.DataFrame, metric: str) -> None:
    """Draw median and interval of every method against the swept value, and the single seeds."""
    rows = rows.assign(
        base=data.bases(rows),
        value=[float(str(name).rpartition("=")[2] or "nan") for name in rows["method"]],
    ).dropna(subset="value")
    for base in labels.in_order(rows["base"]):
        look = style.look(base)
        mine = rows[rows["base"] == base]
        x = sorted(mine["value"].unique())
        each = [data.interval(mine.loc[mine["value"] == value, metric]) for value in x]
        middle, low, high = np.array(each).T
        axes.plot(mine["value"], mine[metric], "o", ms=2, color=look.colour, alpha=0.35, mew=0)
        axes.fill_between(x, low, high, color=look.colour, alpha=0.2, lw=0)
        axes.plot(x, middle, gid=base, **look.line)
    axes.set_xticks(sorted(rows["value"].unique()))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    if style.is_wide(rows[metric]):
        style.spread_scale(axes, "y")
