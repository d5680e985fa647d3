"""`rafs compare`: one line from a table to an answer."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from documented import block
from rafs import cli, compare, methods
from rafs.cli.compare import equality, progress
from rafs.compare import conformal, selection
from rafs.config import Params, load
from rafs.datasets import tabular
from rafs.errors import ParameterError
from rafs.evaluation.metrics import Predictions
from rafs.methods.tuning import HeldOut
from rafs.reporting import labels
from rafs.reporting.numbers import number

ROOT = Path(__file__).resolve().parents[1]
PARAMS = ROOT / "params.yaml"
GOOD = yaml.safe_load(PARAMS.read_text())
QUICK = ("--seeds", "2", "--trials", "2", "--steps", "30", "--cores", "1")


@pytest.fixture
def table(tmp_path, monkeypatch) -> str:
    random = np.random.default_rng(1)
    x = random.uniform(-2, 2, 60)
    kind = random.choice(["a", "b"], 60)
    y = np.sin(x) + (kind == "b") + random.normal(0, 0.1, 60)
    pd.DataFrame({"x": x, "kind": kind, "y": y}).to_csv(tmp_path / "waves.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return "waves.csv"


@pytest.mark.parametrize("name", GOOD["methods"])
def test_the_settings_are_those_of_the_benchmark(name):
    plan = compare.Comparison("x", {}, (name,), load(compare.DEFAULTS))
    method = methods.get(name)
    assert plan.fixed(name) == method.resolve(
        GOOD["ensemble"], Params.model_validate(GOOD).fixed(name)
    )
    tuning = plan.tuning(name)
    ours = tuning.space
    theirs = GOOD["methods"][name]["search"]
    assert set(ours) == set(theirs)
    for key, space in theirs.items():
        (kind,) = space
        assert list(ours[key][kind]) == space[kind]
    assert plan.training == {**GOOD["training"], "device": GOOD["device"]}
    assert vars(tuning) == {"space": ours, **GOOD["tuning"]}


def test_the_help_names_the_defaults(capsys):
    with pytest.raises(SystemExit):
        cli.main(["compare", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    params = load(compare.DEFAULTS)
    trials, steps = params.tuning.trials, params.training.steps
    for text in (f"number of splits ({params.seeds})", f"({trials})", f"({steps})"):
        assert text in shown
    assert f"share of test rows ({tabular.SPLIT})" in shown
    manual = (ROOT / "docs/own-data.md").read_text()
    assert f"`{tabular.SPLIT}` if left out" in manual
    assert f"fewer than {tabular.LEAST_ROWS} rows, or a split with fewer than" in manual
    assert f"fewer than {tabular.LEAST_TRAIN} training or {tabular.LEAST_TEST} test rows" in manual


def test_one_line_gives_a_table_a_picture_and_files(table, capsys):
    given = ("compare", table, "--target", "y", "--categorical", "kind", "--methods", "de", "rafs")
    assert cli.main([*given, *QUICK]) == 0
    shown = capsys.readouterr()
    assert "y from 3 features" in shown.out
    assert "2 splits into 48 training and 12 test rows; lowest median NLL first" in shown.out
    head, *rows = shown.out.splitlines()[1:4]
    columns = [labels.metric(name) for name in ("nll_paper", "crps", "rmse", "coverage_95")]
    columns += ["95 % coverage, conformal", "95 % interval score", "95 % interval score, conformal"]
    columns += [labels.metric("cpu_seconds")]
    assert head.split() == ["method", *" ".join(columns).split()]
    assert {row.split()[0] for row in rows} == {"DE", "RAFs"}
    assert "rafs: 4 of 4: " in shown.err
    assert "\x1b" not in shown.out + shown.err
    folder = Path("waves-comparison")
    made = {"comparison.png", "comparison.svg", "comparison.pdf", "comparison.json", "scores.csv"}
    assert {path.name for path in folder.iterdir()} == made
    assert (folder / "comparison.png").read_bytes().startswith(b"\x89PNG")
    scores = pd.read_csv(folder / "scores.csv")
    assert len(scores) == 4
    first = {
        row["method"]: row
        for row in json.loads((folder / "comparison.json").read_text())["methods"]
    }
    for method, part in scores.groupby("method"):
        (row,) = (row for row in rows if row.startswith(f"{labels.method(method)} "))
        assert row.split()[1] == number(part["nll_paper"].median())
        assert first[method]["nll"]["mean"] == pytest.approx(part["nll"].mean())
        assert first[method]["rmse"]["mean"] == pytest.approx(part["rmse"].mean())

    # once more, as JSON, to another place: the same numbers
    assert cli.main([*given, *QUICK, "--json", "--out", "again/here"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert Path("again/here/comparison.png").is_file()
    assert again["features"] == ["x", "kind=a", "kind=b"]
    values = [row["nll"]["median"] for row in again["methods"]]
    assert values == sorted(values)
    for row in again["methods"]:
        assert row["nll"] == first[row["method"]]["nll"]


def test_an_option_wins_over_the_file_and_the_file_over_the_defaults(table, tmp_path, capsys):
    (tmp_path / "workflow").symlink_to(ROOT / "workflow")  # where a file's schema is looked for
    short = {
        "seeds": [0, 1],
        "training": {**GOOD["training"], "steps": 30},
        "tuning": {**GOOD["tuning"], "trials": 2, "keep": 2},
    }
    Path("short.yaml").write_text(yaml.safe_dump({**GOOD, **short}))
    found = []
    for more in (QUICK, ("--params", "short.yaml"), (*QUICK, "--params", str(PARAMS))):
        given = ("--target", "y", "--categorical", "kind", "--methods", "ae", "--cores", "1")
        assert cli.main(["compare", table, *given, "--json", *more]) == 0
        result = json.loads(capsys.readouterr().out)
        (row,) = result["methods"]
        found.append((result["seeds"], row["nll"], row["rmse"]))
    assert found[0] == found[1] == found[2]


def scored(method, *values):
    """Return the rows of a method with these NLLs; None is a run that diverged."""
    names = ("nll", "nll_paper", "crps", "rmse", "coverage_95", "cpu_seconds")
    table = {"dataset": "t", "category": "own", "n_train": 80, "n_test": 20}
    for seed, value in enumerate(values):
        status = "diverged" if value is None else "ok"
        row = {**table, "method": method, "seed": seed, "status": status}
        yield row if value is None else {**row, **dict.fromkeys(names, value)}


def test_what_diverges_is_said_and_the_rest_is_shown():
    frame = pd.DataFrame([*scored("de", None), *scored("ae", *[1.0] * 9, None)])
    rows = compare.summary(frame)
    assert [row["method"] for row in rows] == ["ae", "de"]
    assert (rows[0]["diverged"], rows[1]["diverged"]) == (1, 1)
    assert compare.text(rows[1], "nll") == "diverged"
    assert compare.text(rows[0], "nll") == "1.00 [1.00, 1.00]"
    more = compare.summary(pd.DataFrame(scored("ae", *range(10))))
    assert compare.text(more[0], "nll") == "4.50 [1.00, 8.00]"
    half = compare.summary(pd.DataFrame(scored("ae", *range(6), None, None)))
    assert compare.text(half[0], "nll") == "3.50 [0.00, ∞]"
    from rafs.compare import picture

    figure = picture.draw(frame, rows, "a $ title")
    assert [len(line.get_xdata()) for axes in figure.axes for line in axes.lines].count(0) == 0
    notes = [t.get_text() for t in figure.texts]
    assert any("Left out: AE 1 of 10 diverged; DE 1 of 1 diverged." in note for note in notes)


def test_a_diverged_run_is_worse_than_any_score():
    """By the median; where that diverged, by how many did, and then by the mean of the rest."""
    frame = pd.DataFrame(
        [
            *scored("rp", None, None, None, None, 0.9),
            *scored("hde", None, None, None, 0.1, 0.1),
            *scored("ntkgp", None, None, None, None, 0.8),
            *scored("de", 1.0, 1.0, 1.0, 1.0, 1.0),
            *scored("ae", None, 0.5, 0.9, 0.9, None),
            *scored("rafs", 0.8, 0.8, 0.8, 90.0, 0.8),
        ]
    )
    rows = compare.summary(frame)
    assert [row["method"] for row in rows] == ["rafs", "ae", "de", "hde", "ntkgp", "rp"]
    assert [row["diverged"] for row in rows] == [0, 2, 0, 3, 4, 4]
    assert [row["nll"]["median"] for row in rows] == [0.8, 0.9, 1.0, None, None, None]


def test_who_is_not_significantly_different_from_the_best():
    """Over overlapping splits: a small steady lead is significant, a noisy one is not."""
    noise = np.random.default_rng(0).normal(size=10)
    frame = pd.DataFrame(
        [
            *scored("ae", *noise),
            *scored("de", *(noise + 0.2 + 0.01 * noise[::-1])),
            *scored("rp", *(0.1 - noise[::-1])),
        ]
    )
    assert compare.equals(frame, "ae") == ["rp"]
    rows = [{"method": name, "label": labels.method(name)} for name in ("ae", "rp", "de")]
    said = {"seeds": 10, "not_significantly_different": ["rp"]}
    assert equality(said, rows).startswith("not significantly different from AE: RP-param (NLL,")
    said = {"seeds": 10, "not_significantly_different": []}
    assert equality(said, rows).startswith("AE is significantly better than every other method")
    assert "several splits" in equality({"seeds": 1, "not_significantly_different": []}, rows)


def test_no_axis_shows_a_coverage_above_one():
    from rafs.compare import picture

    frame = pd.DataFrame([*scored("ae", *np.linspace(0.8, 1.0, 10)), *scored("de", *[1.0] * 10)])
    axes = picture.draw(frame, compare.summary(frame), "t").axes[
        [m.name for m in picture.PANELS].index("coverage_95")
    ]
    assert axes.get_xlim()[1] == 1.0


def test_random_activations_are_a_flag(table):
    options = dict.fromkeys(
        ("target", "features", "categorical", "split", "noise", "seeds", "trials", "steps")
    )
    options |= {"target": "y", "categorical": ["kind"], "random_activations": True}
    assert set(compare.plan(table, options).methods) == set(methods.ensembles())
    few = compare.plan(table, {**options, "methods": ["ae", "rp", "rafs", "ridge"]})
    assert few.methods == ("ae", "rp", "rafs", "ridge", "rp+rafs")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--target", "z"), "has no column 'z'; its columns are x, kind, y"),
        (("--target", "y"), "'kind' is not a column of numbers"),
        (("--target", "y", "--methods", "raf"), "did you mean 'rafs'?"),
        (("--target", "y", "--methods", "DE"), "did you mean 'de'?"),
        (("--target", "y", "--methods", "no.such.Class"), "there is no module 'no'"),
        (("--target", "y", "--methods", "math.Class"), "the module math has no 'Class'"),
        (("--target", "y", "--methods", "math.pi"), "math.pi is no class"),
        (("--target", "y", "--seeds", "0"), "--seeds must be at least 1"),
        (("--target", "y", "--split", "20"), "--split is the share of test rows"),
        (("--target", "y", "--seeds", "1000000"), "--seeds must be at most 100000, not 1000000"),
        (("--target", "y", "--noise", "-1"), "--noise is a standard deviation"),
        (("--target", "y", "--features", "y"), "contains the target"),
        (("--target", "y", "--out", "waves.csv"), "is a file; name a directory"),
        (("--target", "y", "--out", "/proc/here"), "--out: /proc/here cannot be written to"),
    ],
)
def test_mistakes_are_one_sentence(arguments, says, table, capsys):
    assert cli.main(["compare", table, *arguments]) in (1, 2)
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
    assert cli.main(["compare", "nowhere.csv", "--target", "y"]) == 1
    assert "there is no file nowhere.csv" in capsys.readouterr().err


def test_a_bar_is_for_terminals_alone(monkeypatch, capsys):
    """A pipe gets plain lines, also where colours are asked for; so does a dumb terminal."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress(2) as tell:
        tell("AE, seed 0")
    assert capsys.readouterr().err == "rafs: 1 of 2: AE, seed 0\n"
    for term, starts in (("dumb", b"rafs: 1 of 2: AE, seed 0"), ("xterm", b"\x1b[")):
        monkeypatch.setenv("TERM", term)
        parent, child = pty.openpty()
        with os.fdopen(child, "w") as terminal, monkeypatch.context() as patch:
            patch.setattr(sys, "stderr", terminal)
            with progress(2) as tell:
                tell("AE, seed 0")
            terminal.flush()
            assert os.read(parent, 65536).startswith(starts)
        os.close(parent)


ESTIMATORS = """
import os
import warnings
import numpy as np


class Good:
    def fit(self, X, y):
        self.mean, self.sd = y.mean(), y.std(ddof=1)
        return self

    def predict(self, X, return_std=False):
        return np.full(len(X), self.mean), np.full(len(X), self.sd)


class Prints(Good):
    def fit(self, X, y):
        print("{fitting")
        os.write(1, b"{still fitting")
        return super().fit(X, y)


class Crashes(Good):
    def predict(self, X, return_std=False):
        os._exit(7)


class Fails(Good):
    def fit(self, X, y):
        raise KeyError("no such column")


class Warns(Good):
    def fit(self, X, y):
        warnings.warn("the data are odd")
        return super().fit(X, y)


class Shape(Good):
    def predict(self, X, return_std=False):
        return np.ones((3, 2)), np.ones(3)


class NotANumber(Good):
    def predict(self, X, return_std=False):
        return np.full(len(X), np.nan), np.ones(len(X))


class Negative(Good):
    def predict(self, X, return_std=False):
        return np.ones(len(X)), -np.ones(len(X))
"""
SAID = {
    "Fails": "fit failed with KeyError ('no such column')",
    "Shape": "the predicted mean has shape (3, 2) and should have",
    "NotANumber": "the predicted mean is not finite in",
    "Negative": "a predicted standard deviation is not above 0",
}


@pytest.fixture
def own_modules(table):
    """A module in the current directory, and the same in plugins/, by names of their own."""
    Path("plugins").mkdir()
    Path("classes_here.py").write_text(ESTIMATORS)
    Path("plugins/classes_there.py").write_text(ESTIMATORS)


def compared(table, *names, cores="1", more=()):
    """Compare methods in a program of its own; return the result, the rows, and what it prints."""
    given = [sys.executable, "-m", "rafs.pipeline.forkserver.client", "compare", table,
             "--target", "y", "--categorical", "kind", *QUICK, "--cores", cores,
             "--methods", *names, *more]  # fmt: skip
    done = subprocess.run(given, capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, done.stderr
    result = json.loads(Path("waves-comparison/comparison.json").read_text())
    scores = pd.read_csv("waves-comparison/scores.csv").set_index(["method", "seed"]).sort_index()
    return {row["method"]: row for row in result["methods"]}, scores, done


def test_classes_and_references_are_methods(table, own_modules):
    """A class that predicts the mean and sd of the targets is the reference that does so."""
    names = ("ae", "constant", "ridge", "classes_here.Good", "sklearn.linear_model.BayesianRidge",
             "sklearn.linear_model.LinearRegression")  # fmt: skip
    found, scores, done = compared(table, *names)
    assert set(found) == set(names)
    for ours, theirs in (
        ("constant", "classes_here.Good"),
        ("ridge", "sklearn.linear_model.BayesianRidge"),
    ):
        for name in ("nll", "conformal_interval_score_95"):
            assert scores.loc[ours][name].tolist() == pytest.approx(scores.loc[theirs][name])
    mean_alone = scores.loc["sklearn.linear_model.LinearRegression"]  # its noise is fitted
    assert mean_alone["nll"].tolist() == pytest.approx(scores.loc["ridge"]["nll"], abs=0.3)
    assert found["sklearn.linear_model.LinearRegression"]["label"] == "LinearRegression"
    assert "constrained_layout" not in done.stderr


@pytest.mark.fault
def test_what_an_estimator_does_wrong_is_said_and_the_rest_is_shown(
    table, own_modules, record_property
):
    """In worker processes, with modules in plugins/."""
    bad = [f"classes_there.{name}" for name in SAID]
    names = ("de", "classes_there.Good", "classes_there.Warns", *bad)
    found, scores, done = compared(table, *names, cores="2")
    for name, sentence in SAID.items():
        row = found[f"classes_there.{name}"]
        assert (row["failed"], row["diverged"], row["nll"]["median"]) == (2, 0, None)
        assert sentence in row["messages"][0]
        assert sentence in done.stdout
        assert f"{name} (2 of 2 failed)" in done.stdout
    assert [row["label"] for row in list(found.values())[3:]] == list(SAID)
    assert "classes_there.Warns warned: the data are odd" in done.stdout
    assert found["classes_there.Good"]["messages"] == []
    good, warns = (scores.loc[f"classes_there.{name}"] for name in ("Good", "Warns"))
    assert good["nll"].tolist() == warns["nll"].tolist()
    record_property("faults", len(SAID))
    record_property("survived", len(SAID))


@pytest.mark.fault
@pytest.mark.parametrize("cores", ["1", "2"])
def test_a_class_that_crashes_loses_its_own_runs_and_one_that_prints_none(
    cores, table, own_modules, record_property
):
    names = ("classes_here.Crashes", "classes_here.Prints", "ridge")
    found, scores, done = compared(table, *names, cores=cores, more=("--json",))
    assert json.loads(done.stdout)["methods"][2]["failed"] == 2
    assert "fitting" in done.stderr
    (message,) = found["classes_here.Crashes"]["messages"]
    assert message.startswith("classes_here.Crashes: its process crashed")
    assert scores.loc["classes_here.Prints"]["status"].tolist() == ["ok", "ok"]
    record_property("faults", 2)
    record_property("survived", 2)


def test_an_estimator_of_a_file_is_tuned(table, tmp_path):
    (tmp_path / "workflow").symlink_to(ROOT / "workflow")
    (entry,) = yaml.safe_load(block("docs/own-data.md", "one more method"))["methods"].items()
    name, described = entry
    Path("more.yaml").write_text(yaml.safe_dump({**GOOD, "methods": {name: described}}))
    options = dict.fromkeys(
        ("target", "features", "categorical", "split", "noise", "seeds", "trials", "steps")
    )
    options |= {"target": "y", "categorical": ["kind"], "params": "more.yaml", "trials": 5}
    plan = compare.plan(table, {**options, "methods": [name, "sklearn.linear_model.Lasso"]})
    assert plan.fixed(name) == {"estimator": described["estimator"], "arguments": {}}
    assert plan.tuning(name).trials == 5
    assert plan.tuning("sklearn.linear_model.Lasso").trials == 1
    source = tabular.read(plan.entry, Path(table))
    row = compare.Worker(plan, source).run(name, 0)
    assert row["status"] == "ok"


def test_predictions_cannot_be_compared():
    entry = {"elsewhere": {"predictions": "made.csv"}}
    params = Params.model_validate({**GOOD, "methods": entry})
    with pytest.raises(
        ParameterError, match="elsewhere has predictions only, and nothing to train"
    ):
        selection.check(params, ["elsewhere"])


def test_the_conformal_interval_of_a_run():
    """It is mean ± q sd: 19 scores have their largest as the quantile of 95 %, 18 have none."""
    random = np.random.default_rng(0)
    y, sd = random.normal(size=(2, 30)), random.uniform(0.5, 2, (2, 30))
    test = Predictions(y[1], np.zeros(30), sd[1] ** 2)
    held = HeldOut(y[0, :19], np.full(19, 0.1), sd[0, :19] ** 2)
    found = conformal.scores(held, test)
    half = np.max(np.abs(y[0, :19] - 0.1) / sd[0, :19]) * sd[1]
    missed = np.maximum(np.abs(y[1]) - half, 0)
    assert found["conformal_coverage_95"] == pytest.approx(np.mean(np.abs(y[1]) <= half))
    assert found["conformal_width_95"] == pytest.approx(np.mean(2 * half))
    wanted = np.mean(2 * half + 2 / 0.05 * missed)
    assert found["conformal_interval_score_95"] == pytest.approx(wanted)
    assert conformal.scores(HeldOut(y[0, :18], y[1, :18], sd[0, :18]), test) == {}
    assert conformal.scores(HeldOut(), test) == {}
    far = Predictions(np.full(30, 1e308), np.full(30, -1e308), np.ones(30))
    assert "conformal_interval_score_95" not in conformal.scores(held, far)  # it is infinite
    rows = compare.summary(pd.DataFrame(scored("ae", 1.0, 2.0)))
    assert compare.text(rows[0], "conformal_coverage_95") == "–"


def test_two_classes_of_one_name_keep_their_paths():
    frame = pd.DataFrame([*scored("a.Model", 1.0), *scored("b.Model", 2.0), *scored("a.b.C", 3.0)])
    assert [row["label"] for row in compare.summary(frame)] == ["a.Model", "b.Model", "C"]


def test_a_failed_run_is_worse_than_any_score():
    frame = pd.DataFrame([*scored("my.A", 1.0, None, None), *scored("de", 9.0, 9.0, 9.0)])
    frame["status"] = frame["status"].replace("diverged", "failed")
    rows = compare.summary(frame)
    assert [row["method"] for row in rows] == ["de", "my.A"]
    assert compare.losses(rows[1]) == "2 of 3 failed"
    lost = pd.DataFrame([*scored("de", 1.0, 2.0), *scored("my.A", None, None)])
    assert compare.equals(lost, "de") == []  # nothing is known of a method without scores


@pytest.mark.slow
def test_several_processes_give_what_one_gives(table):
    """As a program of its own, for it starts processes."""
    given = [sys.executable, "-m", "rafs.pipeline.forkserver.client", "compare", table, "--json",
             "--target", "y", "--categorical", "kind", "--methods", "ae", "rp", *QUICK]  # fmt: skip
    found = []
    for cores in ("1", "2"):
        done = subprocess.run(
            [*given, "--cores", cores], capture_output=True, text=True, env={**os.environ},
            timeout=3000,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        rows = json.loads(done.stdout)["methods"]
        for row in rows:
            del row["cpu_seconds"]
        found.append(rows)
    assert found[0] == found[1]
