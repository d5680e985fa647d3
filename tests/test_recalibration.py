"""Recalibration against closed forms, scipy and scoringrules, and its finite-sample guarantee."""

import math

import numpy as np
import pytest
import scoringrules
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rafs.errors import DataError
from rafs.evaluation import metrics, recalibration
from rafs.evaluation.metrics import Predictions
from rafs.evaluation.recalibration import factor, fit, quantile
from rafs.seeding import generator

LEVELS = st.sampled_from([0.5, 0.8, 0.9, 0.95])


def predictions(rows, wrong, *key):
    """Return Gaussian data whose sd is `wrong` times the predicted one."""
    random = generator("recalibration", *key)
    mean, sd = random.normal(3.0, 2.0, rows), random.uniform(0.5, 2.0, rows)
    return Predictions(mean + wrong * sd * random.normal(size=rows), mean, sd**2)


@pytest.mark.parametrize("wrong", [0.3, 1.0, 4.0])
def test_the_factor_is_that_by_which_the_sd_is_wrong(wrong):
    ways = fit(predictions(40_000, wrong, wrong))
    assert [ways[way].factor for way in recalibration.WAYS] == pytest.approx(
        [1.0, wrong, wrong], rel=0.02
    )
    test = predictions(40_000, wrong, wrong, "test")
    truth = Predictions(test.y, test.mean, test.variance * wrong**2)
    for way in ("scaled", "conformal"):
        found = recalibration.evaluate(ways[way], test, None)["metrics"]
        assert found["coverage_95"] == pytest.approx(0.95, abs=0.01)
        assert found["width_90"] == pytest.approx(metrics.width(truth, 90), rel=0.02)


@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=30), st.floats(0.1, 10.0))
def test_no_other_factor_is_more_likely(errors, other):
    scores = np.array(errors)

    def nll(scale):
        return -np.mean(stats.norm.logpdf(scores, scale=scale))

    assert nll(factor(scores)) <= nll(other * factor(scores)) + 1e-9


@given(st.lists(st.integers(0, 50), min_size=2, max_size=60), LEVELS)
def test_conformal_intervals_cover_exchangeable_rows(scores, level):
    """Each of n + 1 rows in turn is the new one: the average over their orders, ties included."""
    rows = np.array(scores, dtype=float) + 1.0
    covered = [row <= quantile(np.delete(rows, i), level) for i, row in enumerate(rows)]
    assert np.mean(covered) >= level - 1e-12
    if len(set(scores)) == len(scores):
        assert np.mean(covered) <= level + 1 / len(rows) + 1e-12


@pytest.mark.parametrize(("rows", "level"), [(19, 0.95), (80, 0.95), (80, 0.9), (39, 0.5)])
def test_the_coverage_of_conformal_intervals_has_its_beta_law(rows, level):
    """Scores are uniform here, so the quantile of held-out ones is the coverage of new ones."""
    random = generator("recalibration", "beta", rows)
    found = [quantile(random.uniform(size=rows), level) for _ in range(4000)]
    k = math.ceil(round((rows + 1) * level, 9))
    assert stats.kstest(found, stats.beta(k, rows + 1 - k).cdf).pvalue > 1e-3
    assert np.mean(found) == pytest.approx(k / (rows + 1), abs=0.005)


def test_scores_equal_those_of_other_libraries_in_every_part():
    held_out, test = predictions(60, 2.0, "held out"), predictions(200, 2.0, "test")
    inside = np.arange(200) < 80
    ways = fit(held_out)
    assert {way: ways[way].halves[95] / stats.norm.ppf(0.975) for way in ways} == pytest.approx(
        {way: ways[way].factor for way in ways}
    )
    assert ways["conformal"].halves[90] == np.sort(np.abs(held_out.z))[54]  # ⌈61 · 0.9⌉ = 55
    masks = {"metrics": slice(None), "in_distribution": inside, "out_of_distribution": ~inside}
    for way, fitted in ways.items():
        found = recalibration.evaluate(fitted, test, inside)
        assert list(found) == list(masks)
        for part, mask in masks.items():
            y, mean, sd = test.y[mask], test.mean[mask], test.sd[mask]
            for level, half in fitted.halves.items():
                low, high = mean - half * sd, mean + half * sd
                share = np.mean((low <= y) & (y <= high))
                assert found[part][f"coverage_{level}"] == pytest.approx(share)
                assert found[part][f"width_{level}"] == pytest.approx(np.mean(high - low))
            score = np.mean(scoringrules.interval_score(y, low, high, 0.05))
            assert found[part]["interval_score_95"] == pytest.approx(score)
            if way == "conformal":
                assert "nll" not in found[part]
                continue
            density = stats.norm.logpdf(y, mean, fitted.factor * sd)
            assert found[part]["nll"] == pytest.approx(-np.mean(density))


def test_raw_scores_are_those_of_the_run():
    test = predictions(50, 1.5, "raw")
    inside = np.arange(50) % 2 == 0
    scored = metrics.evaluate(test.y, test.mean, test.variance, inside)
    for part, found in recalibration.evaluate(fit(test)["raw"], test, inside).items():
        assert found == {name: scored[part][name] for name in found}


@pytest.mark.parametrize(("rows", "infinite"), [(8, {90, 95}), (9, {95}), (18, {95}), (19, set())])
def test_too_few_rows_give_infinite_intervals(rows, infinite):
    way = fit(predictions(rows, 1.0, rows))["conformal"]
    assert {level for level, half in way.halves.items() if math.isinf(half)} == infinite
    found = recalibration.evaluate(way, predictions(30, 9.0, "far"), None)["metrics"]
    for level in (90, 95):
        assert (f"width_{level}" not in found) == (level in infinite)
        assert (found[f"coverage_{level}"] == 1.0) == (level in infinite)
    assert ("interval_score_95" not in found) == (95 in infinite)


@pytest.mark.parametrize(
    ("errors", "says"),
    [
        ([], "needs held-out rows, and there are none"),
        ([0.0, 0.0], "every held-out error is 0; recalibration needs rows that the model does not"),
        ([1.0, math.nan], "too far from its prediction"),
        ([1.0, math.inf], "too far from its prediction"),
    ],
)
def test_held_out_rows_that_say_nothing_are_refused(errors, says):
    y = np.array(errors)
    with pytest.raises(DataError, match=says):
        fit(Predictions(y, np.zeros(len(y)), np.ones(len(y))))
