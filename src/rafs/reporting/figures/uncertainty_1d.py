"""Mean and uncertainty of every method on the one-dimensional datasets (the paper's Figure 1)."""

import itertools
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from rafs import datasets, gp
from rafs.methods.ensemble import Scaler
from rafs.reporting import labels, style
from rafs.reporting.figures import _data as data
from rafs.reporting.figures._one_dimension import label_axes, true_function
from rafs.reporting.inputs import Inputs

TITLE = "Uncertainty in 1D"
CAPTION = (
    "Predicted mean (line) and mean ± 2 standard deviations (band) of each method on the "
    "one-dimensional datasets, one seed. Dashed: the true function; dots: training points; grey "
    "lines: mean and ± 2 standard deviations of the analytic NTK Gaussian process of an "
    "infinitely wide network with two erf layers, as a reference. It has inputs and targets "
    "standardised as the methods have, and the prior with the highest marginal likelihood. The "
    "panels of a dataset share their axes, which hold every band whole."
)
READS = ("scores", "predictions", "data")
DATASETS = ("he", "forrester")
DIMENSION = 1
PLACE = 2
COLUMNS = 4  # at most
WEIGHT_SDS = (0.5, 1.0, 1.5, 2.0, 3.0, 5.0)  # candidate priors of the reference
BIAS_SDS = (0.05, 0.1, 0.3, 1.0, 2.0, 3.0, 5.0)
Array = NDArray[np.float64]


@style.styled
def draw(inputs: Inputs, options: Mapping[str, Any]) -> Figure:
    """Draw a block per dataset, a panel per method; options: `datasets`, `methods`, `seed`."""
    names = list(options.get("datasets", DATASETS))
    seed = int(options.get("seed", 0))
    rows, _ = data.scores(inputs, options)
    methods = list(options.get("methods") or labels.with_paper(rows["method"]))
    lines = -(-len(methods) // COLUMNS)
    columns = max(1, -(-len(methods) // max(1, lines)))
    figure = style.canvas(height=0.45 + 1.75 * lines * len(names))
    panels = figure.subplots(lines * len(names), columns, squeeze=False)
    for block, name in enumerate(names):
        part = panels[block * lines : (block + 1) * lines]
        _block(part, inputs, rows, options, name, methods, seed)
    style.legend(figure, (), _handles(), ncols=3)
    return style.finish(figure)


def _block(
    panels: NDArray[Any],
    inputs: Inputs,
    rows: pd.DataFrame,
    options: Mapping[str, Any],
    name: str,
    methods: list[str],
    seed: int,
) -> None:
    """Draw all methods on one dataset."""
    known = inputs.data(name, seed)
    reference = _reference(known) if known is not None else None
    bands: dict[Axes, Array] = {}
    columns = panels.shape[1]
    for place, (axes, method) in enumerate(zip(panels.flat, methods, strict=False)):
        axes.set_title(style.label(method))
        run = None
        for experiment in options["experiments"]:
            run = run or data.predictions(inputs, experiment, method, name, seed)
        if known is None or reference is None or run is None:
            reason = data.why_not(rows, dataset=name, method=method, seed=seed)
            style.sentence(axes, f"No predictions with seed {seed}: {reason}.")
            continue
        bands[axes] = _panel(axes, known, run, method, name, reference)
        left, bottom = place % columns == 0, place + columns >= len(methods)
        label_axes(axes, name)
        axes.set_ylabel(f"{style.title(name)}: {axes.get_ylabel()}" if left else "")
        axes.set_xlabel(axes.get_xlabel() if bottom else "")
        axes.tick_params(labelleft=left, labelbottom=bottom)
    for axes in panels.flat[len(methods) :]:
        axes.set_axis_off()
    if bands:
        limits = _limits(np.concatenate(list(bands.values())), known, name)
        for axes in bands:
            axes.set_ylim(*limits)


def _limits(bands: Array, known: Any, name: str) -> tuple[float, float]:
    """Return limits that contain the true function, the data and all bands."""
    shown = np.concatenate([datasets.function(name)(known.x_test), known.y_train, bands])
    low, high = float(shown.min()), float(shown.max())
    return low - 0.05 * (high - low), high + 0.05 * (high - low)


def _panel(
    axes: Axes,
    known: SimpleNamespace,
    run: dict[str, Array],
    method: str,
    name: str,
    reference: Callable[[Array], tuple[Array, Array]],
) -> Array:
    """Draw one method; return the edges of its band and of the reference."""
    true_function(axes, name, known.x_test[:, 0], zorder=3)
    axes.plot(known.x_train[:, 0], known.y_train, "o", color=style.INK, ms=2.5, zorder=4)
    order = np.argsort(known.x_test[:, 0], kind="stable")
    x, mean = known.x_test[order, 0], run["mean"][order]
    sd = np.sqrt(run["variance"][order])
    colour = style.look(method).colour
    axes.fill_between(x, mean - 2 * sd, mean + 2 * sd, color=colour, alpha=0.3, lw=0, gid="band")
    axes.plot(x, mean, color=colour, lw=1.5, gid="mean")
    grid = np.linspace(x[0], x[-1], 200)
    middle, spread = reference(grid)
    for shift in (-2, 0, 2):
        axes.plot(
            grid,
            middle + shift * spread,
            color=style.MUTED,
            lw=0.9 if shift == 0 else 0.6,
            linestyle=(0, (1, 1.5)) if shift == 0 else "-",
            zorder=1.9,
            gid="reference",
        )
    axes.margins(x=0)
    edges = [middle + shift * spread for shift in (-2, 2)]
    return np.concatenate([mean - 2 * sd, mean + 2 * sd, *edges])


def _reference(known: SimpleNamespace) -> Callable[[Array], tuple[Array, Array]]:
    """Return the analytic NTK GP: a function from inputs to its mean and predictive sd.

    It is fitted in standardised units, as the methods are, and predicts in those of the data.
    """
    x_scale, y_scale = Scaler.fit(known.x_train), Scaler.fit(known.y_train)
    unit = float(y_scale.scale)
    noise = known.noise / unit if known.noise else 0.1
    x, y = x_scale.transform(known.x_train), y_scale.transform(known.y_train)
    process = max(
        (
            gp.posterior(x, y, noise, gp.WideNetwork(weight_sd=weight, bias_sd=bias))
            for weight, bias in itertools.product(WEIGHT_SDS, BIAS_SDS)
        ),
        key=lambda found: found.log_evidence,
    )

    def predict(grid: Array) -> tuple[Array, Array]:
        mean, variance = process.predict(x_scale.transform(grid[:, None]))
        return y_scale.inverse(mean), unit * np.sqrt(variance + noise**2)

    return predict


def _handles() -> list[Any]:
    return [
        Patch(color=style.LOOKS["rafs"].colour, alpha=0.3, label="mean ± 2 sd of the method"),
        Line2D([], [], color=style.LOOKS["rafs"].colour, label="mean (each method its colour)"),
        Line2D([], [], color=style.INK, lw=1.0, linestyle=(0, (4, 2)), label="true function"),
        Line2D([], [], color=style.INK, marker="o", ms=2.5, lw=0, label="training points"),
        Line2D([], [], color=style.MUTED, lw=0.9, linestyle=(0, (1, 1.5)), label="NTK GP, mean"),
        Line2D([], [], color=style.MUTED, lw=0.6, label="NTK GP, ± 2 sd"),
    ]
