"""Whole trainings: against torch's optimisers, against each other, and against themselves."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from plain import ALL, draw, forward, objective

from rafs.engine import Members, Training, fit, outputs, problem
from rafs.engine.optimisers import OPTIMISERS, Optimiser, sgd_scalars
from rafs.engine.sampling import batches

SHORT = {"steps": 40, "dtype": "float64", "device": "cpu"}
EVERYTHING = {"centre": True, "gamma": True, "scales": True, "weights": True, "offset": True}


def train(members, x, y, **options):
    return fit(members, x, y, Training(**(SHORT | options)))


def momentum(m, theta, g, a, b, s, t):
    """Gradient descent with momentum: an optimiser that the engines do not know yet."""
    a = 0.9 * a + g
    return theta - s * a, a, b


KINDS = {
    "adam": torch.optim.Adam,
    "sgd": torch.optim.SGD,
    "momentum": partial(torch.optim.SGD, momentum=0.9),
}


@pytest.mark.parametrize("engine", ["fused", "torch"])
@pytest.mark.parametrize("optimiser", KINDS)
def test_optimisers_are_those_of_torch(engine, optimiser, monkeypatch):
    """One definition is all that a further optimiser needs."""
    further = Optimiser("momentum", sgd_scalars, momentum)
    monkeypatch.setitem(OPTIMISERS, "momentum", further)
    monkeypatch.setitem(problem.CHOICES, "optimiser", tuple(OPTIMISERS))
    members, x, y = draw((2, 7, 1), ["tanh", "gelu"], n=21, gamma=True, centre=True)
    found = train(members, x, y, optimiser=optimiser, backend=engine).theta
    for member in range(members.size):
        theta = torch.tensor(members.theta0[member], requires_grad=True)
        moves = KINDS[optimiser]([theta], lr=float(members.learning_rate[member]))
        for _ in range(SHORT["steps"]):
            moves.zero_grad()
            objective(
                members, member, theta, torch.tensor(x), torch.tensor(y), "squared"
            ).backward()
            moves.step()
        np.testing.assert_allclose(found[member], theta.detach().numpy(), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize(
    ("columns", "options"),
    [
        ({}, {}),
        (EVERYTHING, {}),
        ({**EVERYTHING, "dropout": True}, {"batch_size": 8}),
        ({"gamma": True}, {"batch_size": 7, "optimiser": "sgd"}),
        ({"weights": True, "dropout": True}, {"loss": "gaussian", "batch_size": 16}),
        ({"offset": True}, {"loss": "gaussian", "adversarial": 0.05}),
        ({}, {"adversarial": 0.1, "batch_size": 10}),
        ({"gamma": True}, {"loss": "gaussian", "beta_nll": 0.5, "batch_size": 16}),
        ({}, {"loss": "gaussian", "warm_up": 0.4, "beta_nll": 0.5, "adversarial": 0.05}),
    ],
)
def test_engines_agree(columns, options):
    outputs_ = 2 if options.get("loss") == "gaussian" else 1
    members, x, y = draw((3, 9, 6, outputs_), n=30, **columns)
    fused = train(members, x, y, backend="fused", **options)
    reference = train(members, x, y, backend="torch", **options)
    np.testing.assert_allclose(fused.theta, reference.theta, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(fused.loss, reference.loss, rtol=1e-8)
    single = train(members, x, y, backend="fused", **(options | {"dtype": "float32"}))
    assert single.theta.dtype == np.float32
    np.testing.assert_allclose(single.loss, reference.loss, rtol=0.02, atol=1e-4)


@pytest.mark.parametrize("engine", ["fused", "torch"])
def test_after_the_warm_up_training_starts_anew_from_there(engine):
    """Ten steps on the mean, then ten on the likelihood, are two trainings one after the other."""
    members, x, y = draw((2, 7, 2), n=20, gamma=True)
    options = {"loss": "gaussian", "dtype": "float64", "device": "cpu", "backend": engine}
    whole = fit(members, x, y, Training(steps=20, warm_up=0.5, **options)).theta
    warm = fit(members, x, y, Training(steps=10, warm_up=1.0, **options)).theta
    rest = fit(replace(members, theta0=warm), x, y, Training(steps=10, **options)).theta
    np.testing.assert_allclose(whole, rest, rtol=1e-12)
    assert np.abs(whole - warm).max() > 1e-3


def test_the_squared_loss_knows_no_warm_up():
    members, x, y = draw((2, 7, 1), n=20)
    plain = train(members, x, y).theta
    assert (train(members, x, y, warm_up=0.5, beta_nll=0.5).theta == plain).all()


@pytest.mark.parametrize("engine", ["fused", "torch"])
def test_rows_of_their_own(engine):
    """Members with inputs [B, n, d] are the members trained on each slice."""
    members, _, _ = draw((2, 5, 1), n=12, weights=True)
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(members.size, 12, 2)), rng.normal(size=(members.size, 12))
    for batch_size in (None, 5):
        found = train(members, x, y, backend=engine, batch_size=batch_size)
        own = outputs(members, found.theta, x, Training(**SHORT, backend=engine))
        for member in range(members.size):
            alone = members.take([member])
            single = train(alone, x[member], y[member], backend=engine, batch_size=batch_size)
            np.testing.assert_allclose(found.theta[member], single.theta[0], rtol=1e-9, atol=1e-11)
            f = outputs(alone, single.theta, x[member], Training(**SHORT, backend=engine))
            np.testing.assert_allclose(own[member], f[0], rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("options", [{}, {"batch_size": 9}, {"adversarial": 0.02}])
def test_a_member_is_the_same_in_any_batch(dtype, options):
    """Bit for bit: alone, with others, in any order."""
    members, x, y = draw((2, 11, 1), n=35, dropout=True, **EVERYTHING)
    together = train(members, x, y, dtype=dtype, **options).theta
    order = np.random.default_rng(1).permutation(members.size)
    shuffled = train(members.take(order), x, y, dtype=dtype, **options).theta
    assert (shuffled == together[order]).all()
    for member in range(members.size):
        alone = train(members.take([member]), x, y, dtype=dtype, **options).theta
        assert (alone[0] == together[member]).all()
    halves = Members.concat([members.take(slice(4, None)), members.take(slice(4))])
    other = train(halves, x, y, dtype=dtype, **options).theta
    assert (np.roll(other, 4, axis=0) == together).all()


def test_mini_batches_visit_every_row_once_an_epoch():
    keys = np.array([3, 4, 2**64 - 1], dtype=np.uint64)
    first, second = batches(keys, 0, 50), batches(keys, 1, 50)
    for orders in (first, second):
        assert (np.sort(orders, axis=1) == np.arange(50)).all()
    assert len({tuple(order) for order in (*first, *second)}) == 6
    # the place of row 0 is uniform: chi-square with 9 degrees of freedom, 0.1 % point 27.9
    places = np.argmin(batches(np.arange(2000, dtype=np.uint64), 5, 10), axis=1)
    counts = np.bincount(places, minlength=10)
    assert ((counts - 200) ** 2 / 200).sum() < 27.9


@pytest.mark.parametrize("engine", ["fused", "torch"])
def test_mini_batch_is_a_step_on_its_rows_with_the_whole_regulariser(engine):
    """n = 10 in batches of 4, 4 and 2: each step is a full-batch step on those rows, in which the
    regulariser counts 1/10 and not one over the size of the batch."""
    members, x, y = draw((2, 6, 1), ["tanh"], n=10, **EVERYTHING)
    found = train(members, x, y, steps=7, batch_size=4, optimiser="sgd", backend=engine).theta
    theta = members.theta0
    for step in range(7):
        epoch, place = divmod(step, 3)
        rows = batches(members.keys, epoch, 10)[0, 4 * place : 4 * place + 4]
        part = replace(
            members,
            theta0=theta,
            gamma=members.gamma * len(rows) / 10,
            weights=members.weights[:, rows],
            offset=members.offset[:, rows],
        )
        theta = train(part, x[rows], y[rows], steps=1, optimiser="sgd", backend="torch").theta
    np.testing.assert_allclose(found, theta, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("batch_size", [None, 20, 33])
def test_a_batch_of_all_rows_is_the_full_batch(batch_size):
    members, x, y = draw((2, 6, 1), ["erf"], n=20)
    full = train(members, x, y).theta
    assert (train(members, x, y, batch_size=batch_size).theta == full).all()


@pytest.mark.parametrize("engine", ["fused", "torch"])
def test_counts_are_repeated_rows(engine):
    members, x, y = draw((2, 6, 1), n=24)
    counts = np.bincount(np.random.default_rng(2).integers(24, size=24), minlength=24)
    weighted = replace(members, weights=np.tile(counts, (members.size, 1)))
    repeated = np.repeat(np.arange(24), counts)
    a = train(weighted, x, y, backend=engine)
    b = train(members, x[repeated], y[repeated], backend=engine)
    np.testing.assert_allclose(a.theta, b.theta, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(a.loss, b.loss, rtol=1e-9)


@pytest.mark.parametrize("engine", ["fused", "torch"])
def test_ridge_regression_is_found(engine):
    """Without hidden layers the minimum is known: (XᵀWX + Γ)⁻¹ (XᵀW(y − o) + Γc)."""
    members, x, y = draw(
        (3, 1), ["linear"], n=40, gamma=True, centre=True, weights=True, offset=True
    )
    members = replace(members, learning_rate=np.array([0.05]))
    found = train(members, x, y, steps=4000, optimiser="sgd", backend=engine).theta[0]
    X = np.column_stack([x, np.ones(40)])
    W, G = np.diag(members.weights[0]), np.diag(members.gamma[0])
    right = X.T @ W @ (y - members.offset[0]) + G @ members.centre[0]
    np.testing.assert_allclose(found, np.linalg.solve(X.T @ W @ X + G, right), atol=1e-8)


def test_the_likelihood_learns_the_noise():
    """Targets with sd 0.5 around a line: the variance head finds 0.25."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4000, 1))
    y = 0.7 * x[:, 0] + 0.5 * rng.normal(size=4000)
    members = Members((1, 2), ("linear",), np.zeros((1, 4)), np.array([0.02]), np.array([1]))
    result = fit(members, x, y, Training(steps=1500, loss="gaussian", device="cpu"))
    mean, raw = outputs(members, result.theta, np.array([[0.0], [1.0]]))[0].T
    np.testing.assert_allclose(mean, [0, 0.7], atol=0.04)
    np.testing.assert_allclose(np.log1p(np.exp(raw)), 0.25, atol=0.02)


@pytest.mark.parametrize("engine", ["fused", "torch"])
def test_outputs_are_those_of_torch(engine):
    members, x, _ = draw((4, 10, 7, 2), n=333, scales=True)
    options = Training(steps=0, dtype="float64", loss="gaussian", device="cpu", backend=engine)
    found = outputs(members, members.theta0, x, options)
    assert found.shape == (members.size, 333, 2)
    for member in range(members.size):
        wanted = forward(members, member, torch.tensor(members.theta0[member]), torch.tensor(x))
        np.testing.assert_allclose(found[member], wanted.numpy(), rtol=1e-11, atol=1e-12)


def test_an_output_does_not_depend_on_the_other_rows():
    members, x, _ = draw((2, 100, 1), n=1000)
    whole = outputs(members, members.theta0, x)
    pieces = [outputs(members, members.theta0, x[a:b]) for a, b in ((0, 1), (1, 400), (400, 1000))]
    assert whole.shape == (members.size, 1000)
    assert (np.concatenate(pieces, axis=1) == whole).all()


def test_the_loss_is_that_of_the_outputs():
    members, x, y = draw((2, 8, 1), n=50, weights=True, offset=True)
    result = train(members, x, y, dtype="float32")
    f = outputs(members, result.theta, x)
    each = members.weights * (y - members.offset - f) ** 2
    np.testing.assert_allclose(result.loss, each.mean(axis=1), rtol=1e-5)


def test_no_steps_is_the_start():
    members, x, y = draw((2, 8, 1))
    assert (train(members, x, y, steps=0).theta == members.theta0).all()
    assert len(ALL) == members.size
