"""Claim 6: random activations against one activation."""

import math

from rafs.evaluation import statistics
from rafs.reporting.judgement.differences import NATS, lower, over_datasets, share, untestable
from rafs.reporting.judgement.paper_rule import Ranks
from rafs.reporting.judgement.results import FEWEST, Results
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

OVERALL, NEARLY = "better over all datasets", "better on 80 % of the datasets"
SHARE = 0.8


def by_ranks(ranks: Ranks) -> Parts:
    """Compare the two ranks on every dataset."""
    if ranks.nll.empty:
        return [untestable(name, ranks.why) for name in (OVERALL, NEARLY)]
    rafs, anchored = ranks.nll["rafs"], ranks.nll["ae"]
    ahead, total = int((rafs < anchored).sum()), len(rafs)
    means = f"mean rank {rafs.mean():.2f} against {anchored.mean():.2f}"
    count = f"ranks above AE on {ahead} of {total}, below on {(rafs > anchored).sum()}"
    return [
        Part(OVERALL, SHOWN if rafs.mean() < anchored.mean() else NOT_SHOWN, means),
        Part(NEARLY, SHOWN if ahead >= SHARE * total else NOT_SHOWN, count, {"ahead": ahead}),
    ]


def by_tests(results: Results) -> Parts:
    """Test over datasets, and count significant wins and losses."""
    overall = over_datasets(results.main, NATS, "rafs", ["ae"])
    if not overall:
        why = results.why_incomplete() or "RAFs or AE was not run"
        return [untestable(name, why) for name in (OVERALL, NEARLY)]
    each = statistics.compare(results.main, NATS.metric, "rafs", "ae")
    each = each[(each["pairs"] >= FEWEST) & each["tellable"]]
    if each.empty:
        why = "too few seeds for a difference to be significant on a dataset"
        return [lower(OVERALL, overall[0]), untestable(NEARLY, why)]
    won = int(((each["outcome"] == "win") & (each["difference"] < -NATS.margin)).sum())
    lost = int(((each["outcome"] == "loss") & (each["difference"] > NATS.margin)).sum())
    total = len(each)
    needed = math.ceil(SHARE * total)
    outcome = SHOWN if won >= needed else CONTRADICTED if total - lost < needed else NOT_SHOWN
    medians = statistics.medians(results.main, NATS.metric).loc[list(each["dataset"])]
    lower_on = int((medians["rafs"] < medians["ae"]).sum())
    words, effect = share(lower_on, total)
    detail = (
        f"better on {won} and worse on {lost} of {total} datasets, {needed} are needed; a lower "
        f"median on {lower_on}, {words}"
    )
    numbers = {"datasets": total, "wins": won, "losses": lost, "lower": lower_on, **effect}
    return [lower(OVERALL, overall[0]), Part(NEARLY, outcome, detail, numbers)]


CLAIM = Claim(
    number=6,
    section="Discussion",
    statement="RAFs beats AE, the same method with one activation, nearly everywhere.",
    paper=RankRule(
        "RAFs has the better mean rank in NLL; it ranks above AE on 80 % of the datasets.", by_ranks
    ),
    ours=Rule(
        "Over datasets: signed-rank test of the differences. 80 % of the datasets: shown if RAFs "
        "is better on so many, contradicted if it is worse on more than the rest.",
        by_tests,
    ),
)
