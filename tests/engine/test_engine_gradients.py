"""Gradients of both engines against autograd through torch's own layers."""

from dataclasses import replace

import numba
import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from plain import ALL, TORCH, draw, forward, gradients, objective

from rafs.engine import Training, fit
from rafs.engine.activations import ACTIVATIONS, PAPER
from rafs.engine.fused.elementwise import activation
from rafs.engine.jacobian import jacobian_offset

ENGINES = ("fused", "torch")


def gradient(members, x, y, **training):
    """Return the gradient that an engine uses: one step of plain descent of length one."""
    members = replace(members, learning_rate=np.ones(members.size))
    options = {"steps": 1, "optimiser": "sgd", "dtype": "float64", "device": "cpu"}
    return members.theta0 - fit(members, x, y, Training(**(options | training))).theta


def close(found, wanted):
    """Compare to 1e-10 of the largest entry of each member."""
    size = np.maximum(np.abs(wanted).max(axis=-1, keepdims=True), 1)
    np.testing.assert_array_less(np.abs(found - wanted) / size, 1e-10)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("hidden", [(), (7,), (6, 9), (5, 4, 8)])
@pytest.mark.parametrize("loss", ["squared", "gaussian"])
def test_gradients_are_those_of_autograd(engine, hidden, loss):
    outputs = 1 if loss == "squared" else 2
    members, x, y = draw((3, *hidden, outputs), n=37)
    close(gradient(members, x, y, loss=loss, backend=engine), gradients(members, x, y, loss))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("loss", ["squared", "gaussian"])
@pytest.mark.parametrize(
    "options",
    [
        {"weights": True},
        {"offset": True},
        {"gamma": True},
        {"gamma": True, "centre": True},
        {"scales": True},
        {"scales": True, "gamma": True, "centre": True, "weights": True, "offset": True},
    ],
    ids=lambda options: "+".join(options),
)
def test_gradients_with_options(engine, loss, options):
    outputs = 1 if loss == "squared" else 2
    members, x, y = draw((2, 6, 5, outputs), n=23, **options)
    close(gradient(members, x, y, loss=loss, backend=engine), gradients(members, x, y, loss))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("beta", [0.25, 0.5, 1.0])
def test_beta_nll_weighs_rows_by_a_variance_that_has_no_gradient(engine, beta):
    members, x, y = draw((3, 8, 6, 2), n=29, gamma=True, weights=True)
    found = gradient(members, x, y, loss="gaussian", backend=engine, beta_nll=beta)
    close(found, gradients(members, x, y, "gaussian", beta=beta))
    assert np.abs(found - gradients(members, x, y, "gaussian")).max() > 1e-3


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("adversarial", [0.0, 0.1])
def test_the_warm_up_trains_the_mean_alone(engine, adversarial):
    members, x, y = draw((3, 8, 2), n=29, weights=True)
    options = {"loss": "gaussian", "backend": engine, "adversarial": adversarial}
    found = gradient(members, x, y, warm_up=1.0, **options)
    if not adversarial:
        close(found, gradients(members, x, y, "gaussian", warm=True))
    head = np.r_[33:48:2, 49]  # W2 is 8 x 2 from 32 on, b2 follows; the variance is second
    assert (found[:, head] == 0).all()
    assert (np.abs(found[:, head - 1]).max(axis=1) > 1e-3).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_bias_scale_of_zero_removes_the_bias(engine):
    members, x, y = draw((2, 6, 1), scales=True)
    scales = members.scales.copy()
    scales[:, :, 1] = 0
    members = replace(members, scales=scales)
    found = gradient(members, x, y, backend=engine)
    close(found, gradients(members, x, y, "squared"))
    assert (found[:, 12:18] == 0).all()
    assert (found[:, -1] == 0).all()


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    n=st.integers(1, 70),
    d=st.integers(1, 9),
    hidden=st.lists(st.integers(1, 19), max_size=3),
    loss=st.sampled_from(["squared", "gaussian"]),
    seed=st.integers(0, 99),
)
def test_gradients_of_any_shape(n, d, hidden, loss, seed):
    outputs = 1 if loss == "squared" else 2
    names = [ALL[seed % len(ALL)], ALL[(seed + n) % len(ALL)]]
    members, x, y = draw((d, *hidden, outputs), names, n=n, seed=seed, gamma=True, weights=True)
    close(gradient(members, x, y, loss=loss, backend="fused"), gradients(members, x, y, loss))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("loss", ["squared", "gaussian"])
def test_adversarial_step_averages_clean_and_perturbed_inputs(engine, loss):
    outputs = 1 if loss == "squared" else 2
    members, x, y = draw((3, 8, 6, outputs), n=29, gamma=True, weights=True)
    found = gradient(members, x, y, loss=loss, backend=engine, adversarial=0.1)
    targets = torch.tensor(y)
    for member in range(members.size):
        theta = torch.tensor(members.theta0[member], requires_grad=True)
        inputs = torch.tensor(x, requires_grad=True)
        clean = objective(members, member, theta, inputs, targets, loss)
        (slope,) = torch.autograd.grad(clean, inputs, retain_graph=True)
        moved = (inputs + 0.1 * slope.sign()).detach()
        both = 0.5 * (clean + objective(members, member, theta, moved, targets, loss))
        close(found[member], torch.autograd.grad(both, theta)[0].numpy())


def test_engines_drop_the_same_units():
    members, x, y = draw((2, 9, 7, 1), n=40, dropout=True)
    fused = gradient(members, x, y, backend="fused")
    close(fused, gradient(members, x, y, backend="torch"))
    kept = gradient(replace(members, dropout=None), x, y, backend="fused")
    assert (np.abs(fused - kept).max(axis=1) > 1e-3).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_dropout_keeps_the_mean_of_a_linear_network(engine):
    """Inverted dropout leaves the expected output alone: with residual r = y - E[f] the mean of the
    output bias's gradient over many keys is that without dropout."""
    members, x, y = draw((2, 30, 1), ["linear"] * 300, n=4)
    same = replace(members, theta0=np.tile(members.theta0[:1], (300, 1)))
    plain = gradient(same, x, y, backend=engine)[0, -1]
    dropped = gradient(replace(same, dropout=np.full(300, 0.4)), x, y, backend=engine)[:, -1]
    assert abs(dropped.mean() - plain) < 4 * dropped.std() / np.sqrt(300)
    assert dropped.std() > 0.1


def test_the_paper_lists_seven_activations_in_its_order():
    assert PAPER == ("gelu", "softsign", "swish", "selu", "tanh", "erf", "linear")
    assert set(PAPER) | {"relu"} == set(ACTIVATIONS) == set(TORCH)


POINTS = np.concatenate([np.linspace(-9, 9, 3001), [-40, 40, 1e-3, -1e-3, 1e-6, 100, -100]])


def reference(name):
    """Return value and derivative of torch's own function at POINTS."""
    z = torch.tensor(POINTS, requires_grad=True)
    value = TORCH[name](z)
    return value.detach().numpy(), torch.autograd.grad(value.sum(), z)[0].numpy()


@numba.njit
def apply(function, z, value, slope):
    function(z, value, slope)


@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-13), ("float32", 2e-6)])
@pytest.mark.parametrize("name", ALL)
def test_compiled_activations(name, dtype, tolerance):
    z = POINTS.astype(dtype)
    value, slope = np.empty_like(z), np.empty_like(z)
    apply(activation(name, dtype), z, value, slope)
    wanted, derivative = reference(name)
    size = np.maximum(np.abs(POINTS), 1)
    assert (np.abs(value - wanted) / size).max() < tolerance
    assert (np.abs(slope - derivative) / size).max() < tolerance


@pytest.mark.parametrize("name", ALL)
def test_reference_activations(name):
    z = torch.tensor(POINTS, requires_grad=True)
    value, slope = ACTIVATIONS[name](torch, z)
    derivative = torch.autograd.grad(value.sum(), z)[0].numpy()
    wanted, wanted_derivative = reference(name)
    np.testing.assert_allclose(value.detach().numpy(), wanted, atol=1e-13)
    np.testing.assert_allclose(derivative, wanted_derivative, atol=1e-13)
    slope = slope.detach().numpy() if isinstance(slope, torch.Tensor) else slope
    np.testing.assert_allclose(np.broadcast_to(slope, z.shape), wanted_derivative, atol=1e-13)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ALL)
def test_not_a_number_stays_one(name, dtype):
    z = np.full(40, np.nan, dtype=dtype)
    value, slope = np.zeros_like(z), np.zeros_like(z)
    apply(activation(name, dtype), z, value, slope)
    assert np.isnan(value).all()


@pytest.mark.parametrize("scaled", [False, True])
def test_jacobian_offset_is_a_jacobian_vector_product(scaled):
    members, x, _ = draw((3, 8, 6, 1), n=9, scales=scaled)
    tangent = np.random.default_rng(5).normal(size=members.theta0.shape)
    found = jacobian_offset(members, members.theta0, tangent, x)
    for member in range(members.size):
        _, wanted = torch.func.jvp(
            lambda theta, j=member: forward(members, j, theta, torch.tensor(x))[:, 0],
            (torch.tensor(members.theta0[member]),),
            (torch.tensor(tangent[member]),),
        )
        np.testing.assert_allclose(found[member], wanted.numpy(), rtol=1e-11, atol=1e-12)
