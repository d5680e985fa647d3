"""params.yaml: what is valid is used, what is not is refused in a sentence that names the key."""

import copy
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from rafs import datasets, params
from rafs.errors import ParameterError
from rafs.experiments import Plan
from rafs.reporting import published

ROOT = Path(__file__).resolve().parents[1]
GOOD = yaml.safe_load((ROOT / "params.yaml").read_text())


def refused(change, tmp_path, edition=None) -> str:
    """Return the sentence that a changed file is refused with."""
    with pytest.raises(ParameterError) as caught:
        params.load(changed(change, tmp_path), edition)
    message = str(caught.value)
    assert "\n" not in message
    return message


def changed(change, tmp_path) -> Path:
    content = copy.deepcopy(GOOD)
    change(content)
    return written(yaml.safe_dump(content), tmp_path)


def written(text: str, folder: Path) -> Path:
    schema = folder / "workflow" / "schemas"
    schema.mkdir(parents=True, exist_ok=True)
    (schema / "params.schema.yaml").write_bytes((ROOT / params.SCHEMA).read_bytes())
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
    plan = Plan(params.load(ROOT / "params.yaml"), ROOT)
    assert len(plan.runs("main")) == 6 * 25 * 10
    small = Plan(params.load(ROOT / "params.yaml", "smoke"), ROOT)
    assert {run.dataset for run in small.all_runs} == {"he", "friedman", "boston"}
    assert {run.base for run in small.all_runs} >= {"de", "hde", "ae", "ntkgp", "rp", "rafs"}


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
        (at(["seeds"], [1, 1000000]), "contains tuning.seed"),
        (at(["tuning", "holdout"], 1.0), "tuning.holdout must be below 1"),
        (at(["tuning", "noise"], {"normal": [0, 1]}), "tuning.noise must be"),
        (at(["methods", "raf"], {}), "methods.raf: no such method; did you mean 'rafs'?"),
        (at(["methods", "rp", "bta"], 2.0), "did you mean 'beta'?"),
        (at(["methods", "rp", "beta"], -1.0), "methods.rp.beta"),
        (at(["methods", "rp", "search", "beta"], {"log_uniform": [3.0, 1.0]}), "[low, high]"),
        (at(["methods", "rp", "search", "gamma"], {"uniform": [0, 1]}), "'gamma'"),
        (at(["datasets", "freidman"], {}), "did you mean 'friedman'?"),
        (at(["datasets", "friedman"], {"size": 3}), "datasets.friedman.size is not a parameter"),
        (at(["datasets", "boston"], {"train": 500}), "the file has 506"),
        (at(["datasets", "boston"], {"target": "RM"}), "of the paper only train, test, noise can"),
        (at(["datasets", "boston"], {"csv": "a", "target": "b"}), "of this name exists"),
        (at(["datasets", "My data"], {"csv": "a", "target": "b"}), "use small letters"),
        (at(["datasets", "mine"], {"csv": "a"}), "datasets.mine.target is missing"),
        (at(["datasets", "mine"], {"csv": "a", "target": "b", "split": 2}), "datasets.mine.split"),
        (at(["datasets", "mine"], {"cvs": "a"}), "did you mean 'csv'?"),
        (at(["datasets", "mine"], {"csv": "{a}.csv", "target": "b"}), "datasets.mine.csv: Snakem"),
        (at(["experiments", "de_nll", "datasets"], ["own"]), "the group 'own' is empty"),
        (at(["experiments", "main", "datasets"], ["hee"]), "no dataset; did you mean 'he'?"),
        (at(["experiments", "de_nll", "methods"], ["rafz"]), "did you mean 'rafs'?"),
        (at(["experiments", "cardinality", "tuning"], "scale"), "did you mean 'scalability'?"),
        (at(["experiments", "cardinality", "sweep"], {"activations.k": [8]}), "at most 7"),
        (at(["experiments", "ensemble_size", "methods"], ["rp+rafs"]), "does not tune the method"),
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
        params.load(path)
    assert says in str(caught.value)


def test_anchors_are_plain_yaml_and_accepted(tmp_path):
    text = (ROOT / "params.yaml").read_text()
    text = text.replace("seeds: 10 ", "seeds: &many 10 ", 1)
    assert params.load(written(text, tmp_path))["seeds"] == 10


@pytest.mark.refusal
def test_the_command_says_it_without_a_traceback(tmp_path):
    path = changed(at(["training", "stepz"], 5), tmp_path)
    done = subprocess.run(
        [Path(sys.executable).parent / "rafs", "check", path],
        capture_output=True, text=True, env={**os.environ}, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == (
        "rafs: params.yaml: training.stepz is not a parameter; did you mean 'steps'?\n"
    )


def test_the_group_of_the_paper_is_what_its_tables_have():
    """25 datasets in the catalogue's order, whatever else the catalogue has."""
    found = params.dataset_names(GOOD, ["paper"])
    assert set(found) == set(published.scores()["dataset"])
    assert found == list(datasets.names()[:25])


def test_a_wrong_dataset_is_named_where_it_stands_and_not_where_it_is_used(tmp_path):
    """An experiment before it takes its tuned values."""

    def change(content):
        content["experiments"]["cardinality"]["tuning"] = "main"
        content["experiments"]["main"]["datasets"] = ["papr"]

    message = refused(change, tmp_path)
    assert "experiments.main.datasets: 'papr' is no dataset; did you mean 'paper'?" in message
