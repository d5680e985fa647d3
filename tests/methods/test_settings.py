"""Settings are closed: a misspelt name or an impossible value is refused, in words."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rafs import methods
from rafs.errors import ParameterError
from rafs.methods.base import training
from rafs.methods.settings import table

ALL = methods.ensembles()


def test_names_are_the_papers_order_and_every_method_with_random_activations():
    assert ALL[:6] == ("de", "hde", "ae", "ntkgp", "rp", "rafs")
    assert set(ALL) == {
        *ALL[:6], "de_nll", "de+rafs", "hde+rafs", "ntkgp+rafs", "rp+rafs", "de_nll+rafs"
    }  # fmt: skip


def test_controls_and_references_are_methods_but_not_among_those_compared():
    controls = ("ae_choice", "ae_bootstrap", "ae_scales", "ae_widths")
    assert methods.controls() == controls
    references = (
        "constant", "linear", "ridge", "gp", "ntk_gp", "mc_dropout", "laplace", "trees", "ngboost"
    )  # fmt: skip
    assert methods.references() == references
    assert methods.names() == (*ALL, *controls, *references)
    with pytest.raises(ParameterError, match="no method 'linear\\+rafs'"):
        methods.get("linear+rafs")


def test_labels():
    labels = {name: methods.get(name).label for name in ALL[:7]}
    assert labels == {
        "de": "DE",
        "hde": "HDE",
        "ae": "AE",
        "ntkgp": "NTKGP-param",
        "rp": "RP-param",
        "rafs": "RAFs",
        "de_nll": "DE (2017)",
    }
    assert methods.get("rp+rafs").label == "RP-param + RAFs"


@pytest.mark.parametrize("name", [*ALL, *methods.controls()])
def test_defaults_are_json_and_survive_their_own_check(name):
    method = methods.get(name)
    assert method.resolve(json.loads(json.dumps(method.defaults))) == method.defaults
    assert method.name == name


def test_random_activations_are_an_axis():
    assert methods.get("ae+rafs").name == "rafs"
    assert methods.get("rp+rafs").defaults["activation"] == "random"
    assert methods.get("rp").defaults["activation"] == "tanh"
    assert methods.get("rafs").defaults == methods.get("ae").resolve({"activation": "random"})


def test_unknown_method_names_the_nearest():
    with pytest.raises(ParameterError, match="did you mean 'ntkgp'"):
        methods.get("ntkpg")


def test_module_of_a_method():
    assert methods.module_of("rp+rafs") == methods.module_of("rp") == "rafs.methods.random_prior"
    assert methods.module_of("ae+rafs") == "rafs.methods.rafs"


def test_a_changed_default_does_not_leak():
    first = methods.get("ae").resolve({"hidden": [7], "prior": {"bias": 3.0}})
    first["hidden"].append(8)
    first["activations"]["set"].clear()
    assert methods.get("ae").defaults["hidden"] == [100]
    assert len(methods.get("ae").defaults["activations"]["set"]) == 7


def test_layers_and_dotted_names():
    resolved = methods.get("rp").resolve(
        {"prior": {"weight": 3.0, "bias": 0.5}}, {"prior.weight": 4, "beta": 2}, {}
    )
    assert resolved["prior"]["weight"] == 4.0
    assert resolved["prior"]["bias"] == 0.5
    assert resolved["beta"] == 2.0
    assert resolved["prior"]["output"] == 1.0


@pytest.mark.parametrize(
    ("layer", "said"),
    [
        ({"lerning_rate": 0.1}, r"methods\.rp has no setting 'lerning_rate'.*'learning_rate'"),
        ({"prior": {"weights": 1.0}}, r"methods\.rp\.prior has no setting 'weights'.*'weight'"),
        ({"prior.wieght": 1.0}, r"methods\.rp\.prior has no setting 'wieght'.*'weight'"),
        ({"prior": 3}, r"methods\.rp\.prior must be a group"),
        ({"beta.x": 3}, r"methods\.rp\.beta is a value"),
        ({"size": 0}, r"size must be a whole number of at least 1, not 0"),
        ({"size": 2.5}, r"size must be a whole number"),
        ({"size": True}, r"size must be a whole number"),
        ({"size": None}, r"size must be a whole number"),
        ({"hidden": 100}, r"hidden must be a list"),
        ({"hidden": [10, 0]}, r"hidden has an entry that must be a whole number"),
        ({"activation": "sine"}, r"activation must be one of gelu"),
        ({"activations": {"set": []}}, r"activations\.set must be a list of at least 1"),
        ({"activations": {"set": ["tanh", "tanh"]}}, r"names an activation twice"),
        ({"activations": {"k": 8}}, r"activations\.k must be at most 7"),
        ({"activations": {"k": 3, "draw_from": 4}}, r"draw_from must be at most 3"),
        ({"learning_rate": 0}, r"learning_rate must be above 0"),
        ({"learning_rate": "1e-3"}, r"learning_rate must be a number \(in YAML with a point"),
        ({"learning_rate": float("nan")}, r"must be finite"),
        ({"prior": {"bias": -1}}, r"bias must be at least 0"),
        ({"beta": -0.1}, r"beta must be at least 0"),
        ({"bootstrap": 1}, r"bootstrap must be true or false"),
        ({"variance": {"ddof": 2}}, r"ddof must be one of 0, 1"),
        ({"variance": {"ddof": True}}, r"ddof must be one of 0, 1"),
    ],
)
def test_what_is_wrong_is_said(layer, said):
    with pytest.raises(ParameterError, match=said):
        methods.get("rp").resolve(layer)


@pytest.mark.parametrize(
    ("layer", "said"),
    [
        ({"l2": [1.0, 0.1]}, r"l2 must be a list \[low, high\] with low <= high"),
        ({"l2": [0, 0.1]}, r"l2 has an end that must be above 0"),
        ({"dropout": [0.1, 1.0]}, r"dropout has an end that must be below 1"),
        ({"dropout": 0.1}, r"dropout must be a list"),
        ({"held_out": 1.0}, r"held_out must be below 1"),
        ({"beta": 1.0}, r"methods\.hde has no setting 'beta'"),
    ],
)
def test_what_is_wrong_with_the_search_is_said(layer, said):
    with pytest.raises(ParameterError, match=said):
        methods.get("hde").resolve(layer)


@pytest.mark.parametrize("name", ["ae", "rafs", "ntkgp", "ntkgp+rafs"])
def test_an_anchor_needs_a_prior_with_a_variance(name):
    with pytest.raises(ParameterError, match=r"prior\.bias must be above 0"):
        methods.get(name).resolve({"prior": {"bias": 0}})


@given(st.floats(1e-6, 1e6), st.integers(1, 10**6))
def test_numbers_take_one_form(value, whole):
    method = methods.get("rp")
    given_as = [method.resolve({"beta": v, "size": whole}) for v in (value, np.float64(value))]
    assert given_as[0] == given_as[1]
    assert type(given_as[1]["beta"]) is float
    assert type(method.resolve({"size": np.int64(whole)})["size"]) is int


def test_training():
    assert training(100).steps == 1000
    assert training(105, {"epochs": 3, "batch_size": 10}).steps == 33
    assert training(5, {"epochs": 3, "batch_size": 10}).steps == 3
    assert training(5, {"epochs": 3}).steps == 3
    with pytest.raises(ParameterError, match=r"training has no setting 'step'.*'steps'"):
        training(5, {"step": 3})
    with pytest.raises(ParameterError, match=r"training\.optimiser must be one of adam, sgd"):
        training(5, {"optimiser": "rmsprop"})


def test_every_setting_has_a_meaning():
    for name in ALL:
        for setting, _, meaning in table(methods.get(name).schema):
            assert meaning, (name, setting)


def test_a_method_is_found_by_being_there(tmp_path, monkeypatch):
    for name in ("deep.py", "base.py", "settings.py"):
        source = Path(methods.__file__).with_name(name)
        (tmp_path / name).write_bytes(source.read_bytes())
    (tmp_path / "one.py").write_text('class One(Method):\n    name, label = "one", "Nr. 1"\n')
    monkeypatch.setattr(methods, "__file__", str(tmp_path / "__init__.py"))
    found = methods.declarations.__wrapped__()
    assert list(found) == ["de", "one"]
    assert (found["one"].role, found["one"].label) == ("later", "Nr. 1")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('name, label = "de", "DE"', "rafs.methods.deep and rafs.methods.two both declare 'de'"),
        ('name, label, role = "two", "2", "extra"', "the role of Two must be one of paper, later"),
    ],
)
def test_a_wrong_declaration_is_refused(tmp_path, monkeypatch, body, message):
    source = Path(methods.__file__).with_name("deep.py")
    (tmp_path / "deep.py").write_bytes(source.read_bytes())
    (tmp_path / "two.py").write_text(f"class Two(Method):\n    {body}\n")
    monkeypatch.setattr(methods, "__file__", str(tmp_path / "__init__.py"))
    with pytest.raises(ParameterError, match=message):
        methods.declarations.__wrapped__()
