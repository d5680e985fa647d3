"""Ackley's function: many local minima in seven dimensions."""

import math

import numpy as np

from rafs.datasets.core import Array, Spec, columns
from rafs.datasets.portable import cos, exp, total
from rafs.datasets.sampling import draw


def ackley(x: Array) -> Array:
    """Return -a exp(-b sqrt(mean x^2)) - exp(mean cos(c x)) + a + e: the standard function.

    a = 20, b = 0.2, c = 2 pi and d = 7. The paper prints other signs for the last three terms.
    """
    inputs = columns(x, 7)
    mean_square = total(xi * xi for xi in inputs) / 7.0
    mean_cosine = total(cos(2 * math.pi * xi) for xi in inputs) / 7.0
    return (20.0 - 20.0 * exp(-0.2 * np.sqrt(mean_square))) + (math.e - exp(mean_cosine))


SPEC = Spec(
    name="ackley",
    title="Ackley 7D",
    place=13,
    category="MLM",
    features=("x1", "x2", "x3", "x4", "x5", "x6", "x7"),
    target="y",
    train=400,
    test=1000,
    noise=0.1,
    train_ranges=((-30.0, 30.0),) * 7,
    test_ranges=((-32.768, 32.768),) * 7,
    function=ackley,
    draw=draw,
    citation="Ackley (1987), A connectionist machine for genetic hillclimbing, Kluwer",
    doi="10.1007/978-1-4613-1997-9",
)
