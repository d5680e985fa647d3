"""Claim 22: RAFs' error among the others', over confidence thresholds."""

from rafs.reporting import labels
from rafs.reporting.judgement import confidence
from rafs.reporting.judgement.differences import (
    duels,
    from_value,
    lower,
    lower_than_all,
    untestable,
)
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.verdicts import NOT_SHOWN, SHOWN, Claim, Part, Parts, Rule

PREDICTIONS = ("friedman", "abalone")
WEAK = ("de", "ntkgp", "hde")
CONTRAST = "lower than DE, NTKGP-param and HDE on Friedman"


def by_paper(results: Results) -> Parts:
    """Average over seeds how often RAFs is lower; compare the mean heights of the curves."""
    parts = [_most_on_average(results, name) for name in PREDICTIONS]
    if why := confidence.lacking(results, "friedman", labels.PAPER_METHODS):
        return [*parts, untestable(CONTRAST, why)]
    heights = confidence.heights(results, "friedman")
    lowest = min(WEAK, key=heights.__getitem__)
    outcome = SHOWN if heights["rafs"] < heights[lowest] else NOT_SHOWN
    detail = f"the nearest is {labels.method(lowest)}"
    return [*parts, Part(CONTRAST, outcome, detail, {"mean_log_rmse": heights})]


def _most_on_average(results: Results, dataset: str) -> Part:
    if why := confidence.lacking(results, dataset, labels.PAPER_METHODS):
        return untestable(_most(dataset), why)
    found = confidence.scores(results, dataset)
    share = 0.5 - float(found.loc[found["method"] == "rafs", "share"].mean())
    detail = f"lower in {100 * share:.0f} % of the comparisons"
    return Part(_most(dataset), SHOWN if share > 0.5 else NOT_SHOWN, detail, {"share": share})


def by_tests(results: Results) -> Parts:
    """Test the share of thresholds and rivals, and the heights of the curves, seed by seed."""
    parts = []
    for name in PREDICTIONS:
        why = confidence.lacking(results, name, labels.PAPER_METHODS)
        found = from_value(confidence.scores(results, name), confidence.SHARE, "rafs", 0.0)
        parts.append(lower(_most(name), found, why))
    why = confidence.lacking(results, "friedman", labels.PAPER_METHODS)
    friedman = confidence.scores(results, "friedman")
    heights = duels(friedman, confidence.ERROR, "rafs", WEAK)
    return [*parts, lower_than_all(CONTRAST, heights, why)]


def _most(dataset: str) -> str:
    return f"lower at most thresholds than most rivals on {labels.dataset(dataset)}"


CLAIM = Claim(
    number=22,
    section="Confidence vs. Error",
    statement="RAFs has the lower error at most precision thresholds compared with the majority of "
    "the other methods; on Friedman especially in contrast with DE, NTKGP-param and HDE.",
    paper=Rule(
        "RMSE of the predictions whose precision exceeds a threshold, averaged over seeds: over "
        "all thresholds and rivals RAFs is lower more often than not; on Friedman its mean over "
        "the thresholds is below those of the three.",
        by_paper,
    ),
    ours=Rule(
        "One half less the share of (threshold, rival) at which RAFs is lower, seed by seed, lies "
        "below zero; on Friedman its RMSE, averaged over the thresholds, is lower than that of "
        "each of the three, by more than the margin.",
        by_tests,
    ),
)
