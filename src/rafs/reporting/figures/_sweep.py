"""Shared code of the two ablations: a score against a swept setting, with intervals over seeds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from rafs.evaluation.metrics import PAPER_NLL
from rafs.reporting import labels, style
from rafs.reporting.figures import _data as data
from rafs.reporting.inputs import Inputs
from rafs.reporting.judgement.sweeps import value_of, without_repeats
from rafs.reporting.table import bases

Below = Callable[[Sequence[float]], Mapping[float, Sequence[str]]]
OTHER = (3.0, 1.5)  # dashes of the curves of every experiment but the first
SMALL = 6.8  # points: tick labels with words


@style.styled
def draw_sweep(
    inputs: Inputs,
    options: Mapping[str, Any],
    titles: Mapping[str, str],
    datasets: tuple[str, ...],
    xlabel: str,
    below: Below | None = None,
) -> Figure:
    """Draw one panel per dataset; options: `experiments`, `datasets`, `methods`, `metric`.

    Each experiment has its own curve; `titles` are their names in the legend. Values at the end of
    the sweep that repeat the runs of a smaller one share its place.
    `below` gives lines to print under the swept values, on a logarithmic axis.
    """
    metric = str(options.get("metric", PAPER_NLL))
    rows, notes = data.scores(inputs, options)
    names = list(options.get("datasets", labels.in_order(rows["dataset"]) or datasets))
    known = data.usable(rows, metric)
    room = 0.35 if below else 0.3 * (len(titles) > 1)
    figure = style.canvas(style.WIDTH if len(names) > 1 else 0.6 * style.WIDTH, 2.7 + room)
    panels = figure.subplots(1, len(names), squeeze=False)[0]
    order = list(options["experiments"])
    for axes, name in zip(panels, names, strict=True):
        axes.set_title(style.title(name))
        here = known[known["dataset"] == name]
        if here.empty:
            style.sentence(axes, f"No scores: {data.why_not(rows, dataset=name)}.")
            continue
        _panel(axes, here, metric, order, below)
        axes.set_xlabel(xlabel)
        axes.set_ylabel(style.metric_label(metric))
    _legend(figure, known, order, titles)
    return style.finish(figure, notes)


def _legend(
    figure: Figure, known: pd.DataFrame, order: Sequence[str], names: Mapping[str, str]
) -> None:
    """Add a legend of the curves if there is more than one."""
    methods = labels.in_order(bases(known))
    if len(order) < 2:
        style.legend(figure, methods if len(methods) > 1 else ())
        return
    present = [name for name in order if name in set(known["experiment"])]
    handles = [
        Line2D([], [], label=_title(base, names.get(name, name), len(methods)), **look.line)
        for base in methods
        for name in present
        for look in [_look(base, order.index(name))]
    ]
    style.legend(figure, (), handles)


def _title(base: str, experiment: str, methods: int) -> str:
    return f"{style.label(base)}, {experiment}" if methods > 1 else style.plain(experiment)


def _look(base: str, place: int) -> style.Look:
    """Return the look of a method: dashed with open markers except in the first experiment."""
    look = style.look(base)
    return replace(look, dashes=OTHER, filled=False) if place else look


def _panel(
    axes: Axes, rows: pd.DataFrame, metric: str, order: Sequence[str], below: Below | None
) -> None:
    """Draw median and interval of every curve against the swept value, and the single seeds."""
    rows = rows.assign(base=bases(rows), value=rows["method"].map(value_of))
    curves = [
        (base, place, part)
        for base in labels.in_order(rows["base"])
        for place, experiment in enumerate(order)
        if len(part := rows[(rows["base"] == base) & (rows["experiment"] == experiment)])
    ]
    distinct = [_distinct(part, metric) for _, _, part in curves]
    last = max(values[-1] for values in distinct)
    for (base, place, part), values in zip(curves, distinct, strict=True):
        _curve(axes, part, metric, base, _look(base, place), values, last)
    _ticks(axes, sorted(rows["value"].unique()), last, below)
    if style.is_wide(rows[metric]):
        style.spread_scale(axes, "y")


def _distinct(rows: pd.DataFrame, metric: str) -> list[float]:
    """Return the swept values of one curve, ascending, without those that repeat its runs."""
    wide = rows.pivot_table(index="seed", columns="value", values=metric).sort_index(axis=1)
    return [float(value) for value in without_repeats(wide)]


def _curve(
    axes: Axes,
    rows: pd.DataFrame,
    metric: str,
    base: str,
    look: style.Look,
    values: list[float],
    last: float,
) -> None:
    """Draw one curve, and a dotted line to the last value from where its runs no longer change."""
    rows = rows[rows["value"].isin(values)]
    each = [data.interval(rows.loc[rows["value"] == value, metric]) for value in values]
    middle, low, high = np.array(each).T
    axes.plot(rows["value"], rows[metric], "o", ms=2, color=look.colour, alpha=0.35, mew=0)
    strength = 0.2 if look.filled else 0.1
    axes.fill_between(values, low, high, color=look.colour, alpha=strength, lw=0)
    axes.plot(values, middle, gid=base, **look.line)
    if last > values[-1]:
        ends = [values[-1], last]
        axes.plot(ends, [middle[-1]] * 2, color=look.colour, ls=":", lw=1.2, gid="same runs")


def _ticks(axes: Axes, values: Sequence[float], last: float, below: Below | None) -> None:
    """Label the swept values; the last distinct one also stands for those after it."""
    shown = [value for value in values if value <= last]
    names = [f"{value:g}" for value in shown[:-1]]
    names.append(", ".join(f"{value:g}" for value in values if value >= last))
    if below:
        axes.set_xscale("log")
        axes.tick_params(axis="x", labelsize=SMALL)
        lines = below(shown)
        names = ["\n".join([name, *lines[x]]) for x, name in zip(shown, names, strict=True)]
    axes.set_xticks(shown, names)
    axes.set_xticks([], minor=True)
