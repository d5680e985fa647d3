"""The twenty functions against other public implementations, known points and known integrals."""

import decimal
import itertools
import json
import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from rafs import datasets

SYNTHETIC = datasets.names()[:20]
ORACLES = json.loads((Path(__file__).parents[1] / "oracles" / "functions.json").read_text())


def value(name: str, *x: float) -> float:
    return datasets.function(name)(np.array([x], dtype=float)).item()


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda o: f"{o['dataset']}-{o['package']}")
def test_other_public_implementations(oracle):
    y = datasets.function(oracle["dataset"])(np.array(oracle["x"]))
    # The paper rounds the coefficients of the planar arm to four digits.
    tolerance = {"atol": 1e-3} if oracle["dataset"] == "planar_arm" else {"rtol": 1e-13}
    np.testing.assert_allclose(y, oracle["y"], **tolerance)


@pytest.mark.parametrize(
    ("name", "x", "y"),
    [
        ("he", [math.pi / 2], math.pi / 2),
        ("he", [-math.pi / 2], math.pi / 2),
        ("he", [math.pi], 0),
        ("forrester", [1 / 3], 0),
        ("forrester", [0], -4 * math.sin(4)),
        ("schaffer4", [0, 0], 1),
        ("schaffer4", [2, 2], 0.5 + 0.5 / 1.008**2),
        ("double_pendulum", [math.pi / 2, math.pi / 2], 2),
        ("double_pendulum", [-math.pi / 2, math.pi / 6], -0.5),
        ("rastrigin", [0, 0, 0], 0),
        ("rastrigin", [1, -2, 3], 14),
        ("rastrigin", [0.5, 0.5, 0.5], 60.75),
        ("ishigami", [math.pi / 2, math.pi / 2, 0], 8),
        ("ishigami", [-math.pi / 2, 0, 2], -2.6),
        ("griewank", [0, 0, 0, 0], 0),
        ("griewank", [math.pi, 0, 0, 0], 2 + math.pi**2 / 4000),
        ("griewank", [0, 0, 0, 4 * math.pi], 16 * math.pi**2 / 4000),
        ("roos_arnold", [0, 1, 0, 1, 0], 32),
        ("roos_arnold", [0.3, 0.8, 0.5, 0.1, 0.9], 0),
        ("roos_arnold", [0.25, 0.75, 0.25, 0.75, 0.25], 1),
        ("friedman", [0.5, 1, 0.5, 0, 0], 10),
        ("friedman", [0, 1, 0, 1, 1], 20),
        ("planar_arm", [1, 0, 1, 1, 1, 0], 0.3333),
        ("planar_arm", [2, math.pi / 2, 1, 0, 0, 1], 0.0417),
        ("planar_arm", [0, math.pi / 2, 2, 1, 0, 0], -0.0625 * 5),
        ("sum_of_powers", [0] * 6, 0),
        ("sum_of_powers", [1, -1, 1, -1, 1, -1], 6),
        ("sum_of_powers", [0, 0, 0, 0, 0, -0.5], 2**-7),
        ("ackley", [0] * 7, 0),
        ("ackley", [1] * 7, 20 - 20 * math.exp(-0.2)),
        ("robot_arm", [1.3, 0, 0, 0, 0.1, 0.2, 0.3, 0.4], 1),
        ("robot_arm", [0.4, math.pi, 0, 0, 1, 0.5, 0.25, 0.125], 0.125),
        ("robot_arm", [2, math.pi / 2, math.pi / 2, math.pi / 2, 1, 1, 1, 1], 0),
        ("robot_arm", [5, math.pi / 2, 0, 0, 0.3, 0.1, 0.1, 0.2], 0.5),
        ("styblinski_tang", [0] * 9, 0),
        ("styblinski_tang", [1] * 9, -45),
        ("styblinski_tang", [-2, 0, 0, 0, 0, 0, 0, 0, 1], -34),
        ("welch", [0] * 10, 0),
        ("welch", [0, 0, 0, 0, 0, 0, 0, 0, 0, 1.001], 5),
        ("welch", [-0.001, 0, 0, 0, 0, 0, 0, 0, 0, 1], 5.005),
        ("welch", [0, 1, 0, -1, 0, 0, 0, 0, 0, 0], 20),
        ("welch", [0, 0, 1, 0, 1, 1, 1, 1, 0.5, 0], 0.08 + 1 + 0.25 + 0.03 - 0.09 + 5),
        ("welch", [1, 0.5, 0, 0.5, 0, 0, 0, 0, -1, 0], -45),
    ],
)
def test_points_known_in_closed_form(name, x, y):
    assert value(name, *x) == pytest.approx(y, rel=1e-13, abs=2e-13)


@pytest.mark.parametrize(
    ("name", "start", "place", "minimum"),
    [
        ("forrester", [0.75], [0.757249], -6.020740),
        ("schaffer4", [0.0, 1.25], [0.0, 1.253132], 0.292579),
        ("schaffer4", [1.25, 0.0], [1.253132, 0.0], 0.292579),
        ("styblinski_tang", [-2.9] * 9, [-2.903534] * 9, -39.166166 * 9),
        ("griewank", [0.1] * 4, [0] * 4, 0),
        ("rastrigin", [0.1] * 3, [0] * 3, 0),
    ],
)
def test_published_minima(name, start, place, minimum):
    found = optimize.minimize(
        lambda x: value(name, *x), start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 0}
    )
    np.testing.assert_allclose(found.x, place, atol=2e-5)
    assert found.fun == pytest.approx(minimum, abs=2e-5)


def test_ackley_is_smallest_in_the_middle():
    x = np.random.default_rng(0).uniform(-2, 2, (2000, 7))
    assert (datasets.function("ackley")(x) > 0).all()


def test_ishigami_has_its_published_mean_and_variance():
    nodes, weights = np.polynomial.legendre.leggauss(40)
    x = np.array(list(itertools.product(nodes * math.pi, repeat=3)))
    w = np.prod(list(itertools.product(weights / 2, repeat=3)), axis=1)
    y = datasets.function("ishigami")(x)
    mean = w @ y
    assert mean == pytest.approx(3.5)
    variance = 49 / 8 + 0.1 * math.pi**4 / 5 + 0.01 * math.pi**8 / 18 + 0.5
    assert w @ (y - mean) ** 2 == pytest.approx(variance)


def test_roos_arnold_integrates_to_one_over_the_unit_cube():
    nodes, weights = np.polynomial.legendre.leggauss(4)
    half = np.concatenate([(nodes + 1) / 4, (nodes + 3) / 4])  # the kink lies at 1/2
    x = np.array(list(itertools.product(half, repeat=5)))
    w = np.prod(list(itertools.product(np.tile(weights, 2) / 4, repeat=5)), axis=1)
    y = datasets.function("roos_arnold")(x)
    assert w @ y == pytest.approx(1)
    assert w @ y**2 == pytest.approx((4 / 3) ** 5)


def test_environmental_is_the_density_of_two_random_walks():
    x = datasets.load("environmental").x_test
    M, D, L, tau = x.T
    first = stats.norm.pdf(1, loc=0, scale=np.sqrt(2 * D * 40.1))
    second = stats.norm.pdf(1, loc=L, scale=np.sqrt(2 * D * (40.1 - tau)))
    y = math.sqrt(4 * math.pi) * M * (first + second)
    np.testing.assert_allclose(datasets.function("environmental")(x), y, rtol=1e-12)


def test_environmental_without_diffusion_or_second_spill():
    first = math.sqrt(4 * math.pi) * 10 * stats.norm.pdf(1, scale=math.sqrt(2 * 0.1 * 40.1))
    for tau in (40.1, 45):
        assert value("environmental", 10, 0.1, 2, tau) == pytest.approx(first, rel=1e-13)
    assert value("environmental", 10, 0, 2, 30) == 0
    assert value("environmental", 10, 0, 1, 30) == 0
    assert value("environmental", 10, 1e-4, 2, 30) == pytest.approx(0, abs=1e-12)


def printed_piston(M, S, V0, k, P0, Ta, T0):
    """The cycle time as the paper prints it (without the stray q), to 60 digits."""
    with decimal.localcontext(prec=60):
        M, S, V0, k, P0, Ta, T0 = map(decimal.Decimal, (M, S, V0, k, P0, Ta, T0))
        A = P0 * S + decimal.Decimal("19.62") * M - k * V0 / S
        V = S / (2 * k) * ((A * A + 4 * k * P0 * V0 / T0 * Ta).sqrt() - A)
        inner = M / (k + S * S * P0 * V0 / T0 * Ta / (V * V))
        return 2 * math.pi * float(inner.sqrt())


@pytest.mark.parametrize("V0", [1e-12, 1e-7, 1e-3, 0.015])
@pytest.mark.parametrize("k", [10, 6000])
@pytest.mark.parametrize("S", [0.005, 0.03])
def test_piston_keeps_its_digits_where_the_printed_form_loses_them(V0, k, S):
    x = (45, S, V0, k, 80000, 290, 350)
    assert value("piston", *x) == pytest.approx(printed_piston(*x), rel=1e-12)


def test_piston_without_gas_or_mass():
    assert value("piston", 45, 0.01, 0, 1000, 100000, 290, 350) == 0
    assert value("piston", 45, 0.01, 1e-14, 1000, 100000, 290, 350) < 1e-4
    assert value("piston", 0, 0.01, 0.005, 1000, 100000, 290, 350) == 0
    assert value("piston", 0, 0.005, 0.015, 6000, 80000, 285, 400) == 0


def test_wing_weight_without_structure_is_paint():
    """The paint weighs 174 * 0.064; the sweep is in degrees."""
    wing, paint = [174, 252, 7.52, 0, 34, 0.672, 0.12, 3.8, 2000, 0.064], 174 * 0.064
    for degenerate in (2, 4, 5):
        assert value("wing_weight", *wing[:degenerate], 0, *wing[degenerate + 1 :]) == paint
    structure = value("wing_weight", *wing) - paint
    swept = value("wing_weight", *wing[:3], 60, *wing[4:]) - paint  # the cosine is 1/2
    assert swept == pytest.approx(structure * 4**0.6 * 0.5**0.3)


def test_borehole_physics():
    """No flow between equal heads; through a short hole, the two aquifers in series."""
    usual = [0.1, 25000, 90000, 90, 1050, 760, 1400, 11000]
    level = [*usual[:4], 900, 900, *usual[6:]]
    assert value("borehole", *level) == 0
    short = [*usual[:6], 1e-12, usual[7]]
    series = 2 * math.pi * (1050 - 760) / math.log(250000) / (1 / 90000 + 1 / 90)
    assert value("borehole", *short) == pytest.approx(series)
    doubled = [*usual[:4], 1340, 760, *usual[6:]]
    assert value("borehole", *doubled) == pytest.approx(2 * value("borehole", *usual))


@pytest.mark.parametrize("name", SYNTHETIC)
def test_finite_and_silent_at_every_corner(name):
    corners = np.array(list(itertools.product(*datasets.spec(name).test_ranges)))
    with warnings.catch_warnings(), np.errstate(divide="raise", over="raise", invalid="raise"):
        warnings.simplefilter("error")
        y = datasets.function(name)(corners)
    assert y.shape == (len(corners),)
    assert np.isfinite(y).all()


@pytest.mark.parametrize("name", SYNTHETIC)
@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_finite_and_the_same_row_by_row(name, data):
    ranges = datasets.spec(name).test_ranges
    row = st.tuples(*(st.floats(low, high) for low, high in ranges))
    x = np.array(data.draw(st.lists(row, min_size=1, max_size=9)))
    before = x.copy()
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        y = datasets.function(name)(x)
    assert np.isfinite(y).all()
    assert (x == before).all()
    alone = [datasets.function(name)(x[i : i + 1]).item() for i in range(len(x))]
    assert (y == alone).all()
    assert (y == datasets.function(name)(np.asfortranarray(x))).all()
    assert (y == datasets.function(name)(x.tolist())).all()
