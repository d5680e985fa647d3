"""Predictions that were made elsewhere as a method: exact, for the right rows, or not at all."""

import numpy as np
import pandas as pd
import pytest

import called
from rafs import datasets, methods, paths
from rafs.errors import DataError, EstimatorError, ParameterError
from rafs.experiments import Run
from rafs.files import read_json, read_npz
from rafs.methods import runs
from rafs.pipeline.jobs import score
from rafs.pipeline.loading import load
from rafs.pipeline.plan import Plan
from small_project import PROJECT, replan

SETTINGS = {"predictions": "theirs.csv", "size": 5, "hidden": [100]}
DATA = {seed: datasets.load("friedman", seed) for seed in (0, 1)}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def given(**more) -> pd.DataFrame:
    """Write predictions for two splits, and return them."""
    parts = []
    for split, data in DATA.items():
        random = np.random.default_rng(split)
        mean = data.y_test + random.normal(size=len(data.y_test))
        sd = random.uniform(0.1, 2.0, len(mean))
        head = {"dataset": "friedman", "split": split, "y": data.y_test}
        parts.append(pd.DataFrame({**head, "mean": mean, "sd": sd, **more}))
    return written(pd.concat(parts))


def written(frame: pd.DataFrame) -> pd.DataFrame:
    frame.to_csv("theirs.csv", index=False)
    return frame


def outcome(seed=0, dataset="friedman", **settings):
    spec = {
        "base": "theirs", "dataset": dataset, "seed": seed, "settings": SETTINGS | settings,
        "sweep": {}, "training": {"steps": 1, "device": "cpu"}, "tuning": None,
    }  # fmt: skip
    run = runs.BenchmarkRun(spec, DATA[min(seed, 1)], runs.UNTUNED)
    (found,) = runs.fit_predict([runs.prepare(run)])
    if isinstance(found, runs.Outcome):
        try:
            score.check_targets({**spec, "settings": run.settings}, run.data.y_test)
        except DataError as error:
            return EstimatorError(str(error))
    return found


@pytest.mark.parametrize("seed", DATA)
def test_predictions_are_taken_to_the_last_bit(seed):
    frame = given()
    wanted = frame[frame["split"] == seed]
    found = outcome(seed).prediction
    np.testing.assert_array_equal(found.mean, wanted["mean"])
    np.testing.assert_array_equal(found.variance, wanted["sd"] ** 2)
    np.testing.assert_array_equal(found.epistemic + found.aleatoric, found.variance)


def test_targets_may_be_rounded_and_rows_of_other_runs_may_be_there():
    frame = given()
    other = frame.assign(dataset="he", y=0.0)
    written(pd.concat([other, frame.assign(y=frame["y"].astype(np.float32))]))
    assert outcome().prediction.mean.size == len(DATA[0].y_test)


def wrong_order(frame):
    return frame.sort_values(["split", "y"])


def swapped(frame):
    order = np.arange(len(frame))
    order[[3, 4]] = [4, 3]
    return frame.iloc[order]


def other_splits(frame):
    return frame.assign(split=1 - frame["split"])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (wrong_order, "y is not that of the test rows in"),
        (swapped, "in 2 of 500 rows, first in row 4"),
        (other_splits, "y is not that of the test rows in 500 of 500 rows, first in row 1"),
        (lambda f: f.iloc[1:], "theirs.csv, friedman, split 0 has 499 rows for 500 test rows"),
        (lambda f: pd.concat([f, f]), "has 1000 rows for 500 test rows"),
        (lambda f: f[f["split"] == 1], "friedman, split 0: it has no rows for this run"),
        (lambda f: f.assign(dataset="he"), "it has no rows for this run"),
        (lambda f: f.drop(columns="split"), "theirs.csv has no column 'split'; add it"),
        (lambda f: f.assign(sd=-1.0), "'sd' is not above 0 in 1000 of 1000 rows"),
        (lambda f: f.assign(method=np.where(f["y"] > 15, "a", "b")), "has several methods; name"),
    ],
)
def test_no_prediction_is_taken_for_another_row(change, says):
    written(change(given()))
    found = outcome()
    assert isinstance(found, EstimatorError)
    assert found.status == "failed"
    assert says in str(found)


def test_what_is_lacking_harms_no_other_split():
    frame = given()
    written(frame[frame["split"] == 0])
    assert isinstance(outcome(1), EstimatorError)
    assert isinstance(outcome(0), runs.Outcome)


def test_one_of_several_methods_is_chosen():
    frame = given(method="a")
    written(pd.concat([frame.assign(method="b", mean=0.0), frame]))
    np.testing.assert_array_equal(
        outcome(method="a").prediction.mean, frame[frame["split"] == 0]["mean"]
    )
    given()
    assert "has no column 'method'; add it" in str(outcome(method="a"))


def test_what_the_settings_may_be():
    method = methods.of("theirs", SETTINGS)
    assert (method.name, method.needs_noise) == ("theirs", False)
    with pytest.raises(ParameterError, match=r"theirs\.predictions must be the path"):
        methods.of("theirs", {"predictions": 3})
    with pytest.raises(ParameterError, match="no setting 'methods'; did you mean 'method'"):
        method.resolve(SETTINGS, {"methods": "x"})
    with pytest.raises(ParameterError, match=r"theirs\.method must be a text"):
        method.resolve(SETTINGS, {"method": 1})


def test_an_edited_file_is_another_content():
    method = methods.of("theirs", SETTINGS)
    assert method.identity(SETTINGS) == {}
    frame = given()
    before = method.identity(SETTINGS)
    assert method.identity(SETTINGS) == before
    written(frame.assign(mean=0.0))
    assert method.identity(SETTINGS) != before


def test_predictions_of_a_run_score_exactly_as_it_does():
    """The jobs, with the predictions of another method, write its metrics."""
    smoke = Plan(load(PROJECT / "params.yaml", "smoke"), PROJECT)
    plan = replan(smoke, lambda content: content["training"].update(steps=30))
    run = Run("main", "ae", "friedman", 0)
    called.data(plan, "friedman", 0).run()
    found = []
    changes: dict = {}
    for _ in range(2):
        called.train(plan, run).changed(**changes).run()
        called.score(plan, run).run()
        found.append(read_json(run.path(paths.METRICS)))
        arrays = read_npz(run.path(paths.PREDICTIONS))
        columns = {key: arrays[key] for key in ("mean", "variance")}
        head = {"dataset": "friedman", "seed": 0, "y": DATA[0].y_test}
        written(pd.DataFrame({**head, **columns}))
        changes = {"base": "theirs", "settings": SETTINGS, "tuning": None}
    assert found[1]["status"] == "ok"
    assert found[1]["settings"] == {"predictions": "theirs.csv", "method": None}
    for part in ("metrics", "in_distribution", "out_of_distribution"):
        own = {key: value for key, value in found[0][part].items() if key in found[1][part]}
        assert found[1][part] == own
