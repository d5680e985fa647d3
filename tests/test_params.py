"""params.yaml: what is valid is used, what is not is refused in a sentence that names the key."""

import copy
import json
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from rafs import cli, config, datasets
from rafs.config import models
from rafs.config.__main__ import SCHEMA, text
from rafs.datasets import tabular
from rafs.datasets.core import GROUPS, PAPER
from rafs.errors import ParameterError
from rafs.experiments import Run
from rafs.methods.base import COMMON, TRAINING
from rafs.methods.tuning import Search
from rafs.pipeline.loading import load
from rafs.pipeline.plan import Plan
from rafs.reporting import published

ROOT = Path(__file__).resolve().parents[1]
GOOD = yaml.safe_load((ROOT / "params.yaml").read_text())


def refused(change, tmp_path, edition=None) -> str:
    """Return the sentence that a changed file is refused with."""
    with pytest.raises(ParameterError) as caught:
        load(changed(change, tmp_path), edition)
    message = str(caught.value)
    assert "\n" not in message
    return message


def changed(change, tmp_path) -> Path:
    content = copy.deepcopy(GOOD)
    change(content)
    return written(yaml.safe_dump(content, sort_keys=False), tmp_path)


def written(text: str, folder: Path) -> Path:
    path = folder / "params.yaml"
    path.write_text(text)
    return path


def at(keys, value):
    """Return a change that sets a nested key."""

    def change(content):
        for key in keys[:-1]:
            content = content[key]
        content[keys[-1]] = value

    return change


def test_the_project_s_own_parameters_are_valid_in_both_editions():
    plan = Plan(load(ROOT / "params.yaml"), ROOT)
    assert len(plan.experiments["main"].runs) == 7 * 25 * 10
    small = Plan(load(ROOT / "params.yaml", "smoke"), ROOT).experiments.runs
    assert {run.dataset for run in small} == {"he", "friedman", "boston"}
    assert {run.base for run in small} >= {
        "de",
        "hde",
        "ae",
        "ntkgp",
        "rp",
        "rafs",
    }


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (at(["trainin"], {}), "trainin is not a parameter; did you mean 'training'?"),
        (at(["training", "stepz"], 5), "training.stepz is not a parameter; did you mean 'steps'?"),
        (at(["training", "steps"], 0), "training.steps must be at least 1, not 0"),
        (at(["training", "steps"], "many"), "training.steps must be a whole number, not 'many'"),
        (at(["training", "dtype"], "half"), "training.dtype must be one of float32, float64"),
        (at(["training", "steps"], float("nan")), "training.steps must be a finite number"),
        (at(["strict"], "no"), "strict must be true or false"),
        (at(["seeds"], "ten"), "seeds must be a whole number or a list, not 'ten'"),
        (at(["tuning", "holdout"], 1.0), "tuning.holdout must be below 1"),
        (at(["tuning", "keep"], 17), "tuning.keep must be at most tuning.trials"),
        (at(["tuning", "screening"], 0), "tuning.screening must be above 0"),
        (at(["tuning", "rows"], 0), "tuning.rows must be at least 1"),
        (at(["tuning", "noise"], {"uniform": [0, 1]}), "tuning.noise is not a parameter"),
        (at(["methods", "raf"], {}), "methods.raf: no such method; did you mean 'rafs'?"),
        (at(["methods", "rp", "bta"], 2.0), "did you mean 'beta'?"),
        (at(["methods", "rp", "beta"], -1.0), "methods.rp.beta"),
        (at(["methods", "rp", "search", "beta"], {"log_uniform": [3.0, 1.0]}), "[low, high]"),
        (at(["methods", "rp", "search", "gamma"], {"uniform": [0, 1]}), "'gamma'"),
        (at(["datasets", "freidman"], {}), "did you mean 'friedman'?"),
        (at(["datasets", "friedman"], {"size": 3}), "datasets.friedman.size is not a parameter"),
        (at(["datasets", "boston"], {"train": 500}), "the file has 506"),
        (at(["datasets", "uci_yacht"], {"train": 9}), "uci_yacht: its splits are fixed, with"),
        (at(["experiments", "uci", "seeds"], [7, 8]), "uci.seeds has no split of uci_protein, "),
        (at(["datasets", "boston"], {"target": "RM"}), "of the paper only train, test, noise can"),
        (at(["datasets", "boston"], {"csv": "a", "target": "b"}), "of this name exists"),
        (at(["datasets", "My data"], {"csv": "a", "target": "b"}), "use small letters"),
        (at(["datasets", "mine"], {"csv": "a"}), "datasets.mine.target is missing"),
        (at(["datasets", "mine"], {"csv": "a", "target": "b", "split": 2}), "datasets.mine.split"),
        (at(["datasets", "mine"], {"cvs": "a"}), "did you mean 'csv'?"),
        (at(["datasets", "mine"], {"csv": "{a}.csv", "target": "b"}), "datasets.mine.csv: Snakem"),
        (at(["experiments", "rafs_on", "datasets"], ["own"]), "the group 'own' is empty"),
        (at(["experiments", "main", "datasets"], ["hee"]), "no dataset; did you mean 'he'?"),
        (at(["experiments", "rafs_on", "methods"], ["rafz"]), "did you mean 'rafs'?"),
        (at(["experiments", "cardinality", "tuning"], "scale"), "did you mean 'scalability'?"),
        (at(["experiments", "cardinality", "sweep"], {"activations.k": [8]}), "at most 7"),
        (at(["experiments", "cardinality", "tuning"], "steps"), "'steps' has no tuned values of"),
        (at(["experiments", "cardinality", "seeds"], 7), "'scalability' tunes no seed 6; a run"),
        (at(["experiments", "steps", "sweep"], {"training.step": [1]}), "did you mean 'steps'?"),
        (at(["experiments", "steps", "sweep"], {"training.steps": [0]}), "steps.sweep: training."),
        (at(["experiments", "ensemble_size", "methods"], ["rp+rafs"]),
         "'main' does not tune 'rp+rafs'; take it out of experiments.ensemble_size, or put it"),
        (at(["tables", "nnl"], {"experiments": []}), "did you mean 'nll'?"),
        (at(["figures", "overview", "experiments"], ["mian"]), "did you mean 'main'?"),
        (at(["ensemble", "activations", "set"], ["gelu", "gelu"]), "twice"),
    ],
)  # fmt: skip
@pytest.mark.refusal
def test_a_mistake_is_told_with_its_key_and_the_nearest_name(change, says, tmp_path):
    assert says in refused(change, tmp_path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "the file"),
        ("[1, 2]", "the file must be a group of keys"),
        ("a: [1,", "not valid YAML"),
        ("seeds: 1\nseeds: 2\n", "given twice"),
        ("1: 2", "is not text"),
        ("seeds: !!python/object/apply:os.system ['true']", "not valid YAML"),
        ("seeds: 2026-11-16", "not a date"),
        ("\x00", "not valid YAML"),
        ("a: &a [*a]", "recursive"),
        ("[" * 3000, "not valid YAML"),
    ],
)
@pytest.mark.refusal
def test_a_file_that_is_no_parameter_file_is_told(text, says, tmp_path):
    path = written(text, tmp_path)
    with pytest.raises(ParameterError, match=r"params\.yaml") as caught:
        load(path)
    assert says in str(caught.value)


def test_anchors_are_plain_yaml_and_accepted(tmp_path):
    text = (ROOT / "params.yaml").read_text()
    text = text.replace("seeds: 10 ", "seeds: &many 10 ", 1)
    assert load(written(text, tmp_path)).seeds == 10


@pytest.mark.refusal
def test_the_command_says_it_without_a_traceback(tmp_path):
    path = changed(at(["training", "stepz"], 5), tmp_path)
    done = subprocess.run(
        [Path(sys.executable).parent / "rafs", "check", path],
        capture_output=True, text=True, env={**os.environ}, timeout=600,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == (
        "rafs: params.yaml: training.stepz is not a parameter; did you mean 'steps'?\n"
    )


def test_the_check_names_a_class_that_cannot_be_imported(tmp_path, capsys):
    (tmp_path / "workflow").symlink_to(ROOT / "workflow")
    path = changed(at(["methods", "theirs"], {"estimator": "no_such_module.Model"}), tmp_path)
    assert cli.main(["check", str(path)]) == 0
    said = capsys.readouterr()
    assert "is valid" in said.out
    assert said.err.startswith("rafs: methods.theirs: no_such_module.Model cannot be imported")
    assert said.err.endswith("; its runs will fail\n")


def test_the_models_name_settings_of_methods_and_of_the_engine():
    activations = COMMON["activations"]
    for model, known in (
        (models.EnsembleEntry, COMMON), (models.Activations, activations),
        (models.RunTraining, TRAINING),
    ):  # fmt: skip
        assert set(model.model_fields) <= set(known)
    searched = {field.name for field in fields(Search)}
    assert set(models.Tuning.model_fields) == searched - {"space"}


def test_the_smallest_split_is_that_of_user_datasets():
    split = {"train": tabular.LEAST_TRAIN, "test": tabular.LEAST_TEST}
    assert models.SplitByNumber(**split).written() == split
    for name in split:
        with pytest.raises(ParameterError, match=rf"{name} must be at least {split[name]}"):
            config.changed(models.SplitByNumber(**split), name, split[name] - 1)


def test_the_group_of_the_paper_is_what_its_tables_have():
    """25 datasets in the catalogue's order, whatever else the catalogue has."""
    found = config.check(GOOD).dataset_names(["paper"])
    assert set(found) == set(published.scores()["dataset"])
    assert found == list(datasets.names()[:25])


def test_the_groups_of_datasets_are_those_that_the_file_explains():
    listed = f"names or groups ({', '.join((PAPER, *GROUPS))})"
    assert f"# datasets: {listed}\n" in (ROOT / "params.yaml").read_text()


@pytest.mark.refusal
def test_a_wrong_dataset_is_named_where_it_stands_and_not_where_it_is_used(tmp_path):
    """An experiment before it takes its tuned values."""

    def change(content):
        content["experiments"]["cardinality"]["tuning"] = "main"
        content["experiments"]["main"]["datasets"] = ["papr"]

    message = refused(change, tmp_path)
    assert "experiments.main.datasets: 'papr' is no dataset; did you mean 'paper'?" in message


def lists(plan: Plan, experiment: str) -> tuple[set[str], set[str]]:
    runs = plan.experiments[experiment].runs
    return {run.base for run in runs}, {run.dataset for run in runs}


def count(record_property, *, refused: int, accepted: int) -> None:
    """Count the inputs of a test for docs/promises.md."""
    record_property("inputs", refused + accepted)
    record_property("refused", refused)
    record_property("accepted", accepted)


def test_what_is_run_by_name_does_not_keep_main_from_losing_a_method_or_a_dataset(
    tmp_path, record_property
):
    """It leaves out what has no tuned values any more; what is run by default is refused."""
    count(record_property, refused=1, accepted=2)
    whole = Plan(load(ROOT / "params.yaml"), ROOT)
    kept = [method for method in GOOD["experiments"]["main"]["methods"] if method != "hde"]
    fewer = Plan(load(changed(at(["experiments", "main", "methods"], kept), tmp_path)), ROOT)
    assert (whole.experiments["quirks"].left_out, fewer.experiments["quirks"].left_out) == (
        [],
        ["hde"],
    )
    methods, datasets = lists(whole, "quirks")
    assert lists(fewer, "quirks") == (methods - {"hde"}, datasets)
    for experiment in ("released", "steps", "tuning_luck"):  # these take no tuned values of main
        assert lists(fewer, experiment) == lists(whole, experiment)
    assert "hde" not in lists(fewer, "main")[0]
    names = [name for name in fewer.experiments["main"].datasets if name != "ackley"]
    path = changed(at(["experiments", "main", "datasets"], names), tmp_path)
    assert Plan(load(path), ROOT).experiments["quirks"].left_out == ["ackley"]
    fewer = Plan(load(changed(at(["seeds"], [0, 3, 9]), tmp_path)), ROOT)
    assert fewer.experiments["activation_sets"].seeds == [0, 3]  # of 0 to 5
    message = refused(at(["experiments", "main", "methods"], ["de"]), tmp_path)
    assert "experiments.ensemble_size.tuning: 'main' does not tune 'rafs'" in message


def test_what_is_run_by_name_does_not_keep_main_from_having_fewer_seeds(tmp_path, record_property):
    """It runs the seeds that are tuned; what is run by default, or would run none, is refused."""
    count(record_property, refused=2, accepted=1)

    def fewer(content):
        content["experiments"]["main"]["seeds"] = 5
        content["experiments"]["ensemble_size"]["seeds"] = 5

    plan = Plan(load(changed(fewer, tmp_path)), ROOT)
    named = plan.experiments["quirks"]
    assert named.seeds_left_out == [5, 6, 7, 8, 9]
    assert {run.seed for run in named.runs} == set(named.seeds) == set(range(5))
    assert plan.experiments["released"].seeds_left_out == []  # which takes no tuned values
    whole = Plan(load(ROOT / "params.yaml"), ROOT)
    assert whole.experiments["quirks"].seeds_left_out == []
    message = refused(at(["experiments", "main", "seeds"], 5), tmp_path)
    assert "experiments.ensemble_size.seeds: 'main' tunes no seed 5; a run takes" in message

    def none(content):
        fewer(content)
        content["experiments"]["quirks"]["seeds"] = [7, 8]

    assert "experiments.quirks.seeds: 'main' tunes no seed 7; a run takes" in refused(
        none, tmp_path
    )


@pytest.mark.refusal
def test_what_lacks_all_tuned_values_is_refused(tmp_path):
    def change(content):
        content["experiments"]["main"]["methods"] = ["de_nll", "rafs"]
        content["experiments"]["quirks"]["methods"] = ["de"]

    message = refused(change, tmp_path)
    assert "experiments.quirks.tuning: 'main' tunes none of what experiments.quirks runs" in message


@pytest.mark.parametrize("key", ["training.steps", "tuning.seed", "tuning.trials"])
def test_training_and_tuning_can_be_swept(key, tmp_path):
    section, _, name = key.partition(".")
    entry = {"methods": ["ae"], "datasets": ["he"], "sweep": {key: [7, 8]}}
    plan = Plan(load(changed(at(["experiments", "more"], entry), tmp_path)), ROOT)
    runs = [run for run in plan.experiments["more"].runs if run.seed == 0]
    assert [run.method for run in runs] == [f"ae@{name}=7", f"ae@{name}=8"]
    specs = [json.loads(plan.specs.train(run)) for run in runs]
    assert [spec[section][name] for spec in specs] == [7, 8]
    assert [spec["sweep"] for spec in specs] == [{}, {}]
    other = "training" if section == "tuning" else "tuning"
    assert specs[0][other] == specs[1][other]
    main = json.loads(plan.specs.train(Run("main", "ae", "he", 0)))
    for spec in specs:
        spec[section][name] = main[section][name]
        assert (spec["training"], spec["tuning"]) == (main["training"], main["tuning"])


def test_the_schema_for_editors_is_that_of_the_models():
    assert (ROOT / SCHEMA).read_text() == text(), "run `python -m rafs.config`"
    schema = Draft202012Validator(json.loads(text()))
    schema.check_schema(schema.schema)
    assert not list(schema.iter_errors(GOOD))
    assert list(schema.iter_errors(GOOD | {"seeds": 0}))
    assert (
        (ROOT / "params.yaml").read_text().startswith(f"# yaml-language-server: $schema={SCHEMA}\n")
    )
