"""Rastrigin's function: a grid of local minima in three dimensions."""

import math

from rafs.datasets.core import Array, Spec, columns
from rafs.datasets.portable import cos, total
from rafs.datasets.sampling import draw


def rastrigin(x: Array) -> Array:
    """Return 10 d + sum of x_i^2 - 10 cos(2 pi x_i), with d = 3."""
    return 30.0 + total(xi * xi - 10.0 * cos(2 * math.pi * xi) for xi in columns(x, 3))


SPEC = Spec(
    name="rastrigin",
    title="Rastrigin 3D",
    place=5,
    category="MLM",
    features=("x1", "x2", "x3"),
    target="y",
    train=200,
    test=500,
    noise=0.1,
    train_ranges=((-5.12, 5.12),) * 3,
    test_ranges=((-5.5, 5.5),) * 3,
    function=rastrigin,
    draw=draw,
    citation="Rastrigin (1974), Systems of extremal control, Nauka; in d dimensions: Rudolph "
    "(1990), Globale Optimierung mit parallelen Evolutionsstrategien, Dortmund",
)
