"""Claim 10: the number of members."""

from rafs.reporting.judgement.differences import lower_than_all, not_higher, untestable
from rafs.reporting.judgement.paper_rule import cell
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.sweeps import Sweep, sweep
from rafs.reporting.judgement.verdicts import (
    CONTRADICTED,
    NOT_SHOWN,
    SHOWN,
    Claim,
    Part,
    Parts,
    Rule,
)

EXPERIMENT = "ensemble_size"
ENOUGH, DIP = "five suffice on PUMA560", "a trough at seven on Abalone"


def by_paper(results: Results) -> Parts:
    """Compare intervals: larger ensembles with five members, the neighbours of seven with seven."""
    puma, abalone = (sweep(results, EXPERIMENT, name) for name in ("puma560", "abalone"))
    larger = [size for size in puma.values if size > 5]
    beside = neighbours(abalone)
    enough = untestable(ENOUGH, _no_five(puma))
    if 5 in puma.names and larger:
        ahead = [size for size in larger if _below(puma, size, 5)]
        sizes = ", ".join(f"{size:g}" for size in ahead)
        detail = f"lower with {sizes} networks" if ahead else "no larger ensemble lies below"
        enough = Part(ENOUGH, CONTRADICTED if ahead else SHOWN, detail, _medians(puma))
    dip = untestable(DIP, abalone.why or "seven, a smaller and a larger size are needed")
    if beside:
        shown = all(_below(abalone, 7, size) for size in beside)
        against = any(_below(abalone, size, 7) for size in beside)
        outcome = SHOWN if shown else CONTRADICTED if against else NOT_SHOWN
        sizes = " and ".join(f"{size:g}" for size in beside)
        dip = Part(DIP, outcome, f"against {sizes} networks", _medians(abalone))
    return [enough, dip]


def by_tests(results: Results) -> Parts:
    """Compare five with larger ensembles, and seven with its neighbours, seed by seed."""
    puma, abalone = (sweep(results, EXPERIMENT, name) for name in ("puma560", "abalone"))
    larger = [size for size in puma.values if size > 5]
    why = "" if 5 in puma.names and larger else _no_five(puma)
    beside = neighbours(abalone)
    no_seven = abalone.why or ("" if beside else "seven, a smaller and a larger size are needed")
    return [
        not_higher(ENOUGH, puma.against(5, larger), why),
        lower_than_all(DIP, abalone.against(7, beside), no_seven),
    ]


def neighbours(found: Sweep) -> list[float]:
    """Return the sizes just below and above seven, or none if one of them is missing."""
    if 7 not in found.values[1:-1]:
        return []
    at = found.values.index(7)
    return [found.values[at - 1], found.values[at + 1]]


def _no_five(puma: Sweep) -> str:
    return puma.why or "five networks and a larger ensemble are needed"


def _below(found: Sweep, size: float, other: float) -> bool:
    """Say whether the interval at one size lies below that at another."""
    a, b = (cell(found.frame, found.names[s], found.dataset) for s in (size, other))
    return a is not None and b is not None and a.high < b.low


def _medians(found: Sweep) -> dict[str, float]:
    cells = {s: cell(found.frame, name, found.dataset) for s, name in found.names.items()}
    return {f"{size:g}": known.median for size, known in cells.items() if known is not None}


CLAIM = Claim(
    number=10,
    section="Ablation",
    statement="Five networks are optimal as a trade-off (PUMA560); on Abalone NLL has a steep "
    "trough at seven.",
    paper=Rule(
        "PUMA560: the interval of no larger ensemble lies below that of five. Abalone: the "
        "interval at seven lies below those at the next smaller and the next larger size.",
        by_paper,
    ),
    ours=Rule(
        "PUMA560: five networks are not worse than any larger ensemble. Abalone: seven are better "
        "than the next smaller and the next larger size, by more than the margin.",
        by_tests,
    ),
    reads=(EXPERIMENT,),
)
