"""Saved and loaded estimators predict the same; anything else is refused."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rafs
from rafs.errors import DamagedFileError, ParameterError
from rafs.estimators import model_files
from rafs.files import read_npz, write_npz

from .conftest import CLASSES, ENSEMBLES, small

SAVED = Path(__file__).parents[1] / "oracles" / "saved"  # written by that version


@pytest.mark.parametrize("cls", CLASSES)
def test_round_trip_is_bitwise(cls, data, tmp_path) -> None:
    X, y = data
    model = small(cls).fit(pd.DataFrame(X, columns=["a", "b"]), y)
    frame = pd.DataFrame(3 * X, columns=["a", "b"])
    model.save(tmp_path / "model.rafs")
    again = cls.load(tmp_path / "model.rafs")
    for one, other in zip(
        (*model.predict(frame, return_std=True), model.predict_members(frame)),
        (*again.predict(frame, return_std=True), again.predict_members(frame)),
        strict=True,
    ):
        assert one.tobytes() == other.tobytes()
    assert again.get_params() == model.get_params()
    assert again.noise_ == model.noise_
    assert again.n_features_in_ == 2
    assert again.feature_names_in_.tolist() == ["a", "b"]
    again.save(tmp_path / "again.rafs")
    assert (tmp_path / "again.rafs").read_bytes() == (tmp_path / "model.rafs").read_bytes()
    again.fit(X, y)  # still an estimator


def test_parameters_come_back_as_they_were(data, tmp_path) -> None:
    model = small(
        rafs.RAFsEnsemble,
        hidden=[np.int64(5), 4],
        settings={"prior": {"weight": np.float64(1.5)}, "activations.set": ("tanh", "erf")},
        random_state=np.random.RandomState(3),
    ).fit(*data)
    model.save(tmp_path / "model")
    again = rafs.RAFsEnsemble.load(tmp_path / "model")
    assert again.settings == model.settings
    assert isinstance(again.settings["activations.set"], tuple)
    assert again.hidden == [5, 4]
    assert again.random_state is None
    assert not hasattr(again, "feature_names_in_")


@pytest.mark.parametrize(
    ("cls", "changes"),
    [
        (rafs.NTKGaussianProcess, {"activation": "relu", "kernel": "nngp", "weight_sd": 0.5}),
        (rafs.RAFsEnsemble, {"activation": "relu", "hidden": (3, 3)}),
    ],
)
def test_what_is_saved_is_what_was_fitted(cls, changes, data, tmp_path) -> None:
    """A parameter that is set after the fit waits for the next one, also on the way to a file."""
    X, y = data
    model = small(cls).fit(X, y)
    wanted = model.predict(X)
    model.set_params(**changes).save(tmp_path / "model")
    again = cls.load(tmp_path / "model")
    assert again.predict(X).tobytes() == wanted.tobytes()
    assert changes.items() <= again.get_params().items()


def test_another_process_predicts_the_same(data, tmp_path) -> None:
    X, y = data
    model = small(rafs.NTKGPEnsemble).fit(X, y)
    model.save(tmp_path / "model")
    code = """
import sys, numpy as np, rafs
model = rafs.NTKGPEnsemble.load(sys.argv[1])
print(np.concatenate(model.predict(np.eye(2), return_std=True)).tobytes().hex())
"""
    found = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "model"], check=True, capture_output=True, text=True
    ).stdout
    wanted = np.concatenate(model.predict(np.eye(2), return_std=True)).tobytes().hex()
    assert found.strip() == wanted


@pytest.mark.parametrize(
    ("cls", "mean", "std"),
    [
        (rafs.RAFsEnsemble, [-0.5115166851276475, 2.0177235585102378],
         [1.0254937127037644, 3.3215679423360354]),
        (rafs.RandomPriorEnsemble, [-0.5505677398809605, -0.6004581708561629],
         [0.10021516865678715, 0.13040913082238212]),
        (rafs.NTKGaussianProcess, [1.004123016569308, -1.84862422081744],
         [0.11835066114579085, 1.2284331902327215]),
    ],
)  # fmt: skip
def test_a_model_of_version_0_2_0_predicts_what_it_did(cls, mean, std) -> None:
    model = cls.load(SAVED / f"{cls.__name__}-0.2.0.npz")
    found = model.predict([[0.5], [3.0]], return_std=True)
    np.testing.assert_allclose(found, [mean, std], rtol=1e-10)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A saved process, its bytes, and a prediction."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(8, 2)), random.normal(size=8)
    model = rafs.NTKGaussianProcess(noise=0.5, random_state=0).fit(X, y)
    path = tmp_path_factory.mktemp("saved") / "model"
    model.save(path)
    return path, path.read_bytes(), model.predict(X), X


def rewritten(path, **changes) -> None:
    """Change entries of the header, as another version or a stranger would write them."""
    arrays = read_npz(path)
    header = json.loads(arrays.pop("header").tobytes()) | changes
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    write_npz(path, arrays)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 2}, "has version 2 of the file format and this rafs reads version 1"),
        ({"class": "RAFsEnsemble"}, "do not match their checksum"),
        ({"state": {}}, "do not match their checksum"),
        ({"digest": None}, "do not match their checksum"),
        ({"format": "other"}, "damaged or was not written by save"),
    ],
)
def test_foreign_headers_are_refused(saved, tmp_path, changes, message) -> None:
    (tmp_path / "model").write_bytes(saved[1])
    rewritten(tmp_path / "model", **changes)
    with pytest.raises(DamagedFileError, match=message):
        rafs.NTKGaussianProcess.load(tmp_path / "model")


@pytest.mark.parametrize("cls", ENSEMBLES)
def test_another_class_is_refused(saved, cls) -> None:
    with pytest.raises(DamagedFileError, match=f"holds a NTKGaussianProcess and no {cls.__name__}"):
        cls.load(saved[0])


@pytest.mark.parametrize("cls", [rafs.NTKGaussianProcess, rafs.NTKGPEnsemble, rafs.RAFsEnsemble])
def test_missing_pieces_are_refused(cls, data, tmp_path) -> None:
    """A file with a valid checksum that lacks what the class needs."""
    path = tmp_path / "model"
    small(cls).fit(*data).save(path)
    kind, state, arrays = model_files.load(path)

    def is_refused(state, arrays, message=f"does not hold what a {cls.__name__} is made of"):
        model_files.save(path, kind, state, arrays)
        with pytest.raises(DamagedFileError, match=message):
            cls.load(path)

    for name in arrays:
        if name != "scales":  # ones, if absent
            is_refused(state, {key: arrays[key] for key in arrays if key != name})
    for name in state:
        is_refused({key: state[key] for key in state if key != name}, arrays)
    for name in ("x.mean", "rows" if "rows" in arrays else "theta"):
        is_refused(state, {**arrays, name: arrays[name][:, None]})
        is_refused(state, {**arrays, name: arrays[name][:0]})
    is_refused({**state, "params": {"dict": [["sise", 3]]}}, arrays, "sise")


@settings(
    deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_damage_is_refused_or_harmless(saved, tmp_path, data) -> None:
    _, whole, prediction, X = saved
    if data.draw(st.booleans(), label="cut"):
        broken = whole[: data.draw(st.integers(0, len(whole) - 1))]
    else:
        place = data.draw(st.integers(0, len(whole) - 1))
        broken = whole[:place] + bytes([data.draw(st.integers(0, 255))]) + whole[place + 1 :]
    (tmp_path / "model").write_bytes(broken)
    try:
        model = rafs.NTKGaussianProcess.load(tmp_path / "model")
    except DamagedFileError:
        return
    assert np.array_equal(model.predict(X), prediction)


@pytest.mark.parametrize("content", [b"", b"text", b"PK\x03\x04", b"\x80\x04K\x01."])
def test_other_files_are_refused(tmp_path, content: bytes) -> None:
    (tmp_path / "model").write_bytes(content)
    with pytest.raises(DamagedFileError, match="damaged or was not written by save"):
        rafs.RAFsEnsemble.load(tmp_path / "model")


def test_missing_files_and_folders_are_refused(tmp_path) -> None:
    for path in (tmp_path / "nothing", tmp_path):
        with pytest.raises(DamagedFileError, match="there is no file"):
            rafs.RAFsEnsemble.load(path)


def test_a_pickle_in_the_archive_is_not_loaded(saved, tmp_path) -> None:
    arrays = read_npz(saved[0]) | {"trap": np.array([print], dtype=object)}
    np.savez(tmp_path / "model.npz", **arrays)
    with pytest.raises(DamagedFileError, match="damaged or was not written by save"):
        rafs.NTKGaussianProcess.load(tmp_path / "model.npz")


def test_a_saved_file_is_arrays_and_json_only(saved) -> None:
    with zipfile.ZipFile(saved[0]) as archive:
        assert all(name.endswith(".npy") for name in archive.namelist())
    header = json.loads(read_npz(saved[0])["header"].tobytes())
    assert header["class"] == "NTKGaussianProcess"


def test_a_parameter_without_a_text_form_is_refused(data, tmp_path) -> None:
    model = small(rafs.DeepEnsemble).fit(*data)
    model.settings = {"size": object()}
    with pytest.raises(ParameterError, match="a parameter is not a plain value"):
        model.save(tmp_path / "model")
    assert not list(tmp_path.iterdir())
