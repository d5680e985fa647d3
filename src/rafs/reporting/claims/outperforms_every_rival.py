"""Claim 1: RAFs is the best method on more than half of the datasets."""

import math

from rafs.evaluation import statistics
from rafs.reporting.judgement.differences import NATS, share, untestable
from rafs.reporting.judgement.paper_rule import Ranks
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.standings import places
from rafs.reporting.judgement.verdicts import (
    CONTRADICTED,
    NOT_SHOWN,
    SHOWN,
    Claim,
    Part,
    Parts,
    RankRule,
    Rule,
)

NAME = "best on 13 of 25 datasets"
SHARE = 13 / 25
FEWEST_DATASETS = 13


def by_ranks(ranks: Ranks) -> Parts:
    """Count the datasets on which RAFs has rank 1."""
    total = len(ranks.nll)
    if total < FEWEST_DATASETS:
        return [untestable(NAME, ranks.why or _few(total))]
    first = ranks.nll["rafs"] == 1
    alone = int((first & (ranks.nll.eq(1).sum(axis=1) == 1)).sum())
    outcome = SHOWN if first.sum() >= SHARE * total else CONTRADICTED
    detail = f"rank 1 on {first.sum()} of {total} datasets, alone on {alone}"
    numbers = {"datasets": total, "first": int(first.sum()), "alone": alone}
    return [Part(NAME, outcome, detail, numbers)]


def by_tests(results: Results) -> Parts:
    """Bound the number of datasets on which RAFs is the best, using its duels."""
    found = places(results, "rafs").values()
    total = len(found)
    if total < FEWEST_DATASETS:
        return [untestable(NAME, results.why_incomplete() or _few(total))]
    alone = sum(place.wins == len(place.duels) for place in found)
    unbeaten = sum(place.ahead == 0 for place in found)
    needed = math.ceil(SHARE * total)
    outcome = SHOWN if alone >= needed else CONTRADICTED if unbeaten < needed else NOT_SHOWN
    lowest = _lowest(results, [place.dataset for place in found])
    words, effect = share(lowest, total)
    detail = (
        f"better than every rival on {alone} of {total} datasets, behind none on {unbeaten}, "
        f"{needed} are claimed; the lowest median on {lowest}, {words}"
    )
    numbers = {"datasets": total, "alone": alone, "unbeaten": unbeaten, "needed": needed}
    return [Part(NAME, outcome, detail, {**numbers, "lowest": lowest, **effect})]


def _lowest(results: Results, names: list[str]) -> int:
    """Count the datasets on which RAFs has the lowest median over seeds, ties included."""
    medians = statistics.medians(results.complete, NATS.metric).loc[names]
    return int((medians["rafs"] == medians.min(axis=1)).sum())


def _few(total: int) -> str:
    return f"{total} datasets have enough runs, at least {FEWEST_DATASETS} of the 25 are needed"


CLAIM = Claim(
    number=1,
    section="Discussion",
    statement="RAFs outperforms every other method on 13 of 25 datasets.",
    paper=RankRule("RAFs has rank 1 in NLL, ties included, on 13/25 of the datasets.", by_ranks),
    ours=Rule(
        "Shown if RAFs is better than every rival on 13/25 of the datasets; contradicted if it is "
        "behind some rival on so many that this is impossible.",
        by_tests,
    ),
)
