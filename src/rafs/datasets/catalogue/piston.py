"""The piston simulation: the time of one cycle."""

import math

import numpy as np

from rafs.datasets.core import Array, Spec, columns
from rafs.datasets.sampling import draw


def piston(x: Array) -> Array:
    """Return the cycle time of a piston in a cylinder, with A = P0 S + 19.62 M - k V0 / S.

    With c = P0 V0 Ta / T0 and R = sqrt(A^2 + 4 k c), the printed V = S (R - A) / (2 k) is also
    2 S c / (R + A), and the cycle time is 2 pi sqrt(4 c M / (4 c k + (R + A)^2)). This form is
    finite without gas (c = 0), where the printed one is 0/0. For negative A, R + A is
    4 k c / (R - A), which loses no digits.
    """
    M, S, V0, k, P0, Ta, T0 = columns(x, 7)
    A = P0 * S + 19.62 * M - k * V0 / S
    c = P0 * V0 * Ta / T0
    larger = np.sqrt(A * A + 4.0 * k * c) + np.abs(A)
    total = np.where(A >= 0, larger, 4.0 * k * c / larger)
    return 2 * math.pi * np.sqrt(4.0 * c * M / (4.0 * c * k + total * total))


SPEC = Spec(
    name="piston",
    title="Piston simulation 7D",
    place=14,
    category="PM",
    features=("M", "S", "V0", "k", "P0", "Ta", "T0"),
    units=("kg", "m^2", "m^3", "N/m", "N/m^2", "K", "K"),
    target="cycle time",
    target_unit="s",
    train=200,
    test=500,
    noise=0.1,
    train_ranges=(
        (30.0, 60.0),
        (0.005, 0.020),
        (0.002, 0.010),
        (1000.0, 5000.0),
        (90000.0, 110000.0),
        (290.0, 296.0),
        (340.0, 360.0),
    ),
    test_ranges=(
        (0.0, 90.0),
        (0.005, 0.03),
        (0.0, 0.015),
        (10.0, 6000.0),
        (80000.0, 120000.0),
        (285.0, 300.0),
        (300.0, 400.0),
    ),
    function=piston,
    draw=draw,
    citation="Ben-Ari and Steinberg (2007), Modeling data from computer experiments: an "
    "empirical comparison of kriging with MARS and projection pursuit regression, Quality "
    "Engineering 19(4)",
    doi="10.1080/08982110701580930",
)
