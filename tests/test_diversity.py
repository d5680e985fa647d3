"""How much members differ follows from the mean and variance of what they predict."""

import numpy as np
import pytest

from rafs.evaluation.diversity import by_part, diversity
from rafs.methods.ensemble import combine

EQUAL = {"ddof": 1, "as_sd": False}


def pooled_correlation(residuals: np.ndarray) -> float:
    """Mean product of the residuals of all pairs of members, over the mean square of all."""
    m = len(residuals)
    products = [np.mean(residuals[j] * residuals[k]) for j in range(m) for k in range(m) if j != k]
    return float(np.mean(products) / np.mean(residuals**2))


@pytest.mark.parametrize("m", [2, 5, 20])
@pytest.mark.parametrize("shared", [0.0, 1.0, 10.0])
def test_it_is_the_correlation_of_all_pairs_of_members(m, shared):
    rng = np.random.default_rng(m)
    y = rng.normal(size=80)
    members = rng.normal(size=(m, 80)) + shared * rng.normal(size=80)
    p = combine(members, np.full(m, 1 / m), 0.3, EQUAL)
    found = diversity(y - p.mean, p.epistemic, m)
    assert found["member_correlation"] == pytest.approx(pooled_correlation(y - members))
    assert found["member_sd"] == pytest.approx(np.sqrt(np.mean(members.var(axis=0, ddof=1))))


def test_members_that_agree_or_err_alone():
    error = np.array([1.0, -2.0])
    assert diversity(error, np.zeros(2), 5)["member_correlation"] == 1.0
    apart = np.array([[1.0, 0.0], [0.0, 1.0]])  # residuals of two members that share nothing
    found = diversity(apart.mean(axis=0), apart.var(axis=0, ddof=1), 2)
    assert found["member_correlation"] == pytest.approx(0.0)
    assert diversity(np.zeros(2), np.zeros(2), 5) == {"member_sd": 0.0}


def test_inside_and_outside():
    error, variance = np.array([1.0, 2.0, 3.0]), np.array([1.0, 4.0, 9.0])
    inside = np.array([True, False, False])
    found = by_part(error, variance, 3, inside)
    assert found["in_distribution"] == diversity(error[:1], variance[:1], 3)
    assert found["out_of_distribution"] == diversity(error[1:], variance[1:], 3)
    assert found["metrics"] == diversity(error, variance, 3)
    assert set(by_part(error, variance, 3, ~np.isnan(error))) == {"metrics", "in_distribution"}
    assert set(by_part(error, variance, 3, None)) == {"metrics"}
