"""One row of key figures per method, for the headline table, README.md and the summary."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs.evaluation import statistics
from rafs.reporting import labels
from rafs.reporting.numbers import interval, number
from rafs.reporting.table import Row, records

EXPLAINED = (
    "Everything is by the median over seeds: mean ranks, that in NLL with a 95 % interval that "
    "resamples datasets and seeds; on how many datasets a method has the lowest NLL; medians over "
    "datasets of the NLL above that of the best method, of the coverage of the 95 % interval and "
    "of the RMSE as a multiple of the best; and, against a constant prediction (training mean and "
    "standard deviation), the median difference in NLL and the mean ratio of CRPS."
)
COLUMNS = {
    "Lowest NLL on": ("lowest_nll", 0),
    "NLL above the best": ("median_excess_nll", 2),
    "NLL − constant": ("skill_nll", 2),
    "Mean rank, CRPS": ("mean_rank_crps", 2),
    "CRPS / constant": ("skill_crps", 2),
    "95 % coverage": ("median_coverage_95", 2),
    "Mean rank, RMSE": ("mean_rank_rmse", 2),
    "RMSE, best = 1": ("median_relative_rmse", 2),
}
"""Heading, column of the frame, and decimals."""


def medians(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return medians over seeds, a row per dataset and a column per method in the paper's order."""
    table = statistics.wide(frame, metric).groupby(level="dataset", sort=False).median()
    return table[labels.in_order(table.columns)]


def skill(runs: pd.DataFrame, metric: str) -> dict[str, float]:
    """Return the average over datasets of the scores relative to the constant, if it was run."""
    return statistics.average_skill(statistics.skill(runs, metric), metric)


def head(found: pd.DataFrame) -> list[str]:
    """Return the headings; a column without any number is left out."""
    return ["Method", "Mean rank, NLL", *_shown(found)]


def rows(found: pd.DataFrame) -> list[Row | None]:
    """Return the cells for readers."""
    columns = _shown(found).values()
    return [
        [labels.method(row["method"]), rank(row), *(number(row[name], n) for name, n in columns)]
        for row in records(found)
    ]


def rank(row: Mapping[str, Any]) -> str:
    """Return a mean rank with its interval."""
    return interval(*(row[f"mean_rank_nll{end}"] for end in ("", "_low", "_high")))


def _shown(found: pd.DataFrame) -> dict[str, tuple[str, int]]:
    return {title: entry for title, entry in COLUMNS.items() if found[entry[0]].notna().any()}
