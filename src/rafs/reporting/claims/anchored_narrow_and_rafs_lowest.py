"""Claim 23: AE's bands and RAFs' NLL on He et al."""

from rafs.reporting.judgement.differences import COVERED_AWAY, duels, lower_than_all
from rafs.reporting.judgement.paper_rule import WIDE, apart, cell, ours, placed
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.standings import among_first
from rafs.reporting.judgement.verdicts import Claim, Part, Parts, Rule

NARROW, LOWEST = "AE covers less than the wide methods away from data", "RAFs has the lowest NLL"


def by_paper(results: Results) -> Parts:
    """Compare intervals of coverage, and check the rank."""
    cells = [cell(results.main, rival, "he", COVERED_AWAY.source) for rival in WIDE]
    known = [found for found in cells if found is not None]
    lowest = min(known, key=lambda found: found.low) if len(known) == len(WIDE) else None
    own = cell(results.main, "ae", "he", COVERED_AWAY.source)
    why = results.lacking("main", ["ae", *WIDE], "he")
    return [apart(NARROW, own, lowest, why), _named(placed(ours(results), "rafs", ["he"], 1))]


def by_tests(results: Results) -> Parts:
    """Compare coverage and NLL seed by seed."""
    he = results.main[results.main["dataset"] == "he"]
    narrow = duels(he, COVERED_AWAY, "ae", WIDE)
    return [
        lower_than_all(NARROW, narrow, results.lacking("main", ["ae", *WIDE], "he")),
        _named(among_first(results, "rafs", ["he"], 1)),
    ]


def _named(parts: Parts) -> Part:
    (part,) = parts
    return Part(LOWEST, part.outcome, part.detail, part.numbers)


CLAIM = Claim(
    number=23,
    section="Qualitative Comparison",
    statement="On He et al., AE is narrow where no data has been observed, and RAFs achieves the "
    "lowest NLL.",
    paper=Rule(
        "Outside the training clusters AE's 95 % intervals cover less than those of NTKGP-param, "
        "RP-param and RAFs, and the intervals over seeds do not overlap; RAFs has rank 1 in NLL.",
        by_paper,
    ),
    ours=Rule(
        "AE covers less than each of the three outside the training clusters; RAFs is not worse in "
        "NLL than any rival.",
        by_tests,
    ),
)
