"""The few numbers that tell two versions of the experiments apart: reports/metrics.json."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from rafs.evaluation import statistics
from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.table import ranked

NLL = "nll_paper"


def summarise(
    inputs: Inputs,
    claims: Sequence[Mapping[str, Any]],
    experiment: str = "main",
    references: str = "references",
) -> dict[str, Any]:
    """Return mean ranks and scores by method, and the verdicts, few enough to read.

    Everything starts from the median over seeds. `p_against_best_nll` is Wilcoxon's test over
    datasets of each method against the one with the lowest mean rank, with Holm's correction over
    all pairs. Over datasets of different scale only relative numbers are given: NLL above the best
    method's, RMSE as a multiple of it, and the skill against the constant of `references`.
    `claims` are those of claims.json, with their verdicts.
    """
    counts = Counter(claim["kind"].replace(" ", "_") for claim in claims)
    found = inputs.find(experiment)
    if found is None or found.empty:
        return {"claims": counts}
    frame = ranked(found)
    nll, rmse = (_medians(frame, metric) for metric in (NLL, "rmse"))
    best = nll.min(axis=1)
    status = frame["status"].value_counts()
    ranking = statistics.ranking(frame, NLL)
    ends = statistics.rank_intervals(frame, NLL)
    _, p = statistics.against_best(ranking.mean_ranks, statistics.pairwise(frame, NLL))
    coverage = statistics.wide(frame, "coverage_95").groupby(level="dataset").median()
    result = {
        "mean_rank_nll": ranking.mean_ranks,
        "mean_rank_nll_low": {name: low for name, (low, _) in ends.items()},
        "mean_rank_nll_high": {name: high for name, (_, high) in ends.items()},
        "p_against_best_nll": p,
        "critical_difference": ranking.critical_difference,
        "mean_rank_crps": statistics.ranking(frame, "crps").mean_ranks,
        "mean_rank_rmse": statistics.ranking(frame, "rmse").mean_ranks,
        "lowest_nll": {m: int(nll[m].eq(best).sum()) for m in nll},
        "median_excess_nll": nll.sub(best, axis=0).median().to_dict(),
        "median_relative_rmse": rmse.div(rmse.min(axis=1), axis=0).median().to_dict(),
        "median_coverage_95": coverage.median().to_dict(),
        **_skill(frame, inputs.find(references)),
        "datasets": int(frame["dataset"].nunique()),
        "seeds": int(frame["seed"].nunique()),
        "runs": {"total": len(frame), **{str(name): int(n) for name, n in status.items()}},
        "claims": counts,
    }
    cleaned: dict[str, Any] = _plain(result)
    return cleaned


def _skill(frame: pd.DataFrame, references: pd.DataFrame | None) -> dict[str, dict[str, float]]:
    """Return NLL minus that of the constant, and CRPS as a multiple of it, over all datasets."""
    if references is None:
        return {}
    both = pd.concat([frame, references[references["method"] == statistics.BASELINE]])
    return {
        f"skill_{name}": statistics.average_skill(statistics.skill(both, metric), metric)
        for name, metric in (("nll", NLL), ("crps", "crps"))
    }


def plot_scores(inputs: Inputs, experiment: str = "main") -> pd.DataFrame:
    """Return the median NLL and RMSE of every method on every dataset, for plots over versions.

    NLL is without the constant, as in the paper.
    """
    frame = inputs.find(experiment)
    if frame is None or frame.empty:
        return pd.DataFrame(columns=["dataset", "method", NLL, "rmse"])
    nll, rmse = (_medians(frame, metric) for metric in (NLL, "rmse"))
    rows = []
    for method in nll:
        table = pd.DataFrame({"method": method, NLL: nll[method], "rmse": rmse[method]})
        rows.append(table.reset_index())
    return pd.concat(rows, ignore_index=True)


def _medians(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return medians over seeds, a row per dataset and a column per method in the paper's order."""
    table = statistics.medians(frame, metric)
    return table[labels.in_order(table.columns)]


def _plain(value: Any) -> Any:
    """Round for reading; what is not finite becomes None."""
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, float):
        return float(f"{value:.5g}") if math.isfinite(value) else None
    return value
