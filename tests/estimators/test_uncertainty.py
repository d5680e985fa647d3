"""Units, noise and spread of what the estimators predict, and what they refuse."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import rafs
from rafs.errors import DataError, DivergedError, RafsError
from rafs.gp import posterior

from .conftest import CLASSES, ENSEMBLES, NOISY, small


@pytest.mark.parametrize("cls", CLASSES)
def test_members_and_moments_agree(cls, data) -> None:
    X, y = data
    model = small(cls, size=4).fit(X, y)
    mean, std = model.predict(X, return_std=True)
    members = model.predict_members(X)
    assert np.array_equal(model.predict(X), mean)
    if cls is rafs.NTKGaussianProcess:
        assert members.shape == (4, 60)
        assert (std > 0.2).all()
    elif cls is rafs.LikelihoodDeepEnsemble:
        assert np.allclose(members.mean(axis=0), mean)
        assert (std > members.std(axis=0)).all()
    else:
        w = model.weights_
        assert np.allclose(w @ members, mean)
        spread = w @ (members - mean) ** 2
        spread = spread / (1 - w @ w) if len(w) > 1 else spread
        assert np.allclose(std**2, spread + 0.2**2)


def test_posterior_draws_have_the_posterior_moments(data) -> None:
    X, y = data
    model = small(rafs.NTKGaussianProcess, size=4000).fit(X, y)
    at = np.array([[0.0, 0.0], [3.0, 3.0], [3.0, 2.9]])
    draws, (mean, std) = model.predict_members(at), model.predict(at, return_std=True)
    epistemic = np.sqrt(std**2 - 0.2**2)
    assert np.allclose(draws.mean(axis=0), mean, atol=5 * epistemic.max() / np.sqrt(4000))
    assert np.allclose(draws.std(axis=0), epistemic, rtol=0.06)
    assert np.corrcoef(draws[:, 1], draws[:, 2])[0, 1] > 0.9  # neighbours move together


@pytest.mark.parametrize("cls", CLASSES)
def test_units_do_not_matter(cls, data) -> None:
    """Metres or millimetres: the same model, whatever X and y are measured in."""
    X, y = data
    mean, std = small(cls).fit(X, y).predict(X, return_std=True)
    noise = {} if cls is rafs.LikelihoodDeepEnsemble else {"noise": 0.2 * 50}
    there = small(cls, **noise).fit(1000 * X + 7, 50 * y - 300)
    mean_there, std_there = there.predict(1000 * X + 7, return_std=True)
    assert np.allclose((mean_there + 300) / 50, mean, atol=2e-3)
    assert np.allclose(std_there / 50, std, atol=2e-3)


def test_scale_false_leaves_the_data_alone(data) -> None:
    X, y = data
    model = small(rafs.NTKGaussianProcess, scale=False).fit(X, y)
    mean, variance = posterior(X, y, 0.2).predict(X[:5])
    assert np.allclose(model.predict(X[:5]), mean)
    assert np.allclose(model.predict(X[:5], return_std=True)[1], np.sqrt(variance + 0.2**2))
    by_hand = (X - X.mean(0)) / X.std(0)
    z = (y - y.mean()) / y.std()
    inside = small(rafs.RAFsEnsemble).fit(X, y)
    outside = small(rafs.RAFsEnsemble, scale=False, noise=0.2 / y.std()).fit(by_hand, z)
    there = outside.predict(by_hand) * y.std() + y.mean()
    assert np.allclose(there, inside.predict(X), atol=1e-3)


@pytest.mark.parametrize("sd", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("scale", [True, False])
def test_noise_is_estimated(sd: float, scale: bool) -> None:
    random = np.random.default_rng(3)
    X = random.uniform(-2, 2, (300, 1))
    y = 2 * np.sin(2 * X[:, 0]) + random.normal(0, sd, 300)
    for cls in (rafs.NTKGaussianProcess, rafs.RAFsEnsemble):
        kind = {"steps": 1500} if cls is rafs.RAFsEnsemble else {}
        model = cls(random_state=0, scale=scale, **kind).fit(X, y)
        assert 0.7 * sd < model.noise_ < 1.5 * sd
    assert small(rafs.DeepEnsemble, noise=sd).fit(X, y).noise_ == pytest.approx(sd)


def test_constant_target_is_learned(data) -> None:
    X, _ = data
    for cls in CLASSES:
        mean = small(cls, **({"steps": 400} if cls in ENSEMBLES else {})).fit(X, np.full(60, 5.0))
        assert np.allclose(mean.predict(X), 5, atol=0.5)


# Refusals ----------------------------------------------------------------------------------------

LINE = np.arange(10.0)[:, None]
BAD_DATA = {
    "NaN in X": (np.where(LINE == 3, np.nan, LINE), LINE[:, 0], "NaN"),
    "infinity in X": (np.where(LINE == 3, np.inf, LINE), LINE[:, 0], "infinity"),
    "NaN in y": (LINE, np.where(LINE == 3, np.nan, LINE)[:, 0], "NaN"),
    "empty column": (pd.DataFrame({"a": range(10), "b": [None] * 10}), LINE[:, 0], "NaN"),
    "no column": (LINE[:, :0], LINE[:, 0], "0 feature"),
    "no row": (LINE[:0], LINE[:0, 0], "0 sample"),
    "constant column": (np.c_[LINE, LINE * 0 + 4], LINE[:, 0], "column.* 1 of X hold a single"),
    "constant named column": (
        pd.DataFrame({"a": range(10), "flat": 2}), LINE[:, 0], "flat of X hold a single value",
    ),
    "one row": (LINE[:1], LINE[:1, 0], "1 sample"),
    "text": (LINE, ["a"] * 10, "y holds text"),
    "text as objects": (LINE, pd.Series(["a", 1.0] * 5, dtype=object), "y holds text"),
    "no numbers": (LINE, [None] * 10, "y contains NaN"),
    "NaN among objects": (LINE, np.array([np.nan, *range(9)], dtype=object), "y contains NaN"),
    "dates": (LINE, np.array(["2020-01-01"] * 10, dtype="datetime64[D]"), "text or dates"),
    "two targets": (LINE, np.c_[LINE, LINE], "y should be a 1d array"),
    "lengths": (LINE, LINE[:-1, 0], "inconsistent numbers of samples"),
    "huge numbers": (LINE * 1e200, LINE[:, 0], "numbers in X are too large"),
    "huge targets": (LINE, LINE[:, 0] * 1e200, "numbers in y are too large"),
    "tiny numbers": (LINE * 1e-300, LINE[:, 0], "numbers in X are too large or too small"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_DATA)
@pytest.mark.parametrize("cls", CLASSES)
def test_unusable_data_are_refused(cls, case: str) -> None:
    X, y, message = BAD_DATA[case]
    with pytest.raises(ValueError, match=message):
        small(cls).fit(X, y)


def test_a_scale_that_is_neither_yes_nor_no_is_refused() -> None:
    with pytest.raises(ValueError, match="scale = 'no' is not usable; give True or False"):
        small(rafs.RAFsEnsemble, scale="no").fit(LINE, LINE[:, 0])


@pytest.mark.parametrize("cls", NOISY)
def test_estimating_the_noise_needs_rows(cls) -> None:
    with pytest.raises(ValueError, match=r"needs 5 rows or more, .* there are 4"):
        small(cls, noise="estimate").fit(LINE[:4], LINE[:4, 0])
    small(cls, noise="estimate").fit(LINE[:5], LINE[:5, 0])


def test_hyperdeep_needs_rows_to_hold_out() -> None:
    with pytest.raises(ValueError, match="2 training rows are too few"):
        small(rafs.HyperdeepEnsemble, settings={"held_out": 0.9}).fit(LINE[:2], LINE[:2, 0])


@pytest.mark.parametrize("noise", [0, -1.0, np.nan, np.inf, "known", None])
@pytest.mark.parametrize("cls", NOISY)
def test_impossible_noise_is_refused(cls, noise) -> None:
    with pytest.raises(ValueError, match=r"noise = .* is not usable; give a standard deviation"):
        small(cls, noise=noise).fit(LINE, LINE[:, 0])


@pytest.mark.parametrize(
    "parameters",
    [
        {"size": 0}, {"hidden": (0,)}, {"hidden": 100}, {"activation": "sine"}, {"steps": 0},
        {"learning_rate": -1.0}, {"batch_size": 0}, {"device": "abacus"}, {"settings": {"beat": 1}},
        {"settings": {"prior.weight": -1.0}}, {"settings": [1]},
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("cls", ENSEMBLES)
def test_impossible_parameters_are_refused(cls, parameters) -> None:
    with pytest.raises(ValueError, match=cls.__name__) as raised:
        small(cls, **parameters).fit(LINE, LINE[:, 0])
    assert isinstance(raised.value, RafsError)


@pytest.mark.parametrize(
    "parameters",
    [
        {"activation": "gelu"}, {"hidden_layers": -1}, {"hidden_layers": 1.5}, {"kernel": "rbf"},
        {"weight_sd": "wide"}, {"weight_sd": (1.0, 1.0)}, {"bias_sd": -1.0}, {"size": 0},
    ],
    ids=str,
)  # fmt: skip
def test_impossible_processes_are_refused(parameters) -> None:
    with pytest.raises(ValueError, match=next(iter(parameters))) as raised:
        small(rafs.NTKGaussianProcess, **parameters).fit(LINE, LINE[:, 0])
    assert isinstance(raised.value, RafsError)


@pytest.mark.parametrize("cls", ENSEMBLES)
def test_divergence_is_named(cls, data) -> None:
    X, y = data
    with pytest.raises(DivergedError, match=r"member \d+ diverged at step \d+") as raised:
        small(cls, learning_rate=1e30, activation="linear").fit(X, y)
    assert raised.value.member < 6
    assert raised.value.step <= 100


@pytest.mark.parametrize("cls", CLASSES)
def test_predictions_are_finite_or_refused(cls, data) -> None:
    X, y = data
    linear = {"activation": "linear"} if cls in ENSEMBLES else {"activation": "relu"}
    model = small(cls, **linear).fit(X, y)
    refused = 0
    for size in (1e3, 1e30, 1e300, 1.7e308):
        try:
            mean, std = model.predict([[size, -size]], return_std=True)
        except DataError:
            refused += 1
        else:
            assert np.isfinite([mean, std]).all()
    assert refused > 0
    with pytest.raises(ValueError, match="too far from the training rows"):
        model.predict_members([[1.7e308, -1.7e308]])


@pytest.mark.parametrize("cls", CLASSES)
def test_prediction_before_fitting_is_refused(cls, tmp_path) -> None:
    for call in (cls().predict, cls().predict_members):
        with pytest.raises(NotFittedError):
            call(LINE)
    with pytest.raises(NotFittedError):
        cls().save(tmp_path / "model")
    with pytest.raises(ValueError, match="expecting 1 features"):
        small(cls).fit(LINE, LINE[:, 0]).predict(np.c_[LINE, LINE])
