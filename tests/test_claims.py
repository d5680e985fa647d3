"""Every claim, on results made up to give each verdict; and what must not break a verdict."""

import json
import math

import numpy as np
import pandas as pd
import pytest

import made_up
from rafs.reporting import claims, labels
from rafs.reporting.claims import FAILS, HOLDS, PARTLY, UNTESTABLE

MLM_T = [name for name, category in made_up.CATEGORY.items() if category in ("MLM", "T")]


def verdict(number, inputs):
    found = claims.RULES[number - 1][2](inputs)
    assert found.reason.endswith(".")
    json.dumps(found.numbers, default=str)
    return found.verdict


def main(level, datasets=made_up.PAPER, seeds=10, **columns):
    """Make up a main experiment: `level(method, dataset)` plus the same noise for all methods."""

    def nll(method, dataset, seed):
        return level(method, dataset) + 0.1 * ((seed * 7) % 10) + 0.001 * len(method) * (seed % 3)

    return made_up.Memory(
        {"main": made_up.scores(datasets=datasets, seeds=seeds, nll=nll, **columns)}
    )


def rank_of(place):
    """Give RAFs the place that `place(dataset)` says, beyond doubt; the rivals lie 1 apart."""
    rivals = ["rp", "ae", "ntkgp", "hde", "de"]
    return lambda m, d: place(d) - 0.5 if m == "rafs" else rivals.index(m) + 1.0


def noisy(level):
    """Add noise of its own to every run, so that small differences are not beyond doubt."""
    frame = main(level).frames["main"]
    frame["nll_paper"] += np.random.default_rng(0).normal(0, 0.3, len(frame))
    return made_up.Memory({"main": frame})


def sweep(experiment="ensemble_size", seeds=10, **datasets):
    """Make up a sweep from {dataset: {value: level}}."""
    frames = [
        made_up.sweep(experiment, name, "size", levels, seeds=seeds)
        for name, levels in datasets.items()
    ]
    return {experiment: pd.concat(frames, ignore_index=True)}


# ------------------------------------------------------------------- claims over many datasets


def test_claim_1():
    assert verdict(1, main(rank_of(lambda d: 1))) == HOLDS
    assert verdict(1, main(rank_of(lambda d: 1 + (d in made_up.PAPER[:12])))) == HOLDS
    assert verdict(1, main(rank_of(lambda d: 1 + (d in made_up.PAPER[:13])))) == FAILS
    tied = noisy(lambda m, d: {"rafs": 1.1, "rp": 1.0}.get(m, 3.0))
    assert verdict(1, tied) == PARTLY


def test_claim_2():
    assert verdict(2, main(rank_of(lambda d: 2))) == HOLDS
    assert verdict(2, main(rank_of(lambda d: 3 if d == "he" else 1))) == FAILS
    tied = noisy(lambda m, d: {"rafs": 1.02, "rp": 1.0, "ae": 1.0}.get(m, 3.0))
    assert verdict(2, tied) == PARTLY


def test_claim_3():
    assert verdict(3, main(rank_of(lambda d: 1 + (d not in MLM_T)))) == HOLDS
    one = rank_of(lambda d: 1 + (made_up.CATEGORY[d] == "T"))
    assert verdict(3, main(one)) == PARTLY
    assert verdict(3, main(rank_of(lambda d: 1 + (d in ("he", "ackley"))))) == FAILS
    assert verdict(3, noisy(lambda m, d: {"rafs": 1.1, "rp": 1.0}.get(m, 3.0))) == PARTLY
    without = main(rank_of(lambda d: 1), datasets=["borehole", "he"])
    assert verdict(3, without) == UNTESTABLE


def test_claim_4():
    first = ("naval", "parkinsons")

    def level(where):
        return lambda m, d: -1.0 if m == "de" and d in where else made_up.SKILL[m]

    assert verdict(4, main(level(first))) == HOLDS
    assert verdict(4, main(level(["naval"]))) == PARTLY
    strong = main(lambda m, d: 0.0 if m == "de" and d not in first else made_up.SKILL[m])
    assert verdict(4, strong) == FAILS
    assert verdict(4, main(level(first), datasets=["he", "naval"])) == PARTLY  # no parkinsons


def test_claim_5():
    def level(m, d):
        mlm = made_up.CATEGORY[d] == "MLM"
        return 0.0 if m == "hde" and mlm else made_up.SKILL[m]

    assert verdict(5, main(level, out_coverage_95=0.4)) == HOLDS
    assert verdict(5, main(level, out_coverage_95=0.97)) == PARTLY
    assert verdict(5, main(lambda m, d: made_up.SKILL[m], out_coverage_95=0.97)) == FAILS


def test_claim_6():
    def level(worse):
        return lambda m, d: made_up.SKILL[m] + 5 * (m == "rafs" and d in made_up.PAPER[:worse])

    assert verdict(6, main(level(5))) == HOLDS
    assert verdict(6, main(level(6))) == PARTLY
    assert verdict(6, main(level(13))) == FAILS


# ------------------------------------------------------------------------------ single claims


def large(rafs, rp, seeds=5):
    levels = {"rafs": rafs, "rp": rp}
    frame = made_up.scores(
        "scalability", ["rp", "rafs"], ["superconductivity", "news"], seeds,
        lambda m, d, s: levels[m] + 0.1 * s,
    )  # fmt: skip
    return made_up.Memory({"scalability": frame})


def test_claim_7():
    assert verdict(7, large(5.0, 150.0)) == HOLDS
    assert verdict(7, large(5.0, 20.0)) == PARTLY
    assert verdict(7, large(30.0, 20.0)) == FAILS
    assert verdict(7, large(5.0, 150.0, seeds=4)) == UNTESTABLE


def mixed(before, after):
    frames = {
        "main": made_up.scores("main", ["rp"], ["parkinsons"], 10, lambda m, d, s: before + s),
        "rafs_on": made_up.scores(
            "rafs_on", ["rp+rafs"], ["parkinsons"], 10, lambda m, d, s: after + s
        ),
    }
    return made_up.Memory(frames)


def test_claim_8():
    assert verdict(8, mixed(150.0, 40.0)) == HOLDS
    assert verdict(8, mixed(50.0, 40.0)) == PARTLY
    assert verdict(8, mixed(40.0, 50.0)) == FAILS
    only = mixed(150.0, 40.0)
    del only.frames["rafs_on"]
    assert verdict(8, only) == UNTESTABLE


def test_claim_9():
    def over(levels, seeds=5):
        frames = sweep("cardinality", seeds, superconductivity=levels)
        return made_up.Memory(frames)

    assert verdict(9, over({k: 8.0 - k for k in range(1, 8)})) == HOLDS
    # up and down, but lower at the end than at the start
    assert verdict(9, over({1: 5.0, 2: 6.0, 3: 4.0, 4: 6.5, 5: 4.4, 6: 7.0, 7: 4.5})) == PARTLY
    assert verdict(9, over({k: float(k) for k in range(1, 8)})) == FAILS
    assert verdict(9, over({1: 5.0, 7: 4.0})) == UNTESTABLE
    assert verdict(9, over({k: 8.0 - k for k in range(1, 8)}, seeds=4)) == UNTESTABLE


def test_claim_10():
    enough = {2: 3.0, 3: 2.5, 5: 2.1, 7: 2.05, 10: 2.0}
    short = {2: 3.0, 3: 2.9, 5: 2.8, 7: 2.5, 10: 2.0}
    dip = {2: 3.0, 5: 2.0, 7: 1.0, 10: 2.0}
    flat = {2: 3.0, 5: 2.0, 7: 1.9, 10: 1.8}
    for puma, abalone, expected in (
        (enough, dip, HOLDS),
        (enough, flat, PARTLY),
        (short, dip, PARTLY),
        (short, flat, FAILS),
    ):
        inputs = made_up.Memory(sweep(puma560=puma, abalone=abalone))
        assert verdict(10, inputs) == expected
    growing = {2: 1.0, 5: 2.0, 10: 3.0}  # the smallest ensemble is the best
    assert verdict(10, made_up.Memory(sweep(puma560=growing))) == FAILS
    assert verdict(10, made_up.Memory(sweep(puma560={2: 3.0, 3: 2.0}))) == UNTESTABLE


def confidence(friedman, abalone):
    """Give methods a power by which error follows predicted sd: 0 not at all, 2 strongly."""
    inputs = main(lambda m, d: 1.0, datasets=["friedman", "abalone"])
    original = inputs.predictions

    def predictions(experiment, method, dataset, seed):
        inputs.growth = abalone if dataset == "abalone" else friedman
        inputs.widths = dict.fromkeys(made_up.METHODS, 1.0)
        return original(experiment, method, dataset, seed)

    inputs.predictions = predictions
    return inputs


def test_claim_11():
    flat = dict.fromkeys(made_up.METHODS, 0.0)
    reliable, most = {**flat, "rafs": 2.0}, {**flat, "rp": 2.0}
    assert verdict(11, confidence(reliable, most)) == HOLDS
    assert verdict(11, confidence(reliable, {**flat, "ae": 2.0})) == PARTLY
    falling = {**flat, "rafs": -1.0}
    assert verdict(11, confidence(falling, {**flat, "ae": 2.0})) == FAILS


def widths(ntkgp, rp, rafs):
    """Make up He et al. with an sd of 1 near the data and the given ones away from it."""
    inputs = main(lambda m, d: 1.0, datasets=["he"], in_sharpness=1.0)
    frame = inputs.frames["main"]
    away = frame["method"].map({"ntkgp": ntkgp, "rp": rp, "rafs": rafs})
    frame["out_sharpness"] = away + 0.01 * frame["seed"]
    return inputs


def test_claim_12():
    assert verdict(12, widths(2.0, 2.0, 3.0)) == HOLDS
    assert verdict(12, widths(4.0, 2.0, 3.0)) == PARTLY
    assert verdict(12, widths(0.5, 2.0, 3.0)) == PARTLY
    assert verdict(12, widths(0.5, 0.4, 0.3)) == FAILS


# -------------------------------------------------------------------------- all claims at once


@pytest.fixture(scope="module")
def judged():
    return claims.judge(made_up.Memory())


def test_twelve_claims_with_words_rules_and_verdicts(judged):
    assert [claim.number for claim in judged] == list(range(1, 13))
    assert len({claim.claim for claim in judged}) == 12
    assert all(claim.rule and claim.reason for claim in judged)
    assert {claim.verdict for claim in judged} <= set(claims.VERDICTS)
    content = claims.as_json(judged)
    assert sum(content["verdicts"].values()) == 12
    json.dumps(content, allow_nan=False)


@pytest.mark.parametrize("frames", [{}, made_up.experiments(seeds=2)])
def test_without_experiments_or_with_two_seeds_nothing_is_testable(frames):
    judged = claims.judge(made_up.Memory(frames))
    assert {claim.verdict for claim in judged} == {UNTESTABLE}
    json.dumps(claims.as_json(judged), allow_nan=False)


def test_lost_runs_do_not_break_a_verdict():
    """Some runs diverged, one dataset is missing, and NLL explodes to 1e300 here and there."""
    frames = made_up.experiments()
    for name, frame in frames.items():
        frame = frame.copy()
        frame.loc[frame.index % 7 == 3, ["status", "nll_paper"]] = ["diverged", math.nan]
        frame.loc[frame.index % 31 == 5, "nll_paper"] = 1e300
        missing = frame["dataset"].isin(["naval", "superconductivity"])
        frame.loc[missing, "status"] = "missing"
        frames[name] = frame
    judged = {claim.number: claim for claim in claims.judge(made_up.Memory(frames))}
    assert judged[1].numbers["datasets"] == 24
    assert judged[1].numbers["left_out"] == ["naval"]
    assert judged[4].verdict == PARTLY
    assert judged[9].verdict == UNTESTABLE
    json.dumps(claims.as_json(list(judged.values())), allow_nan=False)


def test_pairs_are_matched_by_seed_and_not_by_place():
    inputs = large(5.0, 150.0)
    frame = inputs.frames["scalability"]
    inputs.frames["scalability"] = frame[~((frame.method == "rp") & (frame.seed == 0))]
    assert verdict(7, inputs) == UNTESTABLE  # four common seeds are too few


def test_what_a_test_does_not_bear_out_is_not_shown_rather_than_denied():
    """Lower in the median, but not on enough seeds: p is said, and the word is not "no"."""
    frame = made_up.scores(
        "scalability", ["rp", "rafs"], ["superconductivity", "news"], 6,
        lambda m, d, s: 20.0 + s + (0.0 if m == "rp" else 0.9 if s == 5 else -0.1),
    )  # fmt: skip
    found = claims.judge(made_up.Memory({"scalability": frame}))[6]
    title = labels.dataset("news")
    part = f"RAFs below RP-param on {title}"
    assert found.numbers["p"][part] == pytest.approx(17 / 64, rel=1e-5)  # ranks 3, 3, 3, 3, 3, 6
    assert found.numbers["parts"][part] is False
    assert f"{part}: not shown (p = 0.27)" in found.reason
    assert f"RP-param over 100 on {title}: no" in found.reason
