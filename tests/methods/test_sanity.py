"""Properties of each method for all settings: known posteriors, a line, and uncertainty."""

import numpy as np
import pytest

from rafs import datasets, methods
from rafs.methods.base import Task, training
from rafs.methods.ensemble import Scaler
from rafs.methods.random_prior import counts


def posterior(x, y, noise, output, bias, new):
    """Mean and variance of Bayesian linear regression at new inputs, from the joint Gaussian."""

    def kernel(a, b):
        return output**2 * a @ b.T + bias**2

    gain = np.linalg.solve(kernel(x, x) + noise**2 * np.eye(len(x)), kernel(x, new)).T
    return gain @ y, np.diag(kernel(new, new) - gain @ kernel(x, new))


LINEAR = {
    "hidden": [],
    "size": 1500,
    "learning_rate": 0.05,
    "prior": {"scaling": "none", "output": 1.3, "bias": 0.7},
}
EXACTLY = {"steps": 800, "dtype": "float64"}


@pytest.mark.parametrize("name", ["ae", "rafs"])
def test_anchored_members_are_draws_from_the_exact_linear_posterior(name):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(12, 2))
    y = x @ [1.0, -2.0] + 0.5 + 0.5 * rng.normal(size=12)
    new = np.array([[0.0, 0.0], [1.0, 1.0], [3.0, -2.0], [-4.0, 5.0]])
    mean, variance = posterior(x, y, 0.5, 1.3, 0.7, new)
    fitted = methods.get(name).fit(
        Task(x, y, 0.5, ("bayes",)), {**LINEAR, "target_noise": True}, training(12, EXACTLY)
    )
    p = fitted.predict(new)
    m = LINEAR["size"]
    np.testing.assert_array_less(np.abs(p.mean - mean), 4.5 * np.sqrt(variance / m))
    np.testing.assert_allclose(p.epistemic, variance, rtol=4.5 * np.sqrt(2 / m))
    np.testing.assert_allclose(p.variance - p.epistemic, 0.25)


def test_equation_2_as_printed_has_the_posterior_mean_and_its_variance_where_data_are_silent():
    """Without noise on the targets the spread is too small along the data, and exact across."""
    rng = np.random.default_rng(2)
    x = np.zeros((8, 4))
    x[:, :2] = rng.normal(size=(8, 2))
    y = x[:, 0] + 0.5 * rng.normal(size=8)
    new = np.array([[1.0, 1.0, 0, 0], [0, 0, 1.0, 0], [0, 0, -2.0, 3.0]])
    settings = {**LINEAR, "prior": {**LINEAR["prior"], "output_bias": False}}
    p = (
        methods.get("ae")
        .fit(Task(x, y, 0.5, ("eq2",)), settings, training(8, EXACTLY))
        .predict(new)
    )
    mean, variance = posterior(x, y, 0.5, 1.3, 0.0, new)
    sure = 4.5 * np.sqrt(2 / LINEAR["size"])
    np.testing.assert_array_less(
        np.abs(p.mean - mean), 4.5 * np.sqrt(variance / LINEAR["size"]) + 1e-3
    )
    np.testing.assert_allclose(p.epistemic[1:], variance[1:], rtol=sure)
    assert p.epistemic[0] < variance[0] * (1 - sure)


@pytest.mark.parametrize("name", [*methods.ensembles(), *methods.controls()])
def test_a_line_without_noise_is_interpolated(name):
    x = np.linspace(-3, 5, 40)[:, None]
    y = 2 * x[:, 0] - 1
    new = np.linspace(-2.9, 4.9, 33)[:, None]
    sx, sy = Scaler.fit(x), Scaler.fit(y)
    task = Task(sx.transform(x), sy.transform(y), 1e-3, ("line", name))
    fitted = methods.get(name).fit(task, {}, training(40, {"steps": 3000}))
    p = fitted.predict(sx.transform(new)).in_units(sy)
    np.testing.assert_allclose(p.mean, 2 * new[:, 0] - 1, atol=0.3)  # y spans 16


@pytest.mark.parametrize("name", ["ae", "rp", "ntkgp", "rafs"])
def test_doubt_grows_away_from_the_data(name):
    """He et al.: two clusters of x sin x, nothing between them and nothing beyond."""
    doubt = {"near": 0.0, "between": 0.0, "beyond": 0.0}
    for seed in range(3):
        data = datasets.load("he", seed=seed)
        size = np.abs(data.x_train)
        sx, sy = Scaler.fit(data.x_train), Scaler.fit(data.y_train)
        task = Task(
            sx.transform(data.x_train),
            sy.transform(data.y_train),
            data.noise / float(sy.scale),
            ("he", seed, name),
        )
        fitted = methods.get(name).fit(task, {}, training(20, {"steps": 2000}))
        far = np.linspace(4, 6, 9)
        for where, at in (
            ("near", data.x_train[:, 0]),
            ("between", np.linspace(-0.3, 0.3, 9) * size.min()),
            ("beyond", np.concatenate([-far, far])),
        ):
            doubt[where] += np.sqrt(fitted.predict(sx.transform(at[:, None])).epistemic).mean()
    assert doubt["between"] > 1.5 * doubt["near"]
    assert doubt["beyond"] > 10 * doubt["near"]


def test_bootstrap_counts():
    drawn = np.stack([counts(50, "bootstrap", j) for j in range(400)])
    assert (drawn.sum(axis=1) == 50).all()
    assert drawn.min() == 0
    assert abs((drawn == 0).mean() - (1 - 1 / 50) ** 50) < 0.01
    assert len({row.tobytes() for row in drawn}) == 400


def test_a_random_prior_network_never_goes_away():
    """Far from the data beta moves the members; with beta 0 and no bootstrap rp is de."""
    x = np.linspace(-1, 1, 20)[:, None]
    task, how = Task(x, np.sin(3 * x[:, 0]), 0.05, ("rp",)), training(20, {"steps": 500})
    rp, far = methods.get("rp"), np.array([[6.0]])
    spread = [
        rp.fit(task, {"beta": beta}, how).predict(far).epistemic[0] for beta in (0.0, 1.0, 5.0)
    ]
    assert spread[0] < spread[1] < spread[2]
    plain = {"beta": 0.0, "bootstrap": False, "prior": {"weight": 1.0, "bias": 0.1}}
    np.testing.assert_array_equal(
        rp.fit(task, plain, how).predict(x).members,
        methods.get("de").fit(task, {}, how).predict(x).members,
    )


def test_ntk_and_standard_parameterisation_are_one_function_before_training():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(10, 3))
    task, method = Task(x, x[:, 0], 0.1, ("ntk",)), methods.get("ntkgp")
    start = [
        method.fit_trials(
            [(task, method.resolve({"hidden": [20, 10], "parameterisation": how}))],
            training(10, {"steps": 1, "optimiser": "sgd", "dtype": "float64"}),
        )[0]
        for how in ("ntk", "standard")
    ]
    offsets = [e.method.offset(e.settings, e.members, e.frozen, x) for e in start]
    np.testing.assert_allclose(offsets[0], offsets[1], rtol=1e-10)
    plans = [method.plan(task, e.settings) for e in start]
    np.testing.assert_allclose(plans[0].members.gamma, 0.01)
    sd = plans[1].members.theta0 / plans[0].members.theta0
    np.testing.assert_allclose(plans[1].members.gamma, 0.01 / sd**2)


def test_the_last_layer_of_the_tangent_is_zero():
    x = np.ones((4, 2))
    plan = methods.get("ntkgp").plan(Task(x, x[:, 0], 0.1, ("t",)), methods.get("ntkgp").defaults)
    tangent = plan.frozen["tangent"]
    assert (tangent[:, -101:] == 0).all()
    assert (tangent[:, :300] != 0).all()


def test_a_learned_variance_follows_the_noise():
    """Noise sd 0.1 on the left and 0.6 on the right: de_nll learns it from the data alone."""
    rng = np.random.default_rng(5)
    x = rng.uniform(-1, 1, size=(600, 1))
    y = x[:, 0] + np.where(x[:, 0] < 0, 0.1, 0.6) * rng.normal(size=600)
    fitted = methods.get("de_nll").fit(
        Task(x, y, 99.0, ("nll",)), {"size": 3}, training(600, {"steps": 1500})
    )
    sd = np.sqrt(fitted.predict(np.array([[-0.7], [0.7]])).aleatoric)
    np.testing.assert_allclose(sd, [0.1, 0.6], rtol=0.3)


def test_the_mixture_of_the_2017_ensemble():
    x = np.linspace(-1, 1, 10)[:, None]
    fitted = methods.get("de_nll").fit(Task(x, x[:, 0], 0.1, ("mix",)), {}, training(10))
    p = fitted.predict(x)
    variances = (p.aleatoric * 5).sum()
    assert variances > 0
    np.testing.assert_allclose(p.mean, p.members.mean(axis=0))
    np.testing.assert_allclose(
        p.variance, p.aleatoric + (p.members**2).mean(axis=0) - p.mean**2, atol=1e-12
    )
