"""Mean ranks of the methods over datasets, and which do not differ significantly."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rafs.evaluation import statistics
from rafs.reporting import labels, style
from rafs.reporting.figures import _data as data
from rafs.reporting.inputs import Inputs

TITLE = "Critical difference"
CAPTION = (
    "Critical-difference diagrams: mean rank of each method over the datasets (1 is best), ranked "
    "by its median score over seeds; a diverged run counts as the worst. Methods joined by a bar "
    "are not significantly different (Nemenyi test, 5 %); the table `pairwise` tests every two of "
    "them, with more power. Datasets on which a method has no score are left out for all methods, "
    "and named below."
)
READS = ("scores",)
PLACE = 1
METRICS = ("nll", "rmse")


@style.styled
def draw(inputs: Inputs, options: Mapping[str, Any]) -> Figure:
    """Draw one diagram per metric; options: `experiments`, `methods`, `datasets`."""
    rows, notes = data.scores(inputs, options)
    rows = rows[~rows["method"].isin(labels.REFERENCES)]
    methods = max(2, rows["method"].nunique())
    figure = style.canvas(height=(0.95 + 0.26 * -(-methods // 2)) * len(METRICS))
    for axes, metric in zip(figure.subplots(len(METRICS), 1), METRICS, strict=True):
        axes.set_title(labels.metric(metric))
        if rows["method"].nunique() < 2 or metric not in rows:
            style.sentence(axes, "Ranks need at least two methods with scores.")
            continue
        found = statistics.ranking(rows, metric)
        if found.left_out:
            names = ", ".join(labels.dataset(name) for name in labels.in_order(found.left_out))
            notes.append(f"{labels.metric(metric)}: without {names}, where a method has no score.")
        if not found.datasets:
            style.sentence(axes, "There is no dataset on which every method has a score.")
            continue
        axes.set_title(f"{labels.metric(metric)}, {found.datasets} datasets, {verdict(found.p)}")
        diagram(axes, found)
    return style.finish(figure, notes)


def verdict(p: float) -> str:
    """Return the result of Friedman's test over all methods."""
    if np.isnan(p):
        return "no test"
    return f"Friedman p = {p:.2g}" if p >= 1e-4 else "Friedman p < 0.0001"


def diagram(axes: Axes, found: statistics.Ranking) -> None:
    """Draw the line of ranks, a leader to each method's name, and a bar over each group."""
    ranks, distance = found.mean_ranks, found.critical_difference
    names = sorted(ranks, key=lambda name: ranks[name])
    values = [ranks[name] for name in names]
    half = -(-len(names) // 2)
    bars = found.groups
    depth = 0.35 + 0.3 * len(bars)
    axes.set(xlim=(-0.9, len(names) + 1.9), ylim=(-(depth + half) - 0.2, 1.7))
    axes.set_axis_off()
    axes.plot([1, len(names)], [0, 0], color=style.INK, lw=1)
    for tick in range(1, len(names) + 1):
        axes.plot([tick, tick], [0, 0.18], color=style.INK, lw=1)
        axes.text(tick, 0.26, str(tick), ha="center", va="bottom", fontsize=7.5)
    axes.plot([1, 1 + distance], [1.3, 1.3], color=style.MUTED, lw=1.2, marker="|", ms=5)
    axes.text(
        1.08 + distance, 1.3, f"critical difference {distance:.2f}", va="center", fontsize=7.5,
        color=style.MUTED,
    )  # fmt: skip
    for place, (name, value) in enumerate(zip(names, values, strict=True)):
        left = place < half
        level = -(depth + (place if left else len(names) - 1 - place) + 0.4)
        edge = 0.75 if left else len(names) + 0.25
        look = style.look(name)
        axes.plot([value, value, edge], [0, level, level], color=look.colour, lw=1)
        axes.plot(value, 0, clip_on=False, zorder=3, **look.points)
        axes.text(
            edge + (-0.08 if left else 0.08),
            level,
            f"{style.label(name)}  {value:.2f}",
            ha="right" if left else "left",
            va="center",
            gid=name,
        )
    for place, group in enumerate(bars):
        level = -(0.35 + 0.3 * place)
        ends = [ranks[group[0]] - 0.06, ranks[group[-1]] + 0.06]
        axes.plot(ends, [level, level], color=style.INK, lw=3, solid_capstyle="round", gid="bar")
