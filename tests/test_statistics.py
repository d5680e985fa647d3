"""Statistics against scipy, statsmodels, scikit-posthocs, R and textbooks, and degenerate input.

The size of the tests and the coverage of the intervals are in test_sizes.
"""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from statsmodels.stats.multitest import multipletests

import made_up
from rafs.errors import DataError
from rafs.evaluation import statistics

SCORES = hnp.arrays(float, st.integers(1, 12), elements=st.floats(-1e6, 1e6, width=32))


def frame(values, metric="nll_paper"):
    """Make scores from {(method, dataset): [one value per seed]}; inf diverged, None missing."""
    rows = []
    for (method, dataset), column in values.items():
        for seed, value in enumerate(column):
            status = "missing" if value is None else "diverged" if value == math.inf else "ok"
            score = value if status == "ok" else math.nan
            rows.append((method, dataset, seed, status, score))
    return pd.DataFrame(rows, columns=["method", "dataset", "seed", "status", metric])


# ----------------------------------------------------------------------------------------- cells


@given(SCORES)
@settings(deadline=None, max_examples=30)
def test_the_interval_of_the_median_is_that_of_the_sign_test(values):
    found = statistics.summarise(values)
    assert found.median == np.median(values)
    assert min(values) - 1e-6 <= found.mean <= max(values) + 1e-6
    ordered, n = sorted(values), len(values)
    cuts = [k for k in range(1, n // 2 + 1) if stats.binomtest(k - 1, n).pvalue <= 0.05]
    if not cuts:
        assert math.isnan(found.low)
        assert n < 6
    else:
        assert (found.low, found.high) == (ordered[max(cuts) - 1], ordered[-max(cuts)])


@given(st.integers(1, 40), st.data())
@settings(deadline=None, max_examples=30)
def test_the_interval_of_a_share_is_that_of_clopper_and_pearson(total, data):
    count = data.draw(st.integers(0, total))
    low, high = statistics.share_interval(count, total)
    assert low == pytest.approx(stats.beta.ppf(0.025, count, total - count + 1) if count else 0)
    assert low <= count / total <= high
    mirrored = statistics.share_interval(total - count, total)
    assert (1 - high, 1 - low) == pytest.approx(mirrored)
    if count == 0:
        assert high == pytest.approx(1 - 0.025 ** (1 / total))


def test_the_mean_over_datasets_has_students_interval():
    values = [0.2, 0.4, 0.5, 0.9]
    mean, low, high = statistics.mean_over_datasets(values)
    expected = stats.ttest_1samp(values, 0.5).confidence_interval()
    assert (mean, low, high) == pytest.approx((0.5, expected.low, expected.high))
    assert statistics.mean_over_datasets([0.8, 0.9, 1.0, 1.0])[2] == 1.0  # a share
    assert statistics.mean_over_datasets([0.0, 0.0, 0.1])[1] == 0.0
    alone = statistics.mean_over_datasets([0.3])
    assert alone[0] == 0.3
    assert math.isnan(alone[1])
    assert math.isnan(statistics.mean_over_datasets([])[0])


def test_one_exploding_seed_moves_the_mean_but_not_the_median():
    calm = np.random.default_rng(2).normal(1, 0.1, 10)
    exploded = np.append(calm[:-1], 1e308)
    found = statistics.summarise(exploded)
    assert found.mean == pytest.approx(1e307)
    assert found.median == pytest.approx(1, abs=0.2)
    assert found.high == pytest.approx(1, abs=0.4)
    assert found.scored == 10


def test_diverged_and_missing_runs_are_counted_and_ordered():
    found = statistics.summarise([1.0, 2.0, 3.0, math.inf, math.nan])
    assert (found.scored, found.diverged, found.missing) == (3, 1, 1)
    assert found.mean == 2.0  # of the runs that have a score
    assert found.median == 2.5  # of all runs, the diverged one last
    assert statistics.summarise([1.0] * 8 + [math.inf] * 2).high == math.inf


def test_degenerate_cells():
    one = statistics.summarise([7.0])
    assert (one.mean, one.median) == (7.0, 7.0)
    assert math.isnan(one.low)
    same = statistics.summarise([2.0] * 10)
    assert (same.low, same.high) == (2.0, 2.0)
    for values in ([], [math.nan] * 3):
        none = statistics.summarise(values)
        assert none.scored == 0
        assert all(math.isnan(v) for v in (none.mean, none.low, none.median))
    lost = statistics.summarise([math.inf] * 3)
    assert lost.diverged == 3
    assert math.isnan(lost.mean)
    assert lost.median == math.inf


def test_cells_read_status_before_score():
    scores = frame({("a", "x"): [1.0, 2.0, math.inf], ("b", "x"): [None, None]})
    scores.loc[2, "nll_paper"] = 5.0  # a diverged run that still carries a number
    found = statistics.cells(scores, "nll_paper").set_index("method")
    assert found.loc["a", ["mean", "scored", "diverged"]].tolist() == [1.5, 2, 1]
    assert found.loc["b", ["scored", "missing"]].tolist() == [0, 2]
    assert len(statistics.cells(scores[:0], "nll_paper")) == 0


def test_a_run_that_occurs_twice_is_an_error():
    scores = made_up.scores(datasets=["he"], seeds=2)
    with pytest.raises(DataError, match="de on he with seed 0 occurs twice"):
        statistics.wide(pd.concat([scores, scores]), "nll")


# ------------------------------------------------------------------------------- two methods


@given(hnp.arrays(float, st.integers(1, 14), elements=st.floats(-100, 100), unique=True))
@settings(deadline=None, max_examples=40)
def test_signed_rank_is_scipys_without_ties(differences):
    differences = differences[differences != 0]
    if len(set(np.abs(differences))) < len(differences) or not len(differences):
        return
    for alternative in ("two-sided", "less"):
        expected = stats.wilcoxon(differences, method="exact", alternative=alternative).pvalue
        found = statistics.signed_rank(differences, alternative)
        assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    "differences", [[1, 1, -2, 3, 3, 3], [-1, -1, -1, -1], [2, -2, 2, 2, 5, -7, 1]]
)
def test_signed_rank_with_ties_counts_every_sign(differences):
    """The null distribution by brute force over all signs."""
    d = np.array(differences, dtype=float)
    ranks = stats.rankdata(np.abs(d))
    centre = ranks.sum() / 2
    observed = abs(ranks[d > 0].sum() - centre)
    sums = [ranks[list(s)].sum() for s in itertools.product([False, True], repeat=len(d))]
    expected = np.mean(np.abs(np.array(sums) - centre) >= observed - 1e-9)
    assert statistics.signed_rank(d) == pytest.approx(expected)


def test_signed_rank_of_many_pairs_is_near_the_exact_one():
    d = np.random.default_rng(4).normal(0.2, 1, 80)
    expected = stats.wilcoxon(d, method="exact").pvalue
    assert statistics.signed_rank(d) == pytest.approx(expected, rel=0.05)
    d[0] = math.inf
    assert 0 < statistics.signed_rank(d) < 1


def test_hodges_lehmann_on_hollander_and_wolfe():
    """Depression scale factors (Table 3.1): R gives -0.46, interval -0.786 to -0.010."""
    x = np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30])
    y = np.array([0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29])
    centre, low, high = statistics.hodges_lehmann(y - x)
    assert centre == pytest.approx(-0.46, abs=1e-9)
    assert (low, high) == pytest.approx((-0.786, -0.010), abs=1e-9)
    assert statistics.signed_rank(y - x) == pytest.approx(0.0390625)


@given(hnp.arrays(float, st.integers(6, 15), elements=st.floats(-10, 10), unique=True))
@settings(deadline=None, max_examples=40)
def test_interval_excludes_zero_exactly_when_the_test_rejects(differences):
    magnitudes = np.abs(differences)
    if len(set(magnitudes)) < len(magnitudes) or magnitudes.min() < 1e-6:
        return
    _, low, high = statistics.hodges_lehmann(differences)
    assert (statistics.signed_rank(differences) <= 0.05) == (not low <= 0 <= high)


def test_hodges_lehmann_degenerate():
    assert all(map(math.isnan, statistics.hodges_lehmann(np.array([]))))
    centre, low, _ = statistics.hodges_lehmann(np.array([3.0, 5.0]))
    assert centre == 4.0
    assert math.isnan(low)  # two pairs cannot give 95 %
    assert statistics.hodges_lehmann(np.full(10, 2.0)) == (2.0, 2.0, 2.0)
    lost = np.array([math.inf, -1, -2, -3, -4, -5, -6, -7, -8, -9.0])
    centre, low, high = statistics.hodges_lehmann(lost)
    assert -9 <= low <= centre < high
    assert not math.isnan(high)
    centre, *_ = statistics.hodges_lehmann(np.array([math.inf, -math.inf]))
    assert centre == 0.0
    large = np.random.default_rng(0).normal(1, 1, 100)
    centre, low, high = statistics.hodges_lehmann(large)
    assert low < centre < high
    assert centre == pytest.approx(1, abs=0.3)


@given(hnp.arrays(float, st.integers(1, 30), elements=st.floats(0, 1)))
@settings(deadline=None, max_examples=40)
def test_holm_is_statsmodels(p):
    assert statistics.holm(p) == pytest.approx(multipletests(p, method="holm")[1])


def test_holm_leaves_unknown_hypotheses_out():
    found = statistics.holm([0.01, math.nan, 0.03])
    assert found[[0, 2]] == pytest.approx([0.02, 0.03])
    assert math.isnan(found[1])


def test_win_loss_tie_none():
    rng = np.random.default_rng(0)
    base = rng.normal(0, 1, 12)
    scores = frame(
        {
            ("a", "win"): base - 1 - rng.uniform(0, 0.1, 12),
            ("a", "loss"): base + 1 + rng.uniform(0, 0.1, 12),
            ("a", "tie"): base + rng.normal(0, 0.1, 12),
            ("a", "none"): [None] * 12,
            ("b", "win"): base,
            ("b", "loss"): base,
            ("b", "tie"): base,
            ("b", "none"): base,
        }
    )
    found = statistics.compare(scores, "nll_paper", "a", "b").set_index("dataset")
    assert found.outcome.to_dict() == {k: k for k in ("win", "loss", "tie", "none")}
    assert found.difference["win"] == pytest.approx(-1.05, abs=0.03)
    assert found.improvement[["win", "loss"]].tolist() == [1.0, 0.0]
    assert found.unpaired["none"] == 12
    flipped = statistics.compare(scores, "nll_paper", "b", "a").set_index("dataset")
    assert flipped.outcome["win"] == "loss"
    assert flipped.difference["win"] == -found.difference["win"]
    assert flipped.improvement["tie"] == pytest.approx(1 - found.improvement["tie"])


def test_pairs_are_of_the_same_seed():
    """Seeds that differ wildly hide a constant gain from everything but a paired comparison."""
    level = np.random.default_rng(1).normal(0, 100, 10)
    scores = frame({("a", "x"): level - 0.1 * np.arange(1, 11), ("b", "x"): level})
    found = statistics.compare(scores.sample(frac=1, random_state=0), "nll_paper", "a", "b")
    assert found.outcome.tolist() == ["win"]
    assert found.difference[0] == pytest.approx(-0.55)


def test_a_diverged_run_loses_its_pair():
    scores = frame({("a", "x"): [math.inf, 1.0, math.inf], ("b", "x"): [5.0, 2.0, math.inf]})
    found = statistics.compare(scores, "nll_paper", "a", "b")
    assert found.pairs[0] == 3
    assert found.improvement[0] == 0.5  # lost, won, tied


def test_a_method_without_runs_is_compared_with_nothing():
    scores = made_up.scores(methods=["de"], datasets=["he"])
    found = statistics.compare(scores, "nll_paper", "de", "rafs")
    assert found.outcome.tolist() == ["none"]
    assert math.isnan(found.p_holm[0])


def test_against_rivals():
    found = statistics.against(made_up.scores(), "nll_paper", "rafs", ["de", "rp"])
    assert found.rival.tolist() == ["de", "rp"]
    assert found.datasets.tolist() == [25, 25]
    assert (found.wins + found.ties + found.losses == 25).all()
    assert (found.better + found.worse == 25).all()
    assert found.wins.iloc[0] == 25
    assert (found.improvement_low <= found.improvement + 1e-12).all()
    assert (found.improvement <= found.improvement_high + 1e-12).all()
    assert (found.p_holm < 0.001).all()
    assert len(statistics.against(made_up.scores(datasets=["he"]), "nll", "rafs", [])) == 0


def test_decisions_are_corrected_over_all_datasets():
    """Ten seeds support at most 25 hypotheses: 26 methods and datasets are too many."""
    base = np.arange(10.0)
    for datasets, told in ((12, True), (13, False)):
        scores = {}
        for k in range(datasets):
            scores |= {("a", f"x{k}"): base, ("b", f"x{k}"): base + 1, ("c", f"x{k}"): base + 2}
        each = statistics.duels(frame(scores), "nll_paper", "a")
        assert statistics.decide(each)["tellable"].all() == told


def test_a_winner_is_better_than_every_other_method():
    rng = np.random.default_rng(0)
    base = rng.normal(0, 1, 10)
    scores = {}
    for k in range(25):
        scores |= {("a", f"x{k}"): base, ("b", f"x{k}"): base + 1}
        near = base + 1 if k else base + rng.normal(0, 0.1, 10)
        scores |= {("c", f"x{k}"): near}
    found = statistics.winners(frame(scores), "nll_paper").set_index("dataset")
    assert not found.alone["x0"]  # c equals a there
    assert found.alone.drop("x0").all()
    assert found.tellable.all()
    assert found.p["x1"] == 2**-9
    extra = scores | {(m, "x25"): base + k for k, m in enumerate("abc")}
    assert not statistics.winners(frame(extra), "nll_paper").tellable.any()
    assert statistics.winners(frame({("a", "x"): [None]}), "nll_paper").empty
    alone = statistics.winners(frame({("a", "x"): [1.0] * 10}), "nll_paper")
    assert alone.method.tolist() == ["a"]
    assert not alone.alone[0]


def test_the_lowest_median_is_no_winner_against_the_signs():
    """The median of a is lower, the paired differences say otherwise."""
    a = np.array([0, 0, 0, 0, 0, 0, 9, 9, 9, 9.0])
    b = np.array([1, 1, 1, 1, 1, 1, 0, 0, 0, 0.0])
    found = statistics.winners(frame({("a", "x"): a, ("b", "x"): b}), "nll_paper")
    assert found.method[0] == "a"
    assert found.p[0] == 1.0


def test_duels_correct_over_the_rivals_of_a_dataset():
    scores = made_up.scores(datasets=["he", "abalone"])
    found = statistics.duels(scores, "nll_paper", "rafs")
    assert len(found) == 10
    he = found[found.dataset == "he"]
    assert he.p_holm.to_numpy() == pytest.approx(multipletests(he.p, method="holm")[1])
    assert he.tellable.all()
    few = statistics.duels(scores[scores.seed < 7], "nll_paper", "rafs")
    assert few.tellable.tolist() == [False] * 5 + [True] * 5  # a t-test has no smallest p
    assert statistics.duels(scores[scores.method == "rafs"], "nll_paper", "rafs").empty


# --------------------------------------------------------------------------- splits of one table


def table_scores(values, ratio=0.25, metric="nll_paper"):
    """Make scores of splits of one table."""
    sizes = {"category": "real", "n_train": 400, "n_test": 400 * ratio}
    return frame(values, metric).assign(**sizes)


def test_corrected_t_by_hand():
    """Nadeau and Bengio 2003, equation 9, worked out for four splits of 80 and 20 rows."""
    d = np.array([0.1, 0.3, 0.2, 0.6])
    t = 0.3 / math.sqrt((1 / 4 + 1 / 4) * (0.14 / 3))
    assert statistics.corrected_t(d, 0.25) == pytest.approx(2 * stats.t.sf(t, 3))
    assert statistics.corrected_t(d, 0.25, "less") == pytest.approx(stats.t.cdf(t, 3))
    assert statistics.corrected_t(d, 0.0) == pytest.approx(stats.ttest_1samp(d, 0).pvalue)
    mean, low, high = statistics.corrected_interval(d, 0.25)
    half = stats.t.ppf(0.975, 3) * math.sqrt(0.5 * 0.14 / 3)
    assert (mean, low, high) == pytest.approx((0.3, 0.3 - half, 0.3 + half))


@given(SCORES, st.floats(0.05, 1.0))
@settings(deadline=None, max_examples=40)
def test_corrected_t_properties(differences, ratio):
    p = statistics.corrected_t(differences, ratio)
    assert 0 <= p <= 1
    assert statistics.corrected_t(-differences, ratio) == pytest.approx(p)
    assert statistics.corrected_t(1e-3 * differences, ratio) == pytest.approx(p, rel=1e-6)
    less = statistics.corrected_t(differences, ratio, "less")
    assert 0 <= less <= 1
    if len(set(differences)) > 1:
        assert statistics.corrected_t(differences, 2 * ratio) >= p - 1e-12
        _, low, high = statistics.corrected_interval(differences, ratio)
        if abs(p - 0.05) > 1e-6:
            assert (p < 0.05) == (not low <= 0 <= high)


def test_corrected_t_of_diverged_and_degenerate_runs():
    test = statistics.corrected_t
    assert math.isnan(test(np.array([]), 0.2))
    assert math.isnan(test(np.array([math.nan]), 0.2))
    assert test(np.array([3.0]), 0.2) == 1.0
    assert test(np.zeros(10), 0.2) == 1.0
    assert test(np.full(10, -2.0), 0.2) == 2**-9
    assert test(np.full(10, -2.0), 0.2, "less") == 2**-10
    assert test(np.full(10, 2.0), 0.2, "less") == 1.0
    assert test(np.full(10, math.inf), 0.2) == 2**-9
    one = np.append(np.full(9, -1.0), math.inf)
    large = np.append(np.full(9, -1.0), 1e200)
    assert test(one, 0.2) == pytest.approx(test(large, 0.2))  # the limit of an exploding run
    assert test(np.append(one, math.nan), 0.2) == test(one, 0.2)
    centre, low, _ = statistics.corrected_interval(one, 0.2)
    assert centre == -1.0
    assert math.isnan(low)


def test_seeds_of_a_real_table_are_no_independent_draws():
    d = np.random.default_rng(3).normal(-1, 1, 10)
    values = {("a", "x"): d, ("b", "x"): np.zeros(10)}
    drawn = statistics.compare(frame(values), "nll_paper", "a", "b").iloc[0]
    split = statistics.compare(table_scores(values), "nll_paper", "a", "b").iloc[0]
    assert drawn.p == statistics.signed_rank(d)
    assert split.p == statistics.corrected_t(d, 0.25)
    assert split.difference == pytest.approx(d.mean())
    assert split.high - split.low > drawn.high - drawn.low
    mixed = pd.concat(
        [frame(values).assign(category="T"), table_scores(values).assign(dataset="y")]
    )
    found = statistics.compare(mixed, "nll_paper", "a", "b").set_index("dataset")
    assert found.p["x"] == drawn.p
    assert found.p["y"] == split.p
    assert statistics.duels(mixed, "nll_paper", "a").p.tolist() == found.p.tolist()


def test_tables_without_sizes_cannot_be_tested():
    scores = table_scores({("a", "x"): [1.0, 2.0], ("b", "x"): [2.0, 2.5]})
    with pytest.raises(DataError, match="the scores on x have no n_train and n_test"):
        statistics.compare(scores.drop(columns="n_train"), "nll_paper", "a", "b")
    lost = table_scores({("a", "x"): [None], ("b", "x"): [None]}).drop(columns="n_test")
    assert statistics.compare(lost, "nll_paper", "a", "b").outcome.tolist() == ["none"]


# ------------------------------------------------------------------------------ over datasets


FACTORS = 0.9 - 0.01 * np.arange(12)
FACTORS[0] = 3.0


def scaled(metric):
    """Make two methods whose scores differ by known factors on datasets of any unit."""
    rng = np.random.default_rng(1)
    values = {}
    for k, unit in enumerate(10.0 ** rng.integers(-6, 6, 12)):
        level = unit * rng.uniform(1, 2, 5)
        values |= {("a", f"x{k}"): FACTORS[k] * level, ("b", f"x{k}"): level}
    return frame(values, metric)


@pytest.mark.parametrize(
    ("metric", "ratio"),
    [("rmse", True), ("out_crps", True), ("interval_score_95", True), ("width_50", True),
     ("nll", False), ("in_nll_paper", False), ("calibration_error", False)],
)  # fmt: skip
def test_only_ratios_compare_scores_in_units_across_datasets(metric, ratio):
    """A loss by a factor of three has the largest rank in ratios, whatever the unit of y."""
    assert statistics.is_ratio(metric) == ratio
    found = statistics.against(scaled(metric), metric, "a", ["b"]).iloc[0]
    assert (found.better, found.worse) == (11, 1)
    raw = scaled(metric).groupby(["dataset", "method"])[metric].median().unstack()  # noqa: PD010
    expected = np.log(FACTORS) if ratio else (raw["a"] - raw["b"]).to_numpy()
    assert found.p == pytest.approx(statistics.signed_rank(expected))
    assert found.difference == pytest.approx(np.median(expected))


def test_pairwise_is_corrected_over_all_pairs_and_metrics():
    scores = made_up.scores(seeds=3)
    found = statistics.pairwise(scores)
    assert len(found) == 15 * len(statistics.TESTED)
    assert found.p_holm.to_numpy() == pytest.approx(multipletests(found.p, method="holm")[1])
    crps = found[found.metric == "crps"]
    one = crps[(crps.method == "de") & (crps.rival == "rafs")].iloc[0]
    middle = scores.groupby(["method", "dataset"], sort=False).crps.median()
    logs = np.log(middle["de"] / middle["rafs"]).to_numpy()
    assert one.p == stats.wilcoxon(logs, method="exact").pvalue
    assert (one.better, one.worse) == (0, 25)
    ranks = statistics.ranking(scores, "crps").mean_ranks
    best, p = statistics.against_best(ranks, found, "crps")
    assert best == "rafs"
    assert set(p) == set(made_up.METHODS) - {"rafs"}
    assert p["de"] == one.p_holm
    assert statistics.pairwise(scores[scores.method == "de"]).empty


def test_skill_is_relative_to_the_constant():
    values = {("constant", "x"): [4.0] * 3, ("a", "x"): [1.0] * 3, ("b", "x"): [math.inf] * 3}
    values |= {("constant", "y"): [0.1] * 3, ("a", "y"): [0.4] * 3, ("b", "y"): [0.1] * 3}
    difference = statistics.skill(frame(values), "nll_paper")
    assert difference.loc["x"].tolist() == [-3.0, math.inf]
    assert difference.loc["y"].tolist() == pytest.approx([0.3, 0.0])
    ratio = statistics.skill(frame(values, "crps"), "crps")
    assert ratio.loc["x"].tolist() == pytest.approx([0.25, math.inf])
    assert ratio.loc["y"].tolist() == pytest.approx([4.0, 1.0])
    assert statistics.average_skill(statistics.skill(frame(values, "crps"), "crps"), "crps")[
        "a"
    ] == pytest.approx(1.0)
    assert statistics.average_skill(statistics.skill(frame(values), "nll_paper"), "nll_paper")[
        "a"
    ] == pytest.approx(-1.35)
    others = {key: column for key, column in values.items() if key[0] != "constant"}
    assert statistics.skill(frame(others), "nll_paper").empty
    assert statistics.average_skill(statistics.skill(frame(others), "nll_paper"), "nll_paper") == {}


def test_coverage_counts_by_its_distance_from_the_nominal_level():
    values = {("a", "x"): [0.93, 0.94, 0.99], ("b", "x"): [0.6] * 3, ("c", "x"): [1.0] * 3}
    found = statistics.medians(frame(values, "out_coverage_95"), "out_coverage_95").loc["x"]
    assert found.tolist() == pytest.approx([0.02, 0.35, 0.05])
    ranks = statistics.ranking(frame(values, "coverage_95"), "coverage_95").mean_ranks
    assert ranks == {"a": 1.0, "b": 3.0, "c": 2.0}


def test_datasets_with_few_rows_inside_have_no_score_there():
    scores = made_up.scores(datasets=["he", "wing_weight", "abalone"], seeds=2)
    scores = scores.assign(n_test=100.0, n_inside=40.0)
    scores.loc[scores.dataset == "wing_weight", "n_inside"] = 4.0
    scores.loc[scores.dataset == "abalone", "n_inside"] = math.nan
    found, few = statistics.without_few_inside(scores)
    assert few == ["wing_weight"]
    assert found.loc[found.dataset == "wing_weight", "in_nll"].isna().all()
    assert found.loc[found.dataset == "wing_weight", "out_nll"].notna().all()
    assert found.loc[found.dataset == "he", "in_nll"].notna().all()
    assert scores.loc[scores.dataset == "wing_weight", "in_nll"].notna().all()
    older = scores.drop(columns="n_inside")
    assert statistics.without_few_inside(older) == (older, [])


# --------------------------------------------------------------------------- several methods

DEMSAR = np.array(
    [
        [4, 3, 2, 1],
        [1, 2, 3, 4],
        [4, 1, 2, 3],
        [4, 1, 3, 2],
        [4, 2, 3, 1],
        [1, 2.5, 4, 2.5],
        [3, 2, 4, 1],
        [2.5, 2.5, 4, 1],
        [4, 3, 2, 1],
        [2.5, 2.5, 2.5, 2.5],
        [4, 2.5, 1, 2.5],
        [3, 2, 4, 1],
        [4, 1, 2, 3],
        [3, 1, 4, 2],
    ]
)
"""Ranks of four classifiers on 14 datasets (Demšar 2006, Table 6)."""


def demsar():
    names = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
    return frame(
        {
            (name, f"data{row}"): [DEMSAR[row, column]]
            for column, name in enumerate(names)
            for row in range(14)
        }
    )


def test_demsars_example():
    found = statistics.ranking(demsar(), "nll_paper")
    expected = [3.143, 2.000, 2.893, 1.964]
    assert list(found.mean_ranks.values()) == pytest.approx(expected, abs=5e-4)
    assert found.critical_difference == pytest.approx(1.25, abs=0.005)
    assert found.datasets == 14
    statistic, p = stats.friedmanchisquare(*DEMSAR.T)
    assert (found.statistic, found.p) == pytest.approx((statistic, p))
    assert found.groups == (("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),)
    nemenyi = scikit_posthocs.posthoc_nemenyi_friedman(DEMSAR)
    assert found.nemenyi.to_numpy() == pytest.approx(nemenyi.to_numpy())


@pytest.mark.parametrize(
    ("methods", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (10, 3.164)]
)
def test_critical_values_of_demsars_table(methods, q):
    expected = q * math.sqrt(methods * (methods + 1) / 6)
    assert statistics.critical_difference(methods, 1) == pytest.approx(expected, abs=0.002)


def test_cliques_of_demsars_figure():
    """Figure 1a of Demšar 2006: CD 1.25 joins the first three and the last two-and-more."""
    found = statistics.cliques({"a": 1.0, "b": 2.0, "c": 2.2, "d": 3.1, "e": 5.0}, 1.25)
    assert found == (("a", "b", "c"), ("b", "c", "d"))
    assert statistics.cliques({"a": 1.0}, 1.0) == ()
    assert statistics.cliques({"a": 1.0, "b": 2.0}, math.nan) == ()


def test_ranking_ranks_diverged_methods_last_and_names_what_it_leaves_out():
    scores = frame(
        {
            ("a", "x"): [math.inf, math.inf, 1.0],
            ("b", "x"): [100.0, 100.0, 100.0],
            ("c", "x"): [1e6, 1e6, 1e6],
            ("a", "y"): [None, None, None],
            ("b", "y"): [1.0, 1.0, 1.0],
            ("c", "y"): [2.0, 2.0, 2.0],
            ("a", "z"): [None, 1.0, 1.0],
            ("b", "z"): [2.0, 2.0, 2.0],
            ("c", "z"): [2.0, 2.0, 2.0],
        }
    )
    found = statistics.ranking(scores, "nll_paper")
    assert found.left_out == ("y",)
    assert found.mean_ranks == {"a": 2.0, "b": 1.75, "c": 2.25}


@pytest.mark.parametrize(
    "values",
    [
        {("a", "x"): [1.0], ("a", "y"): [2.0]},
        {(m, d): [1.0] for m in "abc" for d in "xyz"},
        {(m, d): [None] for m in "abc" for d in "xyz"},
        {(m, "x"): [float(k)] for k, m in enumerate("abc")},
    ],
)
def test_degenerate_rankings(values):
    found = statistics.ranking(frame(values), "nll_paper")
    assert math.isnan(found.p)
    assert set(found.mean_ranks) == {method for method, _ in values}


@given(hnp.arrays(float, st.tuples(st.integers(2, 8), st.integers(3, 6)), elements=st.floats(0, 5)))
@settings(deadline=None, max_examples=25)
def test_ranking_is_scipys(values):
    n, k = values.shape
    scores = frame({(f"m{j}", f"d{i}"): [values[i, j]] for j in range(k) for i in range(n)})
    found = statistics.ranking(scores, "nll_paper")
    expected = stats.rankdata(values, axis=1).mean(axis=0)
    assert list(found.mean_ranks.values()) == pytest.approx(expected)
    assert sum(found.mean_ranks.values()) == pytest.approx(k * (k + 1) / 2)


def test_intervals_of_mean_ranks_contain_them_and_are_the_same_twice():
    rng = np.random.default_rng(0)
    scores = made_up.scores(
        datasets=made_up.PAPER[:12], seeds=4, nll=lambda m, d, s: rng.normal(m == "de", 1)
    )
    ranks = statistics.ranking(scores, "nll").mean_ranks
    found = statistics.rank_intervals(scores, "nll", resamples=300)
    again = statistics.rank_intervals(scores, "nll", resamples=300)
    assert found == again
    for name, (low, high) in found.items():
        assert low <= ranks[name] <= high
        assert 0.3 < high - low < 4
    none = statistics.rank_intervals(scores[scores.dataset == "he"], "nll")
    assert all(math.isnan(low) for low, _ in none.values())


def test_rank_intervals_of_diverged_and_missing_runs():
    values = {(m, d): [float(k), k + 0.5, k + 0.1] for k, m in enumerate("abc") for d in "xyz"}
    values[("a", "x")] = [math.inf] * 3
    values[("b", "y")] = [None, None, 5.0]
    values[("a", "z")] = [None, 1.0, 1.0]
    values[("b", "z")] = [1.0, None, None]  # no seed on which all have a score
    found = statistics.rank_intervals(frame(values), "nll_paper", resamples=200)
    assert all(1 <= low <= high <= 3 for low, high in found.values())


def test_paper_ranks_by_hand():
    """Naval and Forest fire as printed: ties by overlap, dense ranks, the wide interval joins."""
    value = np.array([-2.27, 1000.0, 3.92, 2.28, 2.16, 1.91])
    half = np.array([0.0, 0.0, 0.1, 1.51, 0.16, 0.07])
    assert statistics.paper_ranks(value, value - half, value + half).tolist() == [1, 4, 3, 2, 2, 2]
    value = np.array([15.71, 3.14, 2.66, 3.10, 4.68, 2.15])
    half = np.array([0.05, 0.02, 0.69, 1.11, 0.14, 0.28])
    assert statistics.paper_ranks(value, value - half, value + half).tolist() == [3, 1, 1, 1, 2, 1]


def test_paper_ranks_degenerate():
    nan = math.nan
    assert statistics.paper_ranks([2.0, 1.0], [nan, nan], [nan, nan]).tolist() == [2, 1]
    assert statistics.paper_ranks([1.0, 1.0], [nan, nan], [nan, nan]).tolist() == [1, 1]
    found = statistics.paper_ranks([nan, 3.0], [nan, 2.0], [nan, 4.0])
    assert math.isnan(found[0])
    assert found[1] == 1
    assert statistics.paper_ranks([], [], []).size == 0


@given(
    hnp.arrays(float, st.integers(1, 7), elements=st.floats(-50, 50)),
    st.floats(0, 20),
    st.randoms(use_true_random=False),
)
@settings(deadline=None, max_examples=60)
def test_paper_ranks_properties(value, half, random):
    low, high = value - half, value + half
    ranks = statistics.paper_ranks(value, low, high)
    assert set(ranks) == set(range(1, int(ranks.max()) + 1))
    for i, j in itertools.combinations(range(value.size), 2):
        if low[i] <= high[j] and low[j] <= high[i]:
            assert ranks[i] == ranks[j]
        elif ranks[i] != ranks[j]:
            assert (value[i] < value[j]) == (ranks[i] < ranks[j])
    order = list(range(value.size))
    random.shuffle(order)
    assert statistics.paper_ranks(value[order], low[order], high[order]).tolist() == (
        ranks[order].tolist()
    )


def test_a_method_that_fails_on_its_data_is_worse_than_any_score_and_a_lost_job_is_not():
    status = ["ok", "diverged", "failed", "failed", "missing"]
    frame = pd.DataFrame({"status": status, "nll": [1.0, None, None, None, None]})
    frame["n_test"] = [50, 50, 50, None, None]
    np.testing.assert_array_equal(
        statistics.values(frame, "nll"), [1.0, np.inf, np.inf, np.nan, np.nan]
    )
