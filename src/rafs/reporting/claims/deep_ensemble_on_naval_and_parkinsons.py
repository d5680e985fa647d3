"""Claim 4: DE is first on two real datasets and weak on synthetic data."""

from dataclasses import replace

from rafs.datasets.core import SYNTHETIC
from rafs.reporting.judgement.paper_rule import Ranks, mean_rank, placed
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.standings import among_first, group, of_categories
from rafs.reporting.judgement.verdicts import Claim, Parts, RankRule, Rule

FIRST = ("naval", "parkinsons")
ELSEWHERE = "weak on synthetic data"


def by_ranks(ranks: Ranks) -> Parts:
    """Check the two ranks, and the mean rank on synthetic data."""
    first = _named(placed(ranks, "de", FIRST, 1))
    return [*first, mean_rank(ELSEWHERE, ranks, "de", ranks.within(SYNTHETIC), low=True)]


def by_tests(results: Results) -> Parts:
    """Find rivals that are ahead of DE, and count its duels on synthetic data."""
    first = _named(among_first(results, "de", FIRST, 1))
    synthetic = of_categories(results, *SYNTHETIC)
    return [*first, group(ELSEWHERE, results, "de", synthetic, low=True)]


def _named(parts: Parts) -> Parts:
    return [replace(part, name=f"first on {part.name}") for part in parts]


CLAIM = Claim(
    number=4,
    section="Discussion",
    statement="DE takes first place in NLL on Naval propulsion and Parkinson's, and usually has "
    "a very low NLL rank on the other categories of data.",
    paper=RankRule(
        "DE has rank 1 in NLL on each of the two; its mean rank on the synthetic datasets is worse "
        "than that of all six methods.",
        by_ranks,
    ),
    ours=Rule(
        "On each of the two: shown if DE is not worse than any rival, contradicted if it is behind "
        "one. Synthetic data: shown if DE loses more than half of its duels, contradicted if it "
        "wins more than half.",
        by_tests,
    ),
)
