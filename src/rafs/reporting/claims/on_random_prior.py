"""Claim 8: random activations on RP-param."""

import pandas as pd

from rafs.reporting.judgement.differences import NATS, duels, lower
from rafs.reporting.judgement.paper_rule import above, apart, cell
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.verdicts import Claim, Part, Parts, Rule

DATASET = "parkinsons"
FALLS, OVER = "lower with random activations", "over 100 without them"


def by_paper(results: Results) -> Parts:
    """Compare the intervals with and without random activations."""
    frame = _runs(results)
    mixed, plain = (cell(frame, method, DATASET) for method in ("rp+rafs", "rp"))
    return [apart(FALLS, mixed, plain, _why(results)), _over(results)]


def by_tests(results: Results) -> Parts:
    """Compare seed by seed."""
    found = duels(_runs(results), NATS, "rp+rafs", ["rp"])
    return [lower(FALLS, found[0] if found else None, _why(results)), _over(results)]


def _runs(results: Results) -> pd.DataFrame:
    plain = results.runs("main", ["rp"], [DATASET])
    mixed = results.runs("rafs_on", ["rp+rafs"], [DATASET])
    return pd.concat([frame for frame in (plain, mixed) if len(frame)] or [plain])


def _over(results: Results) -> Part:
    why = results.lacking("main", ["rp"], DATASET)
    return above(OVER, cell(results.runs(), "rp", DATASET), 100.0, why)


def _why(results: Results) -> str:
    without = results.lacking("main", ["rp"], DATASET)
    return without or results.lacking("rafs_on", ["rp+rafs"], DATASET)


CLAIM = Claim(
    number=8,
    section="Ablation",
    statement="RAFs on top of RP-param takes the NLL on Parkinson's from over 100 to 48.66.",
    paper=Rule(
        "The interval of RP-param with random activations lies below that without; that without "
        "lies above 100.",
        by_paper,
    ),
    ours=Rule(
        "RP-param is better with random activations than without, by a paired test and by more "
        "than the margin; the interval of RP-param lies above 100.",
        by_tests,
    ),
    reads=("main", "rafs_on"),
)
