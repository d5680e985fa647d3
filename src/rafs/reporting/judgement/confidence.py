"""Error against confidence, as in the paper: RMSE where the predicted precision exceeds τ.

The thresholds of a dataset are the quantiles 0, 10, ..., 90 % of the precision, pooled over methods
and seeds. A curve ends where fewer than ten examples are left.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from rafs.reporting import labels
from rafs.reporting.judgement.differences import RATIO, Scale
from rafs.reporting.judgement.results import FEWEST, Results

Array = NDArray[np.float64]
THRESHOLDS = 10
FEWEST_EXAMPLES = 10
ERROR = Scale("log_error", RATIO)
TREND = Scale("trend", 0.0)
SHARE = Scale("share", 0.0)


def curves(results: Results, dataset: str) -> pd.DataFrame:
    """Return the RMSE at every threshold (a column each), a row per method and seed."""
    return results.once(f"curves of {dataset}", lambda: _curves(results, dataset))


def _curves(results: Results, dataset: str) -> pd.DataFrame:
    found: dict[tuple[str, int], tuple[Array, Array]] = {}
    frame = results.main
    chosen = frame[(frame["dataset"] == dataset) & (frame["status"] == "ok")]
    for method, seed in zip(chosen["method"], chosen["seed"].astype(int), strict=True):
        run = results.predictions(str(method), dataset, seed)
        known = results.data(dataset, seed)
        if run is not None and known is not None and len(known.y_test) == len(run["mean"]):
            found[str(method), seed] = (1 / run["variance"], known.y_test - run["mean"])
    if not found:
        return pd.DataFrame()
    pooled = np.concatenate([precision for precision, _ in found.values()])
    thresholds = np.quantile(pooled, np.arange(THRESHOLDS) / THRESHOLDS)
    thresholds[0] = 0.0
    table = pd.DataFrame({key: curve(*run, thresholds) for key, run in found.items()}).T
    table.index = pd.MultiIndex.from_tuples(list(found), names=["method", "seed"])
    return table


def curve(precision: Array, error: Array, thresholds: Array) -> Array:
    """Return the RMSE of the examples more precise than each threshold; NaN if too few are left.

    >>> curve(np.repeat([1.0, 4.0], 10), np.repeat([2.0, 0.5], 10), np.array([0.0, 2.0, 5.0]))
    array([1.45773797, 0.5       ,        nan])
    """
    chosen = [error[precision > threshold] for threshold in thresholds]
    return np.array(
        [np.sqrt(np.mean(e**2)) if e.size >= FEWEST_EXAMPLES else np.nan for e in chosen]
    )


def scores(results: Results, dataset: str) -> pd.DataFrame:
    """Return the runs on a dataset with statistics of their curves as scores.

    `trend` is Kendall's correlation of error and threshold; `log_error` the mean logarithm of the
    error over those thresholds at which all methods have examples left (same seed); `share` one
    half less the share of (threshold, rival) at which a method has the lower error.
    """
    return results.once(f"scores of {dataset}", lambda: _scores(results, dataset))


def _scores(results: Results, dataset: str) -> pd.DataFrame:
    table = curves(results, dataset)
    if table.empty:
        return results.main.iloc[:0].assign(trend=0.0, log_error=0.0, share=0.0)
    rows = []
    for seed, part in table.groupby(level="seed"):
        part = part.droplevel("seed")
        common = part.dropna(axis=1)
        whole = set(labels.PAPER_METHODS) <= set(part.index) and common.shape[1] > 0
        for method in part.index:
            score = {"method": method, "seed": seed, "trend": trend(part.loc[method])}
            if whole:
                score["log_error"] = float(np.log(common.loc[method]).mean())
                score["share"] = _share(common, str(method))
            rows.append(score)
    keys = ["method", "seed"]
    frame = results.main[results.main["dataset"] == dataset]
    found = pd.DataFrame(rows, columns=[*keys, "trend", "log_error", "share"])
    return frame.merge(found, on=keys, how="inner", validate="one_to_one")


def heights(results: Results, dataset: str) -> dict[str, float]:
    """Return `log_error` by method, averaged over seeds."""
    means = scores(results, dataset).groupby("method")["log_error"].mean()
    return {str(method): float(mean) for method, mean in means.items()}


def mean_trend(results: Results, dataset: str, method: str) -> float:
    """Return Kendall's correlation of the threshold and the error averaged over seeds."""
    table = curves(results, dataset).xs(method, level="method")
    return trend(pd.DataFrame(table).mean())


def lacking(results: Results, dataset: str, methods: Sequence[str]) -> str:
    """Return what is missing to compare curves; nothing if it is complete."""
    if why := results.lacking("main", methods, dataset):
        return why
    found = scores(results, dataset)
    column = "log_error" if len(methods) > 1 else "trend"
    for method in methods:
        known = int(found.loc[found["method"] == method, column].notna().sum())
        if known < FEWEST:
            where = f"{labels.method(method)} on {labels.dataset(dataset)}"
            return f"{where}: {known} seeds have a curve, at least {FEWEST} are needed"
    return ""


def _share(common: pd.DataFrame, method: str) -> float:
    """Return one half less how often a method has the lower error; a tie counts half."""
    own, rivals = common.loc[method], common.drop(index=method)
    return 0.5 - float(((rivals > own) + 0.5 * (rivals == own)).to_numpy().mean())


def trend(values: "pd.Series[float]") -> float:
    """Return Kendall's correlation of a series with its index; NaN for fewer than three values.

    A diverged run counts as the largest value.
    """
    known = values.dropna()
    if len(known) < 3:
        return float("nan")
    finite = np.where(np.isinf(known), np.finfo(float).max, known)
    return float(stats.kendalltau(known.index.to_numpy(dtype=float), finite).statistic)
