"""The activation functions, each defined once: its value and its derivative at z.

A definition takes a mathematical library `m` and z. `m` is torch in the reference engine, which
uses the value, and `rafs.engine.fused.mathematics` in the compiled one, which uses both. Numbers
are written as float literals: the compiled engine gives them the precision of z.
"""

from collections.abc import Callable
from typing import Any


def gelu(m: Any, z: Any) -> Any:
    """Compute z Φ(z), with Φ the standard normal distribution function."""
    t = z * 0.7071067811865476
    below = 0.5 + 0.5 * m.erf(t)
    return z * below, below + z * (0.3989422804014327 * m.exp(-t * t))


def softsign(m: Any, z: Any) -> Any:
    """Compute z / (1 + |z|)."""
    r = 1.0 / (1.0 + m.abs(z))
    return z * r, r * r


def swish(m: Any, z: Any) -> Any:
    """Compute z times the logistic function of z."""
    s = m.sigmoid(z)
    return z * s, s + z * s * (1.0 - s)


def selu(m: Any, z: Any) -> Any:
    """λ z above 0, λ α (exp(z) − 1) below; λ and α as in Klambauer et al. (2017)."""
    tail = 1.7580993408473766 * m.exp(m.where(z > 0.0, 0.0, z))
    return (
        m.where(z > 0.0, 1.0507009873554805 * z, tail - 1.7580993408473766),
        m.where(z > 0.0, 1.0507009873554805, tail),
    )


def tanh(m: Any, z: Any) -> Any:
    """Hyperbolic tangent."""
    t = m.tanh(z)
    return t, 1.0 - t * t


def erf(m: Any, z: Any) -> Any:
    """Error function."""
    return m.erf(z), 1.1283791670955126 * m.exp(-z * z)


def linear(m: Any, z: Any) -> Any:
    """Return z itself."""
    return z, 1.0


def relu(m: Any, z: Any) -> Any:
    """Positive part of z; the derivative at 0 is 0."""
    return m.where(z <= 0.0, 0.0, z), m.where(z > 0.0, 1.0, 0.0)


PAPER = ("gelu", "softsign", "swish", "selu", "tanh", "erf", "linear")
ACTIVATIONS: dict[str, Callable[[Any, Any], Any]] = {
    f.__name__: f for f in (gelu, softsign, swish, selu, tanh, erf, linear, relu)
}
