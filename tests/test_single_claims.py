"""Every claim, on results made up to give each verdict."""

import math

import numpy as np
import pandas as pd
import pytest

import judging
import made_up
from judging import apart, judged, kinds, large, main, noisy, outcomes, rank_of, sweep
from rafs.reporting import random_activations
from rafs.reporting.claims import CONTRADICTED, HOLDS, IN_PART, NOT_SHOWN, UNTESTABLE
from rafs.reporting.judgement import confidence, paper_rule
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.sweeps import sweep as runs_of_sweep
from rafs.reporting.judgement.verdicts import SHOWN

# ------------------------------------------------------------------- claims over many datasets


def test_claim_1():
    assert kinds(1, apart(rank_of(lambda d: 1))) == (HOLDS, HOLDS)
    second = apart(rank_of(lambda d: 1 + (d in made_up.PAPER[:12])))
    assert kinds(1, second) == (HOLDS, HOLDS)
    third = apart(rank_of(lambda d: 1 + (d in made_up.PAPER[:13])))
    assert kinds(1, third) == (CONTRADICTED, CONTRADICTED)
    tied = noisy(lambda m, d: {"rafs": 1.1, "rp": 1.0}.get(m, 3.0))
    assert kinds(1, tied) == (HOLDS, NOT_SHOWN)  # the paper's rule counts ties
    few = main(rank_of(lambda d: 1), datasets=["he", "naval", "abalone"])
    assert kinds(1, few) == (UNTESTABLE, UNTESTABLE)


def test_claim_2():
    assert kinds(2, apart(rank_of(lambda d: 2))) == (HOLDS, HOLDS)
    third = apart(rank_of(lambda d: 3 if d == "he" else 1))
    assert [v.text for v in judged(2, third)] == ["24 of 25 datasets, 1 contradicted"] * 2
    said = judged(2, third)[1].reason.partition("He et al. 1D (behind AE by ")[2]
    assert said.startswith("+5.00 nats [+")
    assert ", RP-param by +15.0 nats [+" in said
    tied = noisy(lambda m, d: {"rafs": 1.02, "rp": 1.0, "ae": 1.0}.get(m, 3.0), sd=0.5)
    assert CONTRADICTED not in outcomes(2, tied)
    assert NOT_SHOWN in outcomes(2, tied)


def test_claim_3():
    assert kinds(3, apart(rank_of(lambda d: 1 + (d not in judging.MLM_T)))) == (HOLDS, HOLDS)
    one = apart(rank_of(lambda d: 1 + (made_up.CATEGORY[d] == "T")))
    assert [v.text for v in judged(3, one)] == ["4 of 8 datasets, 4 contradicted"] * 2
    assert kinds(3, apart(rank_of(lambda d: 2))) == (CONTRADICTED, CONTRADICTED)
    without = main(rank_of(lambda d: 1), datasets=["borehole", "naval"])
    assert kinds(3, without) == (UNTESTABLE, UNTESTABLE)


def test_claim_4():
    first = ("naval", "parkinsons")

    def level(where, gap=-1.0):
        return lambda m, d: gap if m == "de" and d in where else made_up.SKILL[m]

    assert kinds(4, apart(level(first))) == (HOLDS, HOLDS)
    assert outcomes(4, apart(level(["naval"]))) == [SHOWN, CONTRADICTED, SHOWN]
    strong = apart(lambda m, d: 0.0 if m == "de" and d not in first else made_up.SKILL[m])
    assert kinds(4, strong) == (CONTRADICTED, CONTRADICTED)
    without = main(level(first), datasets=["he", "naval"])
    assert outcomes(4, without) == [SHOWN, UNTESTABLE, SHOWN]
    assert "DE on Parkinson's was not run" in judged(4, without)[1].reason


def test_a_gap_of_four_thousandths_is_not_a_lost_first_place():
    """Claim 4: DE is 0.004 behind RAFs on every seed of naval, which is practically equal."""
    near = main(lambda m, d: made_up.SKILL["rafs"] + 0.004 if m == "de" else made_up.SKILL[m])
    assert outcomes(4, near)[0] == SHOWN


def coverage(away, **level):
    """Make up He et al. with coverage away from data by method."""
    inputs = apart(lambda m, d: level.get(m, made_up.SKILL[m]))
    frame = inputs.frames["main"]
    frame["out_coverage_95"] = frame["method"].map(away) + 0.001 * frame["seed"]
    return inputs


def test_claim_5():
    wide = {"ae": 0.6, "ntkgp": 0.6, "rp": 0.6, "rafs": 0.6}
    narrow = coverage({**wide, "de": 0.1, "hde": 0.2})
    assert outcomes(5, narrow) == [CONTRADICTED, SHOWN, SHOWN, SHOWN]
    # all are far below 95 %, but DE and HDE no more than the others
    same = coverage({**wide, "de": 0.6, "hde": 0.7})
    assert outcomes(5, same)[2:] == [NOT_SHOWN, CONTRADICTED]
    mlm = apart(
        lambda m, d: 0.0 if m == "hde" and made_up.CATEGORY[d] == "MLM" else made_up.SKILL[m]
    )
    assert outcomes(5, mlm)[:2] == [SHOWN, SHOWN]


def test_claim_6():
    def level(worse):
        return lambda m, d: made_up.SKILL[m] + 0.7 * (m == "rafs" and d in made_up.PAPER[:worse])

    assert kinds(6, apart(level(5))) == (HOLDS, HOLDS)
    assert outcomes(6, apart(level(6)))[1] == CONTRADICTED  # six losses leave 19 of 25
    assert kinds(6, apart(level(25)))[1] == CONTRADICTED
    close = main(lambda m, d: 1.0 - 0.02 * (m == "rafs"))
    assert outcomes(6, close) == [NOT_SHOWN, NOT_SHOWN]  # practically equal everywhere


def test_claims_13_15_and_20_count_duels_by_category():
    def level(m, d):
        where = {"de": "real", "ae": "PM", "rafs": "MLM"}
        return -1.0 if where.get(m) == made_up.CATEGORY[d] else made_up.SKILL[m]

    inputs = apart(level)
    assert kinds(13, inputs) == (HOLDS, HOLDS)
    assert outcomes(15, inputs) == [SHOWN, SHOWN]
    assert outcomes(20, inputs) == [SHOWN, CONTRADICTED, SHOWN, SHOWN]
    assert kinds(13, apart(lambda m, d: made_up.SKILL[m])) == (NOT_SHOWN, CONTRADICTED)


def test_the_effect_of_duels_is_the_probability_of_improvement():
    """By hand: on the five real datasets DE is lower than 2, 2, 3, 3 and 4 of its five rivals."""
    real = [name for name in made_up.PAPER if made_up.CATEGORY[name] == "real"]
    beaten = dict(zip(real, (2, 2, 3, 3, 4), strict=True))
    rivals = ["hde", "ae", "ntkgp", "rp", "rafs"]

    def level(m, d):  # the rivals are at 0 to 4, DE half below those that it beats
        return 4.5 - beaten.get(d, 0) if m == "de" else float(rivals.index(m))

    (part,) = judged(13, main(level))[1].parts
    assert (part.numbers["wins"], part.numbers["losses"]) == (14, 11)
    assert part.numbers["improvement"] == pytest.approx(0.56)  # of 0.4, 0.4, 0.6, 0.6, 0.8
    half = 2.776 * math.sqrt(0.028 / 5)  # Student's t with four degrees of freedom
    assert part.numbers["low"] == pytest.approx(0.56 - half, abs=1e-3)
    assert part.numbers["high"] == pytest.approx(0.56 + half, abs=1e-3)
    assert "probability of improvement 0.56 [0.35, 0.77]" in part.detail


def test_shares_of_datasets_have_exact_intervals():
    """Claims 1 and 6: RAFs is the lowest of all on 5 of 25, and lower than AE on 20."""

    def level(m, d):
        place = made_up.PAPER.index(d)
        return {"rafs": -1.0 if place < 5 else 1.5, "ae": 0.0 if 5 <= place < 10 else 2.0}.get(
            m, 1.0
        )

    (first,) = judged(1, main(level))[1].parts
    assert (first.numbers["lowest"], first.numbers["share"]) == (5, 0.2)
    # Clopper and Pearson: 5 of 25
    assert first.numbers["low"] == pytest.approx(0.0683, abs=1e-4)
    assert first.numbers["high"] == pytest.approx(0.4070, abs=1e-4)
    nearly = judged(6, main(level))[1].parts[1]
    assert (nearly.numbers["lower"], nearly.numbers["share"]) == (20, 0.8)
    assert nearly.numbers["low"] == pytest.approx(1 - 0.4070, abs=1e-4)  # 20 of 25 mirrors 5


def test_claim_25_is_corrected_over_the_base_methods():
    inputs = made_up.Memory()
    parts = judged(25, inputs)[1].parts
    runs = pd.concat(inputs.frames[name] for name in ("main", "rafs_on"))
    table = random_activations.effects(runs, "nll_paper")
    for part, base in zip(parts, ("ae", "de", "hde", "ntkgp", "rp"), strict=True):
        assert part.numbers["p"] == pytest.approx(table[base]["p_holm"])


def test_claim_14():
    away = dict.fromkeys(made_up.METHODS, 0.6)
    assert kinds(14, coverage({**away, "de": 0.2})) == (HOLDS, HOLDS)
    assert kinds(14, coverage({**away, "de": 0.9})) == (NOT_SHOWN, CONTRADICTED)
    assert outcomes(14, coverage({**away, "de": 0.57})) == [NOT_SHOWN] * 5


def test_claim_16():
    def level(m, d):
        return -1.0 if m == "ntkgp" and made_up.CATEGORY[d] == "PM" else made_up.SKILL[m]

    inputs = apart(level)
    frame = inputs.frames["main"]
    frame["sharpness"] = frame["method"].map({"ntkgp": 2.0}).fillna(1.0) + 0.01 * frame["seed"]
    assert kinds(16, inputs) == (HOLDS, HOLDS)
    frame["sharpness"] = frame["method"].map({"ntkgp": 0.5}).fillna(1.0) + 0.01 * frame["seed"]
    assert outcomes(16, inputs) == [SHOWN, CONTRADICTED]
    assert outcomes(16, apart(lambda m, d: made_up.SKILL[m]))[0] == NOT_SHOWN


def test_claim_17():
    skilled = apart(lambda m, d: made_up.SKILL[m])
    assert kinds(17, skilled) == (HOLDS, HOLDS)
    weak = apart(lambda m, d: 9.0 if m == "rp" else made_up.SKILL[m])
    assert kinds(17, weak) == (NOT_SHOWN, CONTRADICTED)


def test_claim_18():
    inputs = main(lambda m, d: 1.0)
    frame = inputs.frames["main"]
    for rafs, expected in ((0.9, SHOWN), (1.02, SHOWN), (1.3, CONTRADICTED)):
        frame["rmse"] = frame["method"].map({"rafs": rafs}).fillna(1.0) + 0.001 * frame["seed"]
        assert outcomes(18, inputs) == [expected] * 5
    assert kinds(18, inputs) == (NOT_SHOWN, CONTRADICTED)


def test_claim_19():
    def level(real, else_):
        where = {True: real, False: else_}
        return apart(rank_of(lambda d: where[made_up.CATEGORY[d] == "real"]))

    assert kinds(19, level(4, 1)) == (HOLDS, HOLDS)
    assert kinds(19, level(1, 4)) == (NOT_SHOWN, CONTRADICTED)
    assert kinds(19, level(2, 2))[1] == NOT_SHOWN


def test_claim_24():
    many = [n for n in made_up.PAPER if paper_rule.dimension(n) > 5]
    same = apart(rank_of(lambda d: 2))
    assert outcomes(24, same) == [SHOWN, NOT_SHOWN]
    harmed = apart(rank_of(lambda d: 5 if d in many else 1))
    assert outcomes(24, harmed) == [CONTRADICTED, SHOWN]


# ------------------------------------------------------------------------------ single claims


def test_claim_7():
    assert kinds(7, large(5.0, 150.0)) == (HOLDS, HOLDS)
    assert outcomes(7, large(5.0, 20.0)) == [SHOWN, CONTRADICTED] * 2
    assert kinds(7, large(30.0, 20.0)) == (CONTRADICTED, CONTRADICTED)
    assert outcomes(7, large(2.98, 3.07)) == [NOT_SHOWN, CONTRADICTED] * 2  # 0.09 nats
    assert "practically equal" in judged(7, large(2.98, 3.02))[1].reason
    assert kinds(7, large(5.0, 150.0, seeds=4)) == (UNTESTABLE, UNTESTABLE)
    assert "4 seeds, at least 6" in judged(7, large(5.0, 150.0, seeds=4))[1].reason


def mixed(before, after):
    frames = {
        "main": made_up.scores("main", ["rp"], ["parkinsons"], 10, lambda m, d, s: before + s),
        "rafs_on": made_up.scores(
            "rafs_on", ["rp+rafs"], ["parkinsons"], 10, lambda m, d, s: after + s
        ),
    }
    return made_up.Memory(frames)


def test_claim_8():
    assert kinds(8, mixed(150.0, 40.0)) == (HOLDS, HOLDS)
    assert kinds(8, mixed(50.0, 40.0)) == (IN_PART, IN_PART)
    assert kinds(8, mixed(40.0, 50.0)) == (CONTRADICTED, CONTRADICTED)
    assert outcomes(8, mixed(40.0, 39.96)) == [NOT_SHOWN, CONTRADICTED]
    only = mixed(150.0, 40.0)
    del only.frames["rafs_on"]
    assert outcomes(8, only) == [UNTESTABLE, SHOWN]
    assert "the experiment rafs_on was not run" in judged(8, only)[1].reason


def test_claim_9():
    def over(levels, seeds=6, shuffled=None):
        frames = sweep("cardinality", seeds, superconductivity=levels)
        frames |= sweep("cardinality_shuffled", seeds, superconductivity=shuffled or levels)
        return made_up.Memory(frames)

    falling, rising = {k: 8.0 - k for k in range(1, 8)}, {k: float(k) for k in range(1, 8)}
    assert kinds(9, over(falling)) == (HOLDS, HOLDS)
    assert kinds(9, over(rising))[1] == CONTRADICTED
    assert outcomes(9, over(falling, shuffled=rising)) == [SHOWN] * 2 + [CONTRADICTED] * 2
    flat = {k: 3.0 - 0.005 * k for k in range(1, 8)}
    assert outcomes(9, over(flat)) == [SHOWN, NOT_SHOWN] * 2  # falls, by nothing that matters
    assert kinds(9, over({1: 5.0, 7: 4.0}))[1] == IN_PART  # two values have no trend
    assert kinds(9, over(falling, seeds=4)) == (UNTESTABLE, UNTESTABLE)
    only = over(falling)
    del only.frames["cardinality_shuffled"]
    assert judged(9, only)[1].text == "2 of 4 parts, 2 not testable"


def test_values_that_repeat_the_runs_of_a_smaller_one_are_left_out():
    levels = {1: 5.0, 2: 4.0, 3: 3.0, 4: 2.0, 5: 1.0, 6: 1.0, 7: 1.0}
    inputs = made_up.Memory(sweep("cardinality", 6, superconductivity=levels))
    found = runs_of_sweep(
        Results(inputs, ["cardinality"]), "cardinality", "superconductivity", True
    )
    assert found.values == [1, 2, 3, 4, 5]
    assert any("k = 5 than at 1" in part.name for part in judged(9, inputs)[1].parts)


def test_claims_10_and_21():
    falling = {2: 3.0, 3: 2.5, 5: 2.1, 7: 2.06, 10: 2.03}
    short = {2: 3.0, 3: 2.9, 5: 2.8, 7: 2.5, 10: 2.0}
    dip = {2: 3.0, 5: 2.0, 7: 1.0, 10: 2.0}
    flat = {2: 3.0, 5: 2.0, 7: 1.997, 10: 1.998}
    jump = {2: -0.30, 3: -0.32, 5: -0.32, 7: -0.07, 10: -0.07}  # erf and linear join
    for puma, abalone, expected in (
        (falling, dip, [SHOWN, SHOWN]),
        (falling, flat, [SHOWN, NOT_SHOWN]),
        (short, dip, [CONTRADICTED, SHOWN]),
        (jump, {2: 3.0, 5: 2.0, 7: 2.5, 10: 2.0}, [SHOWN, CONTRADICTED]),
    ):
        assert outcomes(10, made_up.Memory(sweep(puma560=puma, abalone=abalone))) == expected
    assert outcomes(10, made_up.Memory(sweep(puma560={2: 3.0, 3: 2.0}))) == [UNTESTABLE] * 2
    for levels, expected in (
        (falling, [SHOWN] * 4),
        (jump, [SHOWN, SHOWN, CONTRADICTED, SHOWN]),
    ):
        assert outcomes(21, made_up.Memory(sweep(puma560=levels))) == expected
    assert "from 5 to 7: contradicted (+0.25 nats" in (
        judged(21, made_up.Memory(sweep(puma560=jump)))[1].reason
    )


def confident(friedman, abalone, seeds=10):
    """Give methods a power by which error follows predicted sd: 0 not at all, 2 strongly."""
    inputs = main(lambda m, d: 1.0, datasets=["friedman", "abalone"], seeds=seeds)

    def predictions(experiment, method, dataset, seed):
        """Make precision the same for all methods, so that thresholds are too."""
        known = made_up.data(dataset, seed, n=400)
        sd = np.exp(np.random.default_rng(seed).uniform(-1.0, 0.5, len(known.y_test)))
        power = (abalone if dataset == "abalone" else friedman)[method]
        sign = np.where(np.arange(len(sd)) % 2, 1.0, -1.0)
        return {"mean": known.y_test + sign * sd**power, "variance": sd**2}

    inputs.predictions = predictions
    inputs.data = lambda dataset, seed: made_up.data(dataset, seed, n=400)
    return inputs


def test_claims_11_and_22():
    flat = dict.fromkeys(made_up.METHODS, 0.0)
    good, best = {**flat, "rafs": 2.0}, {**flat, "rp": 2.0}
    assert kinds(11, confident(good, best)) == (HOLDS, HOLDS)
    assert outcomes(11, confident(good, {**flat, "ae": 2.0})) == [SHOWN, CONTRADICTED]
    assert outcomes(11, confident({**flat, "rafs": -1.0}, best)) == [CONTRADICTED, SHOWN]
    assert kinds(22, confident(good, good)) == (HOLDS, HOLDS)
    assert outcomes(22, confident({**flat, "rafs": -1.0}, flat)) == [CONTRADICTED] * 1 + [
        NOT_SHOWN,
        CONTRADICTED,
    ]
    assert kinds(11, confident(good, best, seeds=3)) == (UNTESTABLE, UNTESTABLE)


def test_errors_are_absolute_and_over_thresholds_of_precision():
    """A method whose error is lower throughout is more reliable, whatever its error's share."""
    inputs = confident(dict.fromkeys(made_up.METHODS, 0.0), dict.fromkeys(made_up.METHODS, 1.0))
    original = inputs.predictions

    def predictions(experiment, method, dataset, seed):
        run, known = original(experiment, method, dataset, seed), inputs.data(dataset, seed)
        error = (run["mean"] - known.y_test) * (0.5 if method == "rp" else 1.0)
        return {**run, "mean": known.y_test + error}

    inputs.predictions = predictions
    assert outcomes(11, inputs)[1] == SHOWN
    table = confidence.curves(Results(inputs, ["main"], ["abalone"]), "abalone")
    assert table.shape == (60, 10)
    first = table.xs("rafs", level="method").mean()
    assert first.is_monotonic_decreasing


def test_methods_without_common_thresholds_cannot_be_compared():
    """An overconfident method has no example where a cautious one has any."""
    inputs = confident(*[dict.fromkeys(made_up.METHODS, 0.0)] * 2)
    original = inputs.predictions

    def predictions(experiment, method, dataset, seed):
        run = original(experiment, method, dataset, seed)
        return {**run, "variance": run["variance"] * (1e-9 if method == "de" else 1.0)}

    inputs.predictions = predictions
    scores = confidence.scores(Results(inputs, ["main"], ["abalone"]), "abalone")
    assert scores["log_error"].notna().all()  # at τ = 0 all have all examples
    assert kinds(22, inputs)[1] in (NOT_SHOWN, IN_PART, CONTRADICTED)


def widths(ntkgp, rp, rafs):
    """Make up He et al. with an sd of 1 near the data and the given ones away from it."""
    inputs = main(lambda m, d: 1.0, datasets=["he"], in_sharpness=1.0)
    frame = inputs.frames["main"]
    away = frame["method"].map({"ntkgp": ntkgp, "rp": rp, "rafs": rafs})
    frame["out_sharpness"] = away + 0.01 * frame["seed"]
    return inputs


def test_claim_12():
    assert kinds(12, widths(2.0, 2.0, 3.0)) == (HOLDS, HOLDS)
    assert outcomes(12, widths(4.0, 2.0, 3.0)) == [SHOWN] * 3 + [CONTRADICTED]
    assert outcomes(12, widths(3.0, 2.0, 3.03)) == [SHOWN] * 3 + [NOT_SHOWN]
    assert outcomes(12, widths(0.5, 2.0, 3.0))[0] == CONTRADICTED
    assert kinds(12, widths(0.5, 0.4, 0.3)) == (CONTRADICTED, CONTRADICTED)


def test_claim_23():
    away = {"ae": 0.2, "de": 0.2, "hde": 0.2, "ntkgp": 0.6, "rp": 0.6, "rafs": 0.6}
    assert kinds(23, coverage(away)) == (HOLDS, HOLDS)
    assert outcomes(23, coverage({**away, "ae": 0.9}, rafs=9.0)) == [CONTRADICTED, CONTRADICTED]


def test_claim_25():
    frames = made_up.experiments()
    inputs = made_up.Memory({name: frames[name] for name in ("main", "rafs_on")})
    assert kinds(25, inputs) == (HOLDS, HOLDS)
    worse = frames["rafs_on"]["method"] == "de+rafs"
    frames["rafs_on"].loc[worse, "nll_paper"] += 5.0
    assert outcomes(25, inputs) == [SHOWN, CONTRADICTED, SHOWN, SHOWN, SHOWN]
    del inputs.frames["rafs_on"]
    assert outcomes(25, inputs) == [SHOWN] + [UNTESTABLE] * 4
