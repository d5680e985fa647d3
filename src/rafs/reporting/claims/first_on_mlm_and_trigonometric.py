"""Claim 3: RAFs is first on two categories of data."""

from rafs.reporting.judgement.differences import untestable
from rafs.reporting.judgement.paper_rule import Ranks, placed
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.standings import among_first, of_categories
from rafs.reporting.judgement.verdicts import Claim, Parts, RankRule, Rule

CATEGORIES = ("MLM", "T")
NAME = "first on MLM and trigonometric data"


def by_ranks(ranks: Ranks) -> Parts:
    """Check the rank on every dataset of the two categories."""
    why = ranks.why or "no MLM or trigonometric dataset has enough runs"
    return placed(ranks, "rafs", ranks.within(CATEGORIES), 1) or [untestable(NAME, why)]


def by_tests(results: Results) -> Parts:
    """Find rivals that are ahead on a dataset of the two categories."""
    why = results.why_incomplete()
    names = of_categories(results, *CATEGORIES)
    if why or not names:
        return [untestable(NAME, why or "no MLM or trigonometric dataset was run")]
    return among_first(results, "rafs", names, 1)


CLAIM = Claim(
    number=3,
    section="Discussion",
    statement="RAFs holds the highest NLL rank on all MLM and trigonometric data.",
    paper=RankRule(
        "On every dataset of the two categories RAFs has rank 1 in NLL.", by_ranks, "datasets"
    ),
    ours=Rule(
        "On every dataset of the two categories: shown if RAFs is not worse than any rival; "
        "contradicted if it is behind one.",
        by_tests,
        "datasets",
    ),
)
