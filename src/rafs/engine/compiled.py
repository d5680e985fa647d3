"""How the compiled functions of the engine are compiled and kept.

numba keeps machine code beside the source, or in the user's cache directory when that place cannot
be written; where neither can be, functions are compiled anew in every process.
"""

from collections.abc import Callable
from typing import Any

import numba

# Sums may be reordered and products fused, so that loops use vector registers; NaN and infinity
# keep their meaning, because divergence must be seen.
FASTMATH = {"reassoc", "contract", "nsz", "arcp"}


def kept(function: Callable[..., Any]) -> Any:
    """Compile a function and keep its machine code between processes where that is possible."""
    try:
        return numba.njit(cache=True, fastmath=FASTMATH, error_model="numpy")(function)
    except RuntimeError:  # numba found no directory that it can write to
        return inner(function)


def inner(function: Callable[..., Any]) -> Any:
    """Compile a function as a part of the functions that call it."""
    return numba.njit(fastmath=FASTMATH, error_model="numpy")(function)
