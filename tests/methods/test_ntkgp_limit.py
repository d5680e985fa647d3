"""NTKGP-param against the Gaussian process that it samples from, as width and members grow."""

import numpy as np
import pytest

from rafs import gp, methods
from rafs.engine import outputs
from rafs.methods.base import Task, training
from rafs.methods.ensemble import combine

X = np.array([-1.5, -1.2, -0.9, 0.8, 1.1, 1.5])[:, None]
Y = np.sin(2 * X[:, 0])
NEW = np.linspace(-3, 3, 25)[:, None]
NOISE, MEMBERS = 0.1, 150
WIDTHS = (4, 32, 256)


@pytest.fixture(scope="module")
def process():
    mean, variance = gp.posterior(X, Y, NOISE, gp.WideNetwork(1, "erf", 1.5, 0.5)).predict(NEW)
    return mean, np.sqrt(variance)


@pytest.fixture(scope="module")
def ensembles():
    settings = {
        "activation": "erf",
        "size": MEMBERS,
        "learning_rate": 0.05,
        "target_noise": True,
        "prior": {"weight": 1.5, "bias": 0.5, "output": 1.5},
    }
    return {
        width: methods.get("ntkgp").fit(
            Task(X, Y, NOISE, ("limit", width)),
            {**settings, "hidden": [width]},
            training(len(X), {"steps": 1500}),
        )
        for width in WIDTHS
    }


def distances(prediction, process):
    """Root mean square differences of mean and standard deviation."""
    mean, sd = process
    return (
        np.sqrt(np.mean((prediction.mean - mean) ** 2)),
        np.sqrt(np.mean((np.sqrt(prediction.epistemic) - sd) ** 2)),
    )


@pytest.mark.slow
def test_wider_networks_come_closer(ensembles, process):
    narrow, middle, wide = (distances(ensembles[w].predict(NEW), process) for w in WIDTHS)
    assert wide[0] < 0.75 * middle[0] < 0.75 * narrow[0]
    assert wide[0] < 0.3 * process[1].mean()
    assert wide[1] < 0.75 * narrow[1]
    assert wide[1] < 0.15 * process[1].mean()


@pytest.mark.slow
def test_more_members_come_closer(ensembles, process):
    whole = ensembles[WIDTHS[-1]].predict(NEW)
    few = [
        distances(
            combine(whole.members[i : i + 3], np.full(3, 1 / 3), 0.0, {"ddof": 1, "as_sd": False}),
            process,
        )
        for i in range(0, MEMBERS, 3)
    ]
    mean, sd = np.mean(few, axis=0)
    assert distances(whole, process)[0] < 0.6 * mean
    assert distances(whole, process)[1] < 0.25 * sd


@pytest.mark.slow
def test_before_training_the_sum_is_a_draw_of_the_tangent_process():
    """Var f(x; θ_0) + o(x) is the NTK, whereas f alone has the NNGP kernel."""
    method = methods.get("ntkgp")
    settings = method.resolve(
        {
            "activation": "erf",
            "size": 2000,
            "hidden": [64],
            "prior": {"weight": 1.5, "bias": 0.5, "output": 1.5},
        }
    )
    task = Task(NEW, NEW[:, 0], NOISE, ("start",))
    (start,) = method.fit_trials([(task, settings)], training(25, {"steps": 1, "optimiser": "sgd"}))
    frozen = start.frozen["initial"]
    both = method.offset(settings, start.members, start.frozen, NEW)
    network = gp.WideNetwork(1, "erf", 1.5, 0.5)
    alone = outputs(start.members, frozen, NEW)
    np.testing.assert_allclose(alone.var(axis=0), np.diag(gp.nngp(NEW, network=network)), rtol=0.15)
    np.testing.assert_allclose(
        (alone + both).var(axis=0), np.diag(gp.ntk(NEW, network=network)), rtol=0.15
    )
