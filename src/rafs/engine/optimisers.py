"""The optimisers, each defined once for both engines.

An optimiser moves every parameter by its gradient g and keeps two running averages, a and b, that
start at zero; simpler rules do not use them. A definition has two functions:

- `scalars(rate, left_a, left_b)` gives two numbers for the whole step. `left_a` and `left_b` are
  the weights of the zero start that remain in the averages: decay to the power of the step.
- `rule(m, theta, g, a, b, s, t)` gives the new theta, a and b, where s and t are those numbers. `m`
  is torch in the reference engine and `rafs.engine.fused.mathematics` in the compiled one. Numbers
  are written as float literals: the compiled engine gives them the precision of theta.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Optimiser:
    """A named rule of descent."""

    name: str
    scalars: Callable[..., Any]
    rule: Callable[..., Any]
    decays: tuple[float, float] = (0.0, 0.0)  # of the averages a and b, per step


def adam_scalars(rate: Any, left_a: float, left_b: float) -> Any:
    """Return the step size and the factor of the root, both corrected for the zero start."""
    return rate / (1 - left_a), 1 / math.sqrt(1 - left_b)


def adam_rule(m: Any, theta: Any, g: Any, a: Any, b: Any, s: Any, t: Any) -> Any:
    """Adam (Kingma and Ba 2015) with the averages a of g and b of g²."""
    a = 0.9 * a + 0.1 * g
    b = 0.999 * b + 0.001 * g * g
    return theta - s * a / (m.sqrt(b) * t + 1e-8), a, b


def sgd_scalars(rate: Any, left_a: float, left_b: float) -> Any:
    """Return the step size; the second number is not used."""
    return rate, 1.0


def sgd_rule(m: Any, theta: Any, g: Any, a: Any, b: Any, s: Any, t: Any) -> Any:
    """Plain gradient descent."""
    return theta - s * g, a, b


OPTIMISERS: dict[str, Optimiser] = {
    optimiser.name: optimiser
    for optimiser in (
        Optimiser("adam", adam_scalars, adam_rule, decays=(0.9, 0.999)),
        Optimiser("sgd", sgd_scalars, sgd_rule),
    )
}
