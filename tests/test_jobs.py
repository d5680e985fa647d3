"""The jobs: tuning, training and scoring of one cell, and what stands in for a failure."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from rafs import datasets, paths
from rafs.errors import RafsError
from rafs.experiments import Plan, Run
from rafs.files import read_json, read_npz, write_json
from rafs.jobs import aggregate, data, failed, score, train, tune, verify
from rafs.params import load
from rafs.storage import read_dataset, write_dataset, write_missing
from small_project import PROJECT


@pytest.fixture
def plan(tmp_path, monkeypatch):
    """Return a plan with short trainings, in an empty directory."""
    params = load(PROJECT / "params.yaml", "smoke")
    params["training"]["steps"] = 30
    monkeypatch.chdir(tmp_path)
    return Plan(params, PROJECT)


def do(plan, run: Run) -> dict:
    """Run all jobs of one run and return its metrics."""
    for seed in (run.seed, plan.params["tuning"]["seed"]):
        data.run(json.loads(plan.data("described", run.dataset, seed)))
    tune.run(json.loads(plan.tune(plan.tuning(run.experiment), run.base, run.dataset)))
    train.run(json.loads(plan.train(run)))
    score.run(json.loads(plan.score(run)))
    return read_json(run.path(paths.METRICS))


def test_a_run_goes_from_data_to_metrics_and_is_the_same_twice(plan):
    run = Run("main", "rafs", "he", 0)
    metrics = do(plan, run)
    assert metrics["status"] == "ok"
    predictions = read_npz(run.path(paths.PREDICTIONS))
    drawn = datasets.load("he", 0)
    error = predictions["mean"] - drawn.y_test
    assert metrics["metrics"]["rmse"] == pytest.approx(np.sqrt(np.mean(error**2)))
    assert (predictions["variance"] > predictions["aleatoric"] * (1 - 1e-9)).all()
    assert predictions["aleatoric"] == pytest.approx(0.1**2)  # the known noise, in units of y
    assert metrics["data"]["sha256"]
    files = [Path(run.path(name)) for name in (paths.METRICS, paths.PREDICTIONS)]
    first = [file.read_bytes() for file in files]
    do(plan, run)
    assert [file.read_bytes() for file in files] == first


def test_every_trial_is_kept_and_the_best_has_the_lowest_nll(plan):
    plan.params["tuning"]["trials"] = 5
    do(plan, Run("main", "rp", "friedman", 0))
    place = {"experiment": "main", "method": "rp", "dataset": "friedman"}
    with Path(paths.TRIALS.format(**place)).open() as file:
        trials = list(csv.DictReader(file))
    best = read_json(paths.BEST.format(**place))
    assert len(trials) == 5
    lowest = min(trials, key=lambda row: float(row["nll"]))
    assert int(lowest["trial"]) == best["trial"]
    for name, value in best["values"].items():
        low, high = plan.params["methods"]["rp"]["search"][name]["log_uniform"]
        assert low <= value <= high
        assert float(lowest[name]) == value


def test_tuning_sees_neither_test_rows_nor_evaluation_seeds(plan):
    spec = json.loads(plan.tune("main", "ae", "friedman"))
    assert spec["seed"] not in plan.seeds("main")
    drawn = datasets.load("friedman", spec["seed"])
    held = tune.hold_out(200, 0.2, tune.generator("tuning", "friedman", "hold-out"))
    assert held.sum() == 40
    tried, scores = [], []
    for shift in range(4):
        shifted = drawn.y_train + shift * held
        tried.append(tune.tune(spec, drawn.x_train, shifted, drawn.noise))
        scores.append([row.pop("nll") for row in tried[-1]])
    assert "learning_rate" in tried[0][1]
    assert all(rows == tried[0] for rows in tried)
    # The same networks predict the same, so that the NLL is a parabola of the shift.
    assert (np.diff(scores, 2, axis=0) > 0.1).all()
    assert np.diff(scores, 3, axis=0) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("dataset", "entry", "unknown"),
    [("he", {}, False), ("boston", {}, True), ("boston", {"noise": 2.0}, False)],
)
def test_noise_is_tuned_where_it_is_not_known(dataset, entry, unknown, plan):
    plan.params["datasets"][dataset] = entry
    tuned = json.loads(plan.tune("main", "ae", dataset))["search"]
    noise = {"noise": plan.params["tuning"]["noise"]} if unknown else {}
    assert tuned == {**plan.params["methods"]["ae"]["search"], **noise}


def test_all_methods_get_the_same_effort(plan):
    specs = [
        json.loads(plan.tune(experiment, method, "friedman"))
        for experiment, method, dataset in plan.tuned()
        if dataset == "friedman" and experiment in ("main", "rafs_on", "de_nll")
    ]
    assert len(specs) == 11
    efforts = {(s["trials"], s["training"]["steps"], s["settings"]["size"]) for s in specs}
    assert len(efforts) == 1


def test_a_diverging_run_is_recorded_as_such(plan):
    plan.params["methods"]["de"] = {"activation": "linear", "learning_rate": 1e30}
    metrics = do(plan, Run("main", "de", "he", 0))
    assert metrics["status"] == "diverged"
    assert "diverged at step" in metrics["message"]
    assert metrics["metrics"] is None


def test_runs_done_together_are_the_runs_done_alone(plan):
    """Seeds, methods and sizes may be mixed; a run that cannot be done harms no other."""
    runs = [
        Run("main", method, dataset, seed)
        for method in ("hde", "rafs") for dataset in ("he", "friedman") for seed in (0, 1)
    ]  # fmt: skip
    for run in runs:
        do(plan, run)
    files = [Path(run.path(t)) for run in runs for t in (paths.PREDICTIONS, paths.RECORD)]
    alone = [file.read_bytes() for file in files]
    for file in files:
        file.unlink()
    specs = [json.loads(plan.train(run)) for run in runs]
    lost = json.loads(plan.train(Run("main", "rafs", "he", 1))) | {"seed": 9}
    errors = train.run_all([*specs[:2], lost, *specs[2:]])
    assert [file.read_bytes() for file in files] == alone
    assert "seed-9" in str(errors.pop(2))
    assert errors == [None] * len(runs)


def test_a_missing_dataset_is_carried_through(plan):
    run = Run("main", "ae", "he", 0)
    for seed in (0, plan.params["tuning"]["seed"]):
        write_missing(plan.drawn("he", seed), "no source")
    tune.run(json.loads(plan.tune("main", "ae", "he")))
    train.run(json.loads(plan.train(run)))
    score.run(json.loads(plan.score(run)))
    metrics = read_json(run.path(paths.METRICS))
    assert (metrics["status"], metrics["message"]) == ("missing", "no source")


def test_rows_of_scores_keep_runs_that_have_none(plan):
    plan.params["experiments"]["main"] = {"methods": ["ae"], "datasets": ["he"], "seeds": [0, 1]}
    do(plan, Run("main", "ae", "he", 0))
    aggregate.run(json.loads(plan.aggregate("main")))
    with Path(paths.SCORES.format(experiment="main")).open() as file:
        rows = list(csv.DictReader(file))
    assert [row["status"] for row in rows] == ["ok", "failed"]
    assert float(rows[0]["nll"]) == read_json("results/runs/main/ae/he/seed-0/metrics.json")[
        "metrics"]["nll"]  # fmt: skip
    assert rows[1]["nll"] == ""


@pytest.mark.parametrize("kind", ["data", "tune", "train", "score"])
def test_a_failed_job_leaves_files_that_say_so(kind, plan, tmp_path):
    run = Run("main", "ae", "he", 0)
    do(plan, run)
    spec = {
        "data": plan.data("described", "he", 0), "tune": plan.tune("main", "ae", "he"),
        "train": plan.train(run), "score": plan.score(run),
    }[kind]  # fmt: skip
    (tmp_path / "log").write_text("something\nrafs: the disk is full\n")
    failed.run({"of": kind, "log": "log", "spec": json.loads(spec)})
    assert len(verify.failures()) == 1
    with pytest.raises(RafsError, match="the disk is full"):
        verify.run(json.loads(plan.verify()))
    if kind == "data":
        assert "the disk is full" in read_dataset(plan.drawn("he", 0))
    if kind == "train":
        score.run(json.loads(plan.score(run)))
    if kind in ("train", "score"):
        assert read_json(run.path(paths.METRICS))["status"] == "failed"


def test_a_dataset_comes_back_as_it_was(tmp_path):
    drawn = datasets.load("he", 3)
    write_dataset(tmp_path / "he.npz", drawn)
    back = read_dataset(tmp_path / "he.npz")
    for name in ("x_train", "y_train", "x_test", "y_test", "in_distribution"):
        assert np.array_equal(getattr(back, name), getattr(drawn, name))
    assert (back.name, back.seed, back.noise, back.features) == ("he", 3, 0.1, drawn.features)


def test_predictions_of_other_data_are_refused(plan):
    run = Run("main", "ae", "he", 0)
    do(plan, run)
    write_dataset(plan.drawn("he", 0), datasets.load("he", 0, test=49))
    with pytest.raises(RafsError, match="does not fit its dataset"):
        score.run(json.loads(plan.score(run)))
    write_json(run.path(paths.RECORD), {"status": "ok"})
