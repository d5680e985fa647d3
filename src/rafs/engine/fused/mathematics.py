"""Elementary functions for compiled code, in the precision of their argument.

In float64 they are those of the C library. In float32 they are short polynomials without branches,
right to about one unit in the last place of the largest value, which the compiler turns into vector
instructions; NaN stays NaN.
"""

import math
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types

from rafs.engine.compiled import OPTIONS, intrinsic, overload
from rafs.engine.fused.simd import fma


def in_precision(function: Any, number: Callable[[float], Any]) -> Any:
    """Return a function with its float literals in another precision."""
    code = function.__code__
    consts = tuple(number(c) if isinstance(c, float) else c for c in code.co_consts)
    return FunctionType(code.replace(co_consts=consts), function.__globals__, function.__name__)


def _by_precision(single: Any, double: Any) -> Any:
    """Return a function for compiled code that is one thing in float32 and another in float64."""

    def function(z: Any) -> Any:
        raise NotImplementedError("for compiled code only")

    overload(function, jit_options=OPTIONS, inline="always")(
        lambda z: in_precision(single, np.float32) if z == types.float32 else double
    )
    return function


@intrinsic
def where(typingctx, condition, yes, no):  # type: ignore[no-untyped-def]
    """Return one of two numbers, without a branch."""
    return yes(types.boolean, yes, yes), lambda c, builder, s, args: builder.select(*args)


@intrinsic
def _power_of_two(typingctx, exponent):  # type: ignore[no-untyped-def]
    """Return 2^n as float32 for a whole number n in [-126, 127], by setting the exponent bits."""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        number = builder.fptosi(args[0], ir.IntType(32))
        biased = builder.add(number, ir.Constant(ir.IntType(32), 127))
        bits = builder.shl(biased, ir.Constant(ir.IntType(32), 23))
        return builder.bitcast(bits, ir.FloatType())

    return types.float32(types.float32), generate


def _exp(z):  # type: ignore[no-untyped-def]
    # z = n ln 2 + r with |r| <= ln 2 / 2, and Taylor's series for exp(r)
    z = where(z > 88.0, 88.0, z)
    z = where(z < -87.0, -87.0, z)
    n = np.floor(fma(z, 1.4426950408889634, 0.5))
    r = fma(n, -0.693359375, z)
    r = fma(n, 2.12194440e-4, r)
    s = fma(r, 0.0001984126984126984, 0.001388888888888889)
    s = fma(r, s, 0.008333333333333333)
    s = fma(r, s, 0.041666666666666664)
    s = fma(r, s, 0.16666666666666666)
    s = fma(r, s, 0.5)
    s = fma(r, s, 1.0)
    return fma(r, s, 1.0) * _power_of_two(n)


def _tanh(z):  # type: ignore[no-untyped-def]
    # z P(z²) / Q(z²): minimax on [-9, 9], relative error 2e-8
    z = where(z > 9.0, 9.0, z)
    z = where(z < -9.0, -9.0, z)
    s = z * z
    p = fma(s, 1.33543419e-08, 2.06088451e-05)
    p = fma(s, p, 0.00349557360)
    p = fma(s, p, 0.133810134)
    p = fma(s, p, 0.999999979)
    q = fma(s, 7.77642529e-07, 0.000328561110)
    q = fma(s, q, 0.0258769270)
    q = fma(s, q, 0.467143290)
    return z * p / fma(s, q, 1.0)


def _erf(z):  # type: ignore[no-untyped-def]
    # z P(z²) / Q(z²): minimax on [-3.92, 3.92], relative error 2e-8
    z = where(z > 3.92, 3.92, z)
    z = where(z < -3.92, -3.92, z)
    s = z * z
    p = fma(s, 2.05008370e-06, 0.000284880603)
    p = fma(s, p, 0.00376556334)
    p = fma(s, p, 0.0527485528)
    p = fma(s, p, 0.190405351)
    p = fma(s, p, 1.12837915)
    q = fma(s, 3.80915672e-05, 0.00116252083)
    q = fma(s, q, 0.0149691092)
    q = fma(s, q, 0.114108630)
    q = fma(s, q, 0.502075090)
    return z * p / fma(s, q, 1.0)


def _sigmoid(z):  # type: ignore[no-untyped-def]
    return 1.0 / (1.0 + exp(-z))


exp = _by_precision(_exp, lambda z: math.exp(z))
tanh = _by_precision(_tanh, lambda z: math.tanh(z))
erf = _by_precision(_erf, lambda z: math.erf(z))
sigmoid = _by_precision(_sigmoid, _sigmoid)
abs = _by_precision(lambda z: np.abs(z), lambda z: np.abs(z))
sqrt = _by_precision(lambda z: np.sqrt(z), lambda z: np.sqrt(z))
