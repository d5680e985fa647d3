"""`rafs score`: scores of predictions made anywhere, against other libraries and by hand."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scoringrules
import yaml
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import mean_pinball_loss

import called
from rafs import cli, paths
from rafs.config.checks import NAME
from rafs.evaluation import metrics, quantiles, recalibration
from rafs.experiments import Run
from rafs.files import read_json, read_npz
from rafs.pipeline.loading import load
from rafs.pipeline.plan import Plan
from rafs.sampled import read_dataset
from small_project import PROJECT, replan

RANDOM = np.random.default_rng(0)
Y = RANDOM.normal(3.0, 2.0, 80)
MEAN = Y + RANDOM.normal(size=80)
SD = RANDOM.uniform(0.5, 1.5, 80)
PLAIN = {"y": Y, "mean": MEAN, "sd": SD}
LEVELS = (0.025, 0.05, 0.5, 0.95, 0.975)
SHOWN = {f"q{level}": MEAN + stats.norm.ppf(level) * SD for level in LEVELS}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def scored(capsys, content, *arguments) -> dict:
    """Score a table and return what is printed as JSON."""
    pd.DataFrame(content).to_csv("p.csv", index=False)
    assert cli.main(["score", "p.csv", "--json", *arguments]) == 0
    return json.loads(capsys.readouterr().out)


def several(methods=("ours", "theirs"), splits=8, **more) -> pd.DataFrame:
    """Return predictions of methods, each worse than the one before it, on the same rows."""
    random = np.random.default_rng(1)
    parts = []
    for split in range(splits):
        y = random.normal(size=40)
        for k, method in enumerate(methods):
            mean = y + (0.3 + 0.3 * k) * random.normal(size=40)
            head = {"dataset": "t", "method": method, "split": split, **more}
            parts.append(pd.DataFrame({**head, "y": y, "mean": mean, "sd": 0.3}))
    return pd.concat(parts)


def test_scores_equal_those_of_other_libraries(capsys):
    result = scored(capsys, PLAIN, "--out", "out/here")
    (row,) = result["tables"][0]["methods"]
    assert row["nll"]["median"] == pytest.approx(-stats.norm.logpdf(Y, MEAN, SD).mean())
    assert row["crps"]["median"] == pytest.approx(scoringrules.crps_normal(Y, MEAN, SD).mean())
    assert row["rmse"]["median"] == pytest.approx(np.sqrt(np.mean((Y - MEAN) ** 2)))
    assert result["params"] == []
    assert read_json("out/here/scores.json") == result
    (run,) = pd.read_csv("out/here/scores.csv").to_dict("records")
    assert set(metrics.NAMES) <= set(run)
    wanted = metrics.evaluate(Y, MEAN, SD**2)["metrics"]
    assert {name: run[name] for name in metrics.NAMES} == wanted


def test_a_variance_and_a_parquet_file_do_as_well(capsys):
    pytest.importorskip("pyarrow")
    first = scored(capsys, PLAIN)["tables"]
    pd.DataFrame({"y": Y, "mean": MEAN, "variance": SD**2}).to_parquet("p.parquet")
    assert cli.main(["score", "p.parquet", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tables"] == first


def test_quantiles_of_a_gaussian_score_as_the_gaussian(capsys):
    """Mean and sd are found again; intervals are taken as they stand."""
    exact = scored(capsys, PLAIN)["tables"][0]["methods"][0]
    found = scored(capsys, {"y": Y, **SHOWN}, "--out", "out")["tables"][0]["methods"][0]
    for name in ("nll", "crps", "rmse", "coverage_95", "interval_score_95"):
        assert found[name]["median"] == pytest.approx(exact[name]["median"])
    loss = np.mean([mean_pinball_loss(Y, SHOWN[f"q{a}"], alpha=a) for a in LEVELS])
    assert found["pinball"]["median"] == pytest.approx(loss)
    (run,) = pd.read_csv("out/scores.csv").to_dict("records")
    wanted = metrics.evaluate(Y, MEAN, SD**2)["metrics"]
    assert {name: run[name] for name in metrics.NAMES} == pytest.approx(wanted)


def test_a_skew_interval_is_not_replaced_by_that_of_a_gaussian(capsys):
    low, high = MEAN - 0.1 * SD, MEAN + 3.0 * SD
    table = {"y": Y, "q2.5": low, "q0.975": high}
    found = scored(capsys, table, "--out", "out")["tables"][0]["methods"][0]
    assert found["coverage_95"]["median"] == np.mean((low <= Y) & (high >= Y))
    score = scoringrules.interval_score(Y, low, high, 0.05).mean()
    assert found["interval_score_95"]["median"] == pytest.approx(score)
    (run,) = pd.read_csv("out/scores.csv").to_dict("records")
    assert run["width_95"] == pytest.approx(np.mean(high - low))
    middle, half = (low + high) / 2, (high - low) / 2  # the Gaussian with these two quantiles
    wanted = -stats.norm.logpdf(Y, middle, half / stats.norm.ppf(0.975)).mean()
    assert run["nll"] == pytest.approx(wanted)


@given(st.lists(st.integers(1, 99), min_size=2, max_size=9, unique=True))
def test_the_gaussian_nearest_to_quantiles_is_that_of_least_squares(percents):
    levels = sorted(percent / 100 for percent in percents)
    values = np.sort(np.random.default_rng(len(levels)).normal(size=len(levels)))
    design = np.column_stack([np.ones(len(levels)), stats.norm.ppf(levels)])
    (mean, sd), *_ = np.linalg.lstsq(design, values, rcond=None)
    found = quantiles.gaussian(levels, values[None, :])
    assert np.ravel(found) == pytest.approx([mean, sd])


def test_what_a_file_has_besides_and_lacks_is_said(capsys):
    _, said = scored(capsys, {"y": Y, **SHOWN}), scored(capsys, {**PLAIN, "model": "a"})
    assert said["remarks"] == ["ignored columns: model"]
    narrow = {name: values for name, values in SHOWN.items() if name not in ("q0.025", "q0.975")}
    (remark,) = scored(capsys, {"y": Y, **narrow})["remarks"]
    assert "95 % interval are those of the Gaussian" in remark
    assert "no quantiles q2.5 and q97.5" in remark


def test_a_method_with_fewer_splits_says_so(capsys):
    rows = [
        {"method": method, "split": split, "y": y, "mean": 0.0, "sd": 1.0}
        for method, splits in (("a", 3), ("b", 2)) for split in range(splits) for y in Y
    ]  # fmt: skip
    table = pd.DataFrame(rows).to_dict("list")
    found = scored(capsys, table)["tables"][0]["methods"]
    assert {row["label"] for row in found} == {"a", "b (2 of 3 splits)"}


def test_a_directory_is_no_file(capsys):
    assert cli.main(["score", "."]) == 2
    assert capsys.readouterr().err == "rafs: . is a directory; name a file\n"


def test_groups_are_scored_apart(capsys):
    inside = np.arange(80) % 4 > 0
    table = {**PLAIN, "where": np.where(inside, "in", "out")}
    tables = scored(capsys, table, "--group", "where")["tables"]
    assert [part["group"] for part in tables] == ["", "out", "in"]
    found = metrics.evaluate(Y, MEAN, SD**2, inside)
    wanted = [found[part] for part in ("metrics", "out_of_distribution", "in_distribution")]
    for part, scores in zip(tables, wanted, strict=True):
        assert part["methods"][0]["nll"]["median"] == scores["nll"]


@pytest.mark.parametrize("sizes", [{}, {"n_train": 160}])
def test_methods_are_compared_over_splits(sizes, capsys):
    """By the signed-rank test, or by that of Nadeau and Bengio where sizes are known."""
    table = several(**sizes)
    (found,) = scored(capsys, table, "--out", "out")["tables"]
    assert [row["method"] for row in found["methods"]] == ["ours", "theirs"]
    assert found["not_significantly_different"] == []
    assert ("Nadeau-Bengio corrected" in found["test"]) == bool(sizes)
    assert ("signed-rank" in found["test"]) == (not sizes)
    runs = pd.read_csv("out/scores.csv")
    median = runs.loc[runs["method"] == "ours", "nll"].median()
    assert found["methods"][0]["nll"]["median"] == pytest.approx(median)
    (few,) = scored(capsys, several(splits=3))["tables"]  # three pairs cannot be significant
    assert few["not_significantly_different"] == ["theirs"]


def test_the_tables_are_for_reading(capsys):
    several().to_csv("p.csv", index=False)
    assert cli.main(["score", "p.csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("t, 40 test rows; median and, from six splits on, its 95 % interval")
    assert [line.split()[0] for line in lines[1:4]] == ["method", "ours", "theirs"]
    assert "NLL (with ½ ln 2π)" in lines[1]
    assert lines[4].startswith("ours is significantly better than every other method (NLL, signed")
    start = lines.index("methods:")
    added = yaml.safe_load("\n".join(lines[start:-1]))["methods"]
    assert added["theirs"] == {"predictions": "p.csv", "method": "theirs"}


def test_no_method_takes_the_name_of_one_of_the_benchmark(capsys):
    """Which would win over the file, in silence."""
    found = scored(capsys, several(methods=("ae", "My model")))["params"]
    assert [line.partition(":")[0] for line in found] == ["ae_given", "my_model"]


def test_versions_of_a_method_keep_their_names(capsys):
    given = ("net v1.5", "net_v1_5", "1nn", "net v1.6")
    result = scored(capsys, several(methods=given))
    assert [row["label"] for row in result["tables"][0]["methods"]] == list(given)
    added = yaml.safe_load("\n".join(result["params"]))
    assert list(added) == ["net_v1_5", "net_v1_5_2", "x_1nn", "net_v1_6"]
    assert [entry["method"] for entry in added.values()] == list(given)
    assert all(NAME.fullmatch(name) for name in added)


def test_recalibration_is_fitted_to_the_rows_that_are_marked(capsys):
    """The scale is that of maximum likelihood; conformal intervals cover as they promise."""
    random = np.random.default_rng(5)
    y = random.standard_t(4, 4000)
    table = {"y": y, "mean": 0.0, "sd": 0.2, "role": np.repeat(["calibrate", "test"], 2000)}
    scored(capsys, table, "--out", "out")
    runs = pd.read_csv("out/scores.csv").set_index("way")
    assert list(runs.index) == ["raw", "scaled", "conformal"]
    scale = stats.norm.fit(y[:2000], floc=0.0)[1]
    assert runs.loc["scaled", "nll"] == pytest.approx(-stats.norm.logpdf(y[2000:], 0, scale).mean())
    half = np.sort(np.abs(y[:2000]))[int(np.ceil(2001 * 0.9)) - 1]
    assert runs.loc["conformal", "width_90"] == pytest.approx(2 * half)
    assert runs.loc["conformal", "coverage_90"] == pytest.approx(0.9, abs=0.02)
    assert np.isnan(runs.loc["conformal", "nll"])
    sd = np.full(2000, 0.2)
    ways = recalibration.fit(metrics.Predictions(y[:2000], np.zeros(2000), sd**2))
    test = metrics.Predictions(y[2000:], np.zeros(2000), sd**2)
    for way in ("scaled", "conformal"):
        wanted = recalibration.evaluate(ways[way], test, None)["metrics"]
        assert {name: runs.loc[way, name] for name in wanted} == pytest.approx(wanted)
    raw = -stats.norm.logpdf(y[2000:], 0, 0.2).mean()
    assert runs.loc["raw", "nll"] == pytest.approx(raw)


def test_predictions_of_a_run_score_exactly_as_the_run(capsys):
    """To the last bit, through a file of text."""
    smoke = Plan(load(PROJECT / "params.yaml", "smoke"), PROJECT)
    plan = replan(smoke, lambda content: content["training"].update(steps=30))
    run = Run("main", "ae", "friedman", 0)
    for job in (called.data(plan, "friedman", 0), called.train(plan, run), called.score(plan, run)):
        job.run()
    wanted, data = read_json(run.path(paths.METRICS)), read_dataset(plan.files.data_of(run))
    predictions = read_npz(run.path(paths.PREDICTIONS))
    table = {"y": data.y_test, **{key: predictions[key] for key in ("mean", "variance")}}
    scored(capsys, {**table, "group": data.in_distribution}, "--out", "out")
    runs = pd.read_csv("out/scores.csv", dtype={"group": str}).fillna({"group": ""})
    for group, part in (
        ("", "metrics"), ("True", "in_distribution"), ("False", "out_of_distribution")
    ):  # fmt: skip
        (row,) = runs[runs["group"] == group].to_dict("records")
        assert {name: row[name] for name in metrics.NAMES} == {
            name: wanted[part][name] for name in metrics.NAMES
        }


def without(name, **more):
    return {**{key: value for key, value in PLAIN.items() if key != name}, **more}


SOME = np.arange(80) == 6
PARTS = np.repeat(["calibrate", "test"], 40)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (without("y"), "p.csv has no column 'y' with the targets; its columns are mean, sd"),
        (without("mean"), "no column 'mean'; it needs mean and sd, or at least two quantiles"),
        (without("sd"), "has no column 'sd' or 'variance'"),
        (without("sd", q50=MEAN), "has no column 'sd' or 'variance'"),
        (without("sd", std=SD), "has an unknown column 'std'; did you mean 'sd'?"),
        ({**PLAIN, "Split": 0}, "has an unknown column 'Split'; did you mean 'split'?"),
        ({**PLAIN, "variance": SD}, "has both 'sd' and 'variance'; drop one"),
        ({**PLAIN, "seed": 0, "split": 0}, "has both 'split' and 'seed'; drop one"),
        ({**PLAIN, "q_05": MEAN}, "'q_05' is no column of quantiles; write q05"),
        ({**PLAIN, "q025": MEAN}, "'q025' is no column of quantiles; write q05, q2.5 or q0.025"),
        ({**PLAIN, "q00": MEAN}, "'q00' must be a quantile with a level between 0 and 1"),
        ({**PLAIN, "q5": MEAN, "q0.05": MEAN}, "'q5' and 'q0.05' are the same quantile"),
        (
            {"y": Y, "q05": MEAN, "q95": np.where(SOME, MEAN - 1, MEAN + 1)},
            "the quantiles cross in 1 of 80 rows, first in row 7",
        ),
        (
            {"y": Y, "q05": MEAN, "q95": np.where(SOME, MEAN, MEAN + 1)},
            "the spread of the quantiles is not above 0 in 1 of 80 rows, first in row 7",
        ),
        (without("sd", sd=np.where(SOME, -1, SD)), "'sd' is not above 0 in 1 of 80 rows, first in"),
        (without("sd", sd=1e-200), "'sd' is not above 0 in 80 of 80 rows"),  # its square is 0
        (without("sd", sd=1e200), "'sd' is beyond 1e150 in 80 of 80 rows, first in row 1; scale"),
        (without("mean", mean=np.where(SOME, np.nan, 1)), "'mean' has no value in 1 of 80 rows"),
        (without("y", y=np.where(SOME, np.inf, 1)), "'y' is infinite in 1 of 80 rows"),
        (without("sd", sd=np.where(SOME, "x", "1")), "'sd' is not a column of numbers ('x' in row"),
        ({**PLAIN, "group": np.where(SOME, np.nan, 1)}, "'group' has no value in 1 of 80 rows"),
        ({**PLAIN, "role": "train"}, "'role' must be test or calibrate, not 'train'"),
        ({**PLAIN, "n_train": 0}, "'n_train' must be the number of training rows, at least 1"),
        ({key: [] for key in PLAIN}, "p.csv has no rows; it needs one per test point"),
        ({key: value[:1] for key, value in PLAIN.items()}, "has 1 test rows; give 2 or more"),
        ({**PLAIN, "split": np.arange(80)}, "split 0 has 1 test rows; give 2 or more"),
        (
            {**PLAIN, "role": np.where(SOME, "calibrate", "test")},
            "has 1 rows to calibrate with; give 20 or more",
        ),
        (
            {**PLAIN, "split": 3, "role": PARTS, "mean": np.where(PARTS == "test", MEAN, Y)},
            "p.csv: dataset p, method p, split 3: every held-out error is 0; recalibration needs",
        ),
        (
            {**PLAIN, "split": 3, "mean": 1e150, "sd": 1e-150},
            "p.csv: dataset p, method p, split 3: nll is too large to be a number",
        ),
        (
            {**PLAIN, "method": np.repeat(["a", "b"], 40)},
            "the methods have different targets y on p, split 0",
        ),
    ],
)
def test_faults_are_one_sentence(content, says, capsys):
    pd.DataFrame(content).to_csv("p.csv", index=False)
    assert cli.main(["score", "p.csv"]) in (1, 2)
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1


def test_files_and_folders_that_cannot_be_are_one_sentence(capsys):
    pd.DataFrame(PLAIN).to_csv("p.csv", index=False)
    Path("empty.csv").touch()
    for arguments, says in (
        (["empty.csv"], "empty.csv is empty; its first line must name the columns"),
        (["none.csv"], "there is no file none.csv"),
        (["p.csv", "--group", "menu"], "has no column 'menu'; did you mean 'mean'?"),
        (["p.csv", "--group", "y"], "--group: 'y' has a meaning of its own"),
        (["p.csv", "--out", "p.csv"], "is a file; name a directory"),
        (["p.csv", "--out", "/proc/here"], "--out: /proc/here cannot be written to"),
    ):
        assert cli.main(["score", *arguments]) in (1, 2)
        error = capsys.readouterr().err
        assert says in error
        assert error.count("\n") == 1
