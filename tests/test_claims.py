"""Verdicts, all claims at once, and what must not break a verdict."""

import json
import math
from dataclasses import replace

import pandas as pd
import pytest

import made_up
from judging import ALL, apart, judged, kinds, large, rank_of
from rafs.errors import DataError
from rafs.pipeline import provenance
from rafs.reporting import catalogue, claims
from rafs.reporting.claims import CONTRADICTED, HOLDS, IN_PART, NOT_SHOWN, UNTESTABLE
from rafs.reporting.judgement.differences import NATS, Difference, Scale, lower, not_higher
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.verdicts import SHOWN, Part, Rule, conclude

# ----------------------------------------------------------------------------------- verdicts


@pytest.mark.parametrize(
    ("outcomes", "kind", "text"),
    [
        ([SHOWN, SHOWN], HOLDS, "holds"),
        ([SHOWN, NOT_SHOWN, NOT_SHOWN], IN_PART, "1 of 3 parts"),
        ([SHOWN, CONTRADICTED], IN_PART, "1 of 2 parts, 1 contradicted"),
        ([SHOWN, UNTESTABLE], IN_PART, "1 of 2 parts, 1 not testable"),
        ([NOT_SHOWN, NOT_SHOWN], NOT_SHOWN, "not shown"),
        ([NOT_SHOWN, UNTESTABLE], NOT_SHOWN, "not shown"),
        ([CONTRADICTED, CONTRADICTED], CONTRADICTED, "contradicted"),
        ([CONTRADICTED, NOT_SHOWN], CONTRADICTED, "1 of 2 parts contradicted"),
        ([UNTESTABLE, UNTESTABLE], UNTESTABLE, "not testable"),
    ],
)
def test_the_verdict_counts_parts(outcomes, kind, text):
    parts = [Part(f"part {k}", outcome, f"why {k}") for k, outcome in enumerate(outcomes)]
    found = conclude(Rule("r", lambda results: parts), parts)
    assert (found.kind, found.text) == (kind, text)
    assert all(f"part {k}" in found.reason for k in range(len(parts)))


def difference(value, low, high, p, tellable=True, scale=NATS):
    return Difference("rafs", "ae", "he", value, low, high, p, 10, tellable, scale)


@pytest.mark.parametrize(
    ("found", "is_lower", "is_not_higher"),
    [
        (difference(-0.5, -0.6, -0.4, 0.01), SHOWN, SHOWN),
        (difference(-0.04, -0.05, -0.03, 0.001), NOT_SHOWN, SHOWN),  # significant, but tiny
        (difference(0.004, 0.001, 0.006, 0.01), NOT_SHOWN, SHOWN),  # tiny on the other side
        (difference(0.05, -0.3, 0.4, 0.6), NOT_SHOWN, NOT_SHOWN),  # nothing is known
        (difference(0.5, 0.4, 0.6, 0.01), CONTRADICTED, CONTRADICTED),
        (difference(-0.5, -0.6, -0.4, 0.01, tellable=False), UNTESTABLE, UNTESTABLE),
        (difference(-math.inf, math.nan, math.nan, 0.01), SHOWN, SHOWN),  # the rival diverged
    ],
)
def test_a_difference_must_be_significant_and_matter(found, is_lower, is_not_higher):
    assert lower("x", found).outcome == is_lower
    assert not_higher("x", [found]).outcome == is_not_higher


def test_differences_are_said_with_intervals_and_ratios_as_ratios():
    assert difference(-0.04, -0.05, -0.03, 0.001).said() == (
        "−0.040 nats [−0.050, −0.030], p = 0.001, practically equal"
    )
    ratio = difference(math.log(1.2), 0.1, math.inf, 0.01, scale=Scale("log_rmse", 0.05))
    assert ratio.said().startswith("ratio 1.20 [1.11, ")


# -------------------------------------------------------------------------- all claims at once


@pytest.fixture(scope="module")
def everything():
    return claims.judge(made_up.Memory())


def test_claims_are_numbered_and_have_words_rules_and_verdicts(everything):
    assert sorted(ALL) == list(range(1, len(claims.names()) + 1))
    assert len({claim.statement for claim in ALL.values()}) == len(ALL) == 25
    assert all(claim.paper.text and claim.ours.text for claim in ALL.values())
    assert all(one.paper.reason and one.ours.reason for one in everything)
    content = claims.as_json(everything)
    for rule in ("paper", "ours"):
        assert sum(content["verdicts"][rule].values()) == len(ALL)
        assert {one[rule]["kind"] for one in content["claims"]} <= set(claims.KINDS)
    json.dumps(content, allow_nan=False)


def test_the_printed_ranks_bear_out_what_the_text_reads_off_them(everything):
    """READING of Table 3: rank 1 on 18 with ties, 8 alone; never below second; MLM and T first."""
    printed = {one.claim.number: one.printed for one in everything}
    assert printed[1].parts[0].numbers == {"datasets": 25, "first": 18, "alone": 8}
    assert {printed[number].kind for number in (1, 2, 3, 4, 6, 13, 17, 19)} == {HOLDS}
    assert printed[9] is None


def test_effects_have_intervals(everything):
    """Every part that was tested, of every claim, says how large the effect is."""
    for one in everything:
        for part in one.ours.parts:
            if part.outcome == UNTESTABLE:
                continue
            effects = [part.numbers, *part.numbers.values()]
            assert any(isinstance(e, dict) and {"low", "high"} <= set(e) for e in effects), part
            assert "[" in part.detail, part


@pytest.mark.parametrize("frames", [{}, made_up.experiments(2, ("he", "naval", "abalone"))])
def test_without_experiments_or_with_two_seeds_nothing_is_testable(frames):
    found = claims.judge(made_up.Memory(frames))
    assert {one.paper.kind for one in found} == {UNTESTABLE}
    assert {one.ours.kind for one in found} == {UNTESTABLE}
    assert all(part.detail for one in found for part in (*one.paper.parts, *one.ours.parts))
    json.dumps(claims.as_json(found), allow_nan=False)


def test_with_six_seeds_intervals_are_judged_and_tests_are_not_pretended():
    found = claims.judge(made_up.Memory(made_up.experiments(6)))
    assert HOLDS in {one.paper.kind for one in found}
    assert found[2].ours.kind == UNTESTABLE  # Holm over five rivals takes eight seeds
    json.dumps(claims.as_json(found), allow_nan=False)


def test_lost_runs_do_not_break_a_verdict():
    """Some runs diverged, two datasets are missing, and NLL explodes to 1e300 here and there."""
    frames = made_up.experiments()
    for name, frame in frames.items():
        frame = frame.copy()
        frame.loc[frame.index % 7 == 3, ["status", "nll_paper"]] = ["diverged", math.nan]
        frame.loc[frame.index % 31 == 5, "nll_paper"] = 1e300
        missing = frame["dataset"].isin(["naval", "superconductivity"])
        frame.loc[missing, "status"] = "missing"
        frames[name] = frame
    all_found = claims.judge(made_up.Memory(frames))
    found = {one.claim.number: one.ours for one in all_found}
    assert found[1].parts[0].numbers["datasets"] == 24
    assert found[4].parts[0].detail == "the data of Naval propulsion could not be obtained"
    assert found[9].kind == UNTESTABLE
    json.dumps(claims.as_json(all_found), allow_nan=False)


def test_pairs_are_matched_by_seed_and_not_by_place():
    inputs = large(5.0, 150.0)
    frame = inputs.frames["scalability"]
    inputs.frames["scalability"] = frame[~((frame.method == "rp") & (frame.seed == 0))]
    found = judged(7, inputs)[1].parts[0]
    assert found.outcome == UNTESTABLE
    assert "5 seeds, at least 6 are needed" in found.detail


def test_own_datasets_and_further_methods_play_no_part():
    inputs = apart(rank_of(lambda d: 1))
    frame = inputs.frames["main"]
    strange = frame[frame.method == "rafs"].assign(method="de_nll", nll_paper=-99.0)
    own = frame[frame.dataset == "he"].assign(dataset="mine", category="own", nll_paper=-99.0)
    inputs.frames["main"] = pd.concat([frame, strange, own], ignore_index=True)
    assert [v.text for v in judged(1, inputs)] == ["holds", "holds"]


# ------------------------------------------------------------------------------ the package


def test_predictions_are_declared():
    declared = {name for claim in ALL.values() for name in claim.predictions}
    assert not ALL[1].predictions
    assert set(catalogue.claimed_predictions()) == declared == {"friedman", "abalone"}


def test_experiments_that_are_read_are_declared(everything):
    """A claim without the experiments that it declares cannot be tested, and needs no others."""
    frames = made_up.experiments()
    for one in everything:
        number, reads = one.claim.number, one.claim.reads
        without = {name: frame for name, frame in frames.items() if name not in reads}
        assert kinds(number, made_up.Memory(without)) == (UNTESTABLE, UNTESTABLE), number
        alone = judged(number, made_up.Memory({name: frames[name] for name in reads}))
        assert [verdict.reason for verdict in alone] == [one.paper.reason, one.ours.reason]


@pytest.mark.parametrize(
    ("number", "other", "problem"),
    [
        (7, {"reads": ("main",)}, "reads the experiment scalability; declare it in its `reads`"),
        (1, {"reads": ("scalability",)}, "reads the experiment main; declare it in its `reads`"),
        (11, {"predictions": ("abalone",)}, "reads predictions on friedman; declare the dataset"),
    ],
)
def test_what_is_not_declared_cannot_be_read(number, other, problem):
    claim = replace(ALL[number], **other)
    results = Results(made_up.Memory(), claim.reads, claim.predictions)
    with pytest.raises(DataError, match=problem):
        claims.judge_one(claim, results)


def test_the_code_of_every_claim_belongs_to_the_job():
    digests, _ = provenance.closure(["rafs.pipeline.jobs.claims"])
    assert {f"rafs.reporting.claims.{name}" for name in claims.names()} <= set(digests)
    assert "rafs.reporting.judgement.confidence" in digests
