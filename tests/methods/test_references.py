"""The references without skill: a constant and least squares."""

import numpy as np
import pytest

from rafs import methods
from rafs.errors import ParameterError
from rafs.estimators.ensembles import restored, state
from rafs.methods.base import Task, training

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = X @ [1.0, -2.0, 0.5] + 0.7 + 0.3 * RNG.normal(size=40)
SHORT = training(40, {"steps": 5})


def fitted(name, x=X, y=Y):
    method = methods.get(name)
    (result,) = method.fit_all([(Task(x, y, 0.1, ("r",)), method.defaults)], SHORT)
    return result


def test_the_constant_is_mean_and_deviation_of_the_training_targets():
    p = fitted("constant").predict(X[:7] * 100)
    np.testing.assert_allclose(p.mean, Y.mean())
    np.testing.assert_allclose(p.variance, Y.var(ddof=1))


def test_least_squares_solves_the_normal_equations():
    design = np.column_stack([X, np.ones(40)])
    solution = np.linalg.solve(design.T @ design, design.T @ Y)
    residuals = Y - design @ solution
    new = RNG.normal(size=(9, 3))
    p = fitted("linear").predict(new)
    np.testing.assert_allclose(p.mean, np.column_stack([new, np.ones(9)]) @ solution)
    np.testing.assert_allclose(p.variance, residuals @ residuals / (40 - 4))


@pytest.mark.parametrize("name", ["constant", "linear"])
def test_a_prediction_has_one_member_and_no_epistemic_variance(name):
    p = fitted(name).predict(X)
    assert p.members.shape == (1, 40)
    np.testing.assert_array_equal(p.members[0], p.mean)
    assert (p.epistemic == 0).all()
    assert p.weights.tolist() == [1.0]


def test_inputs_without_full_rank_change_nothing():
    constant_column = np.column_stack([X, X[:, :2], np.full(40, 3.0)])
    p, wanted = fitted("linear", constant_column).predict(constant_column), fitted("linear")
    np.testing.assert_allclose(p.mean, wanted.predict(X).mean)
    np.testing.assert_allclose(p.variance, wanted.predict(X).variance)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_without_a_degree_of_freedom_the_line_is_the_constant(n):
    linear, constant = (fitted(name, X[:n], Y[:n]).predict(X) for name in ("linear", "constant"))
    np.testing.assert_array_equal(linear.mean, constant.mean)
    np.testing.assert_array_equal(linear.variance, constant.variance)
    assert (linear.variance > 0).all()


@pytest.mark.parametrize("name", ["constant", "linear"])
def test_targets_without_noise_have_a_variance_above_zero(name):
    p = fitted(name, y=np.full(40, 2.0)).predict(X)
    np.testing.assert_allclose(p.mean, 2.0)
    np.testing.assert_allclose(p.variance, 1e-6)


@pytest.mark.parametrize("name", ["constant", "linear"])
def test_what_all_ensembles_share_is_ignored_and_all_else_refused(name):
    method = methods.get(name)
    shared = {"size": 5, "hidden": [128, 128], "activations": {"set": ["tanh"]}}
    assert method.resolve(shared) == method.resolve(method.defaults) == method.defaults
    with pytest.raises(ParameterError, match=f"{name} has no settings, so no 'learning_rate'"):
        method.resolve({"learning_rate": 0.1})


@pytest.mark.parametrize("name", ["constant", "linear"])
def test_a_reference_can_be_saved(name):
    before = fitted(name)
    after = restored(*state(before)).predict(X)
    np.testing.assert_array_equal(before.predict(X).mean, after.mean)
    np.testing.assert_array_equal(before.predict(X).variance, after.variance)
