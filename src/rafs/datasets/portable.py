"""Elementary functions with the same last bit on every machine.

numpy and the C library choose their sine, exponential and logarithm by processor, and the choices
differ in the last bit. Addition, multiplication, division and square root do not: IEEE 754 fixes
them. So these functions use nothing else: they reduce the argument to a small one, sum the Taylor
series there, and undo the reduction. They agree with the exact value to a few units in the last
place. Sums and products run from left to right, and there are no matrix products, whose order of
summation depends on the machine.
"""

import math
from collections.abc import Iterable
from functools import reduce
from operator import add, mul

import numpy as np

from rafs.datasets.core import Array

# pi/2 and ln 2 as sums of parts with so few bits that a whole number times a part is exact.
_HALF_PI = [
    float.fromhex(part) for part in ("0x1.921fb544p+0", "0x1.0b4611a6p-34", "0x1.3198a2e037073p-69")
]
_LN2 = [float.fromhex(part) for part in ("0x1.62e42feep-1", "0x1.a39ef35793c76p-33")]

_SIN = [(-1) ** k / math.factorial(2 * k + 1) for k in range(1, 10)]
_COS = [(-1) ** k / math.factorial(2 * k) for k in range(2, 10)]
_EXP = [1 / math.factorial(k) for k in range(2, 15)]
_ATANH = [1 / (2 * k + 1) for k in range(1, 12)]


def _polynomial(x: Array, coefficients: list[float]) -> Array:
    """Return c0 + c1 x + c2 x^2 + ... by Horner's rule."""
    value = np.full_like(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        value = value * x + coefficient
    return value


def _sin_cos(x: Array) -> tuple[Array, Array, Array]:
    """Return the sine and cosine of x - n pi/2, with n the nearest whole number, and n modulo 4."""
    n = np.rint(x * (2 / math.pi))
    high, middle, low = _HALF_PI
    first = x - n * high
    rest = first - n * middle
    tail = n * low - ((first - rest) - n * middle)
    r = rest - tail
    tail = (rest - r) - tail
    square = r * r
    sine = r + (tail + r * square * _polynomial(square, _SIN))
    cosine = 1.0 - (0.5 * square - (square * square * _polynomial(square, _COS) - r * tail))
    return sine, cosine, n - 4.0 * np.floor(n / 4.0)


def sin(x: Array) -> Array:
    """Return the sine, for arguments up to about a million."""
    sine, cosine, quadrant = _sin_cos(np.asarray(x, dtype=np.float64))
    value = np.where((quadrant == 1) | (quadrant == 3), cosine, sine)
    return np.where(quadrant >= 2, -value, value)


def cos(x: Array) -> Array:
    """Return the cosine, for arguments up to about a million."""
    sine, cosine, quadrant = _sin_cos(np.asarray(x, dtype=np.float64))
    value = np.where((quadrant == 1) | (quadrant == 3), sine, cosine)
    return np.where((quadrant == 1) | (quadrant == 2), -value, value)


def exp(x: Array) -> Array:
    """Return the exponential; 0 below -700, where it would soon underflow."""
    x = np.asarray(x, dtype=np.float64)
    high, low = _LN2
    argument = np.maximum(x, -700.0)
    n = np.rint(argument / (high + low))
    r = (argument - n * high) - n * low
    value = np.ldexp(1.0 + (r + r * r * _polynomial(r, _EXP)), n.astype(np.int64))
    return np.where(x < -700.0, 0.0, value)


def log(x: Array) -> Array:
    """Return the natural logarithm of positive numbers."""
    mantissa, exponent = np.frexp(np.asarray(x, dtype=np.float64))
    small = mantissa < math.sqrt(0.5)
    mantissa = np.where(small, 2.0 * mantissa, mantissa)
    n = (exponent - small).astype(np.float64)
    s = (mantissa - 1.0) / (mantissa + 1.0)
    square = s * s
    high, low = _LN2
    return n * high + (2.0 * s + (2.0 * s * square * _polynomial(square, _ATANH) + n * low))


def power(x: Array, exponent: float) -> Array:
    """Return x to a positive power, for x from 0 up."""
    x = np.asarray(x, dtype=np.float64)
    positive = x > 0
    return np.where(positive, exp(exponent * log(np.where(positive, x, 1.0))), 0.0)


def total(terms: Iterable[Array]) -> Array:
    """Return the sum of the terms, from left to right."""
    return reduce(add, terms)


def product(factors: Iterable[Array]) -> Array:
    """Return the product of the factors, from left to right."""
    return reduce(mul, factors)
