"""Two methods on single datasets, and a method against its rivals."""

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from rafs.errors import DataError
from rafs.evaluation.statistics.pairs import (
    corrected_interval,
    corrected_t,
    hodges_lehmann,
    holm,
    improvement,
    paired,
    signed_rank,
)
from rafs.evaluation.statistics.resampling import mean_interval
from rafs.evaluation.statistics.scores import LEVEL, Array, contrast, losses, medians, split_ratios
from rafs.evaluation.statistics.summaries import median_interval

NONE = pd.DataFrame()


def compare(
    frame: pd.DataFrame, metric: str, method: str, rival: str, level: float = LEVEL
) -> pd.DataFrame:
    """Compare two methods on the seeds that both ran, dataset by dataset.

    `difference` is method minus rival, below zero where the method is better. Generated data are
    independent draws: Hodges and Lehmann's estimate and the exact signed-rank test. The seeds of
    a real table are overlapping splits: the mean and Nadeau and Bengio's corrected t-test. `p` is
    two-sided, `p_holm` corrected over the datasets; `outcome` is win, loss or tie at that
    corrected level, or none where there is no pair.
    """
    part = frame[frame["method"].isin([method, rival])]
    ratios = split_ratios(part)
    rows = [
        {"dataset": dataset, **_duel(runs, method, rival, level, ratios.get(str(dataset)))}
        for dataset, runs in losses(part, metric).groupby(level="dataset", sort=False)
    ]
    return decide(pd.DataFrame(rows), level)


def duels(frame: pd.DataFrame, metric: str, method: str, level: float = LEVEL) -> pd.DataFrame:
    """Compare a method with every other on each dataset, corrected over the rivals of the dataset.

    The columns are those of `compare`, with the rival. Use this for statements on one dataset, and
    `decide` on all rows for statements on several.
    """
    parts = _duels(frame, metric, level, lambda runs: method)
    return pd.concat([decide(p, level) for p in parts], ignore_index=True) if parts else NONE.copy()


def _duels(
    frame: pd.DataFrame, metric: str, level: float, chosen: Callable[[pd.DataFrame], str]
) -> list[pd.DataFrame]:
    """Return by dataset the duels of a chosen method with every other, not corrected yet."""
    ratios = split_ratios(frame)
    parts = []
    for dataset, runs in losses(frame, metric).groupby(level="dataset", sort=False):
        method = chosen(runs)
        rivals = [
            {
                "dataset": str(dataset),
                "rival": rival,
                **_duel(runs, method, rival, level, ratios.get(str(dataset))),
            }
            for rival in runs.columns.drop(method, errors="ignore")
        ]
        parts += [pd.DataFrame(rivals)] if rivals else []
    return parts


def decide(found: pd.DataFrame, level: float = LEVEL) -> pd.DataFrame:
    """Add Holm's correction over all rows, each outcome, and whether any could be significant.

    `tellable` says whether there are enough pairs: the smallest p that they allow, corrected for
    the number of rows, lies below the level.
    """
    if found.empty:
        return found.copy()
    p = holm(found["p"])
    family = int((found["pairs"] > 0).sum())
    side = np.where(found["difference"] < 0, "win", "loss")
    outcome = np.where(p < 1 - level, side, "tie")
    return found.assign(
        p_holm=p,
        outcome=np.where(found["pairs"] == 0, "none", outcome),
        tellable=found["smallest_p"] * family < 1 - level,
    )


def winners(frame: pd.DataFrame, metric: str, level: float = LEVEL) -> pd.DataFrame:
    """Return for each dataset the lowest median, and whether it is significantly the lowest.

    The claim of a row is that its `method` is better than every other there: `p` is the largest
    of its p against each (an intersection-union test), `p_holm` corrected over the rows, `alone`
    whether that is significant; `tellable` whether the seeds allow it.
    """
    best = _known(frame, metric)
    parts = _duels(frame[frame["dataset"].isin(list(best))], metric, level, _lowest)
    duel = {part["dataset"].iloc[0]: part[part["pairs"] > 0] for part in parts}
    rows = []
    for dataset, method in best.items():
        p = smallest = math.nan
        if len(mine := duel.get(dataset, NONE)):
            p = float(mine["p"].where(mine["difference"] < 0, 1.0).max())
            smallest = float(mine["smallest_p"].max())
        rows.append({"dataset": dataset, "method": method, "p": p, "smallest_p": smallest})
    found = pd.DataFrame(rows, columns=["dataset", "method", "p", "smallest_p"])
    corrected = holm(found["p"])
    return found.assign(
        p_holm=corrected,
        alone=corrected < 1 - level,
        tellable=found["smallest_p"] * len(found) < 1 - level,
    )


def _lowest(runs: pd.DataFrame) -> str:
    """Return the method with the lowest median over the seeds of a dataset."""
    return str(runs.median().fillna(math.inf).idxmin())


def _known(frame: pd.DataFrame, metric: str) -> dict[str, str]:
    """Return the method with the lowest median on each dataset where a run has a score."""
    groups = losses(frame, metric).groupby(level="dataset", sort=False)
    return {str(d): _lowest(runs) for d, runs in groups if np.isfinite(runs.to_numpy()).any()}


def against(
    frame: pd.DataFrame, metric: str, method: str, rivals: Iterable[str], level: float = LEVEL
) -> pd.DataFrame:
    """Compare a method with each rival over all datasets.

    Wins, ties and losses are those of `compare`; `tellable` counts the datasets with enough seeds
    for anything but a tie. `better` and `worse` count datasets by the medians over seeds alone,
    `difference` is the median over datasets of their difference (of logarithms for scores in the
    units of y) with its interval, and `p` the signed-rank test over these, `p_holm` corrected over
    the rivals.
    `improvement` is the mean over datasets of the probability that the method scores lower than
    the rival on the same seed, with an interval that resamples datasets and seeds.
    """
    rows: list[dict[str, Any]] = []
    for rival in rivals:
        part = frame[frame["method"].isin([method, rival])]
        each = compare(part, metric, method, rival, level)
        strata = [
            paired(_column(runs, method), _column(runs, rival))
            for _, runs in losses(part, metric).groupby(level="dataset", sort=False)
        ]
        low, high = mean_interval([(s < 0) + 0.5 * (s == 0) for s in strata], level)
        outcomes = each["outcome"].value_counts()
        rows.append(
            {
                "rival": rival,
                "datasets": int((each["pairs"] > 0).sum()),
                "wins": int(outcomes.get("win", 0)),
                "ties": int(outcomes.get("tie", 0)),
                "losses": int(outcomes.get("loss", 0)),
                "tellable": int(each["tellable"].sum()),
                **over_datasets(medians(part, metric), metric, method, rival),
                "improvement": float(each["improvement"].mean()),
                "improvement_low": low,
                "improvement_high": high,
            }
        )
    result = pd.DataFrame(rows)
    if len(result):
        result["p_holm"] = holm(result["p"].to_numpy())
    return result


def over_datasets(table: pd.DataFrame, metric: str, method: str, rival: str) -> dict[str, Any]:
    """Compare two columns of `medians`: on how many datasets each is lower, and Wilcoxon's test.

    The median difference has the exact interval of a median, here over datasets.
    """
    found = contrast(_column(table, method), _column(table, rival), metric)
    found = found[~np.isnan(found)]
    low, high = median_interval(found)
    return {
        "better": int((found < 0).sum()),
        "worse": int((found > 0).sum()),
        "difference": float(np.median(found)) if found.size else math.nan,
        "difference_low": low,
        "difference_high": high,
        "p": signed_rank(found),
    }


def _duel(
    runs: pd.DataFrame, method: str, rival: str, level: float, ratio: float | None
) -> dict[str, Any]:
    """Compare two methods on the seeds of one dataset; `ratio` is that of a table's splits."""
    differences = paired(_column(runs, method), _column(runs, rival))
    if ratio is None:
        centre, low, high = hodges_lehmann(differences, level)
        p, smallest = signed_rank(differences), 2.0 ** (1 - differences.size)
    else:
        if differences.size and math.isnan(ratio):
            name = runs.index.get_level_values("dataset")[0]
            raise DataError(
                f"the scores on {name} have no n_train and n_test, which a test over splits of one "
                "table needs; score its runs again"
            )
        centre, low, high = corrected_interval(differences, ratio, level)
        p, smallest = corrected_t(differences, ratio), 0.0 if differences.size > 1 else 1.0
    return {
        "pairs": differences.size,
        "unpaired": len(runs) - differences.size,
        "difference": centre,
        "low": low,
        "high": high,
        "improvement": improvement(differences),
        "p": p,
        "smallest_p": smallest,
    }


def _column(part: pd.DataFrame, method: str) -> Array:
    """Return a method's column, or NaN where it has none."""
    if method not in part:
        return np.full(len(part), math.nan)
    return part[method].to_numpy(dtype=float)
