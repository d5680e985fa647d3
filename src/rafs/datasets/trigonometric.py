"""Trigonometric functions (category T)."""

import math

from rafs.datasets.core import Array, Spec, columns
from rafs.datasets.portable import sin
from rafs.datasets.sampling import draw

__all__ = ["SPECS", "draw"]


def he(x: Array) -> Array:
    """Return x sin x."""
    (x1,) = columns(x, 1)
    return x1 * sin(x1)


def forrester(x: Array) -> Array:
    """Return (6x - 2)^2 sin(12x - 4)."""
    (x1,) = columns(x, 1)
    u = 6.0 * x1 - 2.0
    return u * u * sin(2.0 * u)


def ishigami(x: Array) -> Array:
    """Return sin x1 + a sin^2 x2 + b x3^4 sin x1 with a = 7, b = 0.1."""
    x1, x2, x3 = columns(x, 3)
    sin1, sin2, square3 = sin(x1), sin(x2), x3 * x3
    return sin1 + 7.0 * sin2 * sin2 + 0.1 * square3 * square3 * sin1


def friedman(x: Array) -> Array:
    """Return 10 sin(pi x1 x2) + 20 (x3 - 1/2)^2 + 10 x4 + 5 x5."""
    x1, x2, x3, x4, x5 = columns(x, 5)
    centred = x3 - 0.5
    return 10.0 * sin(math.pi * (x1 * x2)) + 20.0 * centred * centred + 10.0 * x4 + 5.0 * x5


SPECS = (
    Spec(
        name="he",
        title="He et al. 1D",
        category="T",
        features=("x",),
        target="y",
        train=20,
        test=50,
        noise=0.1,
        train_ranges=((-2.0, 2.0),),
        clusters=((-2.0, -0.67), (0.67, 2.0)),
        test_ranges=((-6.0, 6.0),),
        function=he,
        citation="He, Lakshminarayanan and Teh (2020), Bayesian deep ensembles via the neural "
        "tangent kernel, NeurIPS 33",
        doi="10.48550/arXiv.2007.05864",
    ),
    Spec(
        name="forrester",
        title="Forrester et al. 1D",
        category="T",
        features=("x",),
        target="y",
        train=20,
        test=50,
        noise=0.1,
        train_ranges=((0.2, 0.85),),
        clusters=((0.2, 0.4), (0.65, 0.85)),
        test_ranges=((0.0, 1.0),),
        function=forrester,
        citation="Forrester, Sobester and Keane (2008), Engineering design via surrogate "
        "modelling, Wiley",
        doi="10.1002/9780470770801",
    ),
    Spec(
        name="ishigami",
        title="Ishigami 3D",
        category="T",
        features=("x1", "x2", "x3"),
        target="y",
        train=2000,
        test=5000,
        noise=0.1,
        train_ranges=((-math.pi / 2, math.pi / 2),) * 3,
        test_ranges=((-2 * math.pi / 3, 2 * math.pi / 3),) * 3,
        function=ishigami,
        citation="Ishigami and Homma (1990), An importance quantification technique in "
        "uncertainty analysis for computer models, ISUMA '90",
        doi="10.1109/ISUMA.1990.151285",
    ),
    Spec(
        name="friedman",
        title="Friedman 5D",
        category="T",
        features=("x1", "x2", "x3", "x4", "x5"),
        target="y",
        train=200,
        test=500,
        noise=0.1,
        train_ranges=((0.0, 0.5),) * 5,
        test_ranges=((0.0, 1.0),) * 5,
        function=friedman,
        citation="Friedman (1991), Multivariate adaptive regression splines, Annals of "
        "Statistics 19(1)",
        doi="10.1214/aos/1176347963",
    ),
)
