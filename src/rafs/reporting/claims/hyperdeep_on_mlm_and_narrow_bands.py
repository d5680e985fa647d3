"""Claim 5: HDE does well on many local minima; DE and HDE are too narrow away from data."""

from rafs.datasets.core import SYNTHETIC
from rafs.reporting import labels
from rafs.reporting.judgement.differences import COVERED_AWAY, duels, lower_than_all
from rafs.reporting.judgement.paper_rule import WIDE, apart, cell, mean_rank, ours
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.standings import group, of_categories
from rafs.reporting.judgement.verdicts import Claim, Part, Parts, Rule

COVERAGE = COVERED_AWAY.source
WELL, UNIMPRESSIVE = "HDE does well on MLM data", "HDE unimpressive overall"
ALL = (*SYNTHETIC, "real")


def by_paper(results: Results) -> Parts:
    """Compare mean ranks, and intervals of coverage."""
    ranks = ours(results)
    well = mean_rank(WELL, ranks, "hde", ranks.within(["MLM"]))
    overall = mean_rank(UNIMPRESSIVE, ranks, "hde", ranks.within(ALL), low=True)
    return [well, overall, *(_narrow_by_intervals(results, name) for name in ("de", "hde"))]


def _narrow_by_intervals(results: Results, method: str) -> Part:
    """Compare the coverage of a method with the lowest of those that the paper calls wide."""
    cells = [cell(results.main, rival, "he", COVERAGE) for rival in WIDE]
    known = [found for found in cells if found is not None]
    lowest = min(known, key=lambda found: found.low) if len(known) == len(WIDE) else None
    why = results.lacking("main", [method, *WIDE], "he")
    return apart(_name(method), cell(results.main, method, "he", COVERAGE), lowest, why)


def by_tests(results: Results) -> Parts:
    """Count duels, and compare coverage seed by seed."""
    he = results.main[results.main["dataset"] == "he"]
    narrow = [
        lower_than_all(
            _name(method),
            duels(he, COVERED_AWAY, method, WIDE),
            results.lacking("main", [method, *WIDE], "he"),
        )
        for method in ("de", "hde")
    ]
    return [
        group(WELL, results, "hde", of_categories(results, "MLM")),
        group(UNIMPRESSIVE, results, "hde", of_categories(results, *ALL), low=True),
        *narrow,
    ]


def _name(method: str) -> str:
    return f"{labels.method(method)} covers less than the wide methods away from data"


CLAIM = Claim(
    number=5,
    section="Discussion",
    statement="HDE is reliable on data with many local minima, though unimpressive overall; DE "
    "and HDE can be unreasonably narrow in areas without data (He et al.).",
    paper=Rule(
        "HDE's mean rank in NLL is better than that of all six methods on MLM data, and worse over "
        "all datasets. Outside the training clusters of He et al., the 95 % intervals of DE, and "
        "of HDE, cover less than those of NTKGP-param, RP-param and RAFs, and the intervals over "
        "seeds do not overlap.",
        by_paper,
    ),
    ours=Rule(
        "HDE wins more than half of its duels on MLM data, and loses more than half overall. DE, "
        "and HDE, cover less than each of the three other methods outside the training clusters. "
        "Coverage is compared with that of other methods since all are too narrow there.",
        by_tests,
    ),
)
