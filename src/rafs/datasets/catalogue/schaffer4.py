"""Schaffer's function number 4: many local minima in two dimensions."""

import numpy as np

from rafs.datasets.core import Array, Spec, columns
from rafs.datasets.portable import cos, sin
from rafs.datasets.sampling import draw


def schaffer4(x: Array) -> Array:
    """Return 1/2 + (cos^2(sin|x1^2 - x2^2|) - 1/2) / (1 + 0.001 (x1^2 + x2^2))^2."""
    x1, x2 = columns(x, 2)
    square1, square2 = x1 * x1, x2 * x2
    wave = cos(sin(np.abs(square1 - square2)))
    damping = 1.0 + 0.001 * (square1 + square2)
    return 0.5 + (wave * wave - 0.5) / (damping * damping)


SPEC = Spec(
    name="schaffer4",
    title="Schaffer N.4 2D",
    place=3,
    category="MLM",
    features=("x1", "x2"),
    target="y",
    train=1000,
    test=2500,
    noise=0.1,
    train_ranges=((-2.0, 2.0),) * 2,
    test_ranges=((-2.5, 2.5),) * 2,
    function=schaffer4,
    draw=draw,
    citation="Mishra (2006), Some new test functions for global optimization and performance "
    "of repulsive particle swarm method, SSRN",
    doi="10.2139/ssrn.926132",
)
