"""Methods that are no network ensembles: references, and any estimator by its dotted path."""

import sys

import numpy as np
import pytest
import yaml
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal, norm
from sklearn.linear_model import BayesianRidge
from sklearn.neighbors import KNeighborsRegressor

from documented import block
from rafs import gp, methods
from rafs.errors import DivergedError, EstimatorError, ParameterError
from rafs.methods import estimator
from rafs.methods.base import Task, predict, training
from rafs.methods.external import LEVELS, kind_of
from rafs.methods.gaussian_process import MOST_ROWS
from rafs.methods.mc_dropout import thinned

RNG = np.random.default_rng(5)
X = RNG.normal(size=(60, 2))
Y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.1 * RNG.normal(size=60)
NEW = RNG.normal(size=(25, 2))
TASK = Task(X, Y, 0.1, ("external",))
HOW = training(60, {"steps": 300})


def fitted(name, settings=None, task=TASK, how=HOW):
    method = methods.get(name)
    (model,) = method.fit_all([(task, method.resolve(settings or {}))], how)
    return model


def any_estimator(cls, arguments=None, task=TASK):
    """Fit a class of this file or of another module, and predict NEW."""
    path = cls if isinstance(cls, str) else f"{cls.__module__}.{cls.__qualname__}"
    method = methods.of("mine", {"estimator": path, "arguments": arguments or {}})
    settings = method.resolve({"estimator": path, "arguments": arguments or {}})
    (model,) = method.fit_all([(task, settings)], HOW)
    return model, predict(model, NEW)


# --- references, against what they must be in closed form -----------------------------------------


def test_a_network_without_hidden_layers_has_the_exact_linear_posterior():
    prior = {"scaling": "none", "output": 1.3, "bias": 0.7}
    settings = {"hidden": [], "prior": prior, "learning_rate": 0.05}
    how = training(60, {"steps": 3000, "dtype": "float64"})
    found = fitted("laplace", settings, how=how).predict(NEW)
    design, new = (np.column_stack([x, np.ones(len(x))]) for x in (X, NEW))
    precision = design.T @ design / 0.01 + np.diag(1 / np.array([1.3, 1.3, 0.7]) ** 2)
    assert_allclose(found.mean, new @ np.linalg.solve(precision, design.T @ Y / 0.01), atol=1e-6)
    assert_allclose(found.epistemic, (new @ np.linalg.inv(precision) * new).sum(axis=1))
    assert_allclose(found.variance, found.epistemic + 0.01)


def test_the_noise_of_laplace_maximises_the_evidence():
    """MacKay's fixed point is a stationary point of ln p(y | σ) of the linear model."""
    weights = {"scaling": "none", "output": 1.3, "bias": 1.3}
    settings = {"hidden": [], "prior": weights, "learning_rate": 0.05, "evidence": True}
    how = training(60, {"steps": 3000, "dtype": "float64"})
    design = np.column_stack([X, np.ones(len(X))])

    def found(noise):
        return fitted("laplace", settings, Task(X, Y, noise, ("external",)), how).noise

    def log_evidence(sd):
        covariance = 1.3**2 * design @ design.T + sd**2 * np.eye(len(X))
        return multivariate_normal(np.zeros(len(X)), covariance).logpdf(Y)

    noise = 0.1
    for _ in range(20):  # the network is the posterior mean for the noise that it is told
        noise = found(noise)
    around = [log_evidence(noise * factor) for factor in (0.99, 1.0, 1.01)]
    assert max(around) == around[1]
    assert noise > 0.3  # a line does not fit a sine
    assert found(2.0) == 2.0  # the noise of the data is the least


def test_laplace_allows_for_what_its_network_does_not_fit():
    """With hardly any noise in the data, errors on new rows are of the size that it predicts."""
    rows = np.random.default_rng(0).uniform(-1.5, 1.5, size=(200, 2))
    truth = np.sin(2 * rows[:, 0]) + 0.5 * rows[:, 1]
    task = Task(rows[:100], truth[:100], 0.002, ("external",))

    def squared_error_in_variances(evidence):
        found = fitted("laplace", {"evidence": evidence}, task).predict(rows[100:])
        return np.mean((truth[100:] - found.mean) ** 2 / found.variance)

    assert squared_error_in_variances(True) < 5
    assert squared_error_in_variances(False) > 50


def test_laplace_doubts_more_away_from_the_data():
    found = fitted("laplace")
    near, far = (found.predict(x).epistemic.mean() for x in (X, X * 10))
    assert far > 10 * near


def test_samples_of_dropout_have_the_moments_of_bernoulli_masks():
    """One hidden layer: the output is a sum of independent units, kept with 1 - p and rescaled."""
    p, m, widths = 0.3, 40_000, (1, 4, 1)
    theta = RNG.normal(size=13)
    outgoing = thinned(theta, widths, p, m, "moments")[:, 8:12]
    unit = np.array([1.0, -2.0, 0.5, 3.0])  # values of the hidden units at some input
    outputs = outgoing @ unit
    variance = ((theta[8:12] * unit) ** 2).sum() * p / (1 - p)
    assert abs(outputs.mean() - theta[8:12] @ unit) < 5 * np.sqrt(variance / m)
    assert_allclose(outputs.var(), variance, rtol=0.05)
    kept = thinned(theta, widths, p, m, "moments")
    assert (kept[:, :8] == theta[:8]).all()  # what comes in, and the biases, are never dropped
    assert (kept[:, 12] == theta[12]).all()


def test_mc_dropout_spreads_with_dropout_and_hardly_without():
    some = fitted("mc_dropout", {"dropout": 0.3}).predict(NEW)
    none = fitted("mc_dropout", {"dropout": 1e-6}).predict(NEW)
    assert some.members.shape == (100, len(NEW))
    assert_allclose(some.epistemic, some.members.var(axis=0))
    assert none.epistemic.max() < 1e-6 < some.epistemic.min()
    assert_allclose(none.variance, 0.01, rtol=1e-3)


def test_the_gaussian_process_is_the_posterior_of_its_kernel():
    model = fitted("gp")
    found, kernel = model.predict(NEW), model.model.kernel_
    noise = kernel.k2.noise_level
    gain = np.linalg.solve(kernel(X), kernel.k1(X, NEW)).T
    assert_allclose(found.mean, gain @ Y, atol=1e-6)
    exact = kernel.k1(NEW).diagonal() - (gain * kernel.k1(NEW, X)).sum(axis=1) + noise
    assert_allclose(found.variance, exact, atol=1e-6)
    assert 0.05 < np.sqrt(noise) < 0.2  # the noise is 0.1


def test_the_ntk_process_is_that_of_the_figure():
    found = fitted("ntk_gp", {"weight_sd": 1.2, "bias_sd": 0.3}).predict(NEW)
    network = gp.WideNetwork(2, "erf", 1.2, 0.3)
    mean, variance = gp.posterior(X, Y, 0.1, network).predict(NEW)
    assert_allclose(found.mean, mean)
    assert_allclose(found.epistemic, variance)
    assert_allclose(found.variance, variance + 0.01)


@pytest.mark.parametrize("name", ["gp", "ntk_gp"])
def test_an_exact_process_refuses_too_many_rows_in_a_sentence(name):
    n = MOST_ROWS + 1
    task = Task(np.linspace(0, 1, n)[:, None], np.linspace(0, 1, n), 0.1, ("many",))
    error = fitted(name, task=task)
    assert isinstance(error, EstimatorError)
    assert f"{n} training rows are more than the {MOST_ROWS}" in str(error)


def test_bayesian_ridge_is_that_of_scikit_learn():
    mean, sd = BayesianRidge().fit(X, Y).predict(NEW, return_std=True)
    found = fitted("ridge").predict(NEW)
    assert_allclose(found.mean, mean)
    assert_allclose(found.variance, sd**2)


@pytest.mark.parametrize("name", ["trees", "ngboost"])
def test_boosted_trees_learn_a_noise_that_grows(name):
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 1, size=(600, 1))
    y = x[:, 0] + (0.1 + x[:, 0]) * rng.normal(size=600)
    settings = {"least_rows": 40, "leaves": 4} if name == "trees" else {}
    how = training(600, {"steps": 1500})
    model = fitted(name, settings, Task(x, y, 0.0, ("grows",)), how)
    low, high = np.sqrt(model.predict(np.array([[0.1], [0.9]])).variance)
    assert 0.1 < low < 0.45
    assert 0.7 < high < 1.4


def test_resamples_of_trees_differ_and_a_trial_predicts_as_the_final_model_does():
    method = methods.get("trees")
    trials = [(TASK, method.resolve({}))]
    (whole,), (trial,) = method.fit_all(trials, HOW), method.fit_trials(trials, HOW)
    assert whole.predict(NEW).epistemic.min() > 0
    np.testing.assert_array_equal(trial.predict(NEW).variance, whole.predict(NEW).variance)


@pytest.mark.parametrize(
    "name", ["ridge", "gp", "ntk_gp", "mc_dropout", "laplace", "trees", "ngboost"]
)
def test_a_fit_is_repeatable(name):
    one, two = (fitted(name).predict(NEW) for _ in range(2))
    np.testing.assert_array_equal(one.mean, two.mean)
    np.testing.assert_array_equal(one.variance, two.variance)


# --- any estimator --------------------------------------------------------------------------------


class Known:
    """Predicts N(sum of x, (1 + |x1|)²) in the way that a subclass chooses."""

    def __init__(self, fault=None, random_state=None):
        self.fault, self.random_state = fault, random_state

    def fit(self, X, y):
        if self.fault == "fit":
            raise RuntimeError("no\nconvergence")
        if self.fault == "warn":
            import warnings

            warnings.warn("this may be wrong", stacklevel=1)
        return self

    def truth(self, X):
        return X.sum(axis=1), 1 + np.abs(X[:, 0])


class WithStd(Known):
    def predict(self, X, return_std=False):
        mean, sd = self.truth(X)
        if self.fault == "predict":
            raise ValueError("too far")
        if self.fault == "shape":
            sd = sd[:-1]
        if self.fault == "nan":
            mean[3] = np.nan
        if self.fault == "negative":
            sd = -sd
        if self.fault == "exit":
            raise SystemExit(3)
        if self.fault == "mean alone":
            return mean
        if self.fault == "text":
            mean = ["a"] * len(mean)
        return (mean, sd) if return_std else mean


class WithDist(Known):
    def pred_dist(self, X):
        return norm(*self.truth(X))


class WithQuantiles(Known):
    def predict_quantiles(self, X, levels):
        mean, sd = self.truth(X)
        return mean[:, None] + sd[:, None] * norm.ppf(levels)


class WithMean(Known):
    def predict(self, X):
        return self.truth(X)[0][:, None]


class InPlace(WithStd):
    """Scales the rows that it is given, as an estimator with `copy_X=False` may."""

    def fit(self, X, y):
        X *= 2
        y -= 1
        return self

    def predict(self, X, return_std=False):
        X *= 2
        return super().predict(X, return_std)


class Sampling(WithStd):
    """Samples with NumPy's global generator when it predicts."""

    def predict(self, X, return_std=False):
        import warnings

        warnings.warn("sampled", stacklevel=1)
        mean, sd = self.truth(X)
        return mean + np.random.normal(size=len(X)), sd  # noqa: NPY002


class Without:
    def fit(self, X, y):
        return self


@pytest.mark.parametrize("cls", [WithStd, WithDist, WithQuantiles])
def test_each_way_to_predict_gives_the_same_gaussian(cls):
    _, found = any_estimator(cls)
    assert_allclose(found.mean, NEW.sum(axis=1))
    assert_allclose(np.sqrt(found.variance), 1 + np.abs(NEW[:, 0]))


def test_a_mean_alone_gets_the_noise_and_has_no_spread():
    assert methods.of("m", {"estimator": f"{__name__}.WithMean"}).needs_noise
    _, found = any_estimator(WithMean)
    assert_allclose(found.mean, NEW.sum(axis=1))
    assert_allclose(found.variance, 0.01)
    assert (found.epistemic == 0).all()


def test_levels_are_symmetric():
    assert_allclose(np.add(LEVELS, LEVELS[::-1]), 1)


@pytest.mark.fault
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("fit", "mine: fit failed with RuntimeError (no convergence)"),
        ("predict", "mine: predict failed with ValueError (too far)"),
        ("shape", "mine: the predicted standard deviation has shape (24,) and should have (25,)"),
        ("nan", "mine: the predicted mean is not finite in 1 places"),
        ("negative", "mine: a predicted standard deviation is not above 0; check the model"),
        ("text", "mine: the predicted mean is no array of numbers"),
        ("exit", "mine: predict failed with SystemExit (3)"),
        (
            "mean alone",
            "mine: predict(X, return_std=True) must return a mean and a standard deviation",
        ),
    ],
)
def test_what_goes_wrong_inside_is_one_sentence_in_place_of_a_prediction(fault, said):
    _, found = any_estimator(WithStd, {"fault": fault})
    assert isinstance(found, DivergedError)
    assert found.status == "failed"
    assert str(found) == said


def test_a_warning_is_kept_and_harms_nothing():
    model, found = any_estimator(WithStd, {"fault": "warn"})
    assert model.message == "mine warned: this may be wrong"
    assert_allclose(found.mean, NEW.sum(axis=1))


def test_a_class_that_works_in_place_changes_no_row_of_ours():
    x, y, new = TASK.x.copy(), TASK.y.copy(), NEW.copy()
    any_estimator(InPlace)
    np.testing.assert_array_equal(TASK.x, x)
    np.testing.assert_array_equal(TASK.y, y)
    np.testing.assert_array_equal(NEW, new)


def test_a_class_that_samples_in_predict_is_repeatable_and_its_warning_is_kept():
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    (_, one), (model, two) = any_estimator(Sampling), any_estimator(Sampling)
    np.testing.assert_array_equal(one.mean, two.mean)
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002
    assert model.message == "mine warned: sampled"


def test_what_cannot_predict_is_said():
    _, found = any_estimator(Without)
    assert "mine: it has none of predict(X, return_std=True)" in str(found)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nowhere.at_all.Model", "there is no module 'nowhere'"),
        ("sklearn.linear_model.NoSuch", "has no 'NoSuch'"),
        ("sklearn.linear_model.ridge_regression", "is no class"),
    ],
)
def test_a_path_that_leads_nowhere_loses_its_own_runs_alone(path, said):
    _, found = any_estimator(path)
    assert isinstance(found, EstimatorError)
    assert said in str(found)


def test_arguments_of_arguments_are_searched_by_their_names_in_scikit_learn():
    arguments = {
        "kernel": {"class": "sklearn.gaussian_process.kernels.RBF", "length_scale": 0.5},
        "optimizer": None,
    }
    path = "sklearn.gaussian_process.GaussianProcessRegressor"
    method = methods.of("g", {"estimator": path})
    settings = method.resolve({"arguments": arguments}, {"kernel__length_scale": 2.0})
    made = method.make(settings, HOW, TASK, 3)
    assert made.kernel.length_scale == 2.0
    assert made.random_state == 3
    assert made.optimizer is None


def test_the_kernel_of_the_documentation_has_noise_and_a_length_scale_to_tune():
    (entry,) = yaml.safe_load(block("docs/any-estimator.md", "a kernel with noise")).values()
    (tuned,) = entry.pop("search")
    method = methods.of("noisy_gp", entry)
    for length_scale, noise in ((0.1, 0.1), (10.0, 0.1)):
        settings = method.resolve(entry, {tuned: length_scale})
        (model,) = method.fit_all([(TASK, settings)], HOW)
        assert model.model.kernel_.k1.length_scale == pytest.approx(length_scale)
        assert model.predict(NEW).variance.min() > noise


def test_an_argument_that_the_class_lacks_is_refused_with_what_it_has():
    path = "sklearn.neighbors.KNeighborsRegressor"
    with pytest.raises(ParameterError, match=r"has no argument 'neighbours' .*n_neighbors"):
        methods.of("k", {"estimator": path}).resolve({"arguments": {"neighbours": 3}})
    kernel = {"class": "sklearn.gaussian_process.kernels.RBF"}
    process = methods.of("p", {"estimator": "sklearn.gaussian_process.GaussianProcessRegressor"})
    with pytest.raises(ParameterError, match=r"'kernel__lengthscale' .*kernel__length_scale"):
        process.resolve({"arguments": {"kernel": kernel}}, {"kernel__lengthscale": 2.0})
    with pytest.raises(ParameterError, match="arguments must be a group"):
        methods.of("k", {"estimator": path}).resolve({"arguments": 3})
    with pytest.raises(ParameterError, match="must be the dotted path of a class"):
        methods.of("k", {"estimator": "KNeighborsRegressor"})


def test_the_estimator_is_fitted_with_its_arguments():
    _, found = any_estimator(KNeighborsRegressor, {"n_neighbors": 3})
    assert_allclose(found.mean, KNeighborsRegressor(n_neighbors=3).fit(X, Y).predict(NEW))


CODE = """class Mean:
    def fit(self, X, y):
        return self

    def predict(self, X):
        return X[:, 0]
"""


@pytest.mark.parametrize("name", ["gp", "ae", "ngboost"])
def test_a_method_of_the_package_cannot_be_defined_again(name):
    with pytest.raises(
        ParameterError, match=rf"methods\.{name} has 'estimator', but .*another name"
    ):
        methods.of(name, {"estimator": "sklearn.linear_model.BayesianRidge"})


def test_a_method_without_settings_says_so():
    with pytest.raises(ParameterError, match=r"methods\.ridge has no settings, so .* 'alpha'"):
        methods.get("ridge").resolve({"alpha": 1.0})


@pytest.mark.parametrize("edited", ["methods/own.py", "plugins/helper.py", "helpers/inner.py"])
def test_all_code_of_the_project_that_a_class_imports_is_its_identity(
    edited, tmp_path, monkeypatch
):
    monkeypatch.setenv("RAFS_PROJECT", str(tmp_path))
    monkeypatch.setattr("sys.path", [*sys.path])
    for file, text in {
        "methods/own.py": f"import helper\nfrom helpers import inner\n\n\n{CODE}",
        "plugins/helper.py": "import numpy\nimport helper\n",
        "helpers/inner.py": "x = 1\n",
        "plugins/unused.py": "x = 1\n",
    }.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text)
    settings = {"estimator": "methods.own.Mean", "arguments": {}}
    method = methods.of("mean", settings)
    before = method.identity(settings)
    assert before["methods"] is not None
    (tmp_path / "plugins/unused.py").write_text("x = 2\n")
    assert method.identity(settings) == before
    with (tmp_path / edited).open("a") as file:
        file.write("y = 2\n")
    assert method.identity(settings) != before


@pytest.mark.parametrize("file", ["mine_only.py", "mine_only/__init__.py"])
def test_the_code_in_plugins_is_the_identity_of_its_classes(file, tmp_path, monkeypatch):
    monkeypatch.setenv("RAFS_PROJECT", str(tmp_path))
    monkeypatch.setattr("sys.path", [*sys.path])
    path = tmp_path / "plugins" / file
    path.parent.mkdir(parents=True)
    path.write_text(CODE)
    settings = {"estimator": "mine_only.Mean"}
    method = methods.of("mean", settings)
    before = method.identity(settings | {"arguments": {}})
    assert list(before) == ["mine_only"]
    assert method.identity(settings | {"arguments": {}}) == before
    (path.parent / "other.py").write_text("x = 1\n")  # is part of a package alone
    changed = method.identity(settings | {"arguments": {}}) != before
    assert changed == file.endswith("__init__.py")
    path.write_text(CODE.replace("X[:, 0]", "X[:, 1]"))
    assert method.identity(settings | {"arguments": {}}) != before


def test_a_class_whose_parameters_python_does_not_know_is_no_fault_of_the_planning():
    path = "builtins.dict"
    assert methods.of("d", {"estimator": path}).resolve({"arguments": {"a": 1}})


def test_arguments_may_have_the_names_of_settings_of_ensembles():
    path = "sklearn.neural_network.MLPRegressor"
    settings = methods.of("mlp", {"estimator": path}).resolve({"activation": "relu"})
    assert settings["arguments"] == {"activation": "relu"}


def test_a_package_is_identified_by_its_version():
    import sklearn

    settings = {"estimator": "sklearn.linear_model.BayesianRidge"}
    method = methods.of("ridge2", settings)
    assert method.identity(method.resolve(settings)) == {"scikit-learn": sklearn.__version__}


def test_an_editable_package_is_identified_by_its_code(tmp_path, monkeypatch):
    """Its version stays the same while its code is edited."""
    monkeypatch.setattr("sys.path", [*sys.path, str(tmp_path)])
    monkeypatch.setattr(estimator, "distributions", lambda: {"edited_here": ["edited-here"]})
    file = tmp_path / "edited_here.py"
    file.write_text(CODE)
    before = estimator.identity("edited_here.Mean")
    assert before[0] == "edited_here"
    file.write_text(CODE.replace("X[:, 0]", "X[:, 1]"))
    assert estimator.identity("edited_here.Mean") != before


def test_kinds_of_real_classes():
    ngboost = pytest.importorskip("ngboost")
    assert kind_of(ngboost.NGBRegressor) == "dist"
    assert kind_of(BayesianRidge) == "std"
    assert kind_of(KNeighborsRegressor) == "mean"
