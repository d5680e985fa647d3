"""Claim 20: many local minima and interaction effects."""

from rafs.reporting.judgement.paper_rule import Ranks, mean_rank
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.standings import group, of_categories
from rafs.reporting.judgement.verdicts import Claim, Parts, RankRule, Rule

STATEMENTS = (
    ("DE struggles on MLM data", "de", "MLM", True),
    ("RP-param underperforms on “others”", "rp", "O", True),
    ("RAFs excels on MLM data", "rafs", "MLM", False),
    ("RAFs excels on “others”", "rafs", "O", False),
)
"""Name, method, category, and whether it is a weakness."""


def by_ranks(ranks: Ranks) -> Parts:
    """Compare mean ranks."""
    return [
        mean_rank(name, ranks, method, ranks.within([category]), low)
        for name, method, category, low in STATEMENTS
    ]


def by_tests(results: Results) -> Parts:
    """Count duels."""
    return [
        group(name, results, method, of_categories(results, category), low)
        for name, method, category, low in STATEMENTS
    ]


CLAIM = Claim(
    number=20,
    section="Discussion",
    statement="DE struggles with high multimodality, RP-param with interaction effects (category "
    "“others”); RAFs excels in both.",
    paper=RankRule(
        "The mean rank in NLL in the category is worse (DE, RP-param) or better (RAFs) than that "
        "of all six methods.",
        by_ranks,
    ),
    ours=Rule(
        "The method loses (DE, RP-param) or wins (RAFs) more than half of its duels in the "
        "category; contradicted by the opposite.",
        by_tests,
    ),
)
