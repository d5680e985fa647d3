"""The properties of every synthetic dataset, whatever its function."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
from scipy import stats

from rafs import datasets
from rafs.datasets import Dataset
from rafs.errors import ParameterError

SYNTHETIC = datasets.names()[:20]
CLUSTERED = ("he", "forrester")
CHECKSUMS = Path(__file__).parents[1] / "oracles" / "synthetic_sha256.json"


def checksum(data: Dataset) -> str:
    parts = (data.x_train, data.y_train, data.x_test, data.y_test)
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()


def scaled_noise(name: str, seed: int, size: int) -> np.ndarray:
    data = datasets.load(name, seed, train=size)
    return (data.y_train - datasets.function(name)(data.x_train)) / datasets.spec(name).noise


@pytest.mark.parametrize("name", SYNTHETIC)
def test_shapes_and_types(name):
    data, spec = datasets.load(name), datasets.spec(name)
    assert data.x_train.shape == (spec.train, spec.dimension)
    assert data.x_test.shape == (spec.test, spec.dimension)
    assert data.y_train.shape == (spec.train,)
    assert data.y_test.shape == data.in_distribution.shape == (spec.test,)
    for part in (data.x_train, data.y_train, data.x_test, data.y_test):
        assert part.dtype == np.float64
        assert part.flags.c_contiguous
        assert np.isfinite(part).all()
    assert data.in_distribution.dtype == bool
    assert (data.name, data.seed, data.protocol, data.source) == (name, 0, "described", "generated")
    assert data.features == spec.features
    assert data.noise == spec.noise


@pytest.mark.parametrize("name", SYNTHETIC)
def test_bytes_are_those_recorded(name):
    """The recorded sums hold on any machine and change only if the sampling itself changes."""
    assert checksum(datasets.load(name)) == json.loads(CHECKSUMS.read_text())[name]


@pytest.mark.parametrize("extensions", ["with", "without"])
def test_bytes_do_not_depend_on_process_processor_or_other_draws(extensions):
    """Without its vector extensions, numpy computes as on an old processor."""
    code = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
np.random.default_rng(0).random(7)
from test_draws import SYNTHETIC, checksum, datasets
for name in SYNTHETIC[::-1]:
    datasets.load(name, 3, train=11)
    print(name, checksum(datasets.load(name, 3)))
"""
    command = [sys.executable, "-c", code, str(Path(__file__).parent)]
    disabled = " ".join(name for name in __cpu_dispatch__ if __cpu_features__[name])
    environment = os.environ | (
        {} if extensions == "with" else {"NPY_DISABLE_CPU_FEATURES": disabled}
    )
    printed = subprocess.run(
        command, capture_output=True, text=True, check=True, env=environment
    ).stdout
    elsewhere = dict(line.split() for line in printed.splitlines())
    assert elsewhere == {name: checksum(datasets.load(name, 3)) for name in SYNTHETIC}


@pytest.mark.parametrize("kind", [int, np.int64, np.uint8])
def test_kind_of_integer_of_the_seed_does_not_matter(kind):
    assert checksum(datasets.load("friedman", kind(5))) == checksum(datasets.load("friedman", 5))


def test_loading_imports_neither_torch_nor_other_datasets():
    code = """
import sys
from rafs import datasets
datasets.load("friedman")
loaded = [name for name in sys.modules if name.startswith("rafs.datasets.catalogue.")]
assert loaded == ["rafs.datasets.catalogue.friedman"]
assert "rafs.datasets.real" not in sys.modules
for name in datasets.names()[:20]:
    datasets.load(name)
for name in datasets.names():
    datasets.spec(name)
assert "torch" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", SYNTHETIC)
def test_ranges_are_kept_and_reached(name):
    spec, data = datasets.spec(name), datasets.load(name, 1, train=4000, test=4000)
    for x, ranges in ((data.x_train, spec.train_ranges), (data.x_test, spec.test_ranges)):
        low, high = np.array(ranges).T
        assert ((x >= low) & (x <= high)).all()
        slack = 0.005 * (high - low)
        assert (x.min(axis=0) < low + slack).all()
        assert (x.max(axis=0) > high - slack).all()


@pytest.mark.parametrize("name", sorted(set(SYNTHETIC) - set(CLUSTERED)))
def test_features_are_uniform_and_independent(name):
    spec, size = datasets.spec(name), 4000
    data = datasets.load(name, 2, train=size, test=size)
    for x, ranges in ((data.x_train, spec.train_ranges), (data.x_test, spec.test_ranges)):
        low, high = np.array(ranges).T
        unit = (x - low) / (high - low)
        for column in unit.T:
            assert stats.kstest(column, "uniform").pvalue > 1e-4
        between = np.corrcoef(unit.T)[np.triu_indices(spec.dimension, 1)]
        assert np.abs(between).max() < 5 / np.sqrt(size)
    across = np.corrcoef(data.x_train.T, data.x_test.T)[: spec.dimension, spec.dimension :]
    assert np.abs(across).max() < 5 / np.sqrt(size)


@pytest.mark.parametrize("name", CLUSTERED)
def test_clusters_and_grid(name):
    spec, data = datasets.spec(name), datasets.load(name, 4)
    for low, high in spec.clusters:
        assert ((data.x_train >= low) & (data.x_train <= high)).sum() == 10
    (low, high), grid = spec.test_ranges[0], data.x_test[:, 0]
    assert (grid[0], grid[-1]) == (low, high)
    np.testing.assert_allclose(np.diff(grid), (high - low) / 49, rtol=1e-12)
    many = datasets.load(name, 4, train=4000).x_train[:, 0]
    for first, last in spec.clusters:
        inside = many[(many >= first) & (many <= last)]
        assert len(inside) == 2000
        assert stats.kstest((inside - first) / (last - first), "uniform").pvalue > 1e-4


@pytest.mark.parametrize("name", CLUSTERED)
@pytest.mark.parametrize("size", [1, 2, 3, 21])
def test_odd_sizes_differ_by_one_between_clusters(name, size):
    x = datasets.load(name, train=size, test=1).x_train[:, 0]
    counts = [((x >= low) & (x <= high)).sum() for low, high in datasets.spec(name).clusters]
    assert sum(counts) == size
    assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize("name", SYNTHETIC)
def test_noise_is_normal_with_the_stated_sd_in_training_and_test(name):
    size = 4000
    spec, function = datasets.spec(name), datasets.function(name)
    data = datasets.load(name, 5, train=size, test=size)
    training = (data.y_train - function(data.x_train)) / spec.noise
    test = (data.y_test - function(data.x_test)) / spec.noise
    for z in (training, test):
        assert stats.kstest(z, "norm").pvalue > 1e-4
        assert abs(z.std() - 1) < 5 / np.sqrt(2 * size)
    assert abs(np.corrcoef(training, test)[0, 1]) < 5 / np.sqrt(size)
    for x, z in ((data.x_train, training), (data.x_test, test)):
        for column in x.T:
            assert abs(stats.spearmanr(column, z).statistic) < 5 / np.sqrt(size)
            assert abs(stats.spearmanr(column, z**2).statistic) < 5 / np.sqrt(size)


def test_seeds_and_datasets_are_independent():
    size = 4000
    draws = [scaled_noise("rastrigin", seed, size) for seed in range(6)]
    draws += [scaled_noise("ishigami", 0, size), scaled_noise("griewank", 0, size)]
    draws += list(datasets.load("rastrigin", 0, train=size).x_train.T)
    draws += list(datasets.load("rastrigin", 1, train=size).x_train.T)
    draws += list(datasets.load("ishigami", 0, train=size).x_train.T)
    between = np.corrcoef(draws)[np.triu_indices(len(draws), 1)]
    assert np.abs(between).max() < 5 / np.sqrt(size)


@pytest.mark.parametrize("name", SYNTHETIC)
def test_noise_override_leaves_the_inputs_and_scales_the_noise(name):
    usual, none, triple = (datasets.load(name, 6, noise=sd) for sd in (None, 0.0, 0.3))
    for other in (none, triple):
        assert usual.x_train.tobytes() == other.x_train.tobytes()
        assert usual.x_test.tobytes() == other.x_test.tobytes()
    assert (none.y_train == datasets.function(name)(none.x_train)).all()
    assert (none.noise, triple.noise) == (0.0, 0.3)
    ratio = 0.3 / datasets.spec(name).noise
    scale = np.abs(usual.y_test).max()
    np.testing.assert_allclose(
        triple.y_test - none.y_test, ratio * (usual.y_test - none.y_test), atol=1e-14 * scale
    )


@pytest.mark.parametrize("name", SYNTHETIC)
def test_size_overrides_leave_the_other_part(name):
    usual, changed = datasets.load(name, 7), datasets.load(name, 7, train=30)
    assert changed.x_train.shape == (30, usual.x_train.shape[1])
    assert changed.x_test.tobytes() == usual.x_test.tobytes()
    assert changed.y_test.tobytes() == usual.y_test.tobytes()
    assert len(datasets.load(name, 7, test=31).y_test) == 31


@pytest.mark.parametrize("name", SYNTHETIC)
def test_rows_in_distribution_are_those_where_training_rows_may_lie(name):
    data = datasets.load(name, 8, train=4000)
    inside = data.x_test[data.in_distribution]
    outside = data.x_test[~data.in_distribution]
    low, high = data.x_train.min(axis=0), data.x_train.max(axis=0)
    slack = 0.005 * (high - low)
    assert ((inside >= low - slack) & (inside <= high + slack)).all()
    if name in CLUSTERED:
        gap = np.sort(data.x_train[:, 0])[1999:2001]
        assert not ((inside > gap[0] + 0.01) & (inside < gap[1] - 0.01)).any()
        assert ((outside > gap[0]) & (outside < gap[1])).any()
    elif name == "puma560":
        assert data.in_distribution.all()
    else:
        assert ((outside < low) | (outside > high)).any(axis=1).all()


def test_unknown_name_gets_the_nearest_one():
    with pytest.raises(ParameterError, match=r"no dataset 'freidman'.*'friedman'"):
        datasets.load("freidman")
    for call in (datasets.spec, datasets.function, datasets.module_of):
        with pytest.raises(ParameterError, match="'wing_weight'"):
            call("wing-weight")
    with pytest.raises(ParameterError, match="nearest"):
        datasets.load("")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"protocol": "printed"}, "no protocol 'printed'.*'described'"),
        ({"train": 0}, "train size of 'he' is 0"),
        ({"test": -3}, "test size of 'he' is -3"),
        ({"noise": -0.1}, "noise of 'he' is -0.1"),
        ({"noise": float("nan")}, "noise of 'he' is nan"),
    ],
)
def test_wrong_arguments_get_a_sentence(options, sentence):
    with pytest.raises(ParameterError, match=sentence):
        datasets.load("he", **options)


def test_real_data_have_no_function():
    with pytest.raises(ParameterError, match="'abalone' is real data"):
        datasets.function("abalone")


@pytest.mark.parametrize("shape", [(5,), (3, 4), (3, 6)])
def test_wrong_shape_of_the_inputs_gets_a_sentence(shape):
    with pytest.raises(ParameterError, match="rows of 5 numbers"):
        datasets.function("friedman")(np.zeros(shape))
