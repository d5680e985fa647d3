"""Activations and optimisers as vectorised loops.

They are passed to other compiled functions by their address, so that these are compiled once, and
an activation or optimiser only when it is used. Arrays are flat and must not overlap.
"""

from functools import cache
from types import FunctionType
from typing import Any

import numba
import numpy as np

from rafs.engine.activations import ACTIVATIONS
from rafs.engine.compiled import callback, inner
from rafs.engine.fused import mathematics
from rafs.engine.optimisers import OPTIMISERS

_function: Any = None  # each loop has its own globals
_scalars: Any = None
_decays: tuple[float, float] = (0.0, 0.0)


def _activate(z, value, slope):  # type: ignore[no-untyped-def]
    for i in range(z.size):
        value[i], slope[i] = _function(mathematics, z[i])


def _descend(theta, g, a, b, left, rate):  # type: ignore[no-untyped-def]
    number = type(rate)
    left[0] *= _decays[0]
    left[1] *= _decays[1]
    first, second = _scalars(rate, left[0], left[1])
    s, t = number(first), number(second)
    for p in range(theta.size):
        theta[p], a[p], b[p] = _function(mathematics, theta[p], g[p], a[p], b[p], s, t)


@cache
def activation(name: str, dtype: str) -> Any:
    """Return a function for compiled code: (z, value, slope) fills two arrays with α(z), α'(z)."""
    numbers = numba.from_dtype(np.dtype(dtype))[::1]
    loop = _with(_activate, _function=_in_precision(ACTIVATIONS[name], dtype))
    return callback(loop, numba.void(numbers, numbers, numbers), f"{name}_{dtype}")


@cache
def optimiser(name: str, dtype: str) -> Any:
    """Return a function for compiled code that moves θ: (theta, g, a, b, left, rate)."""
    chosen = OPTIMISERS[name]
    number = numba.from_dtype(np.dtype(dtype))
    loop = _with(
        _descend,
        _function=_in_precision(chosen.rule, dtype),
        _scalars=inner(chosen.scalars),
        _decays=chosen.decays,
    )
    numbers, left = number[::1], numba.float64[::1]
    kind = numba.void(numbers, numbers, numbers, numbers, left, number)
    return callback(loop, kind, f"{name}_{dtype}")


def _in_precision(function: Any, dtype: str) -> Any:
    return inner(mathematics.in_precision(function, np.dtype(dtype).type))


def _with(loop: Any, **names: Any) -> Any:
    """Return a copy of a loop with globals of its own."""
    return FunctionType(
        loop.__code__, {"__name__": __name__, "mathematics": mathematics, **names}, loop.__name__
    )
