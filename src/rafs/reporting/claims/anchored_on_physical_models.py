"""Claim 15: AE on physical models and on real data."""

from rafs.reporting.judgement.paper_rule import Ranks, mean_rank
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.standings import group, of_categories
from rafs.reporting.judgement.verdicts import Claim, Parts, RankRule, Rule

WELL, WEAK = "AE does well on physical models", "AE is inferior on real-world data"


def by_ranks(ranks: Ranks) -> Parts:
    """Compare mean ranks."""
    return [
        mean_rank(WELL, ranks, "ae", ranks.within(["PM"])),
        mean_rank(WEAK, ranks, "ae", ranks.within(["real"]), low=True),
    ]


def by_tests(results: Results) -> Parts:
    """Count duels."""
    return [
        group(WELL, results, "ae", of_categories(results, "PM")),
        group(WEAK, results, "ae", of_categories(results, "real"), low=True),
    ]


CLAIM = Claim(
    number=15,
    section="Discussion",
    statement="AE performs well on physical models, and is inferior on real-world data.",
    paper=RankRule(
        "AE's mean rank in NLL is better than that of all six methods on physical models, and "
        "worse on real-world data.",
        by_ranks,
    ),
    ours=Rule(
        "AE wins more than half of its duels on physical models, and loses more than half on "
        "real-world data; contradicted by the opposite.",
        by_tests,
    ),
)
