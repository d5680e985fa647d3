"""The sum of different powers."""

import numpy as np

from rafs.datasets.core import Array, Spec, columns
from rafs.datasets.portable import product, total
from rafs.datasets.sampling import draw


def sum_of_powers(x: Array) -> Array:
    """Return the sum of |x_i|^(i+1), with d = 6; the paper prints a product."""
    return total(product([np.abs(xi)] * (i + 1)) for i, xi in enumerate(columns(x, 6), start=1))


SPEC = Spec(
    name="sum_of_powers",
    title="Sum of powers 6D",
    place=12,
    category="O",
    features=("x1", "x2", "x3", "x4", "x5", "x6"),
    target="y",
    train=200,
    test=500,
    noise=0.1,
    train_ranges=((-0.75, 0.75),) * 6,
    test_ranges=((-1.0, 1.0),) * 6,
    function=sum_of_powers,
    draw=draw,
    citation="Molga and Smutnicki (2005), Test functions for optimization needs",
)
