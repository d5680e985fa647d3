"""Hyperdeep ensembles: the search, the selection, and who decides."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import norm

from rafs import methods
from rafs.errors import DataError
from rafs.methods.base import Task, training
from rafs.methods.hyperdeep import PICKS, greedy, held_out

SOUND = {"ddof": 1, "as_sd": False}


def made_up(seed, c=6, n=25):
    rng = np.random.default_rng(seed)
    y = rng.normal(size=n)
    return y + rng.normal(size=(c, n)) * rng.uniform(0.2, 1.5, size=(c, 1)), y


def log_score(members, counts, y, noise):
    """NLL of an ensemble given as counts, from numpy's weighted covariance and scipy's density."""
    counts = np.asarray(counts)
    mean = np.average(members, axis=0, weights=counts)
    if np.count_nonzero(counts) > 1:
        variance = np.array([np.cov(column, aweights=counts) for column in members.T])
    else:
        variance = np.zeros(len(y))
    return -norm.logpdf(y, mean, np.sqrt(variance + noise)).mean()


def brute_force(members, y, noise, most, least):
    """Replay the selection with every next ensemble written out."""
    c = len(members)
    picks = [min(range(c), key=lambda j: ((members[j] - y) ** 2).sum())]
    score = log_score(members, np.bincount(picks, minlength=c), y, noise)
    while len(set(picks)) < most and len(picks) < PICKS * most:
        options = [
            (log_score(members, np.bincount([*picks, j], minlength=c), y, noise), j)
            for j in range(c)
            if len(set(picks)) >= least or j not in picks
        ]
        if len(set(picks)) >= least and min(options)[0] >= score:
            break
        score = min(options)[0]
        picks.append(min(options)[1])
    return np.bincount(picks, minlength=c)


@pytest.mark.parametrize(("seed", "most", "least"), list(product(range(6), (1, 2, 5), (1, 2, 5))))
def test_greedy_against_brute_force(seed, most, least):
    members, y = made_up(seed)
    counts = greedy(members, y, np.full(len(y), 0.05), SOUND, most=most, least=least)
    np.testing.assert_array_equal(counts, brute_force(members, y, 0.05, most, least))
    assert min(most, least) <= np.count_nonzero(counts) <= most


def test_a_perfect_member_gets_the_company_that_harms_least():
    """An ensemble of one has no spread: a second member is taken even if the first is perfect."""
    members, y = made_up(0)
    members[3] = y
    members[1] = y + 0.01
    counts = greedy(members, y, np.full(len(y), 0.01), SOUND, most=5)
    np.testing.assert_array_equal(np.flatnonzero(counts), [1, 3])
    alone = greedy(members, y, np.full(len(y), 0.01), SOUND, most=5, least=1)
    np.testing.assert_array_equal(np.flatnonzero(alone), [3])
    forced = greedy(members, y, np.full(len(y), 0.01), SOUND, most=5, least=5)
    assert np.count_nonzero(forced) == 5


def test_no_more_are_taken_than_there_are():
    members, y = made_up(0, c=1)
    assert greedy(members, y, np.full(len(y), 0.01), SOUND, most=5) == [1]
    members, y = made_up(0, c=3)
    counts = greedy(members, y, np.full(len(y), 0.01), SOUND, most=5, least=4)
    assert np.count_nonzero(counts) == 3


def test_opposite_errors_are_picked_together():
    y = np.zeros(20)
    members = np.stack([np.full(20, 0.5), np.full(20, 0.51), np.full(20, -0.5)])
    counts = greedy(members, y, np.full(20, 0.01), SOUND, most=5)
    assert counts[2] > 0
    assert counts[0] > 0


def test_held_out_rows():
    rows = held_out(50, 0.2, "k", 1)
    assert rows.sum() == 10
    assert (rows != held_out(50, 0.2, "k", 2)).any()
    assert held_out(2, 0.01, "k").sum() == 1
    with pytest.raises(DataError, match="too few"):
        held_out(1, 0.2, "k")


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, size=(60, 2))
    return x, np.sin(3 * x[:, 0]) + 0.1 * rng.normal(size=60)


def test_held_out_rows_do_not_train(data):
    """Absurd targets on the held-out rows change who is picked, and no network."""
    x, y = data
    method = methods.get("hde")
    rows = held_out(60, 0.2, "h")
    other = np.where(rows, 1e3, y)
    how = training(60, {"steps": 40})
    thetas = []
    for target in (y, other):
        task = Task(x, target, 0.1, ("h",))
        settings = method.resolve({"hidden": [8]})
        (everyone,) = method._stage([(task, settings)], [method.plan(task, settings, 6)], how)
        thetas.append(everyone.theta)
    np.testing.assert_array_equal(*thetas)


def test_candidates_spread_over_their_ranges(data):
    method = methods.get("hde")
    settings = method.resolve({"l2": [1e-3, 10.0], "dropout": [0.01, 0.5], "hidden": [8]})
    members = method.plan(Task(*data, 0.1, ("r",)), settings, 500).members
    gamma = members.gamma / (1 - members.dropout[:, None])
    weights = np.r_[0:16, 24:32]  # W1 is 2 x 8, b1 8, W2 8 x 1, b2 1
    assert (gamma[:, weights] == gamma[:, [0]]).all() or np.allclose(
        gamma[:, weights], gamma[:, [0]]
    )
    assert (np.delete(gamma, weights, axis=1) == 0).all()
    for drawn, (low, high) in ((gamma[:, 0], (1e-3, 10.0)), (members.dropout, (0.01, 0.5))):
        share = (np.log(drawn) - np.log(low)) / np.log(high / low)
        assert 0 <= share.min() < 0.02
        assert 0.98 < share.max() <= 1
        assert abs(share.mean() - 0.5) < 0.05
    corr = np.corrcoef(np.log(gamma[:, 0]), np.log(members.dropout))[0, 1]
    assert abs(corr) < 0.15


def test_the_whole_procedure(data):
    method = methods.get("hde")
    fitted = method.fit(
        Task(*data, 0.1, ("whole",)),
        {"hidden": [20], "candidates": 6, "copies": 3},
        training(60, {"steps": 300}),
    )
    assert 2 <= len(fitted.weights) <= 5
    assert (fitted.predict(data[0]).epistemic > 0).all()
    assert fitted.weights.sum() == pytest.approx(1)
    p = fitted.predict(data[0])
    np.testing.assert_allclose(p.aleatoric, 0.01)
    assert np.sqrt(np.mean((p.mean - data[1]) ** 2)) < 0.4


def test_stratified_copies_are_fresh_networks_with_the_hyperparameters_found(data, monkeypatch):
    method, stages = methods.get("hde+rafs"), []
    kept = method._stage

    def stage(trials, plans, how):
        stages.extend(plan.members for plan in plans)
        return kept(trials, plans, how)

    monkeypatch.setattr(method, "_stage", stage)
    method.fit(
        Task(*data, 0.1, ("s",)),
        {"hidden": [8], "candidates": 6, "copies": 3},
        training(60, {"steps": 60}),
    )
    search, copies = stages
    assert search.size == 6
    assert copies.size % 3 == 0
    found = {(d, a) for d, a in zip(search.dropout, search.activations, strict=True)}
    again = [(d, a) for d, a in zip(copies.dropout, copies.activations, strict=True)]
    assert set(again) <= found
    assert all(again.count(pair) == 3 for pair in again)
    starts = np.concatenate([search.theta0, copies.theta0])
    assert len({row.tobytes() for row in starts}) == len(starts)
    assert len({*search.keys.tolist(), *copies.keys.tolist()}) == len(starts)


def test_a_tuning_trial_costs_as_many_networks_as_anyone_elses(data):
    hde, ae = methods.get("hde"), methods.get("ae")
    task = Task(*data, 0.1, ("t",))
    sizes = {m.plan(task, m.defaults).members.size for m in (hde, ae)}
    assert sizes == {5}
