"""Experiments with quirks: what the plan makes of them, what the jobs do, and what stays as is."""

import copy
import json
from pathlib import Path

import numpy as np
import pytest
import yaml

import called
from rafs import config, datasets, methods, paths
from rafs.errors import ParameterError
from rafs.evaluation.metrics import evaluate
from rafs.experiments import Run
from rafs.files import read_json, read_npz, write_json, write_npz
from rafs.methods import runs
from rafs.methods.base import Task, training
from rafs.methods.ensemble import Scaler
from rafs.methods.tuning import HeldOut
from rafs.pipeline.jobs import aggregate
from rafs.pipeline.plan import Plan
from rafs.sampled import read_dataset, write_dataset
from small_project import PROJECT, replan


@pytest.fixture
def whole() -> dict:
    return config.load(PROJECT / "params.yaml").written()


@pytest.fixture
def plan(whole, tmp_path, monkeypatch) -> Plan:
    monkeypatch.chdir(tmp_path)
    return Plan(config.check(whole), PROJECT)


# ----------------------------------------------------------------------------------- the default


def test_experiments_by_name_leave_the_default_as_it_is(whole):
    """Without them the same files are made, by jobs with the same specs."""
    less = copy.deepcopy(whole)
    by_name = [name for name, e in whole["experiments"].items() if not e.get("default", True)]
    assert set(by_name) >= {"released", "quirks"}
    for name in by_name:
        del less["experiments"][name]
    del less["together"]
    for kind in ("tables", "figures"):
        for name, options in whole[kind].items():
            if set(options["experiments"]) & set(by_name):
                del less[kind][name]
    one, two = (Plan(config.check(content), PROJECT) for content in (whole, less))
    assert (one.experiments.extra, two.experiments.extra) == (by_name, [])
    assert one.files.all() == two.files.all()
    assert one.experiments.runs == two.experiments.runs
    for run in one.experiments.runs[::97]:
        assert one.specs.train(run) == two.specs.train(run)
        assert one.specs.score((run,)) == two.specs.score((run,))
    for name in two.experiments.default:
        assert one.specs.aggregate(name) == two.specs.aggregate(name)
        assert one.files.targets()[name] == two.files.targets()[name]
    assert (one.specs.claims(), one.specs.summary(), one.specs.verify()) == (
        two.specs.claims(),
        two.specs.summary(),
        two.specs.verify(),
    )
    assert (one.experiments.alongside, one.sources.used()) == (
        two.experiments.alongside,
        two.sources.used(),
    )
    for run in one.experiments.runs[::97]:  # the spec of a usual job has nothing of the protocol
        told = json.loads(one.specs.train(run)) | json.loads(one.specs.score((run,)))
        assert told["protocol"] == "described"
        assert not {"scaled", "misaligned", "interval"} & set(told)


def test_what_a_default_run_gives_is_what_the_method_gives_on_standardised_data(plan):
    """Bit for bit, computed without the job."""
    run = Run("main", "rafs", "forrester", 0)
    spec = json.loads(plan.specs.train(run))
    job = called.train(plan, run).changed(training=spec["training"] | {"steps": 25})
    spec = json.loads(job.spec)
    write_dataset(plan.files.data_of(run), datasets.load("forrester", 0))
    job.run()
    tuned = read_json(run.path(paths.BEST))["values"]
    drawn = datasets.load("forrester", 0)
    x, y = Scaler.fit(drawn.x_train), Scaler.fit(drawn.y_train)
    task = Task(x.transform(drawn.x_train), y.transform(drawn.y_train),
                0.1 / float(y.scale), ("run", 0, "forrester", "rafs"))  # fmt: skip
    method = methods.get("rafs")
    ensemble = method.fit(
        task, method.resolve(spec["settings"], tuned), training(20, spec["training"])
    )
    expected = ensemble.predict(x.transform(drawn.x_test)).in_units(y)
    found = read_npz(run.path(paths.PREDICTIONS))
    assert found["mean"].tobytes() == expected.mean.tobytes()
    assert found["variance"].tobytes() == expected.variance.tobytes()


# ---------------------------------------------------------------------------------- the released


def test_the_cells_of_the_released_experiment(plan):
    runs = plan.experiments["released"].runs
    cells = {(run.method, run.dataset) for run in runs}
    assert {run.seed for run in runs} == set(range(5))
    assert len({dataset for method, dataset in cells if method == "rafs"}) == 25
    few = {dataset for method, dataset in cells if method == "de"}
    assert few == {dataset for method, dataset in cells if method == "ntkgp"}
    assert few == {"he", "forrester", "rastrigin", "environmental", "griewank", "roos_arnold",
                   "friedman", "planar_arm", "sum_of_powers", "piston", "robot_arm", "welch",
                   "forest_fire"}  # fmt: skip
    assert "results/scores/quirks.csv" in plan.files.targets()["released"]
    assert "reports/tables/released_vs_published.tex" in plan.files.targets()["released"]
    left_out = json.loads(plan.specs.aggregate("released"))["left_out"]
    assert len(left_out) == 2 * (25 - 13)
    everything = replan(plan, lambda content: content["experiments"]["released"].pop("largest"))
    assert len(everything.experiments["released"].runs) == 150 * 5


def test_parts_of_the_released_experiment(plan):
    """A part has its runs and the tables; what is gathered is the part and what is there."""
    quick = plan.experiments.groups["released_quick"]
    cells = {(run.method, run.dataset) for run in quick.runs}
    assert {method for method, _ in cells} == {"hde", "ae", "rp", "rafs"}
    assert len({dataset for method, dataset in cells if method == "ae"}) == 25
    slow = {dataset for method, dataset in cells if method == "hde"}
    assert {"boston", "ackley", "friedman"} < slow
    assert not {"schaffer4", "ishigami", "naval"} & slow
    assert set(quick.runs) < set(plan.experiments["released"].runs)
    assert plan.files.targets()["released_quick"] == plan.files.targets()["released_so_far"]
    assert "reports/tables/released_vs_published.csv" in plan.files.targets()["released_quick"]
    assert "results/scores/quirks.csv" not in plan.files.targets()["released_quick"]

    def gathered(*asked):
        return Plan(plan.params, PROJECT).files.gathered("released", frozenset(asked))

    whole = plan.experiments["released"].runs
    for asked in ([], ["released"], ["table_released_vs_published"], ["quirks_so_far"],
                  ["released", "released_quick"]):  # fmt: skip
        assert gathered(*asked) == whole
    assert set(gathered("released_quick")) == set(quick.runs)
    assert gathered("released_so_far") == []
    other = Run("released", "de", "he", 3)
    write_npz(other.path(paths.PREDICTIONS), {})
    assert set(gathered("released_quick")) == {*quick.runs, other}
    assert gathered("released_so_far") == [other]
    assert Plan(plan.params, PROJECT).files.gathered("released", None) == [other]
    assert Plan(plan.params, PROJECT).files.gathered("main", None) == plan.experiments["main"].runs
    told = [json.loads(plan.specs.aggregate("released", frozenset(asked)))
            for asked in ([], ["released_quick"])]  # fmt: skip
    cost = plan.params.experiments["released"].cost
    assert told[1] == {**told[0], "partial": cost}


def test_a_run_that_was_not_asked_for_has_not_failed(plan):
    spec = json.loads(plan.specs.aggregate("released", frozenset(["released_quick"])))
    key = aggregate.RunKey("released", "de", "he", 0)
    found = aggregate.row(spec, key)
    assert (found["status"], found["message"]) == ("not run", spec["partial"])
    del spec["partial"]
    assert aggregate.row(spec, key)["status"] == "failed"


def test_the_settings_of_the_released_experiment(plan):
    """The numbers of the authors' code, in our units."""
    told = {m: json.loads(plan.specs.train(Run("released", m, "he", 0)))
            for m in ("de", "hde", "ae", "ntkgp", "rp", "rafs")}  # fmt: skip
    for spec in told.values():
        assert (spec["protocol"], spec["scaled"], spec["tuning"]) == ("released", False, None)
        assert spec["settings"]["size"] == 5
    deviations = [methods.get(m).networks(  # standard deviations of W1, b1, W2, ... as drawn
        Task(np.zeros((50, 7)), np.zeros(50), 0.1, ("test",)), told[m]["settings"], 6)
        for m in told]  # fmt: skip
    spread = {m: [float(np.std(nets.theta0[:, part])) for part in _parts(nets.widths)]
              for m, nets in zip(told, deviations, strict=True)}  # fmt: skip
    wide = [1.5 / 7**0.5, 0.05, 1.5 / 512**0.5, 0.05, 1.5 / 512**0.5]
    expected = {
        "de": wide,
        "ntkgp": wide,
        "hde": [0.05 / 3**0.5] * 7,
        "ae": [10**0.5, 10**0.5, 0.1],
        "rafs": [10**0.5, 10**0.5, 0.1],
        "rp": [(2 / 23) ** 0.5, 0, (2 / 32) ** 0.5, 0, (2 / 17) ** 0.5],
    }
    for method, values in expected.items():
        assert spread[method][: len(values)] == pytest.approx(values, rel=0.1)
    assert all(spread[m][3] == 0 for m in ("ae", "rafs"))  # no output bias
    noise = {m: (spec["settings"]["variance"]["add_noise"], spec["settings"]["variance"]["ddof"],
                 spec["settings"]["variance"]["as_sd"]) for m, spec in told.items()}  # fmt: skip
    usual = (True, 1, False)
    assert noise == {"de": usual, "ae": usual, "ntkgp": usual, "rafs": usual,
                     "rp": (False, 0, False), "hde": (False, 0, True)}  # fmt: skip
    steps = {m: training(3700, spec["training"]) for m, spec in told.items()}
    assert {m: t.steps for m, t in steps.items()} == {
        "de": 50000, "ntkgp": 50000, "hde": 2000, "ae": 1000, "rafs": 1000, "rp": 370000,
    }  # fmt: skip
    assert {m: t.batch_size for m, t in steps.items() if t.batch_size} == {"rp": 10}
    assert {t.optimiser for m, t in steps.items() if m in ("de", "ntkgp")} == {"sgd"}
    order = (
        methods.get("rafs")
        .networks(Task(np.zeros((5, 1)), np.zeros(5), 0.1, ("test",)), told["rafs"]["settings"], 60)
        .activations
    )
    assert order[:7] == ("selu", "tanh", "gelu", "softsign", "erf", "swish", "linear")
    assert set(order[7:]) == {"selu", "tanh", "gelu", "softsign"}


SECTION_C = {  # hidden, activation, learning rate, type of numbers, and what else is said
    "de": ([512, 512], "erf", 0.0005, "float32", {}),
    "ntkgp": ([512, 512], "erf", 0.0005, "float32", {"parameterisation": "standard"}),
    "hde": ([64, 256, 128], "tanh", 0.001, "float32", {
        "candidates": 5, "copies": 5, "l2": [1e-11, 1e-5], "dropout": [0.001, 0.9],
        "held_out": 0.2}),
    "ae": ([100], "tanh", 0.01, "float64", {}),
    "rp": ([16, 16], "tanh", 0.001, "float32", {"beta": 3}),
    "rafs": ([100], "random", 0.01, "float64", {}),
}  # fmt: skip


@pytest.mark.parametrize("method", SECTION_C)
def test_each_setting_of_the_released_code(plan, method):
    """Half the rate for de and ntkgp, whose loss in the released code is half of ours."""
    hidden, activation, rate, dtype, more = SECTION_C[method]
    spec = json.loads(plan.specs.train(Run("released", method, "he", 0)))
    told = spec["settings"]
    found = (told["hidden"], told["activation"], told["learning_rate"], spec["training"]["dtype"])
    assert found == (hidden, activation, rate, dtype)
    assert {key: told[key] for key in more} == more
    uniform = method in ("hde", "rp")
    assert told["prior"]["distribution"] == ("uniform" if uniform else "normal")


@pytest.mark.parametrize("method", SECTION_C)
def test_a_network_of_the_released_code_trains_and_predicts(plan, method):
    """Its noise is in the variance, except for rp and hde."""
    x = np.linspace(-2, 2, 12)[:, None]
    settings = json.loads(plan.specs.train(Run("released", method, "he", 0)))["settings"]
    task = Task(x, np.sin(x[:, 0]), 0.1, ("released", method))
    found = methods.get(method).fit(task, settings, training(12, {"steps": 5})).predict(x)
    assert np.isfinite(found.mean).all()
    assert (found.variance >= 0).all()
    assert (found.aleatoric == (0 if method in ("rp", "hde") else 0.1**2)).all()


def _parts(widths):
    from rafs.engine.layout import layers

    return [part for layer in layers(widths) for part in (layer.weight, layer.bias)]


def test_gradient_descent_on_half_the_squared_error():
    """One step of ours is one step of theirs, for a network of one weight: y = w x."""
    task = Task(np.array([[1.0], [2.0]]), np.array([3.0, 5.0]), 0.1, ("test",))
    method = methods.get("de")
    prior = {"output": 1.0, "bias": 0.0, "output_bias": False}
    settings = {"hidden": [], "size": 2, "learning_rate": 0.0005, "prior": prior}
    start = method.plan(task, method.resolve(settings)).members.theta0[:, 0]
    how = training(2, {"steps": 1, "optimiser": "sgd", "dtype": "float64"})
    after = method.fit(task, settings, how).theta[:, 0]
    gradient = ((1 * (start * 1 - 3)) + (2 * (start * 2 - 5))) / 2  # of half the mean square
    assert after == pytest.approx(start - 0.001 * gradient, rel=1e-12)


def test_a_released_run_from_data_to_metrics(plan):
    """Untuned, in the data's own units, with the extra column."""
    run = Run("released", "ae", "friedman", 1)
    called.data(plan, "friedman", 1, "released").run()
    spec = json.loads(plan.specs.train(run))
    job = called.train(plan, run).changed(training=spec["training"] | {"steps": 15})
    spec = json.loads(job.spec)
    job.run()
    called.score(plan, run).run()
    record = read_json(run.path(paths.METRICS))
    assert record["status"] == "ok"
    assert record["tuned"] == {"status": "untuned", "message": None, "values": {}}
    assert record["noise"] == 0.1
    drawn = datasets.load("friedman", 1, "released")
    task = Task(drawn.x_train, drawn.y_train, 0.1, ("run", 1, "friedman", "ae"))
    method = methods.get("ae")
    ensemble = method.fit(task, spec["settings"], training(200, spec["training"]))
    expected = ensemble.predict(drawn.x_test)
    found = read_npz(run.path(paths.PREDICTIONS))
    assert found["mean"].tobytes() == expected.mean.tobytes()
    error = 1.96 * np.std(expected.mean, ddof=1) / np.sqrt(500)
    assert record["metrics"]["interval"] == pytest.approx(error)


def test_boston_is_scored_out_of_order(plan):
    """A perfect prediction, but in the order of RM: half the targets belong to other rows."""
    run = Run("quirks", "rafs@quirk=boston_sorted", "boston", 0)
    random = np.random.default_rng(0)
    x, y = random.normal(size=(152, 1)), random.normal(22, 9, size=152)
    drawn = datasets.Dataset("boston", ("RM",), x, y, x, y, None, 0)
    write_dataset(plan.files.data_of(run), drawn)
    write_npz(run.path(paths.PREDICTIONS), {"mean": y, "variance": np.ones(152)})
    write_npz(run.path(paths.HELD_OUT), vars(HeldOut()))
    write_json(run.path(paths.RECORD), {"status": "ok", "message": None})
    called.score(plan, run).run()
    found = read_json(run.path(paths.METRICS))["metrics"]["rmse"]
    assert found == pytest.approx(np.sqrt(np.mean((y[np.argsort(x[:, 0])] - y) ** 2)))
    assert found == pytest.approx(np.sqrt(2) * np.std(y), rel=0.2)
    usual = Run("main", "rafs", "boston", 0)
    assert "misaligned" not in plan.specs.score((usual,))
    assert json.loads(plan.specs.score((Run("released", "rafs", "boston", 0),)))["misaligned"]
    assert "scaled" not in json.loads(plan.specs.train(Run("released", "rafs", "boston", 0)))


# ------------------------------------------------------------------------------------- switches


def test_each_quirk_alone(plan):
    """A quirk is run where it can change something, and changes nothing but its own part."""
    cells = {(run.method, run.dataset) for run in plan.experiments["quirks"].runs}
    assert {d for m, d in cells if m == "rafs@quirk=griewank_rows"} == {"griewank"}
    assert {m for m, _ in cells if "hde_variance" in m} == {"hde@quirk=hde_variance_as_sd"}
    assert len({d for m, d in cells if m == "rp@quirk=rp_no_noise"}) == 25
    assert len({d for m, d in cells if m == "ae@quirk=collinear_inputs"}) == 6
    own = {"method", "protocol", "experiment", "settings", "tuning"}
    for method, dataset in sorted(cells):
        odd = json.loads(plan.specs.train(Run("quirks", method, dataset, 2)))
        usual = json.loads(plan.specs.train(Run("main", odd["base"], dataset, 2)))
        assert {key for key in odd if odd[key] != usual.get(key)} <= own
        assert odd["tuning"] == "main"  # its values of the same seed
        name = method.partition("=")[2]
        assert (odd["protocol"] == f"described+{name}") == (dataset in SHARES_NO_DATA.get(name, []))
        changed = {k for k, v in odd["settings"].items() if v != usual["settings"][k]}
        assert changed == ({"variance"} if name in ("rp_no_noise", "hde_variance_as_sd") else set())


SHARES_NO_DATA = {
    "roos_arnold_zero": ["roos_arnold"], "griewank_rows": ["griewank"],
    "sum_of_powers_rows": ["sum_of_powers"], "rastrigin_cubed": ["rastrigin"],
    "robot_arm_cosine": ["robot_arm"],
    "collinear_inputs": ["environmental", "planar_arm", "piston", "robot_arm", "borehole",
                         "wing_weight"],
}  # fmt: skip


def test_a_quirk_for_a_whole_experiment(plan):
    quirks = ["unscaled", "roos_arnold_zero"]
    odd = replan(plan, lambda content: content["experiments"]["main"].update(quirks=quirks))
    spec = json.loads(odd.specs.train(Run("main", "ae", "roos_arnold", 0)))
    assert spec["scaled"] is False
    assert spec["protocol"] == "described+roos_arnold_zero"
    assert json.loads(odd.specs.train(Run("main", "ae", "he", 0)))["protocol"] == "described"
    called.data(odd, "roos_arnold", 0, spec["protocol"]).run()
    drawn = read_dataset(odd.files.data_of(Run("main", "ae", "roos_arnold", 0)))
    assert abs(drawn.y_test).max() < 1  # noise alone


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"quirks": ["roos_zero"]}, "experiments.released.quirks: there is no quirk 'roos_zero'; "),
        ({"protocol": "printed"}, "experiments.released.protocol must be one of described, rel"),
        ({"largest": {"dee": 200}}, "experiments.released.largest.dee: not one of its methods"),
        ({"settings": {"ae": {"hiden": [3]}}}, "no setting 'hiden'; did you mean 'hidden'?"),
        ({"settings": {"ae": {"training": {"stepz": 3}}}}, "training.stepz is not a parameter"),
        ({"also": ["quirk"]}, "experiments.released.also: 'quirk' is no other experiment; did you"),
        ({"tuning": "released"}, "give `tuning:` another experiment, or null for no tuning"),
        ({"protocol": "described"}, "so the noise of boston is unknown"),
        ({"parts": {"half": {"methods": ["mean"]}}}, "parts.half.methods.mean: not one of its"),
        ({"parts": {"half": {"largest": {"d": 9}}}}, "released.parts.half.largest.d: not one of"),
        ({"parts": {"half": {"seeds": 2}}}, "experiments.released.parts.half.seeds is not a param"),
        ({"parts": {"so_far": {}}}, "released: its part released_so_far has a name that is taken"),
        ({"default": True}, "released.parts: only what has `default: false` is run in parts"),
        ({"default": "no"}, "experiments.released.default must be true or false"),
    ],
)  # fmt: skip
def test_mistakes_are_one_sentence(change, says, tmp_path):
    content = yaml.safe_load((PROJECT / "params.yaml").read_text())
    content["experiments"]["released"] |= change
    with pytest.raises(ParameterError) as caught:
        config.check(content)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_something_must_be_run_by_default(whole):
    for entry in whole["experiments"].values():
        entry["default"] = False
    with pytest.raises(ParameterError, match="none with default: true"):
        config.check(whole)


def test_a_wrong_quirk_to_sweep(whole):
    whole["experiments"]["quirks"]["sweep"] = {"quirk": ["griewank_row"]}
    with pytest.raises(ParameterError, match=r"sweep.quirk: there is no quirk 'griewank_row'"):
        config.check(whole)


# ----------------------------------------------------------------------------- known from theirs


@pytest.mark.slow
def test_he_scores_as_with_the_released_code(plan):
    """RAFs has an NLL between 1.5 and 3.8 there and AE one between 20 and 86, over six starts.

    Those are six starts on one draw, and so are ours, on another draw: single starts may lie
    outside, the middle ones may not, and the two ranges overlap.
    """
    drawn = datasets.load("he", 0, "released")
    for method, low, high in (("ae", 20, 86), ("rafs", 1.5, 3.8)):
        values = []
        for seed in range(6):
            spec = json.loads(plan.specs.train(Run("released", method, "he", seed)))
            run = runs.BenchmarkRun(spec, drawn, runs.UNTUNED)
            (found,) = runs.fit_predict([runs.prepare(run)])
            predicted = found.prediction
            scores = evaluate(drawn.y_test, predicted.mean, predicted.variance)["metrics"]
            values.append(scores["nll_paper"])
        assert low < np.median(values) < high
        assert min(values) < high
        assert max(values) > low


def test_the_page_shows_what_has_been_run_by_name(plan):
    """Its spec has the hashes of the scores and tables that exist, and it requests none."""
    before = json.loads(plan.specs.page())
    assert "seen" not in before
    assert "released" not in before["experiments"]
    assert "quirks" not in before["tables"]
    place = Path(paths.SCORES.format(experiment="quirks"))
    place.parent.mkdir(parents=True)
    place.write_text("method\n")
    table = Path(paths.BUILT_TABLE.format(table="quirks"))
    table.parent.mkdir(parents=True)
    table.write_text("{}")
    after = json.loads(Plan(plan.params, PROJECT).specs.page())
    assert list(after["seen"]) == ["quirks"]
    assert after["experiments"] == [*before["experiments"], "quirks"]
    assert set(after["tables"]) - set(before["tables"]) == {"quirks"}
    assert not [name for name in plan.files.page_inputs() if "quirks" in name or "released" in name]
