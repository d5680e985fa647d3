"""Elementary functions for the compiled engine, in the precision of their argument."""

import math

import numpy as np

from rafs.engine.compiled import inner

exp = inner(lambda z: np.exp(z))
tanh = inner(lambda z: np.tanh(z))
abs = inner(lambda z: np.abs(z))  # noqa: A001


@inner
def erf(z):  # type: ignore[no-untyped-def]
    """Error function."""
    return type(z)(math.erf(z))


@inner
def sigmoid(z):  # type: ignore[no-untyped-def]
    """Logistic function."""
    one = type(z)(1)
    return one / (one + np.exp(-z))


@inner
def where(condition, yes, no):  # type: ignore[no-untyped-def]
    """Choose without a branch."""
    return yes if condition else no


@inner
def relu(z):  # type: ignore[no-untyped-def]
    """Positive part; NaN stays NaN."""
    zero = type(z)(0)
    return zero if z < zero else z
