"""What scores over seeds and datasets allow us to say.

Lower scores are better throughout. A run that diverged is worse than any score: its value is +inf
in everything that goes by order (medians, interquartile means, signed ranks, mean ranks). A run
that is missing or failed for another reason is NaN. Both are counted, neither is dropped in
silence.

- A cell (method, dataset) is the mean over the seeds that have a score, with Student's t interval;
  beside it the median, and the interquartile mean with a percentile bootstrap interval, which one
  exploding seed cannot move far (Agarwal et al., NeurIPS 2021).
- Two methods are compared on the same seeds of a dataset: the Hodges-Lehmann estimate of the
  difference with the interval that belongs to the exact signed-rank test (Hollander and Wolfe,
  section 3.2), Holm's correction over datasets, the probability of improvement.
- Several methods over datasets: mean ranks, Friedman's test, Nemenyi's critical difference
  (Demšar, JMLR 2006), and the paper's ranks, which tie where intervals overlap.

Resampling draws from streams with fixed names, so the same scores give the same intervals.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from rafs.errors import DataError
from rafs.seeding import generator

Array = NDArray[np.float64]

LEVEL = 0.95
RESAMPLES = 2000
EXACT = 60
"""Above this many pairs the signed-rank distribution is taken as normal."""


# ---------------------------------------------------------------------------------------- scores


def values(frame: pd.DataFrame, metric: str) -> "pd.Series[float]":
    """Return a metric run by run: +inf where the run diverged, NaN where it has no score."""
    known = frame[metric] if metric in frame else pd.Series(math.nan, index=frame.index)
    scores = known.astype(float).where(frame["status"].eq("ok"))
    return scores.where(frame["status"].ne("diverged"), math.inf)


def wide(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return `values` with a row per (dataset, seed) and a column per method, in order of entry."""
    keys = ["method", "dataset", "seed"]
    if frame.duplicated(keys).any():
        row = frame[frame.duplicated(keys)].iloc[0]
        raise DataError(
            f"{row.method} on {row.dataset} with seed {row.seed} occurs twice in the scores; "
            "choose experiments that do not share a run"
        )
    runs = frame[keys].assign(value=values(frame, metric)).set_index(keys)["value"]
    table = runs.unstack("method")  # noqa: PD010 (an aggregating pivot would drop NaN)
    table = table.reindex(columns=list(dict.fromkeys(frame["method"])))
    return table.reindex(list(dict.fromkeys(frame["dataset"])), level="dataset")


# ----------------------------------------------------------------------------------------- cells


@dataclass(frozen=True)
class Summary:
    """One cell: what the seeds of a method on a dataset say together."""

    mean: float
    low: float
    high: float
    median: float
    iqm: float
    iqm_low: float
    iqm_high: float
    scored: int
    diverged: int
    missing: int

    @property
    def half_width(self) -> float:
        """Half the width of the mean's interval."""
        return (self.high - self.low) / 2


def summarise(scores: ArrayLike, level: float = LEVEL) -> Summary:
    """Summarise the scores of several seeds; +inf is a diverged run, NaN a missing one."""
    runs = np.asarray(scores, dtype=float).ravel()
    known = runs[~np.isnan(runs)]
    scored = known[np.isfinite(known)]
    mean, half = _student(scored, level)
    low, high = bootstrap([known], interquartile_mean, level)
    return Summary(
        mean=mean,
        low=mean - half,
        high=mean + half,
        median=_median(known),
        iqm=float(interquartile_mean(known)),
        iqm_low=low,
        iqm_high=high,
        scored=scored.size,
        diverged=known.size - scored.size,
        missing=runs.size - known.size,
    )


def cells(frame: pd.DataFrame, metric: str, level: float = LEVEL) -> pd.DataFrame:
    """Return a `Summary` per method and dataset, as a table in order of entry."""
    groups = values(frame, metric).groupby([frame["method"], frame["dataset"]], sort=False)
    rows = []
    for key, group in groups:
        method, dataset = cast(tuple[str, str], key)
        rows.append({"method": method, "dataset": dataset, **vars(summarise(group, level))})
    columns = ["method", "dataset", *Summary.__dataclass_fields__]
    return pd.DataFrame(rows, columns=columns)


def interquartile_mean(rows: Array) -> Array:
    """Return the mean of the middle half of each row: its lowest and highest quarter are cut."""
    cut = rows.shape[-1] // 4
    middle = np.sort(rows, axis=-1)[..., cut : rows.shape[-1] - cut]
    return np.asarray(np.mean(middle, axis=-1)) if rows.size else np.array(math.nan)


def bootstrap(
    strata: Sequence[Array], statistic: Callable[[Array], Array], level: float = LEVEL
) -> tuple[float, float]:
    """Return the percentile interval of a statistic of rows, resampling within each stratum.

    One value in every stratum gives no interval (NaN): there is nothing to resample.
    """
    strata = [stratum for stratum in strata if stratum.size]
    if max((stratum.size for stratum in strata), default=0) < 2:
        return math.nan, math.nan
    rng = generator("bootstrap", *(stratum.size for stratum in strata))
    draws = [
        stratum[rng.integers(0, stratum.size, (RESAMPLES, stratum.size))] for stratum in strata
    ]
    tail = (1 - level) / 2
    # a quantile that is one of the values: no interpolation, hence no inf - inf
    low, high = np.quantile(
        statistic(np.concatenate(draws, axis=1)), [tail, 1 - tail], method="inverted_cdf"
    )
    return float(low), float(high)


def _student(values: Array, level: float) -> tuple[float, float]:
    """Return mean and half-width of Student's interval, without overflow on the way."""
    if values.size == 0:
        return math.nan, math.nan
    scale = float(np.max(np.abs(values))) or 1.0
    mean = float(np.mean(values / scale)) * scale
    if values.size == 1:
        return mean, math.nan
    error = float(np.std(values / scale, ddof=1)) * scale / math.sqrt(values.size)
    return mean, float(stats.t.ppf(0.5 + level / 2, values.size - 1)) * error


def _median(values: Array) -> float:
    """Return the median; between a score and a diverged run it is +inf."""
    return float(np.median(values)) if values.size else math.nan


# ------------------------------------------------------------------------------- two methods


def compare(
    frame: pd.DataFrame, metric: str, method: str, rival: str, level: float = LEVEL
) -> pd.DataFrame:
    """Compare two methods on the seeds that both ran, dataset by dataset.

    `difference` is method minus rival (Hodges-Lehmann), below zero where the method is better;
    `p` is the exact two-sided signed-rank test, `p_holm` corrected over the datasets; `outcome` is
    win, loss or tie at that corrected level, or none where there is no pair.
    """
    table = wide(frame[frame["method"].isin([method, rival])], metric)
    rows = [
        {"dataset": dataset, **_duel(part, method, rival, level)}
        for dataset, part in table.groupby(level="dataset", sort=False)
    ]
    return pd.DataFrame(_decided(rows, level))


def duels(frame: pd.DataFrame, metric: str, method: str, level: float = LEVEL) -> pd.DataFrame:
    """Compare a method with every other on each dataset, corrected over the rivals of the dataset.

    The columns are those of `compare`, with the rival; use this for what is said of one dataset.
    """
    table = wide(frame, metric)
    rows: list[dict[str, Any]] = []
    for dataset, part in table.groupby(level="dataset", sort=False):
        rivals = [
            {"dataset": dataset, "rival": rival, **_duel(part, method, rival, level)}
            for rival in table.columns.drop(method, errors="ignore")
        ]
        rows += _decided(rivals, level)
    return pd.DataFrame(rows)


def leaders(frame: pd.DataFrame, metric: str, level: float = LEVEL) -> dict[str, set[str]]:
    """Return for each dataset the method with the lowest mean, and those that equal it.

    Equal is who does not lose to it over the same seeds (`duels`). With too few seeds for any
    method to lose, only the lowest mean leads.
    """
    means = cells(frame, metric).pivot_table(index="dataset", columns="method", values="mean")
    found: dict[str, set[str]] = {}
    for dataset, row in means.iterrows():
        best = str(row.idxmin())
        part = duels(frame[frame["dataset"] == dataset], metric, best, level)
        equal = part[(part["outcome"] == "tie") & part["tellable"]] if len(part) else part
        found[str(dataset)] = {best, *(equal["rival"] if len(equal) else ())}
    return found


def against(
    frame: pd.DataFrame, metric: str, method: str, rivals: Iterable[str], level: float = LEVEL
) -> pd.DataFrame:
    """Compare a method with each rival over all datasets.

    Wins, ties and losses are those of `compare`; `tellable` counts the datasets with enough seeds
    for anything but a tie; `better` and `worse` count datasets by the sign of the difference
    alone. `improvement` is the mean over datasets of the probability that the method scores lower
    than the rival on the same seed, with a bootstrap interval over seeds within datasets; `p` the
    signed-rank test over the datasets' differences, `p_holm` corrected over the rivals.
    """
    rows: list[dict[str, Any]] = []
    for rival in rivals:
        each = compare(frame, metric, method, rival, level)
        table = wide(frame[frame["method"].isin([method, rival])], metric)
        strata = [
            paired(_column(part, method), _column(part, rival))
            for _, part in table.groupby(level="dataset", sort=False)
        ]
        low, high = _improvement_interval(strata, level)
        outcomes = each["outcome"].value_counts()
        known = each["difference"].dropna().to_numpy()
        rows.append(
            {
                "rival": rival,
                "datasets": int((each["pairs"] > 0).sum()),
                "wins": int(outcomes.get("win", 0)),
                "ties": int(outcomes.get("tie", 0)),
                "losses": int(outcomes.get("loss", 0)),
                "tellable": int(each["tellable"].sum()),
                "better": int((known < 0).sum()),
                "worse": int((known > 0).sum()),
                "improvement": float(each["improvement"].mean()),
                "improvement_low": low,
                "improvement_high": high,
                "p": signed_rank(known),
            }
        )
    result = pd.DataFrame(rows)
    if len(result):
        result["p_holm"] = holm(result["p"].to_numpy())
    return result


def _duel(part: pd.DataFrame, method: str, rival: str, level: float) -> dict[str, Any]:
    """Compare two methods on the seeds of one dataset."""
    differences = paired(_column(part, method), _column(part, rival))
    centre, low, high = hodges_lehmann(differences, level)
    return {
        "pairs": differences.size,
        "unpaired": len(part) - differences.size,
        "difference": centre,
        "low": low,
        "high": high,
        "improvement": improvement(differences),
        "p": signed_rank(differences),
    }


def _decided(rows: list[dict[str, Any]], level: float) -> list[dict[str, Any]]:
    """Add the corrected p, the outcome, and whether so many pairs can be told apart at all."""
    corrected = holm([row["p"] for row in rows])
    family = sum(row["pairs"] > 0 for row in rows)
    for row, p in zip(rows, corrected, strict=True):
        side = "win" if row["difference"] < 0 else "loss"
        row["p_holm"] = float(p)
        row["outcome"] = "none" if row["pairs"] == 0 else side if p < 1 - level else "tie"
        row["tellable"] = 2.0 ** (1 - row["pairs"]) * family < 1 - level
    return rows


def paired(method: Array, rival: Array) -> Array:
    """Return method - rival where both ran; a diverged run is infinitely worse than a score."""
    known = ~(np.isnan(method) | np.isnan(rival))
    a, b = method[known], rival[known]
    both = np.isinf(a) & np.isinf(b)
    with np.errstate(invalid="ignore"):
        return np.where(both, 0.0, a - b)


def improvement(differences: Array) -> float:
    """Return the share of pairs in which the method scored lower; a tie counts half."""
    if differences.size == 0:
        return math.nan
    return float(np.mean((differences < 0) + 0.5 * (differences == 0)))


def signed_rank(differences: Array, alternative: str = "two-sided") -> float:
    """Return Wilcoxon's p, exact also with ties; zeros are left out.

    The alternative "less" is that the differences lie below zero. Without any pair p is NaN, and
    with nothing but zeros 1.
    """
    known = differences[~np.isnan(differences)]
    if known.size == 0:
        return math.nan
    known = known[known != 0.0]
    if known.size == 0:
        return 1.0
    if known.size > EXACT:
        finite = np.sign(known) * stats.rankdata(np.abs(known))  # the test sees ranks only
        test = stats.wilcoxon(finite, method="asymptotic", alternative=alternative)
        return float(test.pvalue)
    doubled = np.rint(2 * stats.rankdata(np.abs(known))).astype(int)  # mid-ranks as integers
    positive = int(doubled[known > 0].sum())
    cumulative = np.cumsum(_null(doubled))
    if alternative == "less":
        return float(cumulative[positive])
    smaller = min(positive, int(doubled.sum()) - positive)
    return float(min(1.0, 2 * cumulative[smaller]))


def hodges_lehmann(differences: Array, level: float = LEVEL) -> tuple[float, float, float]:
    """Return the median of the Walsh averages and the interval of the signed-rank test.

    With fewer than six pairs no such interval reaches 95 %, and it is NaN.
    """
    n = differences.size
    if n == 0:
        return math.nan, math.nan, math.nan
    i, j = np.triu_indices(n)
    with np.errstate(invalid="ignore"):
        walsh = differences[i] / 2 + differences[j] / 2
    walsh = np.sort(np.where(np.isnan(walsh), 0.0, walsh))  # -inf and +inf cancel
    middle = walsh[[(walsh.size - 1) // 2, walsh.size // 2]]
    centre = float(middle[0] if middle[0] == middle[1] else middle.sum() / 2)
    if n > EXACT:
        sd = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        cut = math.floor(n * (n + 1) / 4 - float(stats.norm.ppf(0.5 + level / 2)) * sd)
    else:
        cut = int(np.searchsorted(np.cumsum(_null(np.arange(1, n + 1))), (1 - level) / 2))
    if cut < 1:
        return centre, math.nan, math.nan
    return centre, float(walsh[cut - 1]), float(walsh[-cut])


def holm(p: ArrayLike) -> Array:
    """Return Holm's step-down correction; NaN stays NaN and is no hypothesis."""
    raw = np.asarray(p, dtype=float)
    adjusted = np.full(raw.shape, math.nan)
    order = [k for k in np.argsort(raw, kind="stable") if not math.isnan(raw[k])]
    highest = 0.0
    for place, k in enumerate(order):
        highest = max(highest, min(1.0, float(raw[k]) * (len(order) - place)))
        adjusted[k] = highest
    return adjusted


def _null(ranks: NDArray[np.int_]) -> Array:
    """Return P(the ranks with a positive sign add up to s), s = 0, 1, ..., all signs alike."""
    mass = np.zeros(int(ranks.sum()) + 1)
    mass[0] = 1.0
    for rank in ranks:
        mass[rank:] = (mass[rank:] + mass[: mass.size - rank]) / 2
        mass[:rank] /= 2
    return mass


def _improvement_interval(strata: Sequence[Array], level: float) -> tuple[float, float]:
    """Return the bootstrap interval of the mean over datasets of `improvement`."""
    strata = [stratum for stratum in strata if stratum.size]
    shares = [((s < 0) + 0.5 * (s == 0)) / (s.size * len(strata)) for s in strata]
    return bootstrap(shares, lambda rows: np.minimum(rows.sum(axis=1), 1.0), level)


def _column(part: pd.DataFrame, method: str) -> Array:
    """Return a method's column, or NaN where it has none."""
    if method not in part:
        return np.full(len(part), math.nan)
    return part[method].to_numpy(dtype=float)


# --------------------------------------------------------------------------- several methods


def paper_ranks(score: ArrayLike, low: ArrayLike, high: ArrayLike, slack: float = 0.0) -> Array:
    """Rank as the paper does: 1 is best, and methods tie while their intervals overlap.

    Intervals that touch overlap, and overlap is passed on: if A meets B and B meets C, all three
    tie. The next group takes the next integer. A score without an interval is a point; one that
    is NaN has no rank. `slack` forgives the rounding of printed numbers.
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


def ranking(
    frame: pd.DataFrame, metric: str, methods: Sequence[str] | None = None, level: float = LEVEL
) -> Ranking:
    """Rank methods on every dataset by their median over seeds (ties share their mean rank).

    Datasets on which a method has no score at all are left out and named. Friedman's test
    needs three methods and two datasets, Nemenyi's differences two methods; what cannot be
    computed is NaN.
    """
    table = wide(frame, metric)
    methods = list(table.columns) if methods is None else list(methods)
    table = table.reindex(columns=methods)
    medians = table.groupby(level="dataset", sort=False).median()
    complete = medians.dropna()
    left_out = tuple(str(name) for name in medians.index.difference(complete.index, sort=False))
    ranks = complete.rank(axis=1)
    n, k = ranks.shape
    mean_ranks = ranks.mean() if n else pd.Series(math.nan, index=methods)
    statistic, p = math.nan, math.nan
    if n >= 2 and k >= 3 and np.ptp(ranks.to_numpy(), axis=1).max() > 0:
        statistic, p = map(float, stats.friedmanchisquare(*ranks.to_numpy().T))
    difference = critical_difference(k, n, level)
    means = {str(name): float(value) for name, value in mean_ranks.items()}
    return Ranking(
        means, n, left_out, statistic, p, difference, _nemenyi(ranks), cliques(means, difference)
    )


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
