"""The controls are the Anchored Ensemble but for the one thing that each of them changes."""

import numpy as np
import pytest

from rafs import methods
from rafs.engine import Members, fit
from rafs.engine.activations import ACTIVATIONS
from rafs.engine.layout import layers
from rafs.methods.anchored_widths import active
from rafs.methods.base import Task, training
from rafs.methods.tuning import Search, draws

KEY = ("controls", 3)
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(30, 2))
TASK = Task(X, np.sin(X[:, 0]) + 0.1 * RANDOM.normal(size=30), 0.2, KEY)


def members(name: str, **settings) -> Members:
    method = methods.get(name)
    return method.plan(TASK, method.resolve(settings)).members


def test_a_bootstrapped_member_sees_some_rows_twice_and_others_never():
    plain, odd = members("ae"), members("ae_bootstrap")
    assert np.array_equal(odd.theta0, plain.theta0)
    assert np.array_equal(odd.gamma, plain.gamma)
    assert (odd.weights.sum(axis=1) == 30).all()
    assert (odd.weights == 0).any(axis=1).all()
    assert len(np.unique(odd.weights, axis=0)) == 5


def test_members_have_priors_of_two_scales_in_turn():
    odd = members("ae_scales", size=5, scales=[0.5, 2.0], prior={"weight": 3.0, "bias": 1.5})
    narrow = members("ae", size=5, prior={"weight": 1.5, "bias": 0.75})
    wide = members("ae", size=5, prior={"weight": 6.0, "bias": 3.0})
    for j in range(5):
        expected = wide if j % 2 else narrow
        assert odd.theta0[j] == pytest.approx(expected.theta0[j])
        assert odd.gamma[j] == pytest.approx(expected.gamma[j])
    assert np.array_equal(odd.centre, odd.theta0)
    first = layers(odd.widths)[0]
    for j, scale in ((0, 0.5), (1, 2.0)):  # σ² / Σ_0, and Σ_0 is divided by the fan-in
        by_hand = 0.2**2 * 2 / (3.0 * scale) ** 2
        assert odd.gamma[j, first.weight] == pytest.approx(np.full(200, by_hand))


@pytest.mark.parametrize("activation", list(ACTIVATIONS))
def test_a_narrow_member_of_a_wide_batch_trains_as_a_narrow_network(activation):
    """Units that are off stay off: the trained parameters are those of a network without them."""
    settings = {"hidden": [10, 8], "widths": [0.5, 1.5], "size": 2, "activation": activation}
    how = training(30, {"steps": 300, "batch_size": 10, "dtype": "float64"})
    odd = members("ae_widths", **settings)
    assert odd.widths == (2, 15, 12, 1)
    trained = fit(odd, TASK.x, TASK.y, how).theta
    on = active(odd.widths, (2, 5, 4, 1))
    assert on.sum() == 2 * 5 + 5 + 5 * 4 + 4 + 4 + 1
    assert not trained[0, ~on].any()
    alone = Members(
        widths=(2, 5, 4, 1),
        activations=(activation,),
        theta0=odd.theta0[:1, on],
        learning_rate=odd.learning_rate[:1],
        keys=odd.keys[:1],
        centre=odd.theta0[:1, on],
        gamma=odd.gamma[:1, on],
    )
    assert trained[0, on] == pytest.approx(fit(alone, TASK.x, TASK.y, how).theta[0], abs=1e-8)


def test_widths_average_to_those_of_the_other_methods_and_priors_know_them():
    odd = members("ae_widths", size=5, prior={"weight": 2.0, "output": 3.0})
    units = [int((row[layers(odd.widths)[0].bias] != 0).sum()) for row in odd.theta0]
    assert units == [20, 60, 100, 140, 180]
    last = layers(odd.widths)[-1].weight
    for j, width in enumerate(units):  # σ² fan-in / sd²
        gamma = odd.gamma[j, last]
        assert gamma[:width] == pytest.approx(np.full(width, 0.2**2 * width / 3.0**2))
        assert not gamma[width:].any()


def test_the_activation_can_be_searched():
    names = ["gelu", "tanh", "linear"]
    search = Search({"activation": {"choice": names}}, 16, 4, 0.1, 0.2, 80, 0)
    tried = [values.get("activation") for values in draws(search, "key")]
    assert tried[0] is None  # the first trial is the default
    assert {name: tried.count(name) for name in names} == dict.fromkeys(names, 5)
    assert members("ae_choice", activation="gelu").activations == ("gelu",) * 5
