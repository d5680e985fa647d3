"""The size of every test and the coverage of every interval, by simulation.

A simulated rate is held to three binomial standard errors. Where a simpler procedure fails, it is
simulated beside the one in use: the check would find the fault that made us choose.
"""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from rafs.evaluation import statistics

SEEDS, LEVEL = 10, 0.05


def above(rate, runs, nominal=LEVEL):
    """Say whether a rate lies above its nominal value by more than chance."""
    return rate > nominal + 3 * math.sqrt(nominal * (1 - nominal) / runs)


def frame(values, metric="nll", **columns):
    """Make scores from an array by method, dataset and seed."""
    index = np.indices(values.shape).reshape(3, -1)
    names = [f"m{i}" for i in index[0]], [f"d{i}" for i in index[1]], index[2]
    keys = dict(zip(("method", "dataset", "seed"), names, strict=True))
    return pd.DataFrame({**keys, "status": "ok", metric: values.ravel(), **columns})


# -------------------------------------------------------------------------------------- cells

DISTRIBUTIONS = {
    "normal": (stats.norm(), 0.0),
    "lognormal": (stats.lognorm(1.0), 1.0),
    "skewed lognormal": (stats.lognorm(1.5), 1.0),
    "heavy-tailed": (stats.t(1.5), 0.0),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_coverage_of_the_median(name):
    """Exact coverage with ten seeds is 0.979, for every distribution."""
    distribution, median = DISTRIBUTIONS[name]
    draws = distribution.rvs((2000, SEEDS), random_state=np.random.default_rng(0))
    ends = np.array([statistics.median_interval(row) for row in draws])
    coverage = np.mean((ends[:, 0] <= median) & (median <= ends[:, 1]))
    assert coverage == pytest.approx(1 - 22 / 1024, abs=0.01)


def test_students_interval_would_not_do():
    """Of the mean of lognormal scores it covers 84 %, of more skewed ones 72 %."""
    for sd, expected in ((1.0, 0.84), (1.5, 0.72)):
        draws = stats.lognorm(sd).rvs((4000, SEEDS), random_state=np.random.default_rng(1))
        t = (draws.mean(1) - math.exp(sd**2 / 2)) / stats.sem(draws, axis=1)
        coverage = np.mean(np.abs(t) <= stats.t.ppf(0.975, SEEDS - 1))
        assert coverage == pytest.approx(expected, abs=0.02)


# -------------------------------------------------------------------------------- two methods


@pytest.mark.parametrize("seeds", [6, 10])
@pytest.mark.parametrize("tails", ["normal", "heavy"])
def test_size_of_the_signed_rank_test(seeds, tails):
    """Exact: the size is the largest attainable level below 5 %; its interval covers the rest."""
    runs = 3000
    rng = np.random.default_rng(seeds)
    shape = (runs, seeds)
    draws = rng.normal(size=shape) if tails == "normal" else rng.standard_t(1.5, shape)
    rate = np.mean([statistics.signed_rank(row) < LEVEL for row in draws])
    attainable = {6: 2 / 64, 10: 50 / 1024}[seeds]
    assert rate == pytest.approx(attainable, abs=3 * math.sqrt(attainable / runs))
    ends = np.array([statistics.hodges_lehmann(row)[1:] for row in draws[:800]])
    outside = np.mean((ends[:, 0] > 0) | (ends[:, 1] < 0))
    assert outside == pytest.approx(attainable, abs=3 * math.sqrt(attainable / 800))


def splits_of_tables(tables, rows=100, splits=SEEDS, test=0.2):
    """Simulate differences in squared error of two equally good models over splits of tables.

    Each model regresses y on one of two features that are alike: neither is better, whatever a
    single table makes it look like.
    """
    rng = np.random.default_rng(5)
    n_test = int(test * rows)
    found = np.empty((tables, splits))
    for k in range(tables):
        x = rng.normal(size=(rows, 2))
        y = x.sum(axis=1) + rng.normal(size=rows)
        for split in range(splits):
            order = rng.permutation(rows)
            out, kept = order[:n_test], order[n_test:]
            slope = (x[kept] * y[kept, None]).sum(0) / (x[kept] ** 2).sum(0)
            error = (y[out, None] - x[out] * slope) ** 2
            found[k, split] = np.subtract(*error.mean(axis=0))
    return found, n_test / (rows - n_test)


def test_size_of_the_corrected_test_over_splits_of_one_table():
    """The signed-rank test takes splits as independent, and rejects in a quarter of cases."""
    runs = 800
    draws, ratio = splits_of_tables(runs)
    corrected = np.mean([statistics.corrected_t(row, ratio) < LEVEL for row in draws])
    naive = np.mean([statistics.signed_rank(row) < LEVEL for row in draws])
    assert naive > 0.2
    assert not above(corrected, runs)
    less = np.mean([statistics.corrected_t(row, ratio, "less") < LEVEL for row in draws])
    assert not above(less, runs)
    ends = np.array([statistics.corrected_interval(row, ratio)[1:] for row in draws])
    assert np.mean((ends[:, 0] <= 0) & (ends[:, 1] >= 0)) == pytest.approx(1 - corrected)


# ------------------------------------------------------------------------------ over datasets


@pytest.mark.parametrize("metric", ["nll", "rmse"])
def test_size_of_the_test_over_datasets(metric):
    """Datasets of any unit, two methods that are alike: 5 % of differences are significant."""
    runs, rng = 1000, np.random.default_rng(2)
    rejected = 0
    for _ in range(runs):
        unit = 10.0 ** rng.uniform(-3, 3, (25, 1))
        noise = rng.normal(0, 0.3, (25, 2)) * rng.uniform(0.1, 3, (25, 1))
        scores = unit * np.exp(noise) if metric == "rmse" else unit * noise
        table = pd.DataFrame(scores, columns=["a", "b"])
        rejected += statistics.over_datasets(table, metric, "a", "b")["p"] < LEVEL
    assert rejected / runs == pytest.approx(LEVEL, abs=3 * math.sqrt(LEVEL / runs))


def test_size_of_the_whole_family_of_pairs():
    """Seven methods that are alike, 21 pairs in three metrics: few tables claim anything."""
    runs, rng = 200, np.random.default_rng(3)
    corrected = raw = 0
    for _ in range(runs):
        nll, crps, rmse = rng.normal(0, 1, (3, 7, 25, 1)) + rng.normal(0, 0.5, (3, 7, 25, 3))
        scores = frame(nll, crps=np.exp(crps).ravel(), rmse=np.exp(rmse).ravel())
        found = statistics.pairwise(scores)
        corrected += bool((found["p_holm"] < LEVEL).any())
        raw += bool((found["p"] < LEVEL).any())
    assert not above(corrected / runs, runs)
    assert corrected > 0
    assert raw / runs > 0.5  # uncorrected


def test_size_of_what_a_table_of_scores_claims():
    """Of tables in which two methods share every row, at most 5 % name a best one anywhere."""
    runs, rng = 150, np.random.default_rng(2)
    claimed = rows = 0
    for _ in range(runs):
        scores = rng.normal(0, 1, (3, 5, 8)) + rng.normal(0, 3, (1, 5, 8))
        scores[2:] += 100.0
        found = statistics.winners(frame(scores), "nll")
        assert found["tellable"].all()
        claimed += bool(found["alone"].any())
        rows += bool((found["p"] < LEVEL).any())
    assert not above(claimed / runs, runs)
    assert rows / runs > 0.12  # row by row, without the correction


# -------------------------------------------------------------------------------- resampling


def bca(draws, estimate, jackknife):
    """Return Efron's bias-corrected and accelerated intervals (1987), column by column."""
    below = (draws < estimate).mean(0) + 0.5 * (draws == estimate).mean(0)
    bias = stats.norm.ppf(np.clip(below, 0.5 / len(draws), 1 - 0.5 / len(draws)))
    pull = jackknife.mean(0) - jackknife
    speed = (pull**3).sum(0) / (6 * (pull**2).sum(0) ** 1.5)
    ends = []
    for z in stats.norm.ppf([0.025, 0.975]):
        levels = stats.norm.cdf(bias + (bias + z) / (1 - speed * (bias + z)))
        ends.append([np.quantile(column, q) for column, q in zip(draws.T, levels, strict=True)])
    return np.array(ends)


def test_coverage_of_the_intervals_of_mean_ranks():
    """The true mean ranks, of endless datasets, lie in their intervals in 95 % of cases or more.

    BCa intervals of the same resamples cover about nine in ten, and resampling seeds alone, as if
    there were no other datasets, about three quarters.
    """
    rng = np.random.default_rng(7)
    centre = np.array([0.0, 0.3, 0.6, 1.5])[:, None, None]

    def draw(datasets):
        means = centre + rng.normal(0, 1, (4, datasets, 1))
        return means + rng.normal(0, 1, (4, datasets, 6))

    def ranks(scores):
        return stats.rankdata(np.median(scores, axis=-1), axis=0)

    truth = ranks(draw(40_000)).mean(axis=1)
    runs = 60
    inside = dict.fromkeys(("percentiles", "bca", "seeds alone"), 0.0)
    for _ in range(runs):
        scores = draw(25)
        found = statistics.rank_intervals(frame(scores), "nll", resamples=250)
        ends = {"percentiles": np.array([*found.values()]).T}
        seeds = [scores[:, k].T for k in range(25)]
        drawn = statistics.hierarchical(
            seeds, lambda s: stats.rankdata(np.median(s, axis=1), axis=1), 250
        )
        observed = ranks(scores)
        left_out = (observed.sum(axis=1) - observed.T) / 24
        ends["bca"] = bca(drawn, observed.mean(axis=1), left_out)
        picks = rng.integers(0, 6, (250, 25, 6))
        again = np.take_along_axis(scores[:, None], picks[None], axis=3)
        ends["seeds alone"] = np.quantile(ranks(again).mean(axis=2), [0.025, 0.975], axis=1)
        for name, (low, high) in ends.items():
            inside[name] += np.mean((low <= truth) & (truth <= high)) / runs
    assert inside["percentiles"] > 0.93
    assert inside["bca"] < 0.93
    assert inside["seeds alone"] < 0.8


def test_coverage_of_the_mean_over_four_datasets():
    """Shares on a few datasets: Student's interval over them covers more than resampling does."""
    rng = np.random.default_rng(9)
    runs, student, resampled = 400, 0, 0
    for _ in range(runs):
        chance = rng.beta(2, 2, 4)
        seeds = rng.binomial(5, chance[:, None], (4, SEEDS)) / 5  # of five rivals
        _, low, high = statistics.mean_over_datasets(seeds.mean(axis=1))
        student += low <= 0.5 <= high
        low, high = statistics.mean_interval(list(seeds), resamples=200)
        resampled += low <= 0.5 <= high
    assert student / runs > 0.92
    assert resampled / runs < 0.91


def test_coverage_of_the_probability_of_improvement():
    """The mean over datasets of the share of seeds on which one method is lower."""
    rng = np.random.default_rng(8)
    runs, inside = 300, 0
    for _ in range(runs):
        chance = rng.beta(2, 2, 25)
        strata = [(rng.random(SEEDS) < p).astype(float) for p in chance]
        low, high = statistics.mean_interval(strata, resamples=300)
        inside += low <= 0.5 <= high
    assert inside / runs > 0.93
