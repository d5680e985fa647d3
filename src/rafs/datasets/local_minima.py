"""Functions with many local minima (category MLM)."""

import math

import numpy as np

from rafs.datasets.core import Array, Spec, columns
from rafs.datasets.portable import cos, exp, product, sin, total
from rafs.datasets.sampling import draw

__all__ = ["SPECS", "draw"]


def schaffer4(x: Array) -> Array:
    """Return 1/2 + (cos^2(sin|x1^2 - x2^2|) - 1/2) / (1 + 0.001 (x1^2 + x2^2))^2."""
    x1, x2 = columns(x, 2)
    square1, square2 = x1 * x1, x2 * x2
    wave = cos(sin(np.abs(square1 - square2)))
    damping = 1.0 + 0.001 * (square1 + square2)
    return 0.5 + (wave * wave - 0.5) / (damping * damping)


def rastrigin(x: Array) -> Array:
    """Return 10 d + sum of x_i^2 - 10 cos(2 pi x_i), with d = 3."""
    return 30.0 + total(xi * xi - 10.0 * cos(2 * math.pi * xi) for xi in columns(x, 3))


def griewank(x: Array) -> Array:
    """Return sum of x_i^2 / 4000 - product of cos(x_i / sqrt i) + 1, with d = 4."""
    inputs = columns(x, 4)
    waves = [cos(xi / math.sqrt(i)) for i, xi in enumerate(inputs, start=1)]
    return total(xi * xi for xi in inputs) / 4000.0 - product(waves) + 1.0


def ackley(x: Array) -> Array:
    """Return -a exp(-b sqrt(mean x^2)) - exp(mean cos(c x)) + a + e: the standard function.

    a = 20, b = 0.2, c = 2 pi and d = 7. The paper prints other signs for the last three terms.
    """
    inputs = columns(x, 7)
    mean_square = total(xi * xi for xi in inputs) / 7.0
    mean_cosine = total(cos(2 * math.pi * xi) for xi in inputs) / 7.0
    return (20.0 - 20.0 * exp(-0.2 * np.sqrt(mean_square))) + (math.e - exp(mean_cosine))


SPECS = (
    Spec(
        name="schaffer4",
        title="Schaffer N.4 2D",
        category="MLM",
        features=("x1", "x2"),
        target="y",
        train=1000,
        test=2500,
        noise=0.1,
        train_ranges=((-2.0, 2.0),) * 2,
        test_ranges=((-2.5, 2.5),) * 2,
        function=schaffer4,
        citation="Mishra (2006), Some new test functions for global optimization and performance "
        "of repulsive particle swarm method, SSRN",
        doi="10.2139/ssrn.926132",
    ),
    Spec(
        name="rastrigin",
        title="Rastrigin 3D",
        category="MLM",
        features=("x1", "x2", "x3"),
        target="y",
        train=200,
        test=500,
        noise=0.1,
        train_ranges=((-5.12, 5.12),) * 3,
        test_ranges=((-5.5, 5.5),) * 3,
        function=rastrigin,
        citation="Rastrigin (1974), Systems of extremal control, Nauka; in d dimensions: Rudolph "
        "(1990), Globale Optimierung mit parallelen Evolutionsstrategien, Dortmund",
    ),
    Spec(
        name="griewank",
        title="Griewank 4D",
        category="MLM",
        features=("x1", "x2", "x3", "x4"),
        target="y",
        train=200,
        test=500,
        noise=0.1,
        train_ranges=((-500.0, 500.0),) * 4,
        test_ranges=((-600.0, 600.0),) * 4,
        function=griewank,
        citation="Griewank (1981), Generalized descent for global optimization, Journal of "
        "Optimization Theory and Applications 34",
        doi="10.1007/BF00933356",
    ),
    Spec(
        name="ackley",
        title="Ackley 7D",
        category="MLM",
        features=("x1", "x2", "x3", "x4", "x5", "x6", "x7"),
        target="y",
        train=400,
        test=1000,
        noise=0.1,
        train_ranges=((-30.0, 30.0),) * 7,
        test_ranges=((-32.768, 32.768),) * 7,
        function=ackley,
        citation="Ackley (1987), A connectionist machine for genetic hillclimbing, Kluwer",
        doi="10.1007/978-1-4613-1997-9",
    ),
)
