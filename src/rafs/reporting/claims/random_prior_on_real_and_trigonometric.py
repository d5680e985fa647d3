"""Claim 17: RP-param on real and trigonometric data, and as the strongest baseline."""

from rafs.reporting import labels
from rafs.reporting.judgement.differences import NATS, lower_than_all, over_datasets, untestable
from rafs.reporting.judgement.paper_rule import Ranks, mean_rank
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.standings import group, of_categories
from rafs.reporting.judgement.verdicts import NOT_SHOWN, SHOWN, Claim, Part, Parts, RankRule, Rule

REAL, TRIGONOMETRIC = "does well on real-world data", "does well on trigonometric data"
STRONGEST = "the strongest baseline"
BASELINES = labels.rivals("rp", "rafs")


def by_ranks(ranks: Ranks) -> Parts:
    """Compare mean ranks."""
    parts = [
        mean_rank(REAL, ranks, "rp", ranks.within(["real"])),
        mean_rank(TRIGONOMETRIC, ranks, "rp", ranks.within(["T"])),
    ]
    if ranks.nll.empty:
        return [*parts, untestable(STRONGEST, ranks.why)]
    means = {name: float(ranks.nll[name].mean()) for name in ("rp", *BASELINES)}
    said = ", ".join(f"{labels.method(name)} {rank:.2f}" for name, rank in means.items())
    outcome = SHOWN if min(means, key=means.__getitem__) == "rp" else NOT_SHOWN
    return [*parts, Part(STRONGEST, outcome, f"mean ranks: {said}", means)]


def by_tests(results: Results) -> Parts:
    """Count duels, and test against the other baselines over datasets."""
    over = over_datasets(results.main, NATS, "rp", BASELINES)
    return [
        group(REAL, results, "rp", of_categories(results, "real")),
        group(TRIGONOMETRIC, results, "rp", of_categories(results, "T")),
        lower_than_all(STRONGEST, over, results.why_incomplete()),
    ]


CLAIM = Claim(
    number=17,
    section="Discussion",
    statement="RP-param ranks comparatively high on real-world and on trigonometric data, and is "
    "the strongest baseline.",
    paper=RankRule(
        "RP-param's mean rank in NLL is better than that of all six methods in each of the two "
        "categories, and the best of the five baselines over all datasets.",
        by_ranks,
    ),
    ours=Rule(
        "RP-param wins more than half of its duels in each of the two categories; over datasets it "
        "is better than each other baseline (signed-rank tests, by more than the margin).",
        by_tests,
    ),
)
