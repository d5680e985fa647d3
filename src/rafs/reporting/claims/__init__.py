"""The paper's claims: one module each, discovered automatically, and judged by two rules.

A module holds `CLAIM`, a `rafs.reporting.judgement.verdicts.Claim`: the statement, the paper's own
rule, our tests, and the experiments it reads. A claim that reads predictions names their datasets
in a literal `PREDICTIONS`, which `rafs.reporting.catalogue` finds without importing the module.
Reading anything else is an error. NLL is without the constant, as in the paper.
"""

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rafs.reporting.judgement.verdicts import (
    CONTRADICTED,
    HOLDS,
    IN_PART,
    KINDS,
    NOT_SHOWN,
    UNTESTABLE,
    Claim,
    Judged,
    RankRule,
    as_dict,
    conclude,
)

if TYPE_CHECKING:
    from rafs.reporting.inputs import Inputs
    from rafs.reporting.judgement.results import Results

__all__ = [
    "CONTRADICTED",
    "HOLDS",
    "IN_PART",
    "KINDS",
    "NOT_SHOWN",
    "UNTESTABLE",
    "WORDS",
    "Claim",
    "Judged",
    "as_json",
    "claims",
    "judge",
    "judge_one",
    "names",
    "tally",
]

WORDS = {
    "shown, not shown, contradicted": "A part of a claim is shown if the test says so, "
    "contradicted if the test says the opposite, and not shown otherwise. A claim holds if all of "
    "its parts are shown.",
    "better, behind": "Significantly (p < 0.05, corrected over the rivals) and by more than the "
    "margin of practical equivalence: 0.1 nats in NLL, which is what a predicted sd 1.4 times too "
    "large costs; 5 % in RMSE and in widths; 5 percentage points in coverage.",
    "not worse": "The 95 % interval of the difference ends below that margin.",
    "duel": "The comparison of two methods on one dataset, paired over seeds.",
    "probability of improvement": "The probability of a lower score than a rival's on the same "
    "seed, the mean over rivals and datasets; its 95 % interval is over the datasets.",
    "share": "Of the datasets, with its exact 95 % interval.",
    "paper's rule": "Methods tie where their 95 % intervals overlap. The paper's intervals are "
    "over the test points of one run; here intervals over seeds stand in for them.",
    "printed": "The paper's rule on the ranks that the paper prints in its Table 3.",
}
"""What the rules mean by their words."""


def names() -> list[str]:
    """Return the names of the modules that hold a claim."""
    return sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))


def claims() -> list[Claim]:
    """Return all claims in the order of their numbers."""
    return sorted(_declared(), key=lambda claim: claim.number)


def _declared() -> Iterator[Claim]:
    """Yield every claim with the predictions that its module declares."""
    for name in names():
        module = importlib.import_module(f"{__name__}.{name}")
        yield replace(module.CLAIM, predictions=getattr(module, "PREDICTIONS", ()))


def judge(inputs: "Inputs") -> list[Judged]:
    """Judge all claims on the available results, each on those that it declares to read."""
    from rafs.reporting.judgement.results import Results

    @cache
    def declared(reads: tuple[str, ...], predictions: tuple[str, ...]) -> Results:
        return Results(inputs, reads, predictions)

    return [judge_one(claim, declared(claim.reads, claim.predictions)) for claim in claims()]


def judge_one(claim: Claim, results: "Results") -> Judged:
    """Judge a claim by the paper's rule, on our runs and on its printed ranks, and by our tests."""
    from rafs.reporting.judgement import paper_rule

    rule, on_print = claim.paper, None
    if isinstance(rule, RankRule):
        paper = conclude(rule, rule.decide(paper_rule.ours(results)))
        on_print = conclude(rule, rule.decide(paper_rule.printed()))
    else:
        paper = conclude(rule, rule.decide(results))
    ours = conclude(claim.ours, claim.ours.decide(results))
    return Judged(claim, paper, ours, on_print)


def as_json(judged: Sequence[Judged]) -> dict[str, Any]:
    """Return the content of claims.json; `verdict` and `kind` are those of our tests."""
    entries = [
        {
            "number": one.claim.number,
            "section": one.claim.section,
            "claim": one.claim.statement,
            "verdict": one.ours.text,
            "kind": one.ours.kind,
            "paper": as_dict(one.paper),
            "ours": as_dict(one.ours),
            "printed": as_dict(one.printed) if one.printed else None,
        }
        for one in judged
    ]
    return {"claims": entries, "words": WORDS, "verdicts": tally(judged)}


def tally(judged: Sequence[Judged]) -> dict[str, dict[str, int]]:
    """Count the kinds of verdict by the paper's rule and by our tests."""
    return {
        "paper": {kind: sum(one.paper.kind == kind for one in judged) for kind in KINDS},
        "ours": {kind: sum(one.ours.kind == kind for one in judged) for kind in KINDS},
    }
