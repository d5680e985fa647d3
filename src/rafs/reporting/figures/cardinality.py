"""NLL against the number k of activation functions to draw from (the paper's Figure 4)."""

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from rafs.reporting.figures._sweep import draw_sweep
from rafs.reporting.inputs import Inputs

TITLE = "Cardinality"
CAPTION = (
    "NLL of RAFs against the cardinality k of the set of activation functions, in the paper's "
    "convention (without ½ ln 2π). Markers: median over seeds; band: 95 % interval over seeds; "
    "dots: the single seeds. Solid: five networks, and the first k functions in the order of the "
    "paper. Algorithm 1 gives network j the j-th function while there is one, so that the runs are "
    "the same from k = 5 on. Dashed: seven networks, and an order that is shuffled for every seed, "
    "so that k does not stand for certain functions and all k differ."
)
READS = ("scores",)
SWEEP = "activations.k"
PLACE = 8
TITLES = {
    "cardinality": "5 networks, fixed order",
    "cardinality_shuffled": "7 networks, shuffled order",
}


def draw(inputs: Inputs, options: Mapping[str, Any]) -> Figure:
    """Draw one panel per dataset; options: `experiments`, `datasets`, `methods`, `metric`."""
    datasets = ("superconductivity",)
    return draw_sweep(inputs, options, TITLES, datasets, "activation functions k (count)")
