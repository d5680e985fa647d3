"""Algorithm 1, lines 5-9: who gets which activation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rafs import methods
from rafs.methods.base import assign

PAPER = ("gelu", "softsign", "swish", "selu", "tanh", "erf", "linear")


def given_to(size, key=("t", 0), **activations):
    settings = methods.get("rafs").resolve({"activations": activations})
    return assign(size, settings, *key)


def test_while_j_is_at_most_k_member_j_takes_the_jth():
    assert given_to(5) == PAPER[:5]
    assert given_to(7) == PAPER
    assert given_to(1) == ("gelu",)


def test_without_random_activations_all_are_alike():
    assert assign(3, methods.get("ae").resolve({"activation": "erf"}), "t") == ("erf",) * 3


def test_k_cuts_the_set():
    assert given_to(3, k=3) == PAPER[:3]
    assert set(given_to(400, k=3)) == set(PAPER[:3])
    assert given_to(5, k=1) == ("gelu",) * 5


def test_the_set_is_a_setting():
    assert given_to(2, set=["relu", "tanh"]) == ("relu", "tanh")
    assert set(given_to(50, set=["relu", "tanh"])) == {"relu", "tanh"}


def test_past_k_every_activation_is_as_likely():
    late = given_to(7 + 7000)[7:]
    counts = np.array([late.count(name) for name in PAPER])
    chi2 = ((counts - 1000) ** 2 / 1000).sum()
    assert chi2 < 22.46  # 99.9 % point with 6 degrees of freedom


def test_past_k_differs_between_seeds():
    assert given_to(30, ("t", 0))[:7] == given_to(30, ("t", 1))[:7]
    assert given_to(30, ("t", 0))[7:] != given_to(30, ("t", 1))[7:]


def test_draw_from():
    late = given_to(300, draw_from=4)[7:]
    assert set(late) == set(PAPER[:4])
    assert given_to(7, draw_from=4) == PAPER


def test_shuffle_permutes_per_seed():
    orders = {given_to(7, ("t", seed), shuffle=True) for seed in range(20)}
    assert len(orders) > 15
    assert all(sorted(order) == sorted(PAPER) for order in orders)
    firsts = [given_to(1, ("t", seed), shuffle=True)[0] for seed in range(700)]
    assert min(firsts.count(name) for name in PAPER) > 60  # 100 expected


def test_shuffle_comes_before_the_cut():
    chosen = {frozenset(given_to(3, ("t", s), k=3, shuffle=True)) for s in range(30)}
    assert len(chosen) > 5


@given(
    st.integers(0, 10**6), st.integers(1, 12), st.integers(0, 12), st.integers(1, 7), st.booleans()
)
def test_a_smaller_ensemble_is_a_prefix(seed, size, more, k, shuffle):
    small = given_to(size, ("t", seed), k=k, shuffle=shuffle)
    assert given_to(size + more, ("t", seed), k=k, shuffle=shuffle)[:size] == small
    assert len(set(small)) == min(size, k) or size > k


@pytest.mark.parametrize("name", methods.ensembles())
def test_every_method_takes_random_activations(name):
    method = methods.get(name)
    settings = method.resolve({"activation": "random", "size": 3})
    assert assign(3, settings, "t") == PAPER[:3]
