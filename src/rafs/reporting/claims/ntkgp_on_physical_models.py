"""Claim 16: NTKGP-param on physical models, and against DE."""

from rafs.datasets.core import SYNTHETIC
from rafs.reporting.judgement.differences import WIDTH, lower, over_datasets, untestable
from rafs.reporting.judgement.paper_rule import count_apart, extreme_category, ours
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.standings import contrast, of_categories
from rafs.reporting.judgement.verdicts import NOT_SHOWN, SHOWN, Claim, Part, Parts, Rule

FINEST = "NTKGP-param ranks best on physical models"
CONSERVATIVE = "NTKGP-param predicts a larger sd than DE"
OTHERS = (*(kind for kind in SYNTHETIC if kind != "PM"), "real")


def by_paper(results: Results) -> Parts:
    """Compare mean ranks by category, and intervals of the predicted sd."""
    finest = extreme_category(FINEST, ours(results), "ntkgp", "PM")
    count = count_apart(results.main, "de", "ntkgp", "sharpness")
    if not (total := sum(count.values())):
        return [finest, untestable(CONSERVATIVE, results.why_incomplete() or "too few runs")]
    detail = f"larger on {count['lower']} and smaller on {count['higher']} of {total} datasets"
    outcome = SHOWN if count["lower"] > total / 2 else NOT_SHOWN
    return [finest, Part(CONSERVATIVE, outcome, detail, count)]


def by_tests(results: Results) -> Parts:
    """Compare ranks on physical models with those elsewhere, and the predicted sd."""
    inside, outside = of_categories(results, "PM"), of_categories(results, *OTHERS)
    found = over_datasets(results.main, WIDTH, "de", ["ntkgp"])
    return [
        contrast(FINEST, results, "ntkgp", inside, outside),
        lower(CONSERVATIVE, found[0] if found else None, results.why_incomplete()),
    ]


CLAIM = Claim(
    number=16,
    section="Discussion",
    statement="NTKGP-param has its finest performance on physical models; it tends to be more "
    "conservative than DE.",
    paper=Rule(
        "NTKGP-param has its best mean rank in NLL on physical models; on most datasets the "
        "interval of its predicted sd lies above that of DE.",
        by_paper,
    ),
    ours=Rule(
        "Its ranks on physical models are better than those on other data: permutation test over "
        "datasets. Its predicted sd is larger than that of DE: signed-rank test over datasets, by "
        "more than 5 %.",
        by_tests,
    ),
)
