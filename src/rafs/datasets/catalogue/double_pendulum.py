"""A double pendulum: the position of its lower mass from the two angles."""

import math

from rafs.datasets.core import Array, Spec, columns
from rafs.datasets.portable import sin
from rafs.datasets.sampling import draw


def double_pendulum(x: Array) -> Array:
    """Return the horizontal position of the lower mass; both rods have length 1."""
    theta1, theta2 = columns(x, 2)
    return sin(theta1) + sin(theta2)


SPEC = Spec(
    name="double_pendulum",
    title="Double pendulum 2D",
    place=4,
    category="PM",
    features=("theta1", "theta2"),
    units=("rad", "rad"),
    target="x",
    target_unit="m",
    train=1000,
    test=2500,
    noise=0.1,
    train_ranges=((-2 * math.pi / 3, math.pi / 6),) * 2,
    test_ranges=((-math.pi, math.pi),) * 2,
    function=double_pendulum,
    draw=draw,
    citation="Levien and Tan (1993), Double pendulum: an experiment in chaos, American "
    "Journal of Physics 61(11)",
    doi="10.1119/1.17335",
)
