"""A planar arm with two joints: the torque of its first motor."""

import math

from rafs.datasets.core import Array, Spec, columns
from rafs.datasets.portable import cos, sin
from rafs.datasets.sampling import draw


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


SPEC = Spec(
    name="planar_arm",
    title="Planar arm torque 6D",
    place=11,
    category="PM",
    features=("q1", "q2", "dq1", "dq2", "ddq1", "ddq2"),
    units=("rad", "rad", "rad/s", "rad/s", "rad/s^2", "rad/s^2"),
    target="tau1",
    target_unit="N m",
    train=200,
    test=500,
    noise=0.1,
    train_ranges=((-math.pi / 2, math.pi / 2),) * 2 + ((-math.pi, math.pi),) * 4,
    test_ranges=((-math.pi, math.pi),) * 2 + ((-2 * math.pi, 2 * math.pi),) * 4,
    function=planar_arm,
    draw=draw,
    citation="Cully, Chatzilygeroudis, Allocati and Mouret (2018), Limbo: a flexible "
    "high-performance library for Gaussian processes modeling and data-efficient "
    "optimization, Journal of Open Source Software 3(26)",
    doi="10.21105/joss.00545",
)
