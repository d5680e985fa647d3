"""Variants of an experiment by name, and names that stand for several experiments."""

import json
from dataclasses import replace

import pytest
import yaml

from rafs import config, methods
from rafs.errors import ParameterError
from rafs.experiments import Run
from rafs.pipeline.loading import check, load
from rafs.pipeline.plan import Plan
from rafs.reporting import labels
from small_project import PROJECT

WHY = (
    "single_activation", "other_diversity", "activation_sets", "activation_count",
    "larger_ensembles", "epistemic",
)  # fmt: skip


@pytest.fixture(scope="module")
def plan() -> Plan:
    return Plan(load(PROJECT / "params.yaml"), PROJECT)


@pytest.fixture
def content() -> dict:
    return yaml.safe_load((PROJECT / "params.yaml").read_text())


def test_a_variant_is_a_method_with_a_name_and_several_settings(plan):
    run = Run("activation_sets", "rafs@variant=saturating", "he", 2)
    assert run in plan.experiments["activation_sets"].runs
    spec = json.loads(plan.specs.train(run))
    assert spec["sweep"] == {"activations.set": ["softsign", "tanh", "erf"]}
    assert spec["settings"]["activations"]["shuffle"] is True  # of the experiment
    plain = json.loads(plan.specs.train(Run("activation_sets", "rafs@variant=all", "he", 2)))
    assert plain["sweep"] == {}
    assert plain["settings"]["activations"]["set"] == list(methods.get("rafs").defaults[
        "activations"]["set"])  # fmt: skip
    gathered = json.loads(plan.specs.aggregate("activation_sets"))
    assert gathered["sweep"][run.method] == {"variant": "saturating"}
    assert labels.method("rafs@variant=without_gelu") == "RAFs (without gelu)"


def test_each_activation_is_left_out_once(plan):
    found = plan.experiments["activation_sets"].variants
    every = set(methods.get("rafs").defaults["activations"]["set"])
    left = {
        name.rpartition("_")[2]: every - set(variant.settings["activations"]["set"])
        for name, variant in found.items()
        if "without_" in name
    }
    assert left == {name: {name} for name in every}


def test_one_name_stands_for_several_experiments(plan):
    assert plan.params.together["why"] == WHY
    files = plan.files.targets()["why"]
    assert {f"results/scores/{name}.csv" for name in WHY} <= set(files)
    assert len(files) == len(set(files))
    for name in WHY:
        assert plan.experiments[name].entry.cost
        assert plan.experiments.whole(name, frozenset(["why"]))
        assert name in plan.experiments.extra
    gathered = plan.files.gathered("single_activation", frozenset(["why"]))
    assert len(gathered) == 6 * 25 * 10


def test_the_core_questions_are_tuned_with_the_effort_of_the_main_experiment(plan):
    main = plan.experiments["main"].search(Run("main", "ae", "he", 0))
    for name in ("single_activation", "other_diversity"):
        experiment = plan.experiments[name]
        assert experiment.seeds == plan.experiments["main"].seeds
        for method in experiment.variants:
            search = experiment.search(Run(name, method, "he", 0))
            assert replace(search, space=main.space) == main
            space = {key: value for key, value in search.space.items() if key != "activation"}
            assert space == main.space


@pytest.mark.refusal
@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"sweep": {"size": [2]}}, "experiments.activation_sets has a sweep and variants; it can"),
        ({"variants": {"odd": {"activations": {"sets": []}}}},
         "experiments.activation_sets.variants.activations has no setting 'sets'; did you mean"),
        ({"variants": {"Odd one": {}}}, "experiments.activation_sets.variants"),
    ],
)  # fmt: skip
def test_mistakes_in_variants_are_one_sentence(content, change, says):
    content["experiments"]["activation_sets"] |= change
    with pytest.raises(ParameterError) as caught:
        config.check(content)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.refusal
@pytest.mark.parametrize(
    ("together", "says"),
    [
        ({"why": ["single"]}, "together.why: 'single' is no experiment; did you mean 'single_act"),
        ({"main": ["steps"]}, "together.main: the name is taken; choose another"),
        ({"all": ["steps"]}, "together.all: the name is taken; choose another"),
        ({"table_nll": ["steps"]}, "together.table_nll: the name is taken; choose another"),
        ({"why": []}, "together.why"),
    ],
)
def test_mistakes_in_names_for_several_are_one_sentence(content, together, says):
    content["together"] = together
    with pytest.raises(ParameterError) as caught:
        config.check(content, also=check)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_values_can_be_taken_from_variants(content):
    content["experiments"]["activation_count"]["tuning"] = "activation_sets"
    with pytest.raises(ParameterError, match="'activation_sets' has no tuned values of its own"):
        config.check(content)
