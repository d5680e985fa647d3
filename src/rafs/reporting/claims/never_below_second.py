"""Claim 2: RAFs is first or second everywhere."""

from rafs.datasets.core import SYNTHETIC
from rafs.reporting.judgement.differences import untestable
from rafs.reporting.judgement.paper_rule import Ranks, placed
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.standings import among_first, of_categories
from rafs.reporting.judgement.verdicts import Claim, Parts, RankRule, Rule

ALL = (*SYNTHETIC, "real")


def by_ranks(ranks: Ranks) -> Parts:
    """Check the rank on every dataset."""
    names = ranks.within(ALL)
    return placed(ranks, "rafs", names, 2) or [untestable("all datasets", ranks.why)]


def by_tests(results: Results) -> Parts:
    """Count the rivals that are ahead on every dataset."""
    names = of_categories(results, *ALL)
    why = results.why_incomplete()
    return [untestable("all datasets", why)] if why else among_first(results, "rafs", names, 2)


CLAIM = Claim(
    number=2,
    section="Discussion",
    statement="In NLL, RAFs does not rank below second on any dataset.",
    paper=RankRule("On every dataset RAFs has rank 1 or 2 in NLL.", by_ranks, "datasets"),
    ours=Rule(
        "On every dataset: shown if RAFs is not worse than all rivals but one; contradicted if it "
        "is behind two or more.",
        by_tests,
        "datasets",
    ),
)
