"""The few numbers that tell two versions of the experiments apart: reports/metrics.json."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from rafs import statistics
from rafs.reporting import labels
from rafs.reporting.claims import Claim, judge
from rafs.reporting.inputs import Inputs

NLL = "nll_paper"


def summarise(
    inputs: Inputs,
    claims: Sequence[Claim] | None = None,
    experiment: str = "main",
) -> dict[str, Any]:
    """Return mean ranks, wins and robust scores by method, and the verdicts, few enough to read.

    `wins` counts datasets with the lowest median NLL. Scores are medians over datasets of the
    median over seeds, as one seed or dataset can rule a mean; by category it is the
    mean over its few datasets. RMSE has the units of each dataset,
    so it is given relative to the best method of the dataset. Mean ranks that differ by less than
    the critical difference are not told apart (Nemenyi, 5 %).
    """
    claims = judge(inputs) if claims is None else claims
    counts: dict[str, int] = {}
    for claim in claims:
        key = claim.verdict.replace(" ", "_")
        counts[key] = counts.get(key, 0) + 1
    frame = inputs.find(experiment)
    if frame is None or frame.empty:
        return {"claims": counts}
    nll, rmse = (_medians(frame, metric) for metric in (NLL, "rmse"))
    category = frame.drop_duplicates("dataset").set_index("dataset")["category"]
    best = nll.min(axis=1)
    relative = rmse.div(rmse.min(axis=1), axis=0)
    status = frame["status"].value_counts()
    ranked = statistics.ranking(frame, NLL)
    result = {
        "mean_rank_nll": ranked.mean_ranks,
        "critical_difference": ranked.critical_difference,
        "mean_rank_rmse": statistics.ranking(frame, "rmse").mean_ranks,
        "wins_nll": {m: int(nll[m].eq(best).sum()) for m in nll},
        "median_nll": nll.median().to_dict(),
        "median_relative_rmse": relative.median().to_dict(),
        "mean_nll_by_category": _by_category(nll, category),
        "mean_relative_rmse_by_category": _by_category(relative, category),
        "datasets": int(frame["dataset"].nunique()),
        "seeds": int(frame["seed"].nunique()),
        "runs": {"total": len(frame), **{str(name): int(n) for name, n in status.items()}},
        "claims": counts,
    }
    cleaned: dict[str, Any] = _plain(result)
    return cleaned


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


def _by_category(scores: pd.DataFrame, category: pd.Series) -> dict[Any, Any]:
    """Return the mean over the datasets of each category, by method."""
    return scores.groupby(category.reindex(scores.index)).mean().to_dict()


def _medians(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return medians over seeds, a row per dataset and a column per method in the paper's order."""
    table = statistics.wide(frame, metric).groupby(level="dataset", sort=False).median()
    return table[labels.in_order(table.columns)]


def _plain(value: Any) -> Any:
    """Round for reading; what is not finite becomes None."""
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, float):
        return float(f"{value:.5g}") if math.isfinite(value) else None
    return value
