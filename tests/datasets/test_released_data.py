"""The protocol `released`: its functions at points whose value is known, and what quirks change."""

import math

import numpy as np
import pytest

from rafs import datasets
from rafs.datasets import quirks, released
from rafs.errors import DataError, ParameterError

DATA_QUIRKS = [name for name, quirk in quirks.QUIRKS.items() if quirk.where == "data"]
GENERATED = datasets.names()[:20]
PARTS = ("x_train", "y_train", "x_test", "y_test")


def same(one, other) -> set[str]:
    """Return the parts that are the same bytes in two datasets."""
    return {p for p in PARTS if getattr(one, p).tobytes() == getattr(other, p).tobytes()}


def unit(x, ranges):
    """Return inputs as shares of their ranges."""
    low, high = np.array(ranges).T
    return (x - low) / (high - low)


# ------------------------------------------------------------------------------------ functions


def test_rastrigin_with_a_cubed_cosine():
    """cos(2 pi x) is 1, 1/2, -1 and 0 at 0, 1/6, 1/2 and 1/4."""
    x = np.array([[0.0, 0.0, 0.0], [1 / 6, 1 / 2, 1.0], [1 / 4, 1 / 4, 1 / 4]])
    expected = [0.0, 30 + (1 / 36 + 1 / 4 + 1) - 10 * (1 / 8 - 1 + 1), 30 + 3 / 16]
    assert released.rastrigin_cubed(x) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n", [3, 4, 7, 200])
def test_griewank_reads_past_the_last_column(n):
    """As a loop over rows that takes the last column for every index past it."""
    x = np.random.default_rng(0).uniform(-600, 600, (n, 4))
    expected = []
    for row in x:
        squares, cosines = 0.0, 1.0
        for index in range(1, n + 1):
            value = row[index - 1] if index <= 4 else row[3]
            squares += value**2 / 4000
            cosines *= math.cos(value / math.sqrt(index))
        expected.append(squares - cosines + 1)
    assert released.griewank_rows(x) == pytest.approx(expected, rel=1e-9)
    assert not released.griewank_rows(np.zeros((n, 4))).any()


def test_sum_of_powers_depends_on_the_number_of_rows():
    """A last input of 1 adds 1 per row from the sixth on; one of 1/2 adds a geometric series."""
    for n in (6, 200, 500):
        x = np.zeros((n, 6))
        x[:, 5] = 1.0
        assert (released.sum_of_powers_rows(x) == n - 5).all()
        x[:, 5] = -0.5
        series = 2 * 0.5**6 * (1 - 0.5 ** (n - 5))
        assert released.sum_of_powers_rows(x) == pytest.approx(np.full(n, series), rel=1e-12)
    first = np.zeros((200, 6))
    first[:, 0] = 0.25  # powers begin at 1
    assert (released.sum_of_powers_rows(first) == 0.25).all()


def test_robot_arm_sees_the_cosine_twice():
    stretched = [[0, 0, 0, 0, 1, 0.5, 0.25, 0.25], [math.pi / 2, 0, 0, 0, 1, 1, 1, 1]]
    x = np.array([*stretched, [math.pi, 0, 0, 0, 1, 0, 0, 0]])
    expected = [2 * math.sqrt(2), 0.0, math.sqrt(2)]
    assert released.robot_arm_cosine(x) == pytest.approx(expected, abs=1e-12)


def test_roos_arnold_is_zero():
    data = datasets.load("roos_arnold", 2, "released")
    assert not data.y_test.any()
    assert data.y_train.std() == pytest.approx(0.1, rel=0.2)


# ----------------------------------------------------------------------------------- the draws


@pytest.mark.parametrize("name", [n for n in GENERATED if n != "puma560"])
def test_all_generated_data(name):
    first, again, other = (datasets.load(name, seed, "released") for seed in (0, 0, 1))
    spec = datasets.spec(name)
    assert same(first, again) == set(PARTS)
    assert "x_train" not in same(first, other)
    assert first.protocol == "released"
    assert (first.noise, len(first.y_train), len(first.y_test)) == (0.1, spec.train, spec.test)
    assert all(np.isfinite(getattr(first, part)).all() for part in PARTS)
    if not spec.clusters:  # the i-th test point is the i-th training point on the wider range
        train, test = unit(first.x_train, spec.train_ranges), unit(first.x_test, spec.test_ranges)
        assert train == pytest.approx(test[: len(train)], abs=1e-9)
    else:
        one, two = (unit(x, [c]) for x, c in zip(np.split(first.x_train, 2), spec.clusters,
                                                 strict=True))  # fmt: skip
        assert one == pytest.approx(two, abs=1e-9)
    usual = [n for n, quirk in quirks.QUIRKS.items() if quirk.datasets == (name,)]
    if not usual:  # the described function, and no noise in the test targets
        assert np.array_equal(datasets.function(name)(first.x_test), first.y_test)


@pytest.mark.parametrize(
    ("name", "rank"),
    [("environmental", 1), ("piston", 1), ("borehole", 1), ("wing_weight", 1), ("planar_arm", 2),
     ("robot_arm", 4), ("friedman", 5)],
)  # fmt: skip
def test_inputs_that_are_drawn_one_by_one_are_collinear(name, rank):
    data, spec = datasets.load(name, 0, "released"), datasets.spec(name)
    for x, ranges in ((data.x_train, spec.train_ranges), (data.x_test, spec.test_ranges)):
        shares = unit(x, ranges) - 0.5
        assert np.linalg.matrix_rank(shares, tol=1e-6) == rank


@pytest.mark.parametrize("name", [n for n in DATA_QUIRKS if n not in
                         ("puma560_pumadyn", "contiguous_split", "assumed_noise")])  # fmt: skip
def test_a_quirk_alone_changes_its_own_part_of_its_own_datasets(name):
    expected = {
        "shared_stream": {"x_train", "y_train"},
        "collinear_inputs": set(),
        "noise_free_test": {"x_train", "y_train", "x_test"},
        "same_test_points": {"x_train", "y_train"},
    }
    for dataset in ("he", "roos_arnold", *quirks.QUIRKS[name].datasets[-1:]):
        plain = datasets.load(dataset, 3)
        odd = datasets.load(dataset, 3, f"described+{name}")
        if not quirks.QUIRKS[name].touches(dataset):
            assert same(plain, odd) == set(PARTS)
        elif dataset == "he" and name == "shared_stream":  # a grid has no draw to share
            assert same(plain, odd) == {"x_test", "y_test"}
        elif dataset == "he" and name == "same_test_points":  # and is the same anyway
            assert same(plain, odd) == {"x_train", "y_train", "x_test"}
        else:
            assert same(plain, odd) == expected.get(name, {"x_train", "x_test"})


@pytest.mark.parametrize("name", GENERATED)
def test_all_seeds_can_be_tested_at_the_same_points_and_against_the_truth(name):
    one, two = (datasets.load(name, seed, "described+same_test_points") for seed in (1, 2))
    assert same(one, two) == {"x_test", "y_test"}
    assert np.array_equal(one.x_test, datasets.load(name, 0).x_test)
    assert np.array_equal(one.y_test, datasets.function(name)(one.x_test))
    assert np.array_equal(one.y_train, datasets.load(name, 1).y_train)
    assert one.noise == datasets.spec(name).noise
    assert "same_test_points" not in quirks.active("released", name)


# ---------------------------------------------------------------------------------------- files


def test_pumadyn(real_data, loadable):
    for name in ("pumadyn_train", "pumadyn_test"):
        real_data(name)
    for name in ("pumadyn_train", "pumadyn_test"):
        loadable(name)
    one, two = (datasets.load("puma560", seed, "released") for seed in (0, 1))
    assert one.x_train.shape == (3693, 9)
    assert one.x_test.shape == (4499, 9)
    assert one.x_train[0, :8].tolist() == [0.995153, -1.563402, 0.188170, -0.388225, 0.815380,
                                           0.467713, 0.185407, -0.267894]  # fmt: skip
    assert (one.y_train[0], one.y_test[0]) == (-4.058931, 6.321392)
    assert (one.noise, one.in_distribution) == (0.1, None)
    for x, other in ((one.x_train, two.x_train), (one.x_test, two.x_test)):
        assert np.array_equal(x[:, :8], other[:, :8])
        assert not np.array_equal(x[:, 8], other[:, 8])
        assert -0.6 <= x[:, 8].min() < -0.59 < 0.59 < x[:, 8].max() <= 0.6
    assert abs(np.corrcoef(one.x_test[:, 8], one.y_test)[0, 1]) < 0.05
    few = datasets.load("puma560", 0, "released", train=10, test=5, noise=0.4)
    assert np.array_equal(few.y_train, one.y_train[:10])
    assert (len(few.y_test), few.noise) == (5, 0.4)
    with pytest.raises(ParameterError, match=r"puma8NH.test are asked for; it has 3693"):
        datasets.load("puma560", 0, "released", train=3694)


def test_pumadyn_that_cannot_be_had(tmp_path, monkeypatch):
    monkeypatch.setenv("RAFS_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("RAFS_DATA_MIRROR", str(tmp_path))
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")
    with pytest.raises(DataError, match=r"unpack puma8NH.test from https://"):
        datasets.load("puma560", 0, "released")
    assert datasets.load("puma560", 0, train=5, test=5).source == "generated"


def test_abalone_is_split_where_the_file_is_cut(loadable):
    loadable("abalone")
    data, plain = datasets.load("abalone", 0, "released"), datasets.load("abalone", 0)
    assert data.x_train[0].tolist() == [0.455, 0.365, 0.095, 0.514, 0.2245]
    assert (data.y_train[0], data.y_train[1], data.y_test[-1]) == (15.0, 7.0, 12.0)
    assert (data.noise, plain.noise) == (0.1, None)
    assert same(data, datasets.load("abalone", 1, "released")) == set(PARTS)
    split = datasets.load("abalone", 0, "described+contiguous_split")
    assert same(split, data) == set(PARTS)
    assert split.noise is None
    noisy = datasets.load("abalone", 0, "described+assumed_noise")
    assert same(noisy, plain) == set(PARTS)
    assert noisy.noise == 0.1


@pytest.mark.parametrize("name", quirks.REAL[1:])
def test_real_data_are_cut_in_the_order_of_the_file(loadable, name):
    """Both protocols have the same rows; `released` has them in one order for all seeds."""
    loadable(name)
    cut, again = (datasets.load(name, seed, "released") for seed in (0, 1))
    assert same(cut, again) == set(PARTS)
    drawn = datasets.load(name, 0)
    assert [len(part) for part in (cut.y_train, cut.y_test)] == [
        len(part) for part in (drawn.y_train, drawn.y_test)
    ]
    rows = [np.concatenate([d.y_train, d.y_test]) for d in (cut, drawn)]
    assert np.array_equal(*map(np.sort, rows))
    assert not np.array_equal(*rows)
    assert cut.noise == 0.1


def test_only_boston_is_scaled():
    paper = [name for name in datasets.names() if datasets.spec(name).place]
    on = {name: quirks.QUIRKS["unscaled"].touches(name) for name in paper}
    assert [name for name, unscaled in on.items() if not unscaled] == ["boston"]


def test_boston_has_a_tenth_of_its_deviation_for_noise(loadable):
    loadable("boston")
    data = datasets.load("boston", 4, "released")
    assert same(data, datasets.load("boston", 4)) == set(PARTS)
    assert data.noise == pytest.approx(0.1 * np.std(data.y_train), rel=1e-12)


# ------------------------------------------------------------------------------------- mistakes


def test_wrong_names_are_one_sentence():
    with pytest.raises(ParameterError, match="no quirk 'roos_arnold_zer'; did you mean 'roos_arn"):
        datasets.load("he", 0, "described+roos_arnold_zer")
    with pytest.raises(ParameterError, match=r"no protocol 'printed'.*'described', 'released'"):
        datasets.load("he", 0, "printed+unscaled")


def test_the_table_of_quirks_names_what_exists():
    from rafs import methods

    for quirk in quirks.QUIRKS.values():
        assert set(quirk.datasets) <= set(datasets.names())
        assert set(quirk.methods) <= set(methods.names())
        for method in quirk.methods:
            methods.get(method).resolve(quirk.settings)
    paper = [name for name in datasets.names() if datasets.spec(name).place]
    real = [name for name in paper if not datasets.spec(name).synthetic]
    assert list(quirks.REAL) == real
    assert set(quirks.DRAWN) == set(paper) - set(real) - {"puma560"}
