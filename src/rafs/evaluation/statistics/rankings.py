"""Several methods over datasets: mean ranks, their intervals, and which of them differ."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from rafs.evaluation.statistics.comparisons import over_datasets
from rafs.evaluation.statistics.pairs import holm
from rafs.evaluation.statistics.resampling import RESAMPLES, hierarchical, percentiles
from rafs.evaluation.statistics.scores import (
    BASELINE,
    LEVEL,
    Array,
    contrast,
    is_ratio,
    losses,
    medians,
)

TESTED = ("nll", "crps", "rmse")
"""The metrics in which every two methods are tested, as one family of tests."""


@dataclass(frozen=True)
class Ranking:
    """Mean ranks of methods over datasets, and whether they differ."""

    mean_ranks: dict[str, float]
    datasets: int
    left_out: tuple[str, ...]
    statistic: float
    p: float
    critical_difference: float
    nemenyi: pd.DataFrame
    groups: tuple[tuple[str, ...], ...]


def ranks(
    frame: pd.DataFrame, metric: str, methods: Sequence[str] | None = None
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Rank methods on every dataset by their median over seeds (ties share their mean rank).

    Datasets on which a method has no score at all are left out, and returned by name.
    """
    table = medians(frame, metric)
    table = table.reindex(columns=list(table.columns if methods is None else methods))
    complete = table.dropna()
    left_out = tuple(str(name) for name in table.index.difference(complete.index, sort=False))
    return complete.rank(axis=1), left_out


def ranking(
    frame: pd.DataFrame, metric: str, methods: Sequence[str] | None = None, level: float = LEVEL
) -> Ranking:
    """Return the mean over datasets of `ranks`, with Friedman's and Nemenyi's tests.

    Friedman's test needs three methods and two datasets, Nemenyi's differences two methods; what
    cannot be computed is NaN.
    """
    table, left_out = ranks(frame, metric, methods)
    n, k = table.shape
    mean_ranks = table.mean() if n else pd.Series(math.nan, index=table.columns)
    statistic, p = math.nan, math.nan
    if n >= 2 and k >= 3 and np.ptp(table.to_numpy(), axis=1).max() > 0:
        statistic, p = map(float, stats.friedmanchisquare(*table.to_numpy().T))
    difference = critical_difference(k, n, level)
    means = {str(name): float(value) for name, value in mean_ranks.items()}
    return Ranking(
        means, n, left_out, statistic, p, difference, _nemenyi(table), cliques(means, difference)
    )


def rank_intervals(
    frame: pd.DataFrame,
    metric: str,
    methods: Sequence[str] | None = None,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
) -> dict[str, tuple[float, float]]:
    """Return the interval of each mean rank of `ranking`: datasets and seeds are resampled.

    The ends are percentiles: in simulation these cover 94 to 99 %, BCa intervals 85 to 93 %.
    Resampled seeds pull all ranks towards the middle, which BCa treats as a bias of the estimate.
    The seeds of a dataset are those on which every method has a score, or its medians where there
    is no such seed.
    """
    complete, _ = ranks(frame, metric, methods)
    names = list(complete.columns)
    table = losses(frame, metric).reindex(columns=names)
    centre = medians(frame, metric).reindex(columns=names)
    strata = []
    for dataset in complete.index:
        seeds = table.loc[[dataset]].dropna().to_numpy(dtype=float)
        strata.append(seeds if len(seeds) else centre.loc[[dataset]].to_numpy(dtype=float))
    if len(strata) < 2:
        return dict.fromkeys(map(str, names), (math.nan, math.nan))
    low, high = percentiles(hierarchical(strata, _ranked, resamples), level)
    return {str(n): (float(a), float(b)) for n, a, b in zip(names, low, high, strict=True)}


def _ranked(seeds: Array) -> Array:
    """Return the ranks of the medians over resampled seeds."""
    middle = np.median(seeds, axis=1)
    return np.asarray(stats.rankdata(middle, axis=1))


def pairwise(
    frame: pd.DataFrame, metrics: Sequence[str] = TESTED, methods: Sequence[str] | None = None
) -> pd.DataFrame:
    """Compare every two methods over the datasets: Wilcoxon's test on their medians over seeds.

    `difference` is the median over datasets of the difference in score, of its logarithm where the
    score has the units of y; `p_holm` is corrected over all pairs in all metrics. All statements on
    two methods over the datasets take their p from here, so that reports agree.
    """
    names = list(dict.fromkeys(frame["method"]) if methods is None else methods)
    rows = []
    for metric in metrics:
        table = medians(frame, metric)
        rows += [
            {"metric": metric, "method": a, "rival": b, **over_datasets(table, metric, a, b)}
            for a, b in itertools.combinations(names, 2)
        ]
    columns = ["metric", "method", "rival", "better", "worse"]
    columns += ["difference", "difference_low", "difference_high", "p"]
    found = pd.DataFrame(rows, columns=columns)
    return found.assign(p_holm=holm(found["p"]))


def p_against(pairs: pd.DataFrame, metric: str, method: str) -> dict[str, float]:
    """Return the corrected p of a method against every other, from the table of `pairwise`."""
    part = pairs[pairs["metric"] == metric]
    found = {}
    for a, b, p in zip(part["method"], part["rival"], part["p_holm"], strict=True):
        if method in (a, b):
            found[str(b if a == method else a)] = float(p)
    return found


def against_best(
    mean_ranks: dict[str, float], pairs: pd.DataFrame, metric: str
) -> tuple[str, dict[str, float]]:
    """Return the method with the lowest mean rank, and the corrected p of every other against it.

    A method is the best only where all of these are significant.
    """
    best = min(mean_ranks, key=lambda name: mean_ranks[name])
    return best, p_against(pairs, metric, best)


def skill(frame: pd.DataFrame, metric: str, baseline: str = BASELINE) -> pd.DataFrame:
    """Return the medians relative to those of a baseline, by dataset and method.

    Scores in the units of y are compared by ratios, all others by differences. Without the baseline
    the table is empty.
    """
    table = medians(frame, metric)
    if baseline not in table:
        return pd.DataFrame(columns=[name for name in table.columns if name != baseline])
    others = table.drop(columns=baseline)
    against = contrast(others, table[[baseline]].to_numpy(), metric)
    return pd.DataFrame(
        np.exp(against) if is_ratio(metric) else against,
        index=others.index,
        columns=others.columns,
    )


def average_skill(table: pd.DataFrame, metric: str) -> dict[str, float]:
    """Return `skill` over datasets: the geometric mean of ratios, the median of differences.

    One or two of the worst datasets would dominate the mean of NLL differences.
    """
    if table.empty:
        return {}
    middle = np.exp(np.log(table).mean()) if is_ratio(metric) else table.median()
    return {str(name): float(value) for name, value in middle.items()}


def paper_ranks(score: ArrayLike, low: ArrayLike, high: ArrayLike, slack: float = 0.0) -> Array:
    """Rank as the paper does: 1 is best, and methods tie while their intervals overlap.

    Intervals that touch overlap, and overlap is transitive: if A overlaps B and B overlaps C, all
    three tie. The next group has the next integer. A score without an interval is a point; one that
    is NaN has no rank. `slack` allows for the rounding of printed numbers.
    """
    score = np.asarray(score, dtype=float)
    low = np.where(np.isnan(low), score, np.asarray(low, dtype=float))
    high = np.where(np.isnan(high), score, np.asarray(high, dtype=float))
    ranks = np.full(score.shape, math.nan)
    rank, reach = 0, -math.inf
    for k in np.argsort(low, kind="stable"):
        if math.isnan(score[k]):
            continue
        if rank == 0 or low[k] > reach + slack:
            rank += 1
        reach = max(reach, float(high[k]))
        ranks[k] = rank
    return ranks


def critical_difference(methods: int, datasets: int, level: float = LEVEL) -> float:
    """Return Nemenyi's critical difference of mean ranks (Demšar 2006, section 3.2.2)."""
    if methods < 2 or datasets < 1:
        return math.nan
    quantile = float(stats.studentized_range.ppf(level, methods, math.inf)) / math.sqrt(2)
    return quantile * math.sqrt(methods * (methods + 1) / (6 * datasets))


def cliques(mean_ranks: dict[str, float], difference: float) -> tuple[tuple[str, ...], ...]:
    """Return the largest runs of methods, best first, whose mean ranks differ by less than CD."""
    order = sorted(mean_ranks, key=lambda name: mean_ranks[name])
    found: list[tuple[str, ...]] = []
    end = 0
    for start, first in enumerate(order):
        stop = start + 1
        while stop < len(order) and mean_ranks[order[stop]] - mean_ranks[first] < difference:
            stop += 1
        if stop > end and stop - start > 1:
            found.append(tuple(order[start:stop]))
        end = max(end, stop)
    return tuple(found)


def _nemenyi(ranks: pd.DataFrame) -> pd.DataFrame:
    """Return Nemenyi's p for every pair of methods."""
    names = list(ranks.columns)
    if len(ranks) < 2 or len(names) < 2:
        return pd.DataFrame(math.nan, index=names, columns=names)
    from scikit_posthocs import posthoc_nemenyi_friedman  # slow to import, rarely needed

    p = posthoc_nemenyi_friedman(ranks.to_numpy())
    return pd.DataFrame(p.to_numpy(), index=names, columns=names)
