"""The headline: how often each method comes first, second ..., and how far it is from the best."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rafs import statistics
from rafs.reporting import labels
from rafs.reporting.figures import data, style
from rafs.reporting.inputs import Inputs

CAPTION = (
    "All methods on all datasets and seeds at a glance, best mean rank on top. Left: how often a "
    "method takes each place in NLL among the methods of the same dataset and seed; beside its "
    "name the mean rank and its 95 % interval (bootstrap of seeds within datasets). A diverged "
    "run takes the last place. Right: how much worse its NLL is than that of the best method on "
    "the same dataset and seed: median (marker), half of all runs (thick line), nine tenths (thin "
    "line)."
)


@style.styled
def draw(inputs: Inputs, options: Mapping[str, Any]) -> Figure:
    """Draw both parts; options: `experiments`, `methods`, `datasets`, `metric`."""
    rows, notes = data.scores(inputs, options)
    metric = str(options.get("metric", "nll"))
    wide = statistics.wide(rows, metric) if metric in rows else pd.DataFrame()
    complete = wide.dropna()
    if len(complete) < len(wide):
        notes.append(
            f"Compared where every method has a score: {len(complete)} of {len(wide)} "
            "pairs of dataset and seed."
        )
    figure = style.canvas(height=1.0 + 0.32 * max(3, complete.shape[1]))
    left, right = figure.subplots(1, 2, width_ratios=(1.15, 1))
    if len(complete) == 0 or complete.shape[1] < 2:
        style.sentence(left, "A comparison needs two methods with scores on the same data.")
        right.set_axis_off()
        return style.finish(figure, notes)
    ranks = complete.rank(axis=1)
    methods = list(ranks.mean().sort_values(kind="stable").index)
    _places(left, ranks[methods], metric)
    best = complete.min(axis=1).replace(np.inf, 0.0)
    _distances(right, complete[methods].sub(best, axis=0), metric)
    return style.finish(figure, notes)


def _places(axes: Axes, ranks: pd.DataFrame, metric: str) -> None:
    """Draw the share of each place as a bar that goes from strong to pale."""
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
    axes.set_yticks(range(count), [_name(method, ranks[method]) for method in ranks.columns])
    axes.set_ylim(count - 0.45, -0.55)
    axes.set_xlim(0, 1)
    axes.grid(visible=False)
    axes.tick_params(axis="y", length=0)
    axes.set_title(f"Place in {labels.metric(metric)}, and mean rank")
    axes.set_xlabel("share of datasets × seeds")


def _name(method: str, ranks: pd.Series) -> str:
    """Return a method's label, its mean rank and the interval of that."""
    strata = [part.to_numpy() for _, part in ranks.groupby(level="dataset")]
    low, high = statistics.bootstrap(strata, lambda draws: draws.mean(axis=1))
    interval = "" if np.isnan(low) else f" ({low:.2f}–{high:.2f})"
    return f"{style.label(method)}\n{ranks.mean():.2f}{interval}"


def _distances(axes: Axes, distances: pd.DataFrame, metric: str) -> None:
    """Draw the spread of the distance from the best method; what diverged is at the far end."""
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
