"""The training points of the two one-dimensional datasets (the paper's appendix, Figure 6)."""

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from rafs import datasets
from rafs.reporting import style
from rafs.reporting.figures._one_dimension import label_axes, true_function
from rafs.reporting.inputs import Inputs

TITLE = "Training points in 1D"
CAPTION = (
    "Training points (dots) of the two one-dimensional datasets and the function that generated "
    "them (dashed). Grey: the ranges that training points are drawn from; everything else on the "
    "axis is out of distribution."
)
READS = ("data",)
DATASETS = ("he", "forrester")
DIMENSION = 1
PLACE = 9


@style.styled
def draw(inputs: Inputs, options: Mapping[str, Any]) -> Figure:
    """Draw one panel per dataset; options: `datasets`, `seed`."""
    names = list(options.get("datasets", DATASETS))
    figure = style.canvas(height=2.5)
    for axes, name in zip(figure.subplots(1, len(names), squeeze=False)[0], names, strict=True):
        data = inputs.data(name, int(options.get("seed", 0)))
        axes.set_title(style.title(name))
        if data is None:
            style.sentence(axes, f"There are no data of {name} for this seed.")
            continue
        spec = datasets.spec(name)
        for low, high in spec.clusters or spec.train_ranges:
            axes.axvspan(low, high, color=style.FAINT, alpha=0.5, lw=0)
        true_function(axes, name, data.x_test[:, 0])
        axes.plot(
            data.x_train[:, 0], data.y_train, "o", color=style.INK, ms=3.5, label="training points"
        )
        label_axes(axes, name)
    if axes.lines:
        axes.legend(loc="best")
    return style.finish(figure)
