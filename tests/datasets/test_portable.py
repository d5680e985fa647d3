"""The portable elementary functions against the C library and against identities."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rafs.datasets import portable

ARGUMENTS = {
    "sin": (-1e6, 1e6),
    "cos": (-1e6, 1e6),
    "exp": (-700.0, 709.0),
    "log": (1e-300, 1e300),
}


@pytest.mark.parametrize("name", ARGUMENTS)
@settings(deadline=None)
@given(data=st.data())
def test_within_two_units_in_the_last_place_of_the_c_library(name, data):
    x = data.draw(st.floats(*ARGUMENTS[name]))
    value, expected = getattr(portable, name)(np.array([x]))[0], getattr(math, name)(x)
    assert abs(value - expected) <= 2 * math.ulp(expected)


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_near_multiples_of_half_pi_no_digits_are_lost(name):
    x = np.arange(-1000, 1001) * (math.pi / 2)
    expected = [getattr(math, name)(value) for value in x]
    np.testing.assert_allclose(getattr(portable, name)(x), expected, rtol=4e-16)


@settings(deadline=None)
@given(st.just(0.0) | st.floats(1e-3, 1e5), st.floats(0.001, 1))
def test_power(x, exponent):
    value = portable.power(np.array([x]), exponent)[0]
    assert value == pytest.approx(x**exponent, rel=1e-14)


def test_exact_values():
    assert portable.sin(np.zeros(1)) == 0
    assert portable.cos(np.zeros(1)) == 1
    assert portable.exp(np.zeros(1)) == 1
    assert portable.log(np.ones(1)) == 0
    assert portable.power(np.zeros(1), 0.006) == 0


def test_small_exponentials_vanish_without_a_warning():
    with np.errstate(all="raise"):
        assert (portable.exp(np.array([-1e300, -1e4, -701.0])) == 0).all()


def test_sums_and_products_run_from_left_to_right():
    terms = [np.array([value]) for value in (1.0, 1e16, -1e16)]
    assert portable.total(terms) == 0  # from the right it would be 1
    factors = [np.array([value]) for value in (1e-200, 1e-200, 1e300)]
    assert portable.product(factors) == 0
