"""Rational, product and polynomial functions (category O)."""

import numpy as np

from rafs.datasets.core import Array, Spec, columns
from rafs.datasets.portable import product, total
from rafs.datasets.sampling import draw

__all__ = ["SPECS", "draw"]


def roos_arnold(x: Array) -> Array:
    """Return the product of |4 x_i - 2|, with d = 5."""
    return product(np.abs(4.0 * xi - 2.0) for xi in columns(x, 5))


def sum_of_powers(x: Array) -> Array:
    """Return the sum of |x_i|^(i+1), with d = 6; the paper prints a product."""
    return total(product([np.abs(xi)] * (i + 1)) for i, xi in enumerate(columns(x, 6), start=1))


def styblinski_tang(x: Array) -> Array:
    """Return half the sum of x_i^4 - 16 x_i^2 + 5 x_i, with d = 9."""
    squares = ((xi, xi * xi) for xi in columns(x, 9))
    return 0.5 * total(square * square - 16.0 * square + 5.0 * xi for xi, square in squares)


def welch(x: Array) -> Array:
    """Return the function of Welch et al. as the paper adapts it to ten inputs."""
    x1, x2, x3, x4, x5, x6, x7, x8, x9, x10 = columns(x, 10)
    difference = x4 - x2
    return (
        5.0 * x10 / (1.001 + x1)
        + 5.0 * difference * difference
        + x5
        + 40.0 * x9 * x9 * x9
        - 5.0 * x1
        + 0.08 * x3
        + 0.25 * x6 * x6
        + 0.03 * x7
        - 0.09 * x8
    )


SPECS = (
    Spec(
        name="roos_arnold",
        title="Roos & Arnold 5D",
        category="O",
        features=("x1", "x2", "x3", "x4", "x5"),
        target="y",
        train=200,
        test=500,
        noise=0.1,
        train_ranges=((0.0, 0.8),) * 5,
        test_ranges=((0.0, 1.0),) * 5,
        function=roos_arnold,
        citation="Roos and Arnold (1963), Numerische Experimente zur mehrdimensionalen Quadratur, "
        "Springer, Vienna",
    ),
    Spec(
        name="sum_of_powers",
        title="Sum of powers 6D",
        category="O",
        features=("x1", "x2", "x3", "x4", "x5", "x6"),
        target="y",
        train=200,
        test=500,
        noise=0.1,
        train_ranges=((-0.75, 0.75),) * 6,
        test_ranges=((-1.0, 1.0),) * 6,
        function=sum_of_powers,
        citation="Molga and Smutnicki (2005), Test functions for optimization needs",
    ),
    Spec(
        name="styblinski_tang",
        title="Styblinski-Tang 9D",
        category="O",
        features=("x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9"),
        target="y",
        train=400,
        test=1000,
        noise=0.1,
        # The paper prints these two ranges the other way round, against its own rule that the test
        # range is the wider.
        train_ranges=((-5.0, 5.0),) * 9,
        test_ranges=((-6.0, 6.0),) * 9,
        function=styblinski_tang,
        citation="Styblinski and Tang (1990), Experiments in nonconvex optimization, Neural "
        "Networks 3(4)",
        doi="10.1016/0893-6080(90)90029-K",
    ),
    Spec(
        name="welch",
        title="Adapted Welch 10D",
        category="O",
        features=("x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10"),
        target="y",
        train=200,
        test=500,
        noise=0.1,
        train_ranges=((-0.5, 0.5),) * 10,
        test_ranges=((-1.0, 1.0),) * 10,
        function=welch,
        citation="Welch, Buck, Sacks, Wynn, Mitchell and Morris (1992), Screening, predicting, "
        "and computer experiments, Technometrics 34(1)",
        doi="10.2307/1269548",
    ),
)
