"""Data and settings at the edge: every run ends with scores or with a reason, in its own file."""

import json
import math
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import called
from called import Called
from rafs import cli, config, methods, paths
from rafs.errors import ParameterError
from rafs.experiments import Run
from rafs.files import read_json
from rafs.pipeline.plan import Plan
from rafs.sampled import Dataset, read_dataset, write_dataset
from small_project import PROJECT, replan

Array = NDArray[np.float64]
METHODS = [name for name in methods.ensembles() if "+" not in name]
TEST = 20


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    """Return a plan with short trainings, in an empty directory."""

    def change(content: dict[str, Any]) -> None:
        content["training"]["steps"] = 20
        content["tuning"] |= {"trials": 2, "keep": 1}

    monkeypatch.chdir(tmp_path)
    return replan(Plan(config.load(PROJECT / "params.yaml", "smoke"), PROJECT), change)


def normal(n: int, d: int) -> Array:
    return np.random.default_rng(n + d).normal(size=(n, d))


def wave(x: Array) -> Array:
    return np.sin(x[:, 0])


def drawn(x: Array, y: Array, noise: float = 0.1) -> Dataset:
    """Return a dataset whose last rows are for testing."""
    cut = len(y) - TEST
    names = tuple(f"x{i}" for i in range(x.shape[1]))
    return Dataset("he", names, x[:cut], y[:cut], x[cut:], y[cut:], noise, seed=0)


def with_outlier(values: Array, row: int, size: float = 1e9) -> Array:
    changed = values.copy()
    changed[row] = size
    return changed


def measured(plan: Plan, data: Dataset, method: str) -> dict:
    """Tune, train and score a method on some data; return its metrics file, read strictly."""
    run = Run("main", method, "he", 0)
    write_dataset(plan.files.sample("he", 0), data)
    called.train(plan, run).run()
    called.score(plan, run).run()

    def refuse(constant: str) -> float:
        raise AssertionError(f"{constant} in a metrics file")

    found: dict = json.loads(Path(run.path(paths.METRICS)).read_text(), parse_constant=refuse)
    return found


X = normal(30 + TEST, 2)
HARD = {
    "a constant target": drawn(X, np.full(len(X), 3.0)),
    "a constant target without noise": drawn(X, np.full(len(X), 3.0), noise=0.0),
    "constant inputs": drawn(np.ones_like(X), wave(X)),
    "collinear inputs": drawn(np.outer(X[:, 0], [1.0, 2.0, -3.0]), wave(X)),
    "an outlier among the targets": drawn(X, with_outlier(wave(X), 3)),
    "an outlier among the test targets": drawn(X, with_outlier(wave(X), -3)),
    "an outlier among the inputs": drawn(with_outlier(X, 3), wave(X)),
    "an outlier among the test inputs": drawn(with_outlier(X, -3), wave(X)),
    "three rows": drawn(normal(3 + TEST, 2), wave(normal(3 + TEST, 2))),
    "more features than rows": drawn(normal(5 + TEST, 40), wave(normal(5 + TEST, 40))),
    "noise of 1e9": drawn(X, wave(X), noise=1e9),
}


@pytest.mark.slow
@pytest.mark.parametrize("data", HARD.values(), ids=HARD)
def test_hard_data_have_finite_scores(
    data: Dataset, plan: Plan, record_property: Callable[[str, object], None]
) -> None:
    for method in METHODS:
        found = measured(plan, data, method)
        assert (found["status"], found["message"]) == ("ok", None), method
        assert found["tuned"]["status"] == "ok"
        assert all(math.isfinite(value) for value in found["metrics"].values())
    record_property("runs", len(METHODS))


def test_a_constant_is_predicted_within_its_uncertainty(plan: Plan) -> None:
    found = measured(plan, HARD["a constant target"], "rafs")["metrics"]
    assert found["rmse"] < 0.5
    assert found["coverage_95"] > 0.5


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_numbers_beyond_any_score_are_called_diverged(
    plan: Plan, record_property: Callable[[str, object], None]
) -> None:
    for method in METHODS:
        found = measured(plan, drawn(X, with_outlier(wave(X), 3, 1e300)), method)
        assert found["status"] == found["tuned"]["status"] == "diverged"
        assert "diverged at step" in found["message"]
        assert "finalists diverged" in found["tuned"]["message"]
        assert found["metrics"] is None
    record_property("runs", len(METHODS))


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.refusal
def test_too_few_rows_to_tune_on_are_refused_by_the_key(rows: int) -> None:
    content = config.load(PROJECT / "params.yaml").written()
    content["datasets"] = {"he": {"train": rows}}
    with pytest.raises(ParameterError, match=r"datasets\.he\.train must be at least 3 where"):
        config.check(content)


def done(job: Called) -> None:
    """Run a job as its rule does: if it fails, another stands in for it."""
    log = Path("log.txt")
    with log.open("w") as file, redirect_stderr(file), redirect_stdout(file):
        failed = cli.main(job.arguments())
    if failed:
        cli.main(job.failed(str(log)))


@pytest.mark.parametrize("rows", [1, 2])
def test_one_training_row(
    rows: int, plan: Plan, record_property: Callable[[str, object], None]
) -> None:
    """Untuned, all methods have scores, but one: to select networks, HDE has to hold a row out."""
    only = {"methods": METHODS, "datasets": ["he"], "seeds": 1, "tuning": None}
    chosen = {
        **plan.params.written(),
        "datasets": {"he": {"train": rows}},
        "experiments": {"main": only},
    }
    chosen |= {"together": {}, "tables": {}, "figures": {}}
    few = Plan(config.check(chosen), PROJECT)
    done(called.data(few, "he", 0))
    assert len(read_dataset(few.files.sample("he", 0)).y_train) == rows
    for run in few.experiments["main"].runs:
        done(called.train(few, run))
        done(called.score(few, run))
        found = read_json(run.path(paths.METRICS))
        if run.method == "hde" and rows == 1:
            assert (found["status"], found["metrics"]) == ("failed", None)
            assert "1 training rows are too few to hold a share of 0.2 out" in found["message"]
            continue
        assert (found["status"], found["tuned"]["status"]) == ("ok", "untuned"), run
        assert all(math.isfinite(value) for value in found["metrics"].values())
    record_property("runs", len(METHODS))


@pytest.mark.slow
def test_reports_of_nothing_but_lost_runs(plan: Plan) -> None:
    """When all runs have diverged, everything is still drawn, judged and shown, as lost."""
    for experiment in plan.experiments.default:
        called.aggregate(plan, experiment).run()
    for kind in ("tables", "figures"):
        for name in plan.files.shown_names(kind):
            called.shown(plan, kind, name).run()
    for job in (called.claims, called.summary, called.page):
        job(plan).run()
    verdicts = Counter(claim["verdict"] for claim in read_json(paths.CLAIMS)["claims"])
    assert set(verdicts) == {"not testable"}, verdicts
    assert read_json(paths.SUMMARY)["runs"]["failed"] == len(plan.experiments["main"].runs)
    assert "failed" in Path(paths.PAGE).read_text()
