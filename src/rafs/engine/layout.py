"""The layout of the flat parameter vector of a multilayer perceptron."""

from itertools import pairwise
from typing import NamedTuple


class Layer(NamedTuple):
    """The place of one layer in the flat vector: W [fan_in, fan_out] row by row, then b."""

    fan_in: int
    fan_out: int
    weight: slice
    bias: slice


def layers(widths: tuple[int, ...]) -> tuple[Layer, ...]:
    """Return the layers of a network with the given widths, inputs first."""
    found, start = [], 0
    for fan_in, fan_out in pairwise(widths):
        middle = start + fan_in * fan_out
        end = middle + fan_out
        found.append(Layer(fan_in, fan_out, slice(start, middle), slice(middle, end)))
        start = end
    return tuple(found)


def n_parameters(widths: tuple[int, ...]) -> int:
    """Return the length P of the flat vector."""
    return sum((fan_in + 1) * fan_out for fan_in, fan_out in pairwise(widths))
