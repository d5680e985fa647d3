"""Claim 19: RAFs on real-world data."""

from rafs.datasets.core import SYNTHETIC
from rafs.reporting.judgement.paper_rule import Ranks, extreme_category
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.standings import contrast, of_categories
from rafs.reporting.judgement.verdicts import Claim, Parts, RankRule, Rule

NAME = "RAFs ranks worst on real-world data"


def by_ranks(ranks: Ranks) -> Parts:
    """Compare mean ranks by category."""
    return [extreme_category(NAME, ranks, "rafs", "real", worst=True)]


def by_tests(results: Results) -> Parts:
    """Compare ranks on real-world data with those elsewhere."""
    real = of_categories(results, "real")
    others = of_categories(results, *SYNTHETIC)
    return [contrast(NAME, results, "rafs", real, others, expect="worse")]


CLAIM = Claim(
    number=19,
    section="Discussion",
    statement="Among all categories, the real-world datasets are least favoured by RAFs.",
    paper=RankRule("RAFs has its worst mean rank in NLL on real-world data.", by_ranks),
    ours=Rule(
        "RAFs' ranks on real-world data are worse than those on synthetic data: permutation test "
        "over datasets.",
        by_tests,
    ),
)
