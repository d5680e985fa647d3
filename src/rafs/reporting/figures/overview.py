"""The headline: the distribution of ranks of each method, and its distance from the best."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rafs.evaluation import statistics
from rafs.reporting import labels, style
from rafs.reporting.figures import _data as data
from rafs.reporting.inputs import Inputs

TITLE = "Overview"
CAPTION = (
    "All methods on all datasets at a glance, by the median over seeds, best mean rank on top. "
    "Left: on which share of the datasets a method takes each place in NLL; beside its name the "
    "mean rank and its 95 % interval (datasets and seeds are resampled). A diverged run is worse "
    "than any score. Right: how much worse its median NLL is than that of the best method on the "
    "same dataset: median (marker), half of the datasets (thick line), nine tenths (thin line)."
)
READS = ("scores",)
PLACE = 0


@style.styled
def draw(inputs: Inputs, options: Mapping[str, Any]) -> Figure:
    """Draw both parts; options: `experiments`, `methods`, `datasets`, `metric`."""
    rows, notes = data.scores(inputs, options)
    rows = rows[~rows["method"].isin(labels.REFERENCES)]
    metric = str(options.get("metric", "nll"))
    table = statistics.medians(rows, metric) if metric in rows and len(rows) else pd.DataFrame()
    complete = table.dropna()
    if len(complete) < len(table):
        out = labels.in_order(str(name) for name in table.index.difference(complete.index))
        names = ", ".join(labels.dataset(name) for name in out)
        notes.append(f"Left out, because a method has no score there: {names}.")
    figure = style.canvas(height=1.0 + 0.32 * max(3, complete.shape[1]))
    left, right = figure.subplots(1, 2, width_ratios=(1.15, 1))
    if len(complete) == 0 or complete.shape[1] < 2:
        style.sentence(left, "A comparison needs two methods with scores on the same data.")
        right.set_axis_off()
        return style.finish(figure, notes)
    ranks = complete.rank(axis=1)
    methods = list(ranks.mean().sort_values(kind="stable").index)
    _places(left, ranks[methods], metric, statistics.rank_intervals(rows, metric))
    best = complete.min(axis=1).replace(np.inf, 0.0)
    _distances(right, complete[methods].sub(best, axis=0), metric)
    return style.finish(figure, notes)


def _places(
    axes: Axes, ranks: pd.DataFrame, metric: str, intervals: Mapping[str, tuple[float, float]]
) -> None:
    """Draw the share of each rank as a bar, from dark to light."""
    count = ranks.shape[1]
    places = np.ceil(ranks.to_numpy()).astype(int)
    shares = np.array([(places == place).mean(axis=0) for place in range(1, count + 1)])
    left = np.zeros(count)
    for place, share in enumerate(shares, start=1):
        strength = 1.0 - 0.82 * (place - 1) / max(1, count - 1)
        for row, method in enumerate(ranks.columns):
            colour = style.look(method).colour
            axes.barh(
                row,
                share[row],
                0.72,
                left=left[row],
                color=colour,
                alpha=strength,
                edgecolor="white",
                linewidth=0.7,
            )
            if share[row] >= 0.07:
                axes.text(
                    left[row] + share[row] / 2,
                    row,
                    str(place),
                    ha="center",
                    va="center",
                    fontsize=7.5,
                    color=style.on(colour, strength),
                )
        left += share
    names = [_name(name, float(ranks[name].mean()), intervals[name]) for name in ranks.columns]
    axes.set_yticks(range(count), names)
    axes.set_ylim(count - 0.45, -0.55)
    axes.set_xlim(0, 1)
    axes.grid(visible=False)
    axes.tick_params(axis="y", length=0)
    axes.set_title(f"Place in {labels.metric(metric)}, and mean rank")
    axes.set_xlabel("share of datasets")


def _name(method: str, rank: float, ends: tuple[float, float]) -> str:
    """Return a method's label, its mean rank and the interval of that."""
    interval = "" if np.isnan(ends[0]) else f" ({ends[0]:.2f}–{ends[1]:.2f})"
    return f"{style.label(method)}\n{rank:.2f}{interval}"


def _distances(axes: Axes, distances: pd.DataFrame, metric: str) -> None:
    """Draw the spread of the distance from the best method; diverged runs are at the far end."""
    finite = distances.to_numpy()[np.isfinite(distances.to_numpy())]
    top = 3 * float(finite.max(initial=1.0))
    for row, method in enumerate(distances.columns):
        look = style.look(method)
        ends = np.quantile(
            distances[method], (0.05, 0.25, 0.5, 0.75, 0.95), method="inverted_cdf"
        ).clip(max=top)
        axes.plot(ends[[0, 4]], [row, row], color=look.colour, lw=1)
        axes.plot(ends[[1, 3]], [row, row], color=look.colour, lw=4, solid_capstyle="butt")
        point = {**look.points, "markersize": look.points["markersize"] + 2}
        axes.plot(ends[2], row, gid=method, **point)
    if style.is_wide(finite):
        style.spread_scale(axes, "x", 0.1 if distances.median().max() < 1 else 1.0)
    axes.set_xlim(left=0)
    axes.set_yticks(range(distances.shape[1]), [""] * distances.shape[1])
    axes.set_ylim(distances.shape[1] - 0.45, -0.55)
    axes.tick_params(axis="y", length=0)
    axes.set_title("Distance from the best method")
    axes.set_xlabel(f"excess {style.metric_label(metric)}")
