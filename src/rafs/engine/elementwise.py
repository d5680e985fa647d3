"""The activations as vectorised loops over whole blocks."""

from functools import cache
from types import FunctionType
from typing import Any

import numba
import numpy as np

from rafs.engine import mathematics
from rafs.engine.activations import ACTIVATIONS
from rafs.engine.compiled import callback, inner

_function: Any = None  # each loop has its own


def _loop(z, value, slope):  # type: ignore[no-untyped-def]
    for i in range(z.size):
        value[i], slope[i] = _function(mathematics, z[i])


@cache
def activation(name: str, dtype: str) -> Any:
    """Return a function for compiled code: (z, value, slope) fills two arrays with α(z), α'(z).

    It is passed to other compiled functions by its address, so that they are compiled once and an
    activation only when it is used. The arrays are flat and must not overlap.
    """
    function = inner(mathematics.in_precision(ACTIVATIONS[name], np.dtype(dtype).type))
    names = {"__name__": __name__, "mathematics": mathematics, "_function": function}
    loop = FunctionType(_loop.__code__, names)
    numbers = numba.from_dtype(np.dtype(dtype))[::1]
    return callback(loop, numba.void(numbers, numbers, numbers), f"{name}_{dtype}")
