"""Claim 11: confidence against error."""

from rafs.reporting import labels
from rafs.reporting.judgement import confidence
from rafs.reporting.judgement.differences import (
    duels,
    from_value,
    lower,
    not_higher,
    untestable,
)
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.verdicts import NOT_SHOWN, SHOWN, Claim, Part, Parts, Rule

PREDICTIONS = ("friedman", "abalone")
FALLS, RELIABLE = "RAFs' error falls on Friedman", "RP-param has the lowest error on Abalone"


def by_paper(results: Results) -> Parts:
    """Judge the mean curves as the paper judges its figure."""
    return [_falls_on_average(results), _lowest_on_average(results)]


def _falls_on_average(results: Results) -> Part:
    if why := confidence.lacking(results, "friedman", ["rafs"]):
        return untestable(FALLS, why)
    trend = confidence.mean_trend(results, "friedman", "rafs")
    outcome = SHOWN if trend < 0 else NOT_SHOWN
    return Part(FALLS, outcome, f"Kendall's correlation of the mean curve {trend:.2f}")


def _lowest_on_average(results: Results) -> Part:
    if why := confidence.lacking(results, "abalone", labels.PAPER_METHODS):
        return untestable(RELIABLE, why)
    heights = confidence.heights(results, "abalone")
    best = min(heights, key=heights.__getitem__)
    detail = f"{labels.method(best)} has the lowest mean over the thresholds"
    numbers = {"mean_log_rmse": heights}
    return Part(RELIABLE, SHOWN if best == "rp" else NOT_SHOWN, detail, numbers)


def by_tests(results: Results) -> Parts:
    """Test the trend and the height of the curves, seed by seed."""
    friedman, abalone = (confidence.scores(results, name) for name in PREDICTIONS)
    return [
        lower(
            FALLS,
            from_value(friedman, confidence.TREND, "rafs", 0.0),
            confidence.lacking(results, "friedman", ["rafs"]),
        ),
        not_higher(
            RELIABLE,
            duels(abalone, confidence.ERROR, "rp", labels.rivals("rp")),
            confidence.lacking(results, "abalone", labels.PAPER_METHODS),
        ),
    ]


CLAIM = Claim(
    number=11,
    section="Confidence vs. Error",
    statement="RAFs' error falls as its confidence grows (Friedman); RP-param is the most reliable "
    "on Abalone.",
    paper=Rule(
        "RMSE of the predictions whose precision exceeds a threshold, as the paper plots it: the "
        "mean curve of RAFs falls on Friedman; on Abalone that of RP-param is the lowest, averaged "
        "over the thresholds that all methods reach.",
        by_paper,
    ),
    ours=Rule(
        "On the same curves: Kendall's correlation of RMSE and threshold, seed by seed, lies below "
        "zero for RAFs on Friedman; on Abalone the RMSE of RP-param, averaged over the thresholds, "
        "is not worse than that of any rival.",
        by_tests,
    ),
)
