"""Claim 21: more members on PUMA560."""

from rafs.reporting.judgement.differences import Difference, few, untestable
from rafs.reporting.judgement.paper_rule import cell
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.sweeps import sweep
from rafs.reporting.judgement.verdicts import (
    CONTRADICTED,
    NOT_SHOWN,
    SHOWN,
    Claim,
    Part,
    Parts,
    Rule,
)

EXPERIMENT, DATASET = "ensemble_size", "puma560"


def by_paper(results: Results) -> Parts:
    """Compare the interval of every size with that of the size before."""
    found = sweep(results, EXPERIMENT, DATASET)
    parts = []
    for before, size in zip(found.values, found.values[1:], strict=False):
        a, b = (cell(found.frame, found.names[s], DATASET) for s in (before, size))
        if a is None or b is None:
            continue
        outcome = CONTRADICTED if a.high < b.low else SHOWN
        detail = f"{a.said()} to {b.said()}"
        parts.append(Part(_step(before, size), outcome, detail, {"to": b.numbers()}))
    return parts or [untestable("larger ensembles", found.why)]


def by_tests(results: Results) -> Parts:
    """Compare every size with the size before, seed by seed."""
    found = sweep(results, EXPERIMENT, DATASET)
    parts = []
    for before, size in zip(found.values, found.values[1:], strict=False):
        (difference,) = found.against(size, [before])
        parts.append(_no_harm(_step(before, size), difference))
    return parts or [untestable("larger ensembles", found.why)]


def _no_harm(name: str, difference: Difference) -> Part:
    if not difference.tellable:
        return untestable(name, few(difference))
    outcome = SHOWN if difference.not_worse else CONTRADICTED if difference.worse else NOT_SHOWN
    return Part(name, outcome, difference.said(), difference.numbers())


def _step(before: float, size: float) -> str:
    return f"from {before:g} to {size:g}"


CLAIM = Claim(
    number=21,
    section="Ablation",
    statement="On PUMA560, RAFs is not impacted negatively by the number of networks.",
    paper=Rule(
        "On no step to the next larger ensemble does the interval of NLL move up without overlap. "
        "Members six and seven bring in the error function and the linear activation.",
        by_paper,
    ),
    ours=Rule(
        "On every step to the next larger ensemble NLL is not worse; contradicted where it is "
        "significantly higher by more than the margin.",
        by_tests,
    ),
    reads=(EXPERIMENT,),
)
