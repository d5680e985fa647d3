"""Intervals of the estimators: Gaussian, conformal, held against MAPIE, saved and loaded."""

import inspect

import numpy as np
import pandas as pd
import pytest
from mapie.conformity_scores import ResidualNormalisedScore, StdConformityScore
from mapie.regression import CrossConformalRegressor, SplitConformalRegressor
from scipy.stats import norm
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import check_estimator

import rafs
from rafs.errors import DamagedFileError, DataError, RafsError
from rafs.estimators import intervals, model_files
from rafs.evaluation.recalibration import scores

from .conftest import CLASSES, small

RANDOM = np.random.default_rng(1)
NEW_X = RANDOM.uniform(-2, 2, (2000, 2))
NEW_Y = np.sin(2 * NEW_X[:, 0]) + NEW_X[:, 1] + RANDOM.normal(0, 0.2, 2000)
HELD = slice(0, 40)


def covered(interval: np.ndarray, y: np.ndarray) -> float:
    return float(np.mean((interval[:, 0] <= y) & (y <= interval[:, 1])))


@pytest.mark.parametrize("coverage", [0.5, 0.9, 0.95])
@pytest.mark.parametrize("cls", CLASSES)
def test_before_calibration_the_interval_is_gaussian(cls, coverage, data) -> None:
    X, y = data
    model = small(cls).fit(X, y)
    mean, std = model.predict(X, return_std=True)
    wanted = np.transpose(norm.interval(coverage, mean, std))
    np.testing.assert_allclose(model.predict_interval(X, coverage), wanted, rtol=1e-12)
    assert np.array_equal(model.predict_interval(X), model.predict_interval(X, coverage=0.9))


def bounds_of(model, score, coverage: float, rows: slice) -> np.ndarray:
    """The interval of MAPIE around a fitted model, for the rows that no test calibrates on."""
    theirs = SplitConformalRegressor(
        model, confidence_level=coverage, conformity_score=score, prefit=True
    ).conformalize(NEW_X[rows], NEW_Y[rows])
    mean, bounds = theirs.predict_interval(NEW_X[40:])
    assert np.array_equal(mean, model.predict(NEW_X[40:]))
    return bounds[:, :, 0]


@pytest.mark.parametrize("coverage", [0.5, 0.9, 0.95])
@pytest.mark.parametrize("cls", CLASSES)
def test_mapie_has_the_same_interval(cls, coverage, data) -> None:
    """With the score |y - mean| / std both are split conformal prediction.

    MAPIE 1.6 takes the lower bound of this score from one rank below that of the upper bound.
    """
    model = small(cls).fit(*data).calibrate(NEW_X[HELD], NEW_Y[HELD])
    theirs = bounds_of(model, StdConformityScore(), coverage, HELD)
    ours = model.predict_interval(NEW_X[40:], coverage)
    np.testing.assert_allclose(ours[:, 1], theirs[:, 1], rtol=1e-12)
    np.testing.assert_allclose(ours.mean(axis=1), model.predict(NEW_X[40:]), atol=1e-12)
    assert (ours[:, 0] < theirs[:, 0]).all()


@pytest.mark.parametrize("coverage", [0.5, 0.83, 0.9, 0.95])
@pytest.mark.parametrize("n", [25, 39, 40])
def test_mapie_has_the_same_quantile(n, coverage, data) -> None:
    """With absolute scores, which are ours for a standard deviation of 1."""
    model = small(rafs.RAFsEnsemble).fit(*data)
    bounds = bounds_of(model, "absolute", coverage, slice(0, n))
    found = scores(NEW_Y[:n], model.predict(NEW_X[:n]), np.ones(n))
    half = intervals.half_width(coverage, found)
    mean = model.predict(NEW_X[40:])
    np.testing.assert_allclose(bounds, np.transpose([mean - half, mean + half]), rtol=1e-12)


@pytest.mark.parametrize("score", ["absolute", "residual_normalized"])
def test_mapie_fits_clones_and_conformalises(score, data) -> None:
    """MAPIE with its own scores, which use the mean alone."""
    X, y = data
    if score == "residual_normalized":
        score = ResidualNormalisedScore(small(rafs.NTKGaussianProcess), random_state=0)
    model = SplitConformalRegressor(
        small(rafs.RAFsEnsemble, steps=400), 0.9, conformity_score=score, prefit=False
    ).fit(X, y)
    _, bounds = model.conformalize(NEW_X[:200], NEW_Y[:200]).predict_interval(NEW_X[200:])
    assert 0.85 < covered(bounds[:, :, 0], NEW_Y[200:]) < 0.96


def test_mapie_cross_validates(data) -> None:
    model = CrossConformalRegressor(small(rafs.RAFsEnsemble, steps=400), 0.9, cv=3)
    _, bounds = model.fit_conformalize(*data).predict_interval(NEW_X)
    assert covered(bounds[:, :, 0], NEW_Y) > 0.85


def test_a_wrong_noise_is_repaired_on_average(data) -> None:
    """The coverage of split conformal intervals over many calibration sets: k / (n + 1)."""
    n, found = 19, []
    for noise, raw in ((0.02, (0.0, 0.6)), (2.0, (0.99, 1.0))):
        model = small(rafs.NTKGaussianProcess, noise=noise).fit(*data)
        low, high = raw
        assert low <= covered(model.predict_interval(NEW_X), NEW_Y) <= high
        for rows in np.split(np.arange(50 * n), 50):
            model.calibrate(NEW_X[rows], NEW_Y[rows])
            found.append(covered(model.predict_interval(NEW_X[950:]), NEW_Y[950:]))
    # a beta distribution with these parameters: its mean is 0.9, its sd 0.065
    assert np.mean(found) == pytest.approx(18 / (n + 1), abs=4 * 0.065 / 10)
    assert np.std(found) == pytest.approx(0.065, rel=0.35)


@pytest.mark.parametrize("cls", CLASSES)
def test_calibration_leaves_predictions_alone(cls, data) -> None:
    X, y = data
    model = small(cls).fit(X, y)
    before, gaussian = model.predict(X, return_std=True), model.predict_interval(X)
    assert model.calibrate(NEW_X[HELD], NEW_Y[HELD] + 1) is model
    assert np.array_equal(before, model.predict(X, return_std=True))
    first = model.predict_interval(X)
    assert (np.diff(first) > np.diff(gaussian)).all()
    model.calibrate(NEW_X[HELD], NEW_Y[HELD])  # takes the place of the call before
    assert (np.diff(model.predict_interval(X)) < np.diff(first)).all()
    assert np.array_equal(model.fit(X, y).predict_interval(X), gaussian)


@pytest.mark.parametrize("cls", CLASSES)
def test_conformal_is_a_fit_and_a_calibration(cls, data) -> None:
    """What is held out is random, a share of the rows, and not trained on."""
    X, y = data
    model = small(cls, conformal=0.25).fit(X, y)
    assert len(model.calibration_scores_) == 15
    assert clone(model).get_params() == model.get_params()
    assert model.get_params()["conformal"] == 0.25
    mean, std = model.predict(X, return_std=True)
    every = np.abs(y - mean) / std
    held = np.isin(every.round(9), model.calibration_scores_.round(9))
    assert held.sum() == 15
    np.testing.assert_allclose(model.x_scaler_.mean, X[~held].mean(axis=0))
    by_hand = small(cls).fit(X[~held], y[~held]).calibrate(X[held], y[held])
    assert np.array_equal(by_hand.predict_interval(X), model.predict_interval(X))
    plain = model.set_params(conformal=None).fit(X, y)
    assert plain.calibration_scores_ is None
    assert np.array_equal(plain.predict(X), small(cls).fit(X, y).predict(X))


def test_a_fit_that_cannot_be_calibrated_leaves_no_scores_of_the_one_before(data) -> None:
    X, y = data
    model = small(rafs.NTKGaussianProcess, conformal=0.25, random_state=0).fit(X, y)
    seed = np.random.RandomState(0).randint(2**31 - 1)
    _, held = intervals.held_out(len(X), 0.25, seed)
    far = X.copy()
    far[held] = 1e200
    with pytest.raises(DataError, match="a prediction is not finite"):
        model.fit(far, y)
    assert model.calibration_scores_ is None


def test_rows_that_are_fitted_exactly_do_not_calibrate(data) -> None:
    X, y = data
    model = small(rafs.NTKGaussianProcess).fit(X, y)
    with pytest.raises(DataError, match="every held-out error is 0"):
        model.calibrate(X, model.predict(X))
    assert model.calibration_scores_ is None


@pytest.mark.parametrize("cls", CLASSES)
def test_a_calibrated_estimator_is_saved(cls, data, tmp_path) -> None:
    X, y = data
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = small(cls, conformal=0.3).fit(frame, y)
    model.save(tmp_path / "model")
    again = cls.load(tmp_path / "model")
    assert again.predict_interval(frame).tobytes() == model.predict_interval(frame).tobytes()
    assert again.conformal == 0.3
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()
    small(cls).fit(frame, y).save(tmp_path / "raw")
    assert cls.load(tmp_path / "raw").calibration_scores_ is None


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (np.array([1.0, -1.0]), "holds values below 0"),
        (np.array([1.0, np.nan]), "holds values that are not finite"),
        (np.ones((2, 2)), r"has shape \(2, 2\)"),
        (np.empty(0), "the number of calibration rows"),
        (np.ones(2, dtype=int), "holds int64"),
    ],
)
@pytest.mark.refusal
def test_crafted_scores_are_refused(changed, sentence, data, tmp_path) -> None:
    path = tmp_path / "model"
    small(rafs.RAFsEnsemble, conformal=0.3).fit(*data).save(path)
    kind, state, arrays = model_files.load(path)
    model_files.save(path, kind, state, {**arrays, "calibration.scores": changed})
    with pytest.raises(DamagedFileError, match=sentence):
        rafs.RAFsEnsemble.load(path)


def test_a_frame_calibrates_what_a_frame_trained(data) -> None:
    X, y = data
    by_array = small(rafs.RAFsEnsemble).fit(X, y).calibrate(NEW_X[HELD], NEW_Y[HELD])
    frame, held = (pd.DataFrame(rows, columns=["a", "b"]) for rows in (X, NEW_X[HELD]))
    by_frame = small(rafs.RAFsEnsemble).fit(frame, y).calibrate(held, pd.Series(NEW_Y[HELD]))
    assert np.array_equal(by_array.predict_interval(X), by_frame.predict_interval(frame))
    with pytest.raises(ValueError, match="feature names"):
        by_frame.calibrate(held[["b", "a"]], NEW_Y[HELD])


@pytest.mark.filterwarnings("ignore:Skipping check check_array_api_input")
def test_passes_every_check_with_conformal() -> None:
    check_estimator(rafs.NTKGaussianProcess(conformal=0.2))


def test_every_estimator_takes_conformal() -> None:
    for cls in CLASSES:
        assert inspect.signature(cls).parameters["conformal"].default is None


# Refusals ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("coverage", "least"), [(0.5, 1), (0.8, 4), (0.9, 9), (0.95, 19), (0.99, 99), (1 / 3, 1)]
)
def test_too_few_rows_for_a_coverage_are_refused(coverage, least, data) -> None:
    model = small(rafs.NTKGaussianProcess).fit(*data)
    assert np.isfinite(
        model.calibrate(NEW_X[:least], NEW_Y[:least]).predict_interval(NEW_X, coverage)
    ).all()
    if least > 1:
        model.calibrate(NEW_X[: least - 1], NEW_Y[: least - 1])
        with pytest.raises(DataError, match=rf"needs {least} rows .* there are {least - 1};"):
            model.predict_interval(NEW_X, coverage)


@pytest.mark.parametrize("coverage", [0, 1, -0.1, 90, np.nan, "0.9", None, True])
def test_impossible_coverages_are_refused(coverage, data) -> None:
    model = small(rafs.NTKGaussianProcess).fit(*data)
    with pytest.raises(ValueError, match=r"coverage = .* is not usable"):
        model.predict_interval(NEW_X, coverage)


@pytest.mark.parametrize("share", [0, 1, -0.1, 20, np.nan, "0.2", True])
def test_impossible_shares_are_refused(share, data) -> None:
    with pytest.raises(ValueError, match=r"conformal = .* is not usable") as raised:
        small(rafs.RAFsEnsemble, conformal=share).fit(*data)
    assert isinstance(raised.value, RafsError)


def test_calibration_refuses_what_it_cannot_use(data) -> None:
    X, y = data
    fresh = small(rafs.NTKGaussianProcess)
    for call in (lambda: fresh.calibrate(X, y), lambda: fresh.predict_interval(X)):
        with pytest.raises(NotFittedError):
            call()
    with pytest.raises(DataError, match="holds 1 of 2 rows out and 2 must remain"):
        small(rafs.NTKGaussianProcess, conformal=0.2).fit(X[:2], y[:2])
    model = fresh.fit(X, y)
    for rows, target, sentence in (
        (X[:, :1], y, "expecting 2 features"),
        (X, y[:-1], "inconsistent numbers of samples"),
        (X, ["a"] * 60, "y holds text"),
        (X, None, "requires y"),
        (X, np.where(y > 0, np.nan, y), "contains NaN"),
        (X[:0], y[:0], "0 sample"),
        (X, np.where(y > 0, 1e308, y), "sums to infinity|too far from its prediction"),
    ):
        with pytest.raises(ValueError, match=sentence):
            model.calibrate(rows, target)
    assert model.calibration_scores_ is None
