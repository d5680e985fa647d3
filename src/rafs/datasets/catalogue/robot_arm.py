"""The robot arm function: the reach of an arm of four segments."""

import math
from itertools import accumulate

import numpy as np

from rafs.datasets.core import Array, Spec, columns
from rafs.datasets.portable import cos, sin, total
from rafs.datasets.sampling import draw


def robot_arm(x: Array) -> Array:
    """Return the distance from the shoulder to the end of an arm of four segments."""
    inputs = columns(x, 8)
    angles, lengths = list(accumulate(inputs[:4])), inputs[4:]
    u = total(length * cos(angle) for length, angle in zip(lengths, angles, strict=True))
    v = total(length * sin(angle) for length, angle in zip(lengths, angles, strict=True))
    return np.sqrt(u * u + v * v)


SPEC = Spec(
    name="robot_arm",
    title="Robot arm 8D",
    place=15,
    category="PM",
    features=("theta1", "theta2", "theta3", "theta4", "L1", "L2", "L3", "L4"),
    units=("rad",) * 4 + ("",) * 4,
    target="distance",
    train=200,
    test=500,
    noise=0.1,
    train_ranges=((0.0, math.pi),) * 4 + ((0.0, 0.5),) * 4,
    test_ranges=((0.0, 2 * math.pi),) * 4 + ((0.0, 1.0),) * 4,
    function=robot_arm,
    draw=draw,
    citation="An and Owen (2001), Quasi-regression, Journal of Complexity 17(4)",
    doi="10.1006/jcom.2001.0588",
)
