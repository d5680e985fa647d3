"""Tuning inside a run: its trials, its splits, its noise, and the data that it may use."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

import called
from rafs import datasets, methods, paths
from rafs.evaluation.likelihood import NOISES, fit_noise, gaussian_nll
from rafs.experiments import Run
from rafs.files import read_npz
from rafs.methods import tuning
from rafs.methods.base import Task, training
from rafs.methods.ensemble import Scaler
from rafs.methods.tuning import Problem, Search
from rafs.pipeline.effort import tuning_trainings
from rafs.pipeline.loading import load
from rafs.pipeline.plan import Plan
from rafs.sampled import write_dataset
from rafs.seeding import generator
from small_project import PROJECT, replan

HOW = {"steps": 16, "batch_size": 10, "optimiser": "adam", "dtype": "float32"}
RATE = {"log_uniform": [0.001, 0.1]}
WEIGHT = {"log_uniform": [0.2, 15.0]}
SPACE = {"learning_rate": RATE, "prior.weight": WEIGHT}


def search(space=SPACE, trials=4, keep=4, rows=8, seed=0, **more) -> Search:
    given = {"screening": 0.25, "holdout": 0.2} | more
    return Search(space, trials=trials, keep=keep, rows=rows, seed=seed, **given)


def problem(method="ae", dataset="he", seed=0, noise=0.1, **fixed) -> Problem:
    drawn = datasets.load(dataset, seed)
    given = methods.get(method).resolve({"size": 2, "hidden": [8], **fixed})
    return Problem(method, given, dataset, seed, drawn.x_train, drawn.y_train, noise)


# ------------------------------------------------------------------------------------- trials


def test_the_first_trial_is_the_default_and_the_others_fill_every_stratum():
    kinds = {
        "a": {"uniform": [-2.0, 3.0]}, "b": {"log_uniform": [0.01, 100.0]},
        "c": {"choice": ["x", "y", "z"]},
    }  # fmt: skip
    first, *others = tuning.draws(search(kinds, trials=13), "key")
    assert first == {}
    scaled = {
        "a": [(values["a"] + 2) / 5 for values in others],
        "b": [(math.log10(values["b"]) + 2) / 4 for values in others],
    }
    for positions in scaled.values():
        assert sorted(int(12 * u) for u in positions) == list(range(12))  # one in each twelfth
    assert sorted(values["c"] for values in others) == ["x"] * 4 + ["y"] * 4 + ["z"] * 4
    order = [np.argsort(positions).tolist() for positions in scaled.values()]
    assert order[0] != order[1]  # the settings are combined at random


def test_methods_that_share_a_range_try_the_same_values():
    """Whatever else is searched."""
    shared = {"learning_rate": RATE}
    spaces = {
        "de": shared, "ae": SPACE, "rp": {**SPACE, "beta": {"log_uniform": [0.3, 10.0]}},
        "hde": shared,
    }  # fmt: skip
    tried = {}
    for method, space in spaces.items():
        (trials,) = tuning.tune([problem(method)], search(space), HOW)
        trials = sorted(trials, key=lambda trial: trial.number)
        tried[method] = [trial.values.get("learning_rate") for trial in trials]
        assert [set(trial.values) for trial in trials] == [set(), *[set(space)] * 3]
    assert tried["de"] == tried["ae"] == tried["rp"] == tried["hde"]
    assert len(set(tried["de"])) == 4


def test_another_seed_of_tuning_of_data_or_another_dataset_has_other_trials():
    found = [
        [sorted(trial.values.items()) for trial in trials]
        for given, seed in ((problem(), 0), (problem(), 1), (problem(seed=1), 0),
                            (problem(dataset="forrester"), 0))
        for trials in tuning.tune([given], search(seed=seed), HOW)
    ]  # fmt: skip
    tried = [{str(values) for values in trials if values} for trials in found]
    assert [len(values) for values in tried] == [3] * 4
    assert len(set.union(*tried)) == 12


def test_another_seed_of_tuning_has_other_splits_and_networks():
    """So that the default has another score."""
    found = [tuning.tune([problem()], search(trials=1, keep=1, seed=s), HOW)[0] for s in (0, 0, 1)]
    assert found[0] == found[1]
    assert found[0][0].nll != found[2][0].nll


# ------------------------------------------------------------------------------------- splits


@given(n=st.integers(3, 300), share=st.floats(0.01, 0.99), rows=st.integers(1, 400))
def test_held_out_sets_are_disjoint_and_cover_the_rows_wanted_or_all(n, share, rows):
    masks = np.stack(tuning.held_out(n, share, rows, generator("test", n)))
    sizes = masks.sum(axis=1)
    assert masks.sum(axis=0).max() == 1
    assert set(sizes) == {min(max(round(share * n), 1), n - 2)}
    assert sizes.sum() >= rows or n - sizes.sum() < sizes[0]
    assert sizes.sum() - sizes[0] < rows  # and no more than it takes


def test_small_data_are_cross_validated_and_large_data_split_once():
    few = np.stack(tuning.held_out(20, 0.2, 80, generator("test")))
    assert (few.sum(axis=0) == 1).all()
    assert len(few) == 5
    assert len(tuning.held_out(2000, 0.2, 80, generator("test"))) == 1


# ---------------------------------------------------------------------------- rounds and scores


def by_number(trials):
    return sorted(trials, key=lambda trial: trial.number)


def test_the_best_of_the_screening_go_on_and_the_best_of_these_is_chosen():
    """Where there is one split, the screening is a tuning with fewer steps."""
    one = {"trials": 8, "rows": 4}
    (short,) = tuning.tune([problem()], search(**one, keep=8), {**HOW, "steps": 4})
    (full,) = tuning.tune([problem()], search(**one, keep=8), HOW)
    (halved,) = tuning.tune([problem()], search(**one, keep=3), HOW)
    finalists, lost = halved[:3], halved[3:]
    assert {trial.number for trial in finalists} == {trial.number for trial in short[:3]}
    assert [trial.round for trial in halved] == ["final"] * 3 + ["screening"] * 5
    assert [trial.nll for trial in lost] == [trial.nll for trial in short[3:]]
    scores = {trial.number: trial.nll for trial in full}
    assert all(trial.nll == scores[trial.number] for trial in finalists)
    lowest = min(finalists, key=lambda trial: trial.nll)
    assert tuning.best(halved)["trial"] == lowest.number
    assert tuning.best(halved)["values"] == lowest.values


def scored(given: Problem, how: Search, values: dict, noise: float | None):
    """Return the held-out predictions of a trial in standardised units, computed by hand."""
    key = ("tuning", how.seed, given.dataset, given.seed)
    method = methods.get(given.method)
    parts = []
    masks = tuning.held_out(len(given.y), how.holdout, how.rows, generator(*key, "held out"))
    for fold, held in enumerate(masks):
        x, y = Scaler.fit(given.x[~held]), Scaler.fit(given.y[~held])
        known = noise if given.noise is None else given.noise / float(y.scale)
        named = (*key, given.method, fold)
        task = Task(x.transform(given.x[~held]), y.transform(given.y[~held]), known, named)
        fitted = method.fit(
            task, method.resolve(given.settings, values), training(len(task.y), HOW)
        )
        found = fitted.predict(x.transform(given.x[held]))
        parts.append((y.transform(given.y[held]), found, np.full(held.sum(), float(y.scale))))
    target, scale = (np.concatenate([part[i] for part in parts]) for i in (0, 2))
    mean, variance, epistemic = (
        np.concatenate([getattr(found, name) for _, found, _ in parts])
        for name in ("mean", "variance", "epistemic")
    )
    return target, mean, variance, epistemic, scale


def test_a_trial_is_scored_by_its_nll_in_units_of_y():
    given, how = problem(), search(trials=3, keep=3, rows=12)
    for trial in tuning.tune([given], how, HOW)[0]:
        y, mean, variance, _, scale = scored(given, how, trial.values, None)
        nll = gaussian_nll(y * scale, mean * scale, variance * scale**2)
        assert trial.nll == pytest.approx(nll.mean(), rel=1e-9)
        assert trial.noise is None


@pytest.mark.parametrize("noise", [0.1, None])
def test_the_best_trial_keeps_its_held_out_predictions_in_units_of_y(noise):
    given, how = problem(noise=noise), search(trials=3, keep=3, rows=12)
    best, *_ = tuning.tune([given], how, HOW)[0]
    first = None if noise else tuning.FIRST_NOISE
    y, mean, variance, epistemic, scale = scored(given, how, best.values, first)
    if noise is None:
        variance = epistemic + best.noise**2
    masks = tuning.held_out(
        len(given.y), how.holdout, how.rows, generator("tuning", 0, "he", 0, "held out")
    )
    centre = np.concatenate([np.full(held.sum(), given.y[~held].mean()) for held in masks])
    rows = np.concatenate([given.y[held] for held in masks])
    assert len(masks) > 1
    assert best.held_out.y == pytest.approx(rows)
    assert best.held_out.y == pytest.approx(y * scale + centre)
    assert best.held_out.mean == pytest.approx(mean * scale + centre)
    assert best.held_out.variance == pytest.approx(variance * scale**2)
    nll = gaussian_nll(best.held_out.y, best.held_out.mean, best.held_out.variance)
    assert nll.mean() == pytest.approx(best.nll, rel=1e-9)


def likeliest(squared_errors, epistemic) -> float:
    """Return the noise of the highest likelihood, by an optimiser."""

    def nll(log_noise: float) -> float:
        total = epistemic + math.exp(2 * log_noise)
        return float(np.mean(np.log(total) + squared_errors / total))

    ends = (math.log(NOISES[0]), math.log(NOISES[-1]))
    found = minimize_scalar(nll, bounds=ends, method="bounded", options={"xatol": 1e-6})
    return math.exp(found.x)


def test_unknown_noise_is_fitted_for_every_trial():
    given, how = problem(noise=None), search(trials=3, keep=3, rows=20)
    trials = tuning.tune([given], how, HOW)[0]
    for trial in trials:
        y, mean, _, epistemic, scale = scored(given, how, trial.values, tuning.FIRST_NOISE)
        expected = likeliest((y - mean) ** 2, epistemic)
        assert trial.noise == pytest.approx(expected, rel=0.01)
        nll = gaussian_nll(y, mean, epistemic + trial.noise**2) + np.log(scale)
        assert trial.nll == pytest.approx(nll.mean(), rel=1e-9)
    assert len({trial.noise for trial in trials}) > 1
    assert tuning.best(trials)["values"]["noise"] == trials[0].noise


def test_the_final_round_is_trained_with_the_noise_of_the_screening():
    given, how = problem(noise=None), search(trials=2, keep=1, rows=4)
    best, _ = tuning.tune([given], how, HOW)[0]
    screened = tuning.tune([given], replace(how, keep=2), {**HOW, "steps": 4})[0]
    (first,) = (trial for trial in screened if trial.number == best.number)
    y, mean, _, epistemic, _ = scored(given, how, best.values, first.noise)
    assert best.noise == fit_noise((y - mean) ** 2, epistemic)


@settings(max_examples=30, deadline=None)
@given(
    noise=st.floats(0.05, 1.0), spread=st.floats(0.0, 0.5), seed=st.integers(0, 10**6)
)  # fmt: skip
def test_a_known_noise_is_recovered_from_simulated_predictions(noise, spread, seed):
    random = np.random.default_rng(seed)
    epistemic = spread**2 * random.uniform(0.5, 1.5, 20_000)
    squared = random.normal(0.0, np.sqrt(epistemic + noise**2)) ** 2
    found = fit_noise(squared, epistemic)
    assert found == pytest.approx(likeliest(squared, epistemic), rel=0.01)
    # the standard error of the variance, as a share of the noise, is below 0.01 without spread
    assert found**2 == pytest.approx(noise**2, abs=0.05 * (noise**2 + spread**2))


def test_noise_stays_within_its_range():
    assert fit_noise(np.zeros(10), np.ones(10)) == NOISES[0]
    assert fit_noise(np.full(10, 1e6), np.zeros(10)) == NOISES[-1]
    with np.errstate(all="ignore"):
        assert fit_noise(np.full(10, np.inf), np.zeros(10)) == NOISES[-1]


def test_a_method_that_learns_the_noise_has_none_fitted():
    trials = tuning.tune([problem("de_nll", noise=None)], search(trials=2, keep=1), HOW)[0]
    assert [trial.noise for trial in trials] == [None, None]
    assert "noise" not in tuning.best(trials)["values"]


@pytest.mark.parametrize("noise", [0.1, None])
def test_where_all_trials_diverge_the_default_is_used(noise):
    bad = {"learning_rate": {"log_uniform": [1e30, 1e31]}}
    given = problem("de", noise=noise, activation="linear", learning_rate=1e30)
    trials = tuning.tune([given], search(bad, trials=5, keep=2), HOW)[0]
    assert {(trial.nll, trial.status) for trial in trials} == {(None, "diverged")}
    assert [len(trial.held_out.y) for trial in trials] == [0] * 5
    fallback = {} if noise else {"noise": tuning.FIRST_NOISE}
    assert tuning.best(trials) == {
        "status": "diverged", "message": "all 2 finalists diverged; the default is used",
        "trial": 0, "values": fallback,
    }  # fmt: skip


def test_trials_that_fail_are_counted_with_the_first_reason():
    """Fractions are no numbers of neighbours: the default alone has a score."""
    path = "sklearn.neighbors.KNeighborsRegressor"
    he = datasets.load("he", 0)
    given = Problem("knn", {"estimator": path}, "he", 0, he.x_train, he.y_train, 0.1)
    space = {"n_neighbors": {"log_uniform": [2, 8]}}
    best = tuning.best(tuning.tune([given], search(space, trials=4, keep=2), HOW)[0])
    assert (best["status"], best["trial"]) == ("ok", 0)
    assert best["message"].startswith("3 of 4 trials failed; the first: knn: ")
    assert "n_neighbors" in best["message"]


def test_a_diverged_trial_is_never_chosen():
    given = problem("de", activation="linear", learning_rate=1e30)
    trials = tuning.tune([given], search({"learning_rate": RATE}, trials=4, keep=2), HOW)[0]
    assert by_number(trials)[0].status == "diverged"
    best = tuning.best(trials)
    assert (best["status"], best["trial"] > 0) == ("ok", True)


# ------------------------------------------------------------------------------- independence


@pytest.mark.parametrize("method", ["ae", "hde", "de_nll", "rp"])
def test_runs_tuned_together_are_the_runs_tuned_alone(method):
    """Bit for bit, though their data have other sizes and other splits."""
    how = search(trials=5, keep=2, rows=8)
    runs = [
        problem(method, dataset, seed, noise)
        for dataset in ("he", "friedman") for seed in (0, 1) for noise in (0.1, None)
    ]  # fmt: skip
    assert len({len(run.y) for run in runs}) == 2
    alone = [tuning.tune([run], how, HOW)[0] for run in runs]
    assert tuning.tune(runs, how, HOW) == alone
    assert tuning.tune(runs[::-1], how, HOW) == alone[::-1]
    different = {tuple(trial.nll for trial in trials) for trials in alone}
    assert len(different) == (4 if method == "de_nll" else 8)  # which does not use the noise


@settings(max_examples=25, deadline=None)
@given(
    n=st.integers(3, 60), share=st.floats(0.02, 0.98), rows=st.integers(1, 80),
    trials=st.integers(1, 6), keep=st.integers(1, 6),
)  # fmt: skip
@example(n=3, share=0.98, rows=5, trials=2, keep=1)  # two rows are left to train on
def test_the_effort_is_that_of_the_trainings(n, share, rows, trials, keep):
    """What a cluster is asked for counts every network that is trained, by its steps."""
    done = []

    class Counted(type(methods.get("de"))):
        def fit_trials(self, tasks, how):
            done.append(len(tasks) * how.steps / HOW["steps"])
            return super().fit_trials(tasks, how)

    given = problem("de")
    random = np.random.default_rng(n)
    x = random.normal(size=(n, 1))
    how = search({"learning_rate": RATE}, trials=trials, keep=keep, rows=rows, holdout=share)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuning.methods, "get", lambda name: Counted())
        tuning.tune([replace(given, x=x, y=x[:, 0])], how, HOW)
    assert sum(done) == pytest.approx(tuning_trainings(n, how))


@pytest.fixture
def plan(tmp_path, monkeypatch) -> Plan:
    monkeypatch.chdir(tmp_path)
    smoke = Plan(load(PROJECT / "params.yaml", "smoke"), PROJECT)
    return replan(smoke, lambda content: content["training"].update(steps=10))


def test_a_run_sees_its_own_training_rows_and_nothing_else(plan):
    """Neither its test rows nor the data of other seeds matter to its tuning."""
    run = Run("main", "rp", "friedman", 1)
    drawn = {seed: datasets.load("friedman", seed, train=40, test=20) for seed in (0, 1)}

    def made(first, second) -> tuple[list[bytes], bytes]:
        for seed, data in enumerate((first, second)):
            write_dataset(plan.files.sample("friedman", seed), data)
        called.train(plan, run).run()
        kept = (paths.TRIALS, paths.BEST, paths.HELD_OUT)
        tuned = [Path(run.path(name)).read_bytes() for name in kept]
        return tuned, read_npz(run.path(paths.PREDICTIONS))["mean"].tobytes()

    usual, predicted = made(*drawn.values())
    another = replace(drawn[1], x_test=-drawn[1].x_test, y_test=drawn[1].y_test + 100)
    tuned, elsewhere = made(drawn[0], another)
    assert tuned == usual
    assert elsewhere != predicted
    shifted = replace(drawn[0], y_train=drawn[0].y_train[::-1], y_test=drawn[0].y_test * 3)
    assert made(shifted, drawn[1]) == (usual, predicted)
    seen = replace(drawn[1], y_train=np.append(drawn[1].y_train[:-1], 0.0))
    assert made(drawn[0], seen)[0] != usual
