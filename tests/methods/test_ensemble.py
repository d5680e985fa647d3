"""Combination of members, scaling, and state, on values worked out by hand or by numpy."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rafs import methods
from rafs.errors import DamagedFileError
from rafs.estimators.ensembles import restored
from rafs.estimators.ensembles import state as state_of
from rafs.methods.base import Task, training
from rafs.methods.ensemble import Prediction, Scaler, combine

SOUND = {"ddof": 1, "as_sd": False}
members = arrays(np.float64, (4, 3), elements=st.floats(-1e3, 1e3))


@given(members)
def test_equal_weights_are_numpys_mean_and_sample_variance(values):
    p = combine(values, np.full(4, 0.25), 0.5, SOUND)
    np.testing.assert_allclose(p.mean, values.mean(axis=0), atol=1e-9)
    np.testing.assert_allclose(p.epistemic, values.var(axis=0, ddof=1), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(p.variance, p.epistemic + 0.5)


@given(members)
def test_population_variance(values):
    p = combine(values, np.full(4, 0.25), 0.0, {"ddof": 0, "as_sd": False})
    np.testing.assert_allclose(p.variance, values.var(axis=0), rtol=1e-9, atol=1e-9)


def test_weighted_variance_by_hand():
    # weights 3/4, 1/4 on 0 and 4: mean 1, mean square 3/4 * 1 + 1/4 * 9 = 3, 1 - (9 + 1)/16 = 3/8
    p = combine(np.array([[0.0], [4.0]]), np.array([0.75, 0.25]), 0.0, SOUND)
    assert p.mean[0] == 1.0
    assert p.epistemic[0] == pytest.approx(8.0)


def test_weighted_variance_is_unbiased():
    draws = np.random.default_rng(0).normal(scale=2.0, size=(3, 200_000))
    p = combine(draws, np.array([0.6, 0.3, 0.1]), 0.0, SOUND)
    assert p.epistemic.mean() == pytest.approx(4.0, rel=0.02)


@pytest.mark.parametrize("weights", [[1.0], [0.0, 1.0, 0.0]])
def test_one_member_has_no_epistemic_variance(weights):
    values = np.arange(len(weights), dtype=float)[:, None]
    p = combine(values, np.array(weights), 0.25, SOUND)
    assert p.epistemic[0] == 0.0
    assert p.variance[0] == 0.25


def test_variance_as_standard_deviation():
    p = combine(np.array([[0.0], [6.0]]), np.full(2, 0.5), 0.0, {"ddof": 0, "as_sd": True})
    assert p.variance[0] == 81.0  # the variance 9 taken for a standard deviation


def test_scaler_round_trip_and_constant_columns():
    x = np.array([[1.0, 0.1, 1e9], [3.0, 0.1, 1e9 + 1], [5.0, 0.1, 1e9 + 2]])
    scaler = Scaler.fit(x)
    z = scaler.transform(x)
    np.testing.assert_allclose(z.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(z.std(axis=0), [1, 0, 1], atol=1e-9)
    np.testing.assert_allclose(scaler.inverse(z), x)


def test_prediction_in_units():
    y = Scaler.fit(np.array([10.0, 30.0]))  # mean 20, sd 10
    one = np.ones(2)
    p = Prediction(one, 3 * one, 2 * one, one, np.ones((3, 2)), np.full(3, 1 / 3)).in_units(y)
    np.testing.assert_allclose(p.mean, 30.0)
    np.testing.assert_allclose(p.members, 30.0)
    np.testing.assert_allclose(
        [p.variance[0], p.epistemic[0], p.aleatoric[0]], [300.0, 200.0, 100.0]
    )


@pytest.mark.parametrize("name", methods.ensembles())
def test_state_round_trip(name):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(30, 2))
    task = Task(x, np.sin(x[:, 0]), 0.1, ("state", name))
    method = methods.get(name)
    fitted = method.fit(
        task,
        {"hidden": [6, 5], "prior": {"output_bias": False}},
        training(30, {"steps": 20}),
    )
    arrays_, info = state_of(fitted)
    again = restored(arrays_, json.loads(json.dumps(info)))
    before, after = fitted.predict(x), again.predict(x)
    for field in ("mean", "variance", "epistemic", "aleatoric", "members", "weights"):
        np.testing.assert_array_equal(getattr(before, field), getattr(after, field))


@pytest.fixture(scope="module")
def state():
    x = np.linspace(-1, 1, 8)[:, None]
    fitted = methods.get("rp").fit(
        Task(x, x[:, 0], 0.1, ("damage",)), {"hidden": [4]}, training(8, {"steps": 2})
    )
    return state_of(fitted)


@pytest.mark.parametrize(
    "damage",
    [
        lambda arrays_, info: arrays_.pop("theta"),
        lambda arrays_, info: info.pop("noise"),
        lambda arrays_, info: info.update(method="nothing"),
        lambda arrays_, info: info.update(widths=[1, 5, 1]),
        lambda arrays_, info: info.update(activations=["tanh"]),
        lambda arrays_, info: info["settings"].update(beat=1),
        lambda arrays_, info: arrays_.update(weights=np.ones(2)),
        lambda arrays_, info: arrays_.update(theta=np.full_like(arrays_["theta"], np.nan)),
    ],
)
def test_a_damaged_state_is_refused(state, damage):
    arrays_, info = dict(state[0]), json.loads(json.dumps(state[1]))
    damage(arrays_, info)
    with pytest.raises(DamagedFileError, match="not the state of an ensemble"):
        restored(arrays_, info)
