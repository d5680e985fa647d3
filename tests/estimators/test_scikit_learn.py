"""Estimators as scikit-learn, pandas and their users expect them."""

import inspect
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

import rafs
from rafs.methods.base import COMMON, TRAINING
from rafs.methods.settings import defaults

from .conftest import CLASSES, ENSEMBLES, small

CHECK = """
import sys
from sklearn.utils.estimator_checks import check_estimator
import rafs
cls = getattr(rafs, sys.argv[1])
fast = {} if cls is rafs.NTKGaussianProcess else {"steps": 150}
results = check_estimator(cls(**fast), on_skip=None)
print(len(results), {result["status"] for result in results})
"""


@pytest.mark.slow
@pytest.mark.parametrize("cls", CLASSES)
def test_passes_every_check(cls) -> None:
    """All of scikit-learn's checks, none skipped (hence the variable) and none expected to fail."""
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CHECK, cls.__name__],
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0, found.stderr
    count, statuses = found.stdout.split(maxsplit=1)
    assert int(count) > 45
    assert statuses.strip() == "{'passed'}"


def test_defaults_are_those_of_the_methods() -> None:
    """Signatures write them out, for readers and for scikit-learn."""
    known = defaults({**COMMON, **TRAINING})
    for cls in ENSEMBLES:
        shown = inspect.signature(cls).parameters
        for name in ("size", "hidden", "steps", "batch_size", "device"):
            default = shown[name].default
            assert (list(default) if name == "hidden" else default) == known[name], name


def test_import_is_light() -> None:
    code = "import sys, rafs; assert not {'numpy', 'sklearn', 'torch'} & set(sys.modules), 1"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert set(rafs.__all__) <= set(dir(rafs))
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        rafs.Nothing  # noqa: B018


def test_fitting_and_predicting_needs_no_torch() -> None:
    code = """
import sys, rafs
for name in rafs.__all__:
    model = getattr(rafs, name)().set_params(**{} if "Process" in name else {"steps": 2})
    model.fit([[i] for i in range(10)], range(10)).predict([[1]])
    assert "torch" not in sys.modules, name
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("cls", CLASSES)
def test_parameters_are_stored_untouched(cls) -> None:
    parameters = {"hidden": [7], "size": 2} if cls in ENSEMBLES else {"weight_sd": [1.0, 2, 3]}
    model = cls(**parameters)
    assert all(getattr(model, name) is value for name, value in parameters.items())
    copy = clone(model).set_params(size=4)
    assert copy.get_params() == {**model.get_params(), "size": 4}


def test_pipeline_and_grid_search(data) -> None:
    X, y = data
    pipeline = make_pipeline(PolynomialFeatures(2, include_bias=False), small(rafs.RAFsEnsemble))
    grid = {"rafsensemble__size": [1, 3], "rafsensemble__settings": [None, {"prior.weight": 1.0}]}
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(X, y)
    assert len(search.cv_results_["params"]) == 4
    assert search.best_score_ > 0.7
    mean, std = search.best_estimator_.predict(X, return_std=True)
    assert mean.shape == std.shape == (60,)


@pytest.mark.parametrize("cls", CLASSES)
def test_cross_validation(cls, data) -> None:
    X, y = data
    slower = {"steps": 400} if cls in ENSEMBLES else {}
    assert cross_val_score(small(cls, **slower), X, y, cv=3).mean() > 0.6


@pytest.mark.parametrize("cls", CLASSES)
def test_frames_and_lists_are_the_same_as_arrays(cls, data) -> None:
    X, y = data
    frame = pd.DataFrame(X, columns=["a", "b"], index=np.arange(60)[::-1])
    by_array = small(cls).fit(X, y)
    by_frame = small(cls).fit(frame, pd.Series(y))
    by_list = small(cls).fit(X.tolist(), y.tolist())
    assert np.array_equal(by_array.predict(X), by_frame.predict(frame))
    assert np.array_equal(by_array.predict(X), by_list.predict(X.tolist()))
    assert by_frame.feature_names_in_.tolist() == ["a", "b"]
    assert not hasattr(by_array, "feature_names_in_")
    with pytest.raises(ValueError, match="feature names"):
        by_frame.predict(frame[["b", "a"]])


@pytest.mark.parametrize("cls", CLASSES)
def test_random_state(cls, data) -> None:
    X, y = data
    first, second = small(cls).fit(X, y), small(cls).fit(X, y)
    assert np.array_equal(first.predict_members(X), second.predict_members(X))
    other = small(cls, random_state=1).fit(X, y)
    assert not np.array_equal(first.predict_members(X), other.predict_members(X))
    stream = np.random.RandomState(0)
    assert np.array_equal(small(cls, random_state=stream).fit(X, y).predict(X), first.predict(X))
    again = small(cls, random_state=stream).fit(X, y)  # a stream moves on
    assert not np.array_equal(again.predict_members(X), first.predict_members(X))
