"""Claim 7: large data and larger networks."""

from rafs.reporting import labels
from rafs.reporting.judgement.differences import NATS, duels, lower
from rafs.reporting.judgement.paper_rule import above, apart, cell
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.verdicts import Claim, Part, Parts, Rule

EXPERIMENT = "scalability"
DATASETS = ("superconductivity", "news")
OVER = 100.0


def by_paper(results: Results) -> Parts:
    """Compare the intervals of RAFs and RP-param."""
    parts = []
    for name in DATASETS:
        why = results.lacking(EXPERIMENT, ["rafs", "rp"], name)
        frame = results.runs(EXPERIMENT)
        rafs, rp = (cell(frame, method, name) for method in ("rafs", "rp"))
        parts += [apart(_lower(name), rafs, rp, why), _over(results, name)]
    return parts


def by_tests(results: Results) -> Parts:
    """Compare RAFs and RP-param seed by seed."""
    parts = []
    for name in DATASETS:
        found = duels(results.runs(EXPERIMENT, datasets=[name]), NATS, "rafs", ["rp"])
        why = results.lacking(EXPERIMENT, ["rafs", "rp"], name)
        parts += [lower(_lower(name), found[0] if found else None, why), _over(results, name)]
    return parts


def _over(results: Results, name: str) -> Part:
    """Judge whether RP-param scores over 100."""
    found = cell(results.runs(EXPERIMENT), "rp", name)
    title = f"RP-param over 100 on {labels.dataset(name)}"
    return above(title, found, OVER, results.lacking(EXPERIMENT, ["rp"], name))


def _lower(name: str) -> str:
    return f"RAFs below RP-param on {labels.dataset(name)}"


CLAIM = Claim(
    number=7,
    section="Scalability",
    statement="With two hidden layers of 128, RAFs scores an NLL of 5.49 (superconductivity) and "
    "25.89 (news), RP-param over 100 on both.",
    paper=Rule(
        "On each dataset the interval of RAFs lies below that of RP-param, and that of RP-param "
        "above 100.",
        by_paper,
    ),
    ours=Rule(
        "On each dataset RAFs is better than RP-param, by a paired test and by more than the "
        "margin; the interval of RP-param lies above 100.",
        by_tests,
    ),
    reads=(EXPERIMENT,),
)
