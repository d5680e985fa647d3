"""The summary of the methods with which README.md and the documentation begin."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs.evaluation import statistics
from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.table import ReportTable, Row, chosen, gaps, interval, number, ranked, records
from rafs.reporting.tables import rafs_on

CAPTION = "The methods in short, the best mean rank in NLL first."
READS = ("scores",)

EXPLAINED = (
    "Everything is by the median over seeds: mean ranks, that in NLL with a 95 % interval that "
    "resamples datasets and seeds; on how many datasets a method has the lowest NLL; medians over "
    "datasets of the NLL above that of the best method, of the coverage of the 95 % interval and "
    "of the RMSE as a multiple of the best; and, against a constant prediction (training mean and "
    "standard deviation), the median difference in NLL and the mean ratio of CRPS."
)
NLL = "nll_paper"
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


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table of the methods of the first of its `experiments`.

    The others add the constant, and the base methods with random activations.
    """
    names = options["experiments"]
    runs = chosen(inputs, options)
    frame = ranked(runs[runs["experiment"] == names[0]])
    found = numbers(frame, runs)
    return ReportTable(
        caption=f"{CAPTION} {EXPLAINED}",
        frame=found,
        head=head(found),
        rows=rows(found),
        notes=gaps(frame),
    )


def numbers(frame: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per method of `frame`, the best mean rank in NLL first.

    `p_against_best_nll` is that of the table `pairwise`. Columns `activations_...` have the effect
    of random activations on the NLL of a base method, as in the table `rafs_on`.
    """
    nll, rmse, coverage = (medians(frame, name) for name in (NLL, "rmse", "coverage_95"))
    best = nll.min(axis=1)
    ranks = {m: statistics.ranking(frame, m).mean_ranks for m in (NLL, "crps", "rmse")}
    ends = statistics.rank_intervals(frame, NLL)
    _, p = statistics.against_best(ranks[NLL], statistics.pairwise(frame), "nll")
    columns: dict[str, Mapping[str, float] | pd.Series[Any]] = {
        "mean_rank_nll": ranks[NLL],
        "mean_rank_nll_low": {name: low for name, (low, _) in ends.items()},
        "mean_rank_nll_high": {name: high for name, (_, high) in ends.items()},
        "p_against_best_nll": p,
        "mean_rank_crps": ranks["crps"],
        "mean_rank_rmse": ranks["rmse"],
        "lowest_nll": nll.eq(best, axis=0).sum(),
        "median_excess_nll": nll.sub(best, axis=0).median(),
        "median_relative_rmse": rmse.div(rmse.min(axis=1), axis=0).median(),
        "median_coverage_95": coverage.median(),
        "skill_nll": skill(runs, NLL),
        "skill_crps": skill(runs, "crps"),
        "datasets": nll.notna().sum(),
        "seeds": frame.groupby("method")["seed"].nunique(),
    }
    effects = rafs_on.effects(runs, "nll")
    for name in rafs_on.EFFECT:
        columns[f"activations_{name}"] = {base: row[name] for base, row in effects.items()}
    found = pd.DataFrame({"method": list(nll)})
    for name, values in columns.items():
        found[name] = found["method"].map(dict(values))
    return found.sort_values("mean_rank_nll", kind="stable", ignore_index=True)


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
