"""The first regression function of Friedman, with its five relevant inputs."""

import math

from rafs.datasets.core import Array, Spec, columns
from rafs.datasets.portable import sin
from rafs.datasets.sampling import draw


def friedman(x: Array) -> Array:
    """Return 10 sin(pi x1 x2) + 20 (x3 - 1/2)^2 + 10 x4 + 5 x5."""
    x1, x2, x3, x4, x5 = columns(x, 5)
    centred = x3 - 0.5
    return 10.0 * sin(math.pi * (x1 * x2)) + 20.0 * centred * centred + 10.0 * x4 + 5.0 * x5


SPEC = Spec(
    name="friedman",
    title="Friedman 5D",
    place=10,
    category="T",
    features=("x1", "x2", "x3", "x4", "x5"),
    target="y",
    train=200,
    test=500,
    noise=0.1,
    train_ranges=((0.0, 0.5),) * 5,
    test_ranges=((0.0, 1.0),) * 5,
    function=friedman,
    draw=draw,
    citation="Friedman (1991), Multivariate adaptive regression splines, Annals of "
    "Statistics 19(1)",
    doi="10.1214/aos/1176347963",
)
