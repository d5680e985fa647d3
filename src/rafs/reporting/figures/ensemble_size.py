"""NLL against the number of networks in the ensemble (the paper's Figure 3)."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from matplotlib.figure import Figure

from rafs.engine.activations import PAPER
from rafs.reporting.figures._sweep import draw_sweep
from rafs.reporting.inputs import Inputs

TITLE = "Ensemble size"
CAPTION = (
    "NLL of RAFs against the number of networks in the ensemble, in the paper's convention "
    "(without ½ ln 2π). Stars: median over seeds; band: 95 % interval over seeds; dots: the single "
    "seeds. Below a size: the activation functions that enter with it. Algorithm 1 gives network j "
    "the j-th function of its set; once all are used, further networks draw theirs at random, so "
    "that nothing new enters."
)
READS = ("scores",)
SWEEP = "size"
PLACE = 7


def draw(inputs: Inputs, options: Mapping[str, Any]) -> Figure:
    """Draw one panel per dataset.

    Options: `experiments`, `datasets`, `methods`, `metric`, and `activations`: the set, in order.
    """
    return draw_sweep(
        inputs,
        options,
        {"ensemble_size": "RAFs"},
        ("puma560", "abalone"),
        "networks (count), and the activations that enter",
        below=partial(entering, activations=options.get("activations") or PAPER),
    )


def entering(sizes: Sequence[float], activations: Sequence[str]) -> dict[float, list[str]]:
    """Return the activations that an ensemble of each size adds to the next smaller one.

    >>> entering([2, 3, 10], ["gelu", "tanh", "erf"])
    {2: ['gelu', 'tanh'], 3: ['erf'], 10: []}
    """
    ascending = sorted(sizes)
    return {
        size: list(activations[int(before) : int(size)])
        for before, size in zip([0, *ascending], ascending, strict=False)
    }
