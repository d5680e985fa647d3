"""Griewank's function: many local minima in four dimensions."""

import math

from rafs.datasets.core import Array, Spec, columns
from rafs.datasets.portable import cos, product, total
from rafs.datasets.sampling import draw


def griewank(x: Array) -> Array:
    """Return sum of x_i^2 / 4000 - product of cos(x_i / sqrt i) + 1, with d = 4."""
    inputs = columns(x, 4)
    waves = [cos(xi / math.sqrt(i)) for i, xi in enumerate(inputs, start=1)]
    return total(xi * xi for xi in inputs) / 4000.0 - product(waves) + 1.0


SPEC = Spec(
    name="griewank",
    title="Griewank 4D",
    place=8,
    category="MLM",
    features=("x1", "x2", "x3", "x4"),
    target="y",
    train=200,
    test=500,
    noise=0.1,
    train_ranges=((-500.0, 500.0),) * 4,
    test_ranges=((-600.0, 600.0),) * 4,
    function=griewank,
    draw=draw,
    citation="Griewank (1981), Generalized descent for global optimization, Journal of "
    "Optimization Theory and Applications 34",
    doi="10.1007/BF00933356",
)
