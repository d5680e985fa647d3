"""Scores against scoringrules and scipy, and the properties that any such score must have."""

import numpy as np
import pytest
import scoringrules
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from rafs.errors import ParameterError
from rafs.evaluation import metrics


@pytest.fixture
def predictions():
    rng = np.random.default_rng(3)
    mean = rng.normal(5.0, 3.0, 400)
    variance = rng.uniform(0.1, 4.0, 400)
    y = mean + rng.standard_t(3, 400)
    return y, mean, variance


def test_log_scores_and_crps_equal_the_oracles(predictions):
    y, mean, variance = predictions
    sd = np.sqrt(variance)
    found = metrics.evaluate(y, mean, variance)["metrics"]
    assert found["nll"] == pytest.approx(np.mean(scoringrules.logs_normal(y, mean, sd)), rel=1e-12)
    assert found["nll"] == pytest.approx(-np.mean(stats.norm.logpdf(y, mean, sd)), rel=1e-12)
    assert found["crps"] == pytest.approx(np.mean(scoringrules.crps_normal(y, mean, sd)), rel=1e-12)


def test_paper_convention_is_the_published_one_on_a_standard_normal():
    found = metrics.evaluate([0.0], [0.0], [1.0])["metrics"]
    assert found["nll_paper"] == 0.0
    assert found["nll"] == pytest.approx(0.9189385332046727)


def test_intervals_equal_those_of_scipy(predictions):
    y, mean, variance = predictions
    found = metrics.evaluate(y, mean, variance)["metrics"]
    for level in metrics.INTERVALS:
        low, high = stats.norm.interval(level / 100, mean, np.sqrt(variance))
        assert found[f"width_{level}"] == pytest.approx(np.mean(high - low))
        assert found[f"coverage_{level}"] == np.mean((low <= y) & (y <= high))
    assert found["calib_50"] == found["coverage_50"]


def test_interval_score_is_scoringrules_and_worked_out_by_hand(predictions):
    y, mean, variance = predictions
    low, high = stats.norm.interval(0.95, mean, np.sqrt(variance))
    found = metrics.evaluate(y, mean, variance)["metrics"]["interval_score_95"]
    assert found == pytest.approx(np.mean(scoringrules.interval_score(y, low, high, 0.05)))
    inside = metrics.evaluate([1.0], [0.0], [4.0])["metrics"]["interval_score_95"]
    assert inside == pytest.approx(4 * 1.959963984540054)
    missed = metrics.evaluate([-5.0], [0.0], [1.0])["metrics"]["interval_score_95"]
    assert missed == pytest.approx(2 * 1.959963984540054 + 40 * (5 - 1.959963984540054))


def test_errors_by_hand():
    found = metrics.evaluate([1.0, 2.0, 3.0], [1.0, 4.0, 0.0], [1.0, 4.0, 9.0])["metrics"]
    assert found["rmse"] == pytest.approx((13 / 3) ** 0.5)
    assert found["mae"] == pytest.approx(5 / 3)
    assert found["sharpness"] == pytest.approx((14 / 3) ** 0.5)


def test_calibration_error_of_the_extremes():
    n = 9999
    y = stats.norm.ppf(np.arange(1, n + 1) / (n + 1))  # PIT values on an even grid
    zero, one = np.zeros(n), np.ones(n)
    assert metrics.evaluate(y, zero, one)["metrics"]["calibration_error"] < 1e-3
    overconfident = metrics.evaluate(y, zero, one * 1e-12)["metrics"]["calibration_error"]
    assert overconfident == pytest.approx(0.25, abs=0.01)
    timid = metrics.evaluate(y * 1e-6, zero, one)["metrics"]["calibration_error"]
    assert timid == pytest.approx(0.25, abs=0.01)
    biased = metrics.evaluate(y + 100.0, zero, one)["metrics"]["calibration_error"]
    assert biased == pytest.approx(0.5, abs=0.01)


def test_true_distribution_is_calibrated_and_scores_best():
    rng = np.random.default_rng(0)
    sd = rng.uniform(0.5, 2.0, 20_000)
    y = rng.normal(0.0, sd)
    true = metrics.evaluate(y, np.zeros_like(y), sd**2)["metrics"]
    for level in metrics.CURVE:
        assert true[f"calib_{level}"] == pytest.approx(level / 100, abs=0.015)
    for factor in (0.5, 2.0):
        other = metrics.evaluate(y, np.zeros_like(y), factor * sd**2)["metrics"]
        for name in ("nll", "crps", "interval_score_95", "calibration_error"):
            assert true[name] < other[name]


def test_parts_are_the_scores_of_the_parts(predictions):
    y, mean, variance = predictions
    inside = mean < 5.0
    found = metrics.evaluate(y, mean, variance, inside)
    alone = metrics.evaluate(y[inside], mean[inside], variance[inside])["metrics"]
    assert found["in_distribution"] == alone
    share = inside.mean()
    for name in ("nll", "mae", "crps", "coverage_95", "width_90"):
        both = share * found["in_distribution"][name]
        both += (1 - share) * found["out_of_distribution"][name]
        assert both == pytest.approx(found["metrics"][name])


def test_empty_and_unknown_parts_have_no_scores():
    found = metrics.evaluate([0.0], [0.0], [1.0], np.array([True]))
    assert found["in_distribution"] == found["metrics"]
    assert found["out_of_distribution"] is None
    assert metrics.evaluate([0.0], [0.0], [1.0])["in_distribution"] is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([np.nan], [0.0], [1.0]), "y is not finite at test point 0"),
        (([0.0, 1.0], [0.0, np.inf], [1.0, 1.0]), "mean is not finite at test point 1"),
        (([0.0], [0.0], [np.nan]), "variance is not finite"),
        (([0.0, 0.0], [0.0, 0.0], [1.0, 0.0]), "variance is not positive at test point 1"),
        (([0.0], [0.0], [-1.0]), "not positive"),
        (([], [], []), "no test points"),
        (([0.0, 1.0], [0.0], [1.0]), "differ in length"),
        (([[0.0]], [0.0], [1.0]), "one dimension"),
        (([0.0], [0.0], [1.0], np.array([True, False])), "one boolean per test point"),
        (([0.0], [0.0], [1.0], np.array([1.0])), "one boolean per test point"),
        (([1e200], [0.0], [1.0]), "too large to be a number"),
    ],
)
def test_bad_input_is_named(arguments, words):
    with pytest.raises(ParameterError, match=words):
        metrics.evaluate(*arguments)


def columns(n):
    real = st.floats(-1e6, 1e6)
    return st.tuples(
        hnp.arrays(float, n, elements=real),
        hnp.arrays(float, n, elements=real),
        hnp.arrays(float, n, elements=st.floats(1e-6, 1e6)),
    )


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 30).flatmap(columns), st.randoms(use_true_random=False))
def test_properties(arrays, random):
    y, mean, variance = arrays
    found = metrics.evaluate(y, mean, variance)["metrics"]
    assert list(found) == list(metrics.NAMES)
    assert found["mae"] <= found["rmse"] * (1 + 1e-12) + 1e-150  # squares may underflow
    assert found["crps"] <= found["mae"] + 0.6 * found["sharpness"]
    assert found["crps"] >= 0
    curve = [found[f"calib_{level}"] for level in metrics.CURVE]
    assert curve == sorted(curve)
    assert 0 <= found["calibration_error"] <= 0.5 + 1e-12
    assert found["width_50"] < found["width_90"] < found["width_95"]
    order = list(range(y.size))
    random.shuffle(order)
    shuffled = metrics.evaluate(y[order], mean[order], variance[order])["metrics"]
    assert shuffled == pytest.approx(found, rel=1e-9, abs=1e-9)
    mirrored = metrics.evaluate(-y, -mean, variance)["metrics"]
    assert mirrored["nll"] == found["nll"]
    assert mirrored["crps"] == pytest.approx(found["crps"], rel=1e-9)


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 10).flatmap(columns), st.floats(0.01, 100.0))
def test_units_of_y(arrays, unit):
    """In other units lengths scale, shares stay and the NLL shifts by the log of the unit."""
    y, mean, variance = arrays
    one = metrics.evaluate(y, mean, variance)["metrics"]
    other = metrics.evaluate(unit * y, unit * mean, unit**2 * variance)["metrics"]
    for name in ("rmse", "mae", "crps", "width_90", "interval_score_95", "sharpness"):
        assert other[name] == pytest.approx(unit * one[name], rel=1e-6, abs=1e-9)
    assert other["nll"] == pytest.approx(one["nll"] + np.log(unit), rel=1e-6, abs=1e-6)


def test_every_metric_is_presented() -> None:
    assert len(set(metrics.NAMES)) == len(metrics.METRICS)
    for metric in metrics.METRICS:
        assert metric.label, metric.name
        assert metric.title, metric.name
        assert metric.unit in (metrics.NATS, metrics.UNITS, metrics.SHARE)
        assert set(metric.shown) <= {metrics.HEADLINE, metrics.EXPLORER, metrics.COMPARE}
        assert metric.rewards or metrics.HEADLINE not in metric.shown


def test_metrics_are_listed_in_the_order_of_each_report() -> None:
    listed = {place: [metric.name for metric in metrics.shown(place)]
              for place in (metrics.HEADLINE, metrics.EXPLORER, metrics.COMPARE)}  # fmt: skip
    assert listed == {
        "headline": ["nll", "crps", "rmse", "coverage_95", "interval_score_95"],
        "explorer": ["nll_paper", "crps", "rmse", "coverage_95", "interval_score_95",
                     "calibration_error"],
        "compare": ["nll_paper", "crps", "rmse", "coverage_95"],
    }  # fmt: skip


@pytest.mark.parametrize("column", ["rmse", "in_rmse", "out_rmse"])
def test_columns_of_both_ranges_belong_to_their_metric(column: str) -> None:
    assert metrics.find(column) is metrics.BY_NAME["rmse"]
    assert metrics.find("log_rmse") is None


def test_an_axis_says_which_nll_it_shows():
    """The constant is left out, not subtracted by the reader."""
    assert metrics.BY_NAME["nll_paper"].axis == "NLL (without ½ ln 2π, nats per example)"
    assert metrics.BY_NAME["nll"].axis == "NLL (nats per example)"
    assert not [m.name for m in metrics.METRICS if "−" in m.title + m.label]
