"""Claim 14: DE away from data in general."""

from rafs.reporting import labels
from rafs.reporting.judgement.differences import COVERED_AWAY, lower, over_datasets, untestable
from rafs.reporting.judgement.paper_rule import count_apart
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.verdicts import NOT_SHOWN, SHOWN, Claim, Part, Parts, Rule

RIVALS = labels.rivals("de")
WHY = "no dataset with rows outside the training range has enough runs"


def by_paper(results: Results) -> Parts:
    """Count the datasets on which the intervals of coverage do not overlap."""
    parts = []
    for rival in RIVALS:
        count = count_apart(results.main, "de", rival, COVERED_AWAY.source)
        total = sum(count.values())
        if not total:
            parts.append(untestable(_name(rival), results.why_incomplete() or WHY))
            continue
        detail = f"lower on {count['lower']} and higher on {count['higher']} of {total} datasets"
        outcome = SHOWN if count["lower"] > total / 2 else NOT_SHOWN
        parts.append(Part(_name(rival), outcome, detail, count))
    return parts


def by_tests(results: Results) -> Parts:
    """Test the differences in coverage over datasets."""
    found = {d.rival: d for d in over_datasets(results.main, COVERED_AWAY, "de", RIVALS)}
    why = results.why_incomplete()
    return [lower(_name(rival), found.get(rival), why) for rival in RIVALS]


def _name(rival: str) -> str:
    return f"covers less than {labels.method(rival)}"


CLAIM = Claim(
    number=14,
    section="Discussion",
    statement="DE has difficulty quantifying epistemic uncertainty in general: it is overconfident "
    "away from data.",
    paper=Rule(
        "Outside the training range DE's 95 % intervals cover less than those of each rival on "
        "most datasets, by intervals over seeds that do not overlap.",
        by_paper,
    ),
    ours=Rule(
        "Over the datasets with a known training range, DE's coverage outside it is lower than "
        "that of each rival: signed-rank test of the differences, by more than 5 percentage "
        "points. Coverage is compared with that of other methods since all are too narrow there.",
        by_tests,
    ),
)
