"""The Ishigami function, a test case of sensitivity analysis."""

import math

from rafs.datasets.core import Array, Spec, columns
from rafs.datasets.portable import sin
from rafs.datasets.sampling import draw


def ishigami(x: Array) -> Array:
    """Return sin x1 + a sin^2 x2 + b x3^4 sin x1 with a = 7, b = 0.1."""
    x1, x2, x3 = columns(x, 3)
    sin1, sin2, square3 = sin(x1), sin(x2), x3 * x3
    return sin1 + 7.0 * sin2 * sin2 + 0.1 * square3 * square3 * sin1


SPEC = Spec(
    name="ishigami",
    title="Ishigami 3D",
    place=6,
    category="T",
    features=("x1", "x2", "x3"),
    target="y",
    train=2000,
    test=5000,
    noise=0.1,
    train_ranges=((-math.pi / 2, math.pi / 2),) * 3,
    test_ranges=((-2 * math.pi / 3, 2 * math.pi / 3),) * 3,
    function=ishigami,
    draw=draw,
    citation="Ishigami and Homma (1990), An importance quantification technique in "
    "uncertainty analysis for computer models, ISUMA '90",
    doi="10.1109/ISUMA.1990.151285",
)
