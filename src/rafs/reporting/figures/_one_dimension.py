"""What the figures of one-dimensional datasets share: the true function, and the axes."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from rafs import datasets
from rafs.reporting import style


def true_function(
    axes: Axes, name: str, x: NDArray[np.float64], **options: Any
) -> NDArray[np.float64]:
    """Draw the noise-free function over the range of x, dashed; return its values."""
    grid = np.linspace(x.min(), x.max(), 400)
    values = np.asarray(datasets.function(name)(grid[:, None]))
    axes.plot(
        grid,
        values,
        color=style.INK,
        linestyle=(0, (4, 2)),
        lw=1.0,
        label="true function",
        **options,
    )
    return values


def label_axes(axes: Axes, name: str) -> None:
    """Name the axes of a one-dimensional dataset, with units where there are any."""
    spec = datasets.spec(name)
    units = (*spec.units, "")[0]
    axes.set_xlabel(style.plain(f"x ({units})" if units else "x"))
    axes.set_ylabel(style.plain(f"y ({spec.target_unit})" if spec.target_unit else "y"))
