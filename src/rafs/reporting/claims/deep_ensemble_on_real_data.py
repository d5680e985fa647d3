"""Claim 13: DE on real-world data."""

from rafs.reporting.judgement.paper_rule import Ranks, mean_rank
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.standings import group, of_categories
from rafs.reporting.judgement.verdicts import Claim, Parts, RankRule, Rule

NAME = "DE does well on real-world data"


def by_ranks(ranks: Ranks) -> Parts:
    """Compare mean ranks."""
    return [mean_rank(NAME, ranks, "de", ranks.within(["real"]))]


def by_tests(results: Results) -> Parts:
    """Count duels."""
    return [group(NAME, results, "de", of_categories(results, "real"))]


CLAIM = Claim(
    number=13,
    section="Discussion",
    statement="DE has good uncertainty estimates in NLL on the real-world datasets.",
    paper=RankRule("DE's mean rank in NLL is better than that of all six methods.", by_ranks),
    ours=Rule(
        "Shown if DE wins more than half of its duels on real-world data, contradicted if it loses "
        "more than half.",
        by_tests,
    ),
)
