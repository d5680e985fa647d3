"""NLL against the number k of activation functions to draw from (the paper's Figure 4)."""

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from rafs.reporting.figures._sweep import draw_sweep
from rafs.reporting.inputs import Inputs

CAPTION = (
    "NLL of RAFs with five networks against the cardinality k of the set of activation functions, "
    "in the paper's convention (without ½ ln 2π). Stars: median over seeds; band: 95 % interval "
    "over seeds; dots: the single seeds. Algorithm 1 gives network j the j-th function while there "
    "is one, so that from k = 5 on five networks have the same five."
)
READS = ("scores",)
SWEEP = "activations.k"
PLACE = 8


def draw(inputs: Inputs, options: Mapping[str, Any]) -> Figure:
    """Draw one panel per dataset; options: `experiments`, `datasets`, `methods`, `metric`."""
    datasets = ("superconductivity",)
    return draw_sweep(inputs, options, "cardinality", datasets, "activation functions k (count)")
