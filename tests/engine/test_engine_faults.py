"""What goes wrong: divergence, devices, shapes, values, and places that cannot be written."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from plain import draw

from rafs.engine import (
    Members,
    Training,
    _backend,
    compiled,
    devices,
    fit,
    outputs,
    recorded,
)
from rafs.engine.fused import training as fused
from rafs.errors import DataError, DeviceError, DivergedError, ParameterError

PLAIN = {"steps": 250, "optimiser": "sgd", "device": "cpu"}


@pytest.mark.parametrize("engine", ["fused", "torch"])
def test_divergence_names_step_and_member(engine):
    members, x, y = draw((2, 6, 1), ["tanh", "linear", "relu"], n=15)
    members = replace(members, learning_rate=np.array([0.01, 50.0, 0.01]))
    with pytest.raises(DivergedError, match="member 1 diverged at step 100") as caught:
        fit(members, x, y, Training(**PLAIN, backend=engine))
    assert (caught.value.step, caught.value.member) == (100, 1)
    result = fit(members, x, y, Training(**PLAIN, backend=engine), strict=False)
    assert result.diverged.tolist() == [-1, 100, -1]
    good = fit(members.take([0, 2]), x, y, Training(**PLAIN, backend=engine))
    np.testing.assert_allclose(result.theta[[0, 2]], good.theta, rtol=1e-4, atol=1e-5)
    assert np.isfinite(result.loss[[0, 2]]).all()


@pytest.mark.parametrize("engine", ["fused", "torch"])
def test_large_but_finite_is_no_divergence(engine):
    members, x, y = draw((2, 1), ["linear"], n=15)
    options = {"steps": 300, "optimiser": "sgd", "device": "cpu", "backend": engine}
    result = fit(members, x, 1e15 * y, Training(**options))
    assert 1e13 < np.abs(result.theta).max() < 1e16


@pytest.mark.parametrize("engine", ["fused", "torch"])
def test_a_loss_that_overflows_is_a_divergence(engine):
    members, x, y = draw((2, 6, 1), ["linear"], n=15)
    with pytest.raises(DivergedError, match="step 0"):
        fit(members, x, y * 1e200, Training(steps=0, dtype="float64", device="cpu", backend=engine))


def test_an_absent_gpu_is_said(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    members, x, y = draw((2, 6, 1))
    with pytest.raises(DeviceError, match="no GPU; use device: auto or cpu"):
        fit(members, x, y, Training(steps=1, device="cuda"))
    with pytest.raises(DeviceError, match="fused engine runs on the CPU"):
        outputs(members, members.theta0, x, Training(steps=1, device="cuda", backend="fused"))
    for device in ("auto", "cpu"):
        fit(members, x, y, Training(steps=1, device=device))


def test_auto_takes_a_gpu_where_it_pays(monkeypatch):
    """It does for wide networks on many rows, trained for long; not for the paper's networks."""
    monkeypatch.setattr(devices, "_may_have_gpu", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    large, small = Training(steps=10_000), Training(steps=1000, batch_size=200)
    assert devices.resolve_device(large, 1e9) == "cuda"
    assert devices.resolve_device(large, 9e8) == "cpu"
    assert devices.resolve_device(replace(large, steps=500), 1e9) == "cpu"
    assert devices.resolve_device(replace(large, device="cpu"), 1e9) == "cpu"
    assert devices.resolve_device(replace(large, backend="fused"), 1e9) == "cpu"
    assert devices.resolve_device(replace(small, device="cuda")) == "cuda"
    assert _backend(large, "cuda").__name__.endswith("pytorch")
    members = draw((81, 128, 128, 1), ["tanh"] * 5, n=2)[0]
    assert devices.work(members, 20_000, small) == 27_137 * 200 * 5
    assert devices.work(members, 20_000, large) == 27_137 * 20_000 * 5
    assert devices.resolve_device(small, devices.work(members, 20_000, small)) == "cpu"
    assert devices.resolve_device(large, devices.work(members, 20_000, large)) == "cuda"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert devices.resolve_device(large, 1e9) == "cpu"


def test_where_networks_were_trained_is_recorded():
    members, x, y = draw((2, 6, 1))
    with recorded() as places:
        fit(members, x, y, Training(steps=1))
        assert places == {("fused", "cpu")}
        fit(members, x, y, Training(steps=1, backend="torch"))
    fit(members, x, y, Training(steps=1, backend="torch"))
    assert places == {("fused", "cpu"), ("torch", "cpu")}


@pytest.mark.parametrize("hidden", ["", "-1"])
def test_a_hidden_gpu_is_not_looked_for(monkeypatch, hidden):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", hidden)
    monkeypatch.setattr(devices.Path, "exists", lambda self: True)
    assert not devices._may_have_gpu()
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    assert devices._may_have_gpu()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"activations": ("tanh", "sine")}, "unknown activation 'sine'; the known ones are gelu"),
        ({"theta0": np.zeros((2, 5))}, r"theta0 has shape \(2, 5\) and should have \(2, 25\)"),
        ({"learning_rate": np.zeros(3)}, "learning_rate has shape"),
        ({"scales": np.ones((2, 3, 2))}, r"should have \(2, 2, 2\)"),
        ({"weights": np.ones(7)}, r"weights has shape \(7,\) and should have \(2, n\)"),
        ({"dropout": np.array([0.5, 1.0])}, r"dropout must lie in \[0, 1\)"),
        ({"gamma": np.full((2, 25), np.nan)}, "gamma holds values that are not finite"),
    ],
)
def test_members_of_the_wrong_form(change, sentence):
    members, _, _ = draw((2, 6, 1), ["tanh", "erf"])
    with pytest.raises(ParameterError, match=sentence):
        replace(members, **change)


def test_members_of_two_shapes_are_no_batch():
    parts = [draw(widths, ["tanh"])[0] for widths in ((2, 6, 1), (2, 7, 1))]
    with pytest.raises(ParameterError, match="same widths"):
        Members.concat(parts)


def test_concat_fills_absent_columns_with_what_they_mean():
    plain, x, y = draw((2, 6, 1), ["tanh"], n=13)
    rich, _, _ = draw((2, 6, 1), ["erf"], n=13, seed=1, scales=True, weights=True, gamma=True)
    both = fit(Members.concat([plain, rich]), x, y, Training(steps=20, device="cpu")).theta
    for part, theta in zip((plain, rich), both, strict=True):
        assert (fit(part, x, y, Training(steps=20, device="cpu")).theta[0] == theta).all()
    assert both.shape == (2, plain.n_parameters)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"optimiser": "lion"}, "optimiser is 'lion'; it must be adam or sgd"),
        ({"loss": "huber"}, "it must be squared or gaussian"),
        ({"dtype": "float16"}, "it must be float32 or float64"),
        ({"device": "tpu"}, "it must be auto or cpu or cuda"),
        ({"backend": "jax"}, "it must be auto or fused or torch"),
        ({"steps": -1}, "must not be negative"),
        ({"batch_size": 0}, "must be positive"),
        ({"adversarial": -0.1}, "finite step size"),
        ({"warm_up": 1.1}, "warm_up must lie between 0 and 1"),
        ({"beta_nll": float("nan")}, "beta_nll must lie between 0 and 1"),
    ],
)
def test_trainings_of_the_wrong_form(change, sentence):
    with pytest.raises(ParameterError, match=sentence):
        Training(**({"steps": 1} | change))


def test_data_of_the_wrong_form():
    members, x, y = draw((2, 6, 1), n=13, weights=True)
    training = Training(steps=1, device="cpu")
    for inputs, targets, sentence in (
        (x[:, :1], y, r"shape \(13, 1\); the networks take 2"),
        (x[None], y, "inputs are given for 1 members, not for 8"),
        (x, y[:5], r"targets have shape \(5,\)"),
        (x[:5], y[:5], "weights are given for 13 rows, not for 5"),
        (np.where(x > 1, np.nan, x), y, "empty or hold values that are not finite"),
        (x, np.full(13, np.inf), "empty or hold values that are not finite"),
        (x[:0], y[:0], "empty or hold values"),
    ):
        with pytest.raises(DataError, match=sentence):
            fit(members, inputs, targets, training)
    with pytest.raises(ParameterError, match=r"gaussian loss needs 2 output\(s\)"):
        fit(members, x, y, replace(training, loss="gaussian"))


def test_nowhere_to_keep_machine_code():
    """Functions are compiled all the same when numba finds no directory that it can write to."""

    def compiler(cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return lambda function: ("compiled", function.__qualname__)

    assert compiled._keep(compiler, lambda: None, "f") == ("compiled", f"f-{compiled.STAMP}")


def test_arrays_of_any_form_need_no_new_machine_code():
    members, x, y = draw((2, 6, 1), n=13)
    training = Training(steps=2, dtype="float64", device="cpu")
    wanted = fit(members, x, y, training)
    versions = len(fused._train.versions), len(fused._predict.versions)
    x, y = np.asfortranarray(x), np.repeat(y, 2)[::2]
    x.flags.writeable = y.flags.writeable = members.theta0.flags.writeable = False
    assert (fit(members, x, y, training).theta == wanted.theta).all()
    assert (len(fused._train.versions), len(fused._predict.versions)) == versions
