"""Claim 18: RAFs in RMSE."""

from rafs.reporting import labels
from rafs.reporting.judgement.differences import RMSE, not_higher, over_datasets, untestable
from rafs.reporting.judgement.paper_rule import Ranks
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.verdicts import NOT_SHOWN, SHOWN, Claim, Part, Parts, RankRule, Rule

RIVALS = labels.rivals("rafs")


def by_ranks(ranks: Ranks) -> Parts:
    """Compare mean ranks in RMSE."""
    if ranks.rmse.empty:
        return [untestable(_name(rival), ranks.why) for rival in RIVALS]
    means = ranks.rmse.mean()
    return [
        Part(
            _name(rival),
            SHOWN if means["rafs"] <= means[rival] else NOT_SHOWN,
            f"mean rank {means['rafs']:.2f} against {means[rival]:.2f}",
        )
        for rival in RIVALS
    ]


def by_tests(results: Results) -> Parts:
    """Test the ratios of RMSE over datasets."""
    found = {d.rival: d for d in over_datasets(results.main, RMSE, "rafs", RIVALS)}
    why = results.why_incomplete()
    return [
        not_higher(_name(rival), [found[rival]] if rival in found else [], why) for rival in RIVALS
    ]


def _name(rival: str) -> str:
    return f"better than or on par with {labels.method(rival)}"


CLAIM = Claim(
    number=18,
    section="Discussion",
    statement="In RMSE, RAFs is better than or on par with the other methods.",
    paper=RankRule("RAFs' mean rank in RMSE is no worse than that of each rival.", by_ranks),
    ours=Rule(
        "Against each rival: shown if the ratio of RMSE over datasets (Hodges-Lehmann estimate of "
        "its logarithm) has an interval that ends below 1.05, contradicted if it is significantly "
        "above one and larger than 1.05.",
        by_tests,
    ),
)
