"""The product function of Roos and Arnold."""

import numpy as np

from rafs.datasets.core import Array, Spec, columns
from rafs.datasets.portable import product
from rafs.datasets.sampling import draw


def roos_arnold(x: Array) -> Array:
    """Return the product of |4 x_i - 2|, with d = 5."""
    return product(np.abs(4.0 * xi - 2.0) for xi in columns(x, 5))


SPEC = Spec(
    name="roos_arnold",
    title="Roos & Arnold 5D",
    place=9,
    category="O",
    features=("x1", "x2", "x3", "x4", "x5"),
    target="y",
    train=200,
    test=500,
    noise=0.1,
    train_ranges=((0.0, 0.8),) * 5,
    test_ranges=((0.0, 1.0),) * 5,
    function=roos_arnold,
    draw=draw,
    citation="Roos and Arnold (1963), Numerische Experimente zur mehrdimensionalen Quadratur, "
    "Springer, Vienna",
)
