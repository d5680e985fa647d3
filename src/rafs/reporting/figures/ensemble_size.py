"""NLL against the number of networks in the ensemble (the paper's Figure 3)."""

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from rafs.reporting.figures._sweep import draw_sweep
from rafs.reporting.inputs import Inputs

CAPTION = (
    "NLL of RAFs against the number of networks in the ensemble, in the paper's convention "
    "(without ½ ln 2π). Stars: median over seeds; band: 95 % interval over seeds; dots: the single "
    "seeds."
)
READS = ("scores",)
SWEEP = "size"
PLACE = 7


def draw(inputs: Inputs, options: Mapping[str, Any]) -> Figure:
    """Draw one panel per dataset; options: `experiments`, `datasets`, `methods`, `metric`."""
    datasets = ("puma560", "abalone")
    return draw_sweep(
        inputs, options, "ensemble_size", datasets, "networks in the ensemble (count)"
    )
