"""Physical models (category PM); the Puma arm, a simulation, has a file of its own.

Some test ranges reach values at which a formula degenerates: no diffusion, no gas, no piston. There
the functions return the limit.
"""

import math
from itertools import accumulate

import numpy as np

from rafs.datasets.core import Array, Spec, columns
from rafs.datasets.portable import cos, exp, log, power, sin, total
from rafs.datasets.sampling import draw

__all__ = ["SPECS", "draw"]


def double_pendulum(x: Array) -> Array:
    """Return the horizontal position of the lower mass; both rods have length 1."""
    theta1, theta2 = columns(x, 2)
    return sin(theta1) + sin(theta2)


def environmental(x: Array) -> Array:
    """Return the scaled concentration of a pollutant that was spilt twice into a channel.

    It is seen at s = 1 and t = 40.1. The first spill is at place 0 and time 0, the second at L and
    tau; there is no second one unless tau < t.
    """
    M, D, L, tau = columns(x, 4)
    s, t = 1.0, 40.1
    concentration = _spill(M, D, t, s) + _spill(M, D, t - tau, s - L)
    return math.sqrt(4 * math.pi) * concentration


def _spill(M: Array, D: Array, age: Array | float, distance: Array | float) -> Array:
    """Return M / sqrt(4 pi D age) exp(-distance^2 / (4 D age)), 0 without diffusion or age."""
    spread = 4.0 * D * age
    spreads = spread > 1e-300
    spread = np.where(spreads, spread, 1.0)
    density = M / np.sqrt(math.pi * spread) * exp(-(distance * distance / spread))
    return np.where(spreads, density, 0.0)


def planar_arm(x: Array) -> Array:
    """Return the torque of a planar arm's first motor: the first row of M(q) q'' + C(q, q') q'.

    The upper right entry of C is -a sin(q2) (q1' + q2'), as the mechanics demand; the paper prints
    a plus.
    """
    _, q2, dq1, dq2, ddq1, ddq2 = columns(x, 6)
    sin2, cos2 = sin(q2), cos(q2)
    inertia = (0.2083 + 0.1250 * cos2) * ddq1 + (0.0417 + 0.0625 * cos2) * ddq2
    coriolis = -0.0625 * sin2 * (dq2 * dq1 + (dq1 + dq2) * dq2)
    return inertia + coriolis


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


def robot_arm(x: Array) -> Array:
    """Return the distance from the shoulder to the end of an arm of four segments."""
    inputs = columns(x, 8)
    angles, lengths = list(accumulate(inputs[:4])), inputs[4:]
    u = total(length * cos(angle) for length, angle in zip(lengths, angles, strict=True))
    v = total(length * sin(angle) for length, angle in zip(lengths, angles, strict=True))
    return np.sqrt(u * u + v * v)


def borehole(x: Array) -> Array:
    """Return the flow of water through a borehole that joins two aquifers."""
    rw, r, Tu, Tl, Hu, Hl, L, Kw = columns(x, 8)
    ratio = log(r / rw)
    resistance = ratio * (1.0 + Tu / Tl) + 2.0 * L * Tu / (rw * rw * Kw)
    return 2 * math.pi * Tu * (Hu - Hl) / resistance


def wing_weight(x: Array) -> Array:
    """Return the weight of the wing of a light aircraft; the sweep is given in degrees."""
    Sw, Wfw, A, sweep, q, taper, tc, Nz, Wdg, Wp = columns(x, 10)
    cosine = cos(sweep * (math.pi / 180))
    structure = (
        0.036
        * power(Sw, 0.758)
        * power(Wfw, 0.0035)
        * power(A / (cosine * cosine), 0.6)
        * power(q, 0.006)
        * power(taper, 0.04)
        * power(cosine / (100.0 * tc), 0.3)
        * power(Nz * Wdg, 0.49)
    )
    return structure + Sw * Wp


_PI = math.pi

SPECS = (
    Spec(
        name="double_pendulum",
        title="Double pendulum 2D",
        category="PM",
        features=("theta1", "theta2"),
        units=("rad", "rad"),
        target="x",
        target_unit="m",
        train=1000,
        test=2500,
        noise=0.1,
        train_ranges=((-2 * _PI / 3, _PI / 6),) * 2,
        test_ranges=((-_PI, _PI),) * 2,
        function=double_pendulum,
        citation="Levien and Tan (1993), Double pendulum: an experiment in chaos, American "
        "Journal of Physics 61(11)",
        doi="10.1119/1.17335",
    ),
    Spec(
        name="environmental",
        title="Environmental 4D",
        category="PM",
        features=("M", "D", "L", "tau"),
        target="C",
        train=200,
        test=500,
        noise=0.1,
        train_ranges=((7.0, 13.0), (0.02, 0.12), (0.01, 3.0), (30.01, 30.295)),
        test_ranges=((5.0, 15.0), (0.0, 0.15), (0.01, 3.2), (23.71, 31.0)),
        function=environmental,
        citation="Bliznyuk, Ruppert, Shoemaker, Regis, Wild and Mugunthan (2008), Bayesian "
        "calibration and uncertainty analysis for computationally expensive models using "
        "optimization and radial basis function approximation, Journal of Computational and "
        "Graphical Statistics 17(2)",
        doi="10.1198/106186008X320681",
    ),
    Spec(
        name="planar_arm",
        title="Planar arm torque 6D",
        category="PM",
        features=("q1", "q2", "dq1", "dq2", "ddq1", "ddq2"),
        units=("rad", "rad", "rad/s", "rad/s", "rad/s^2", "rad/s^2"),
        target="tau1",
        target_unit="N m",
        train=200,
        test=500,
        noise=0.1,
        train_ranges=((-_PI / 2, _PI / 2),) * 2 + ((-_PI, _PI),) * 4,
        test_ranges=((-_PI, _PI),) * 2 + ((-2 * _PI, 2 * _PI),) * 4,
        function=planar_arm,
        citation="Cully, Chatzilygeroudis, Allocati and Mouret (2018), Limbo: a flexible "
        "high-performance library for Gaussian processes modeling and data-efficient "
        "optimization, Journal of Open Source Software 3(26)",
        doi="10.21105/joss.00545",
    ),
    Spec(
        name="piston",
        title="Piston simulation 7D",
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
        citation="Ben-Ari and Steinberg (2007), Modeling data from computer experiments: an "
        "empirical comparison of kriging with MARS and projection pursuit regression, Quality "
        "Engineering 19(4)",
        doi="10.1080/08982110701580930",
    ),
    Spec(
        name="robot_arm",
        title="Robot arm 8D",
        category="PM",
        features=("theta1", "theta2", "theta3", "theta4", "L1", "L2", "L3", "L4"),
        units=("rad",) * 4 + ("",) * 4,
        target="distance",
        train=200,
        test=500,
        noise=0.1,
        train_ranges=((0.0, _PI),) * 4 + ((0.0, 0.5),) * 4,
        test_ranges=((0.0, 2 * _PI),) * 4 + ((0.0, 1.0),) * 4,
        function=robot_arm,
        citation="An and Owen (2001), Quasi-regression, Journal of Complexity 17(4)",
        doi="10.1006/jcom.2001.0588",
    ),
    Spec(
        name="borehole",
        title="Borehole 8D",
        category="PM",
        features=("rw", "r", "Tu", "Tl", "Hu", "Hl", "L", "Kw"),
        units=("m", "m", "m^2/yr", "m^2/yr", "m", "m", "m", "m/yr"),
        target="flow rate",
        target_unit="m^3/yr",
        train=2000,
        test=5000,
        noise=0.1,
        train_ranges=(
            (0.05, 0.15),
            (100.0, 50000.0),
            (63070.0, 115600.0),
            (63.1, 116.0),
            (990.0, 1110.0),
            (700.0, 820.0),
            (1120.0, 1680.0),
            (9855.0, 12045.0),
        ),
        test_ranges=(
            (0.01, 0.2),
            (90.0, 50010.0),
            (63020.0, 115650.0),
            (60.0, 120.0),
            (950.0, 1150.0),
            (650.0, 900.0),
            (1100.0, 1700.0),
            (9800.0, 12100.0),
        ),
        function=borehole,
        citation="An and Owen (2001), Quasi-regression, Journal of Complexity 17(4)",
        doi="10.1006/jcom.2001.0588",
    ),
    Spec(
        name="wing_weight",
        title="Wing weight 10D",
        category="PM",
        features=("Sw", "Wfw", "A", "Lambda", "q", "lambda", "tc", "Nz", "Wdg", "Wp"),
        units=("ft^2", "lb", "", "degrees", "lb/ft^2", "", "", "", "lb", "lb/ft^2"),
        target="weight",
        target_unit="lb",
        train=2000,
        test=5000,
        noise=0.1,
        train_ranges=(
            (150.0, 200.0),
            (220.0, 300.0),
            (6.0, 10.0),
            (-10.0, 10.0),
            (16.0, 45.0),
            (0.5, 1.0),
            (0.08, 0.18),
            (2.5, 6.0),
            (1700.0, 2500.0),
            (0.025, 0.08),
        ),
        test_ranges=(
            (100.0, 250.0),
            (200.0, 320.0),
            (0.0, 15.0),
            (-20.0, 20.0),
            (0.0, 60.0),
            (0.0, 1.5),
            (0.05, 0.25),
            (0.5, 8.0),
            (1000.0, 3000.0),
            (0.0, 0.1),
        ),
        function=wing_weight,
        citation="Forrester, Sobester and Keane (2008), Engineering design via surrogate "
        "modelling, Wiley",
        doi="10.1002/9780470770801",
    ),
)
