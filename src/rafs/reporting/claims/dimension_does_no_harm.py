"""Claim 24: the number of features."""

from collections.abc import Iterable

from rafs.datasets.core import SYNTHETIC
from rafs.reporting.judgement.differences import untestable
from rafs.reporting.judgement.paper_rule import Ranks, dimension
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.standings import contrast, of_categories
from rafs.reporting.judgement.verdicts import NOT_SHOWN, SHOWN, Claim, Part, Parts, RankRule, Rule

NLL, RMSE = "NLL rank not worse with six to ten features", "RMSE rank worse with six to ten"


def by_ranks(ranks: Ranks) -> Parts:
    """Compare mean ranks on datasets of many and of few features."""
    many, few = split(ranks.within(SYNTHETIC))
    if not many or not few:
        return [
            untestable(name, ranks.why or "no low or no high dimension") for name in (NLL, RMSE)
        ]
    parts = []
    for name, table, worse in ((NLL, ranks.nll, False), (RMSE, ranks.rmse, True)):
        high, low = (table["rafs"].reindex(names).mean() for names in (many, few))
        outcome = SHOWN if (high > low) == worse else NOT_SHOWN
        detail = f"mean rank {high:.2f} against {low:.2f} with one to five"
        parts.append(Part(name, outcome, detail))
    return parts


def by_tests(results: Results) -> Parts:
    """Test the same differences over datasets."""
    many, few = split(of_categories(results, *SYNTHETIC))
    return [
        contrast(NLL, results, "rafs", many, few, expect="not worse"),
        contrast(RMSE, results, "rafs", many, few, metric="rmse", expect="worse"),
    ]


def split(names: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the datasets with six features or more, and the others."""
    known = list(names)
    many = [name for name in known if dimension(name) > 5]
    return many, [name for name in known if name not in many]


CLAIM = Claim(
    number=24,
    section="Discussion, Conclusions",
    statement="Dimensionality does not affect RAFs negatively, except that its RMSE is less "
    "prominent in higher dimensions.",
    paper=RankRule(
        "On synthetic data with six to ten features RAFs' mean rank in NLL is no worse, and that "
        "in RMSE worse, than with one to five.",
        by_ranks,
    ),
    ours=Rule(
        "The same by permutation tests over datasets; NLL: shown if the interval of the difference "
        "in mean rank ends below half a rank.",
        by_tests,
    ),
)
