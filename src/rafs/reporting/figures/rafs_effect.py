"""The effect of random activations on every method and dataset: a heat map."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, SymLogNorm
from matplotlib.figure import Figure

from rafs.evaluation import statistics
from rafs.reporting import labels, style
from rafs.reporting.figures import _data as data
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import compact
from rafs.reporting.random_activations import pairs

TITLE = "RAFs effect"
CAPTION = (
    "Change in NLL (nats per example) when the members of a method get random activations instead "
    "of one, on the same seeds: Hodges-Lehmann estimate of the paired differences, which a few "
    "exploding seeds do not move. Blue and a minus: random activations help; orange and a plus: "
    "they harm. Bold: the 95 % interval over seeds does not contain zero; star: significant also "
    "after Holm's correction over the datasets. The tests are paired and weigh how consistent a "
    "change is, so that a smaller one may be bold where a larger one is not. AE + RAFs "
    "is the paper's RAFs Ensemble. Beyond the ends of the colour bar the colour stays the same. "
    "Last row: median over datasets."
)
READS = ("scores",)
PLACE = 6
COLOURS = LinearSegmentedColormap.from_list(
    "rafs", ["#004c78", "#0072B2", "#9ecae1", "#ffffff", "#f7c59f", "#D55E00", "#8f3f00"]
)


@style.styled
def draw(inputs: Inputs, options: Mapping[str, Any]) -> Figure:
    """Draw the heat map; options: `experiments`, `datasets`, `metric`."""
    rows, notes = data.scores(inputs, options)
    metric = str(options.get("metric", "nll"))
    changes = effects(rows, metric)
    figure = style.canvas(height=1.0 + 0.21 * max(4, changes["dataset"].nunique() + 1))
    axes = figure.subplots()
    if changes.empty:
        style.sentence(axes, "No method was run both with and without random activations.")
        return style.finish(figure, notes)
    _map(figure, axes, changes, metric)
    return style.finish(figure, notes)


def effects(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the paired comparison of every method with and without random activations."""
    methods = labels.in_order(rows["method"]) if metric in rows else []
    found = [
        statistics.compare(rows, metric, other, method).assign(method=method)
        for method, other in pairs(methods).items()
    ]
    if not found:
        return pd.DataFrame(columns=["method", "dataset", "difference", "outcome"])
    return pd.concat(found, ignore_index=True)


def _map(figure: Figure, axes: Axes, changes: pd.DataFrame, metric: str) -> None:
    """Draw a coloured cell with its number for every change, and the medians below."""
    datasets = labels.in_order(changes["dataset"])
    methods = labels.in_order(changes["method"])
    values = np.full((len(datasets) + 1, len(methods)), np.nan)
    words = np.full(values.shape, "–", dtype=object)
    sure = np.zeros(values.shape, dtype=bool)
    cell: Any
    for cell in changes.itertuples():
        place = datasets.index(cell.dataset), methods.index(cell.method)
        values[place] = cell.difference
        sure[place] = cell.low > 0 or cell.high < 0
        star = "*" if cell.outcome in ("win", "loss") else ""
        words[place] = compact(cell.difference, signed=True) + star
    for column in range(len(methods)):
        known = values[:-1, column][~np.isnan(values[:-1, column])]
        values[-1, column] = np.median(known) if known.size else np.nan
        words[-1, column] = compact(values[-1, column], signed=True)
    sizes = np.abs(values[np.isfinite(values)])
    limit = float(np.clip(np.quantile(sizes, 0.9), 1.0, 1e3)) if sizes.size else 1.0
    norm = SymLogNorm(linthresh=0.1, linscale=0.5, vmin=-limit, vmax=limit)
    shown = np.ma.masked_array(values.clip(-limit, limit), np.isnan(values))
    image = axes.pcolormesh(shown, cmap=COLOURS, norm=norm, edgecolor="white", linewidth=0.6)
    axes.invert_yaxis()
    for (row, column), word in np.ndenumerate(words):
        cell_colour = "white" if word == "–" else COLOURS(norm(shown[row, column]))
        axes.text(
            column + 0.5,
            row + 0.5,
            word,
            ha="center",
            va="center",
            fontsize=7.5,
            fontweight="bold" if sure[row, column] else "normal",
            color=style.on(cell_colour),
        )
    axes.set_yticks(np.arange(len(datasets) + 1) + 0.5, [*map(style.title, datasets), "median"])
    axes.set_xticks(
        np.arange(len(methods)) + 0.5, [f"{style.label(name)}\n+ RAFs" for name in methods]
    )
    axes.tick_params(length=0, top=True, bottom=False, labeltop=True, labelbottom=False)
    axes.spines[:].set_visible(False)
    axes.grid(visible=False)
    axes.axhline(len(datasets), color=style.INK, lw=1)
    bar = figure.colorbar(image, ax=axes, extend="both", aspect=40, pad=0.02)
    ends = sorted({limit, *(10.0**e for e in range(-1, 4) if 10.0**e < 0.6 * limit)})
    bar.set_ticks([*(-v for v in reversed(ends)), 0, *ends])
    bar.ax.yaxis.set_major_formatter(lambda value, _: compact(value, signed=True))
    bar.ax.minorticks_off()
    bar.set_label(f"change in {style.metric_label(metric)}")
    bar.ax.spines[:].set_visible(False)
