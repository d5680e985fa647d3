"""The jobs: tuning and training, and scoring of one run, and what stands in for a failure."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import called
from rafs import datasets, methods, paths
from rafs.cli import main
from rafs.errors import ParameterError, RafsError
from rafs.evaluation.likelihood import gaussian_nll
from rafs.experiments import Run
from rafs.files import canonical_json, read_json, read_npz, write_json, write_npz
from rafs.methods import runs
from rafs.pipeline.failures import failures
from rafs.pipeline.jobs import aggregate, score, train
from rafs.pipeline.loading import load
from rafs.pipeline.plan import Plan
from rafs.sampled import read_dataset, write_dataset, write_missing
from small_project import PROJECT, replan


@pytest.fixture
def plan(tmp_path, monkeypatch):
    """Return a plan with short trainings, in an empty directory."""
    monkeypatch.chdir(tmp_path)
    smoke = Plan(load(PROJECT / "params.yaml", "smoke"), PROJECT)
    return replan(smoke, lambda content: content["training"].update(steps=30))


def tuned_by(plan: Plan, trials: int, keep: int) -> Plan:
    return replan(plan, lambda content: content["tuning"].update(trials=trials, keep=keep))


MADE = (paths.PREDICTIONS, paths.RECORD, paths.TRIALS, paths.BEST, paths.HELD_OUT)


def do(plan, run: Run) -> dict:
    """Run all jobs of one run and return its metrics."""
    called.data(plan, run.dataset, run.seed).run()
    called.train(plan, run).run()
    called.score(plan, run).run()
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
    files = [Path(run.path(name)) for name in (paths.METRICS, *MADE)]
    first = [file.read_bytes() for file in files]
    do(plan, run)
    assert [file.read_bytes() for file in files] == first


def test_how_much_members_differ_is_scored_where_the_variance_tells(plan):
    """Against the members themselves, trained once more."""
    run = Run("main", "rafs", "friedman", 0)
    metrics = do(plan, run)
    again = train.read(called.training(called.train(plan, run)))
    runs.tune([again])
    (outcome,) = runs.fit_predict([runs.prepare(again)])
    drawn = datasets.load("friedman", 0)
    residuals = drawn.y_test - outcome.prediction.members
    for part, mask in (("in_distribution", drawn.in_distribution), ("metrics", slice(None))):
        products = residuals[:, mask] @ residuals[:, mask].T
        apart = products[~np.eye(5, dtype=bool)].mean() / np.diag(products).mean()
        assert metrics[part]["member_correlation"] == pytest.approx(apart, rel=1e-6)
        spread = outcome.prediction.members[:, mask].var(axis=0, ddof=1).mean()
        assert metrics[part]["member_sd"] == pytest.approx(np.sqrt(spread), rel=1e-6)
    population = do(plan, Run("main", "de_nll", "he", 0))
    predicted = read_npz(Run("main", "de_nll", "he", 0).path(paths.PREDICTIONS))
    spread = np.mean(predicted["variance"] - predicted["aleatoric"]) * 5 / 4
    assert population["metrics"]["member_sd"] == pytest.approx(np.sqrt(spread))
    for run in (Run("main", "hde", "he", 0), Run("references", "constant", "he", 0)):
        assert "member_sd" not in do(plan, run)["metrics"]


def rows(template: str, run: Run) -> list[dict[str, str]]:
    with Path(run.path(template)).open() as file:
        return list(csv.DictReader(file))


def not_held_out(run: Run) -> bool:
    """Whether the file of held-out rows is there and empty."""
    arrays = read_npz(run.path(paths.HELD_OUT))
    return {name: len(values) for name, values in arrays.items()} == dict.fromkeys(
        ("y", "mean", "variance"), 0
    )


def test_every_trial_is_kept_and_the_best_has_the_lowest_nll_of_the_final_round(plan):
    plan = tuned_by(plan, 5, 3)
    run = Run("main", "rp", "friedman", 0)
    metrics = do(plan, run)
    trials, best = rows(paths.TRIALS, run), read_json(run.path(paths.BEST))
    assert [row["trial"] for row in trials] == list("01234")
    final = [row for row in trials if row["round"] == "final"]
    assert len(final) == 3
    assert len([row for row in trials if row["round"] == "screening"]) == 2
    lowest = min(final, key=lambda row: float(row["nll"]))
    assert (int(lowest["trial"]), "ok") == (best["trial"], best["status"])
    assert metrics["tuned"] == best
    for row in trials[1:]:
        for name, space in plan.params.search("rp").items():
            low, high = space.log_uniform
            assert low <= float(row[name]) <= high
    assert {name: float(lowest[name] or "nan") for name in best["values"]} == best["values"]
    held_out = read_npz(run.path(paths.HELD_OUT))
    assert set(held_out) == {"y", "mean", "variance"}
    assert gaussian_nll(**held_out).mean() == pytest.approx(float(lowest["nll"]))
    assert trials[0]["beta"] == ""  # the default: what params.yaml sets


def test_the_tuned_settings_are_used(plan):
    plan = tuned_by(plan, 9, 9)
    runs = [Run("main", "ae", "he", seed) for seed in (0, 1)]
    for run in runs:
        metrics = do(plan, run)
        fixed = json.loads(plan.specs.train(run))["settings"]
        values = read_json(run.path(paths.BEST))["values"]
        assert metrics["settings"] == methods.get("ae").resolve(fixed, values)
    found = [read_json(run.path(paths.BEST))["values"] for run in runs]
    assert found[0] != found[1]  # each seed has its own
    assert any(found)


def test_a_run_takes_the_tuned_values_of_its_seed_elsewhere(plan):
    plan = tuned_by(plan, 9, 9)
    sizes = {"methods": ["ae"], "datasets": ["he"], "sweep": {"size": [2]}, "tuning": "main"}
    plan = replan(plan, lambda content: content["experiments"].update(sizes=sizes))
    run, source = Run("sizes", "ae@size=2", "he", 1), Run("main", "ae", "he", 1)
    assert plan.files.best_of(run) == [source.path(paths.BEST)]
    do(plan, source)
    best = read_json(source.path(paths.BEST))
    metrics = do(plan, run)
    assert (metrics["tuned"], metrics["settings"]["size"]) == (best, 2)
    assert read_json(run.path(paths.BEST)) == best
    assert rows(paths.TRIALS, run) == []
    assert not_held_out(run)
    # and is not trained with others where these could not be had
    write_json(source.path(paths.BEST), {"status": "failed", "message": "why", "values": {}})
    metrics = do(plan, run)
    assert (metrics["status"], metrics["message"]) == ("failed", "why")
    spec, (data, _), outputs = called.train(plan, run).given
    with pytest.raises(ParameterError, match="exactly if its spec says so"):
        train.run(spec, [data], outputs)


@pytest.mark.parametrize(
    ("method", "dataset", "entry", "space", "fitted"),
    [
        ("ae", "he", {}, True, False),
        ("ae", "boston", {}, True, True),
        ("ae", "boston", {"noise": 2.0}, True, False),
        ("de_nll", "boston", {}, True, False),
        ("ae", "boston", {}, False, True),
    ],
)
def test_noise_is_fitted_where_it_is_not_known(method, dataset, entry, space, fitted, plan):
    """Never searched; fitted also if nothing is searched."""

    def change(content):
        content["datasets"][dataset] = entry
        if not space:
            content["methods"][method]["search"] = {}

    plan = replan(plan, change)
    run = Run("main", method, dataset, 0)
    spec = json.loads(plan.specs.train(run))
    content = plan.params.written()
    once = {} if space else {"trials": 1, "keep": 1}
    searched = content["methods"][method]["search"]
    assert spec["tuning"] == {"space": searched, **content["tuning"], **once}
    drawn = replace(datasets.load("friedman", 0, train=40), noise=entry.get("noise"))
    if dataset == "he":
        drawn = datasets.load("he", 0)
    write_dataset(plan.files.sample(dataset, 0), drawn)
    called.train(plan, run).run()
    record = read_json(run.path(paths.RECORD))
    assert (record["engine"], record["device"]) == ("fused", "cpu")
    assert ("noise" in record["tuned"]["values"]) == fitted
    known = 0.0 if drawn.noise is None else drawn.noise / float(np.std(drawn.y_train))
    expected = record["tuned"]["values"]["noise"] if fitted else known
    assert record["noise"] == pytest.approx(expected)


def test_what_is_tuned_nowhere_has_no_trials(plan):
    plan = replan(plan, lambda content: content["experiments"]["main"].update(tuning=None))
    run = Run("main", "ae", "he", 0)
    metrics = do(plan, run)
    assert json.loads(plan.specs.train(run))["tuning"] is None
    assert metrics["tuned"]["status"] == "untuned"
    assert rows(paths.TRIALS, run) == []
    assert not_held_out(run)


def test_what_has_nothing_to_tune_is_scored_on_held_out_rows_once(plan):
    plan = replan(plan, lambda content: content["methods"]["ae"].update(search={}))
    run = Run("main", "ae", "he", 0)
    metrics = do(plan, run)
    assert metrics["tuned"] == {"status": "ok", "message": None, "trial": 0, "values": {}}
    assert [row["round"] for row in rows(paths.TRIALS, run)] == ["final"]
    assert not not_held_out(run)


def test_tuned_values_are_gathered_with_their_ranges(plan):
    experiments = {
        "main": {"methods": ["rp"], "datasets": ["he"], "seeds": 2},
        "sizes": {"methods": ["rp"], "datasets": ["he"], "seeds": 2, "sweep": {"size": [2]},
                  "tuning": "main"},
    }  # fmt: skip
    plan = replan(plan, lambda content: content.update(experiments=experiments))
    plan = tuned_by(plan, 9, 9)
    for experiment in ("main", "sizes"):
        for run in plan.experiments[experiment].runs:
            do(plan, run)
        called.aggregate(plan, experiment).run()
    with Path(paths.TUNED.format(experiment="main")).open() as file:
        found = list(csv.DictReader(file))
    best = {seed: read_json(Run("main", "rp", "he", seed).path(paths.BEST)) for seed in (0, 1)}
    assert any(part["values"] for part in best.values())
    assert [(row["seed"], row["name"], float(row["value"]), row["trial"]) for row in found] == [
        (str(seed), name, value, str(part["trial"]))
        for seed, part in best.items()
        for name, value in part["values"].items()
    ]
    search = plan.params.search("rp")
    for row in found:
        assert (float(row["low"]), float(row["high"])) == search[row["name"]].log_uniform
    others = Path(paths.TUNED.format(experiment="sizes")).read_text()
    assert others == "experiment,method,dataset,seed,trial,name,value,low,high\n"


def recalibrated(experiment: str) -> list[dict[str, str]]:
    with Path(paths.RECALIBRATED.format(experiment=experiment)).open() as file:
        return list(csv.DictReader(file))


def test_runs_are_recalibrated_on_their_held_out_rows(plan):
    """By hand, from the files of the run; the scores themselves stay as they are."""
    experiments = {"main": {"methods": ["rp"], "datasets": ["friedman"], "seeds": 1}}
    plan = tuned_by(replan(plan, lambda content: content.update(experiments=experiments)), 3, 2)
    run = Run("main", "rp", "friedman", 0)
    metrics = do(plan, run)
    called.aggregate(plan, "main").run()
    raw, scaled, conformal = found = recalibrated("main")
    assert [row["way"] for row in found] == ["raw", "scaled", "conformal"]
    assert {(row["status"], row["category"], row["seed"]) for row in found} == {("ok", "T", "0")}
    held_out, predicted = read_npz(run.path(paths.HELD_OUT)), read_npz(run.path(paths.PREDICTIONS))
    errors = np.abs(held_out["y"] - held_out["mean"]) / np.sqrt(held_out["variance"])
    assert {int(row["held_out_rows"]) for row in found} == {len(errors)}
    scale, rank = np.sqrt(np.mean(errors**2)), int(np.ceil(0.95 * (len(errors) + 1)))
    assert float(scaled["factor"]) == pytest.approx(scale)
    half = np.sort(errors)[rank - 1]
    assert float(conformal["factor"]) == pytest.approx(half / 1.959964)
    drawn = datasets.load("friedman", 0)
    sd = np.sqrt(predicted["variance"])
    apart = np.abs(drawn.y_test - predicted["mean"]) / sd
    for prefix, mask in (("in_", drawn.in_distribution), ("out_", ~drawn.in_distribution)):
        assert float(conformal[f"{prefix}coverage_95"]) == np.mean(apart[mask] <= half)
        assert float(scaled[f"{prefix}width_95"]) == pytest.approx(
            np.mean(2 * 1.959964 * scale * sd[mask])
        )
    assert float(raw["nll"]) == metrics["metrics"]["nll"]
    assert float(raw["out_coverage_95"]) == metrics["out_of_distribution"]["coverage_95"]
    assert (conformal["nll"], conformal["in_nll"]) == ("", "")
    rmse = np.sqrt(np.mean((held_out["y"] - held_out["mean"]) ** 2))
    assert float(raw["held_rmse"]) == pytest.approx(rmse)
    assert float(raw["held_sharpness"]) == pytest.approx(np.sqrt(held_out["variance"].mean()))
    assert float(raw["held_coverage_95"]) == np.mean(errors <= 1.959964)
    assert scaled["held_rmse"] == ""


def test_runs_that_cannot_be_recalibrated_say_why(plan):
    experiments = {"main": {"methods": ["ae"], "datasets": ["he"], "seeds": 4}}
    plan = replan(plan, lambda content: content.update(experiments=experiments))
    untuned, exact, broken, _ = runs = plan.experiments["main"].runs
    for run in runs[:3]:
        do(plan, run)
    write_npz(untuned.path(paths.HELD_OUT), dict.fromkeys(("y", "mean", "variance"), np.empty(0)))
    write_npz(exact.path(paths.HELD_OUT), dict.fromkeys(("y", "mean", "variance"), np.ones(30)))
    called.score(plan, untuned, exact).run()
    write_npz(broken.path(paths.HELD_OUT), {"y": np.ones(30)})
    with pytest.raises(RafsError, match=r"held_out\.npz does not hold held-out rows; delete it"):
        called.score(plan, broken).run()
    Path(broken.path(paths.METRICS)).unlink()
    called.aggregate(plan, "main").run()
    found = recalibrated("main")
    status = {row["seed"]: row["status"] for row in found}
    assert status == {"0": "not held out", "1": "diverged", "2": "failed", "3": "failed"}
    assert len(found) == 12
    assert not any(row[name] for row in found for name in ("factor", "coverage_95", "held_rmse"))
    assert read_json(untuned.path(paths.METRICS))["metrics"]["nll"]  # it has its scores


def test_all_methods_get_the_same_effort(plan):
    runs = [
        run for experiment in ("main", "rafs_on") for run in plan.experiments[experiment].runs
        if (run.dataset, run.seed) == ("friedman", 0)
    ]  # fmt: skip
    assert len(runs) == 12
    specs = [json.loads(plan.specs.train(run)) for run in runs]
    how = {
        canonical_json([s["training"], s["settings"]["size"], {**s["tuning"], "space": None}])
        for s in specs
    }
    assert len(how) == 1


def test_a_diverging_run_is_recorded_as_such(plan):
    wild = {"activation": "linear", "learning_rate": 1e30}
    plan = replan(plan, lambda content: content["methods"].update(de=wild))
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
    files = [Path(run.path(t)) for run in runs for t in MADE]
    alone = [file.read_bytes() for file in files]
    for file in files:
        file.unlink()
    jobs = [called.training(called.train(plan, run)) for run in runs]
    lost = called.training(called.train(plan, Run("main", "rafs", "he", 9)))
    errors = train.run_all([*jobs[:2], lost, *jobs[2:]])
    assert [file.read_bytes() for file in files] == alone
    assert "seed-9" in str(errors.pop(2))
    assert errors == [None] * len(runs)


def test_a_missing_dataset_is_carried_through(plan):
    run = Run("main", "ae", "he", 0)
    write_missing(plan.files.sample("he", 0), "no source")
    called.train(plan, run).run()
    called.score(plan, run).run()
    metrics = read_json(run.path(paths.METRICS))
    assert (metrics["status"], metrics["message"]) == ("missing", "no source")


def test_rows_of_scores_keep_runs_that_have_none(plan):
    main = {"methods": ["ae"], "datasets": ["he"], "seeds": [0, 1]}
    plan = replan(plan, lambda content: content["experiments"].update(main=main))
    do(plan, Run("main", "ae", "he", 0))
    called.aggregate(plan, "main").run()
    with Path(paths.SCORES.format(experiment="main")).open() as file:
        rows = list(csv.DictReader(file))
    assert [row["status"] for row in rows] == ["ok", "failed"]
    assert float(rows[0]["nll"]) == read_json("results/runs/main/ae/he/seed-0/metrics.json")[
        "metrics"]["nll"]  # fmt: skip
    assert rows[1]["nll"] == ""
    drawn = datasets.load("he", 0)
    sizes = [len(drawn.y_train), len(drawn.y_test), int(drawn.in_distribution.sum())]
    assert [int(rows[0][name]) for name in aggregate.SIZES] == sizes


@pytest.mark.parametrize("kind", ["data", "train", "score"])
def test_a_failed_job_leaves_files_that_say_so(kind, plan, tmp_path):
    run = Run("main", "ae", "he", 0)
    do(plan, run)
    job = {
        "data": called.data(plan, "he", 0), "train": called.train(plan, run),
        "score": called.score(plan, run),
    }[kind]  # fmt: skip
    (tmp_path / "log").write_text("something\nrafs: the disk is full\n")
    if kind == "score":
        Path(run.path(paths.METRICS)).unlink()  # as Snakemake does before a job
    assert main(job.failed("log")) == 0
    assert len(failures()) == 1
    with pytest.raises(RafsError, match="the disk is full"):
        called.verify(plan).run()
    if kind == "data":
        assert "the disk is full" in read_dataset(plan.files.sample("he", 0))
    if kind == "train":
        assert read_json(run.path(paths.BEST))["status"] == "failed"
        assert rows(paths.TRIALS, run) == []
        assert not_held_out(run)
        called.score(plan, run).run()
    if kind in ("train", "score"):
        assert read_json(run.path(paths.METRICS))["status"] == "failed"


def test_a_seed_that_cannot_be_scored_harms_no_other(plan, tmp_path, capsys, monkeypatch):
    """Whatever is wrong with it, one line says so, and it alone gets a stand-in."""
    runs = plan.experiments["main"].cell("ae", "he")
    good = do(plan, runs[0])
    do(plan, runs[1])
    job = called.score(plan, *runs)
    for run in runs:
        Path(run.path(paths.METRICS)).unlink()
    Path(runs[1].path(paths.PREDICTIONS)).write_text("damaged")
    assert main(job.arguments()) == 1
    (tmp_path / "log").write_text(said := capsys.readouterr().err)
    assert said.startswith(f"rafs: seed-1: {runs[1].path(paths.PREDICTIONS)} cannot be read")
    main(job.failed("log"))
    metrics = read_json(runs[1].path(paths.METRICS))
    assert metrics["status"] == "failed"
    assert metrics["message"].startswith("the score job failed: results/runs/main/ae/he/seed-1/")
    assert read_json(runs[0].path(paths.METRICS)) == good
    assert [note.parent.name for note in failures()] == ["seed-1"]
    Path(runs[1].path(paths.METRICS)).unlink()
    monkeypatch.setattr(score, "read_npz", lambda path: 1 // 0)
    with pytest.raises(RafsError) as caught:
        job.run()
    lines = [f"seed-{seed}: ZeroDivisionError: integer division or modulo by zero" for seed in "01"]
    assert str(caught.value).split("\n") == lines
    assert "Traceback" in capsys.readouterr().err


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
    write_dataset(plan.files.sample("he", 0), datasets.load("he", 0, test=49))
    with pytest.raises(RafsError, match="does not fit its dataset"):
        called.score(plan, run).run()
    write_json(run.path(paths.RECORD), {"status": "ok"})
