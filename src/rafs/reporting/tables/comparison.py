"""Whether a method is better than its rivals over the datasets, with tests and intervals."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs.evaluation import statistics
from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import NONE, interval, number, p_equals, p_value
from rafs.reporting.table import Cell, ReportTable, Row, chosen, gaps, ranked, records

TITLE = "Comparison"
CAPTION = (
    "RAFs against each rival over the datasets. Mean rank by the median over seeds, with its 95 % "
    "interval (datasets and seeds are resampled); on how many datasets the median of RAFs is lower "
    "and higher; the median over datasets of the difference in NLL, or of the ratio of scores in "
    "the units of y; the probability that RAFs scores lower on the same seed, with its 95 % "
    "interval (datasets and seeds are resampled); and Wilcoxon's signed-rank test over the "
    "datasets (of logarithms for scores in the units of y). The p is that of the table `pairwise`: "
    "Holm's correction over every two methods in these metrics."
)
READS = ("scores",)
RAFS = "rafs"


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `methods`, `datasets`."""
    frame = ranked(chosen(inputs, options))
    pairs = statistics.pairwise(frame)
    rankings = {metric: statistics.ranking(frame, metric) for metric in statistics.TESTED}
    found = pd.concat(
        [_against(frame, metric, ranking) for metric, ranking in rankings.items()],
        ignore_index=True,
    )
    corrected = {metric: statistics.p_against(pairs, metric, RAFS) for metric in rankings}
    found["p_holm"] = [
        corrected[metric].get(name, math.nan)
        for metric, name in zip(found["metric"], found["method"], strict=True)
    ]
    rows: list[Row | None] = []
    for metric, part in found.groupby("metric", sort=False):
        rows += [None] * bool(rows)
        rows += [_row(str(metric), row) for row in records(part)]
    name = labels.method(RAFS)
    return ReportTable(
        caption=CAPTION,
        frame=found,
        head=[
            "Metric",
            "Method",
            "Mean rank",
            f"{name} lower, higher",
            "Difference or ratio",
            "P(improvement)",
            "p (Holm)",
        ],
        rows=rows,
        notes=[
            f"Bold: significant at 5 % in favour of {name}.",
            *(_sentence(metric, ranking) for metric, ranking in rankings.items()),
            *gaps(frame),
        ],
        align="ll",
    )


def _against(frame: pd.DataFrame, metric: str, ranking: statistics.Ranking) -> pd.DataFrame:
    """Return a row per method: its mean rank, and the comparison of RAFs with it."""
    ends = statistics.rank_intervals(frame, metric)
    ranks = pd.DataFrame(
        {
            "metric": metric,
            "reference": RAFS,
            "method": name,
            "mean_rank": rank,
            "mean_rank_low": ends[name][0],
            "mean_rank_high": ends[name][1],
            "friedman_p": ranking.p,
            "critical_difference": ranking.critical_difference,
        }
        for name, rank in ranking.mean_ranks.items()
    )
    rivals = [name for name in ranking.mean_ranks if name != RAFS]
    found = statistics.against(frame, metric, RAFS, rivals)
    if found.empty:
        return ranks.assign(p=math.nan)
    kept = found.drop(columns=["wins", "ties", "losses", "tellable", "p_holm"])
    return ranks.merge(kept.rename(columns={"rival": "method"}), on="method", how="left")


def _row(metric: str, row: Mapping[str, Any]) -> Row:
    """Return the line of one method; RAFs is not compared with itself."""
    rank = interval(row["mean_rank"], row["mean_rank_low"], row["mean_rank_high"])
    start: list[Cell | str] = [labels.metric(metric), labels.method(row["method"]), rank]
    if math.isnan(row.get("datasets", math.nan)):
        return [*start, NONE, NONE, NONE, NONE]
    difference = row["difference"]
    better = row["p_holm"] < statistics.ALPHA and row["better"] > row["worse"]
    return [
        *start,
        f"{int(row['better'])}, {int(row['worse'])}",
        number(math.exp(difference) if statistics.is_ratio(metric) else difference),
        interval(row["improvement"], row["improvement_low"], row["improvement_high"]),
        Cell(p_value(row["p_holm"]), better),
    ]


def _sentence(metric: str, ranking: statistics.Ranking) -> str:
    """Summarise Friedman's and Nemenyi's tests of the mean ranks."""
    out = [labels.dataset(name) for name in ranking.left_out]
    without = f" (without {', '.join(out)}, where a method has no score)" if out else ""
    return (
        f"{labels.metric(metric)}: {ranking.datasets} datasets{without}; Friedman's test "
        f"{p_equals(ranking.p)}; critical difference of mean ranks (Nemenyi, "
        f"5 %): {number(ranking.critical_difference)}."
    )
