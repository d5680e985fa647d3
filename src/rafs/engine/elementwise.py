"""Apply an activation, chosen by number, to a whole block: one vectorised loop per activation."""

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
from numba.extending import overload

from rafs.engine import mathematics
from rafs.engine.activations import ACTIVATIONS
from rafs.engine.compiled import FASTMATH, inner

CODES = {name: code for code, name in enumerate(ACTIVATIONS)}


def activate(code: Any, z: Any, value: Any, slope: Any) -> None:
    """Fill `value` and `slope` with α(z) and α'(z); all are flat arrays of one length."""
    raise NotImplementedError("for compiled code only")


@overload(activate, jit_options={"fastmath": FASTMATH, "error_model": "numpy"})
def _activate(code, z, value, slope):  # type: ignore[no-untyped-def]
    number = np.float32 if z.dtype.bitwidth == 32 else np.float64
    chain = _loops([in_precision(f, number) for f in ACTIVATIONS.values()])
    return lambda code, z, value, slope: chain(code, z, value, slope)


def in_precision(function: Any, number: Callable[[float], Any]) -> Any:
    """Return the function with its float literals in another precision."""
    code = function.__code__
    consts = tuple(number(c) if isinstance(c, float) else c for c in code.co_consts)
    return FunctionType(code.replace(co_consts=consts), function.__globals__, function.__name__)


def _loops(functions: list[Any]) -> Any:
    """Return a compiled chain of choices, each with the loop of one activation."""
    if not functions:
        return inner(lambda code, z, value, slope: None)
    function, others = inner(functions[0]), _loops(functions[1:])

    @inner
    def choose(code, z, value, slope):  # type: ignore[no-untyped-def]
        if code == 0:
            for i in range(z.size):
                value[i], slope[i] = function(mathematics, z[i])
        else:
            others(code - 1, z, value, slope)

    return choose
