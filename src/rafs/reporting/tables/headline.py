"""The summary of the methods with which README.md and the documentation begin."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs.evaluation import statistics
from rafs.evaluation.metrics import PAPER_NLL
from rafs.reporting import random_activations
from rafs.reporting.inputs import Inputs
from rafs.reporting.method_summary import EXPLAINED, head, medians, rows, skill
from rafs.reporting.table import ReportTable, chosen, gaps, ranked

TITLE = "Headline"
CAPTION = "The methods in short, the best mean rank in NLL first."
READS = ("scores",)


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
    nll, rmse, coverage = (medians(frame, name) for name in (PAPER_NLL, "rmse", "coverage_95"))
    best = nll.min(axis=1)
    ranks = {m: statistics.ranking(frame, m).mean_ranks for m in (PAPER_NLL, "crps", "rmse")}
    ends = statistics.rank_intervals(frame, PAPER_NLL)
    _, p = statistics.against_best(ranks[PAPER_NLL], statistics.pairwise(frame), "nll")
    columns: dict[str, Mapping[str, float] | pd.Series[Any]] = {
        "mean_rank_nll": ranks[PAPER_NLL],
        "mean_rank_nll_low": {name: low for name, (low, _) in ends.items()},
        "mean_rank_nll_high": {name: high for name, (_, high) in ends.items()},
        "p_against_best_nll": p,
        "mean_rank_crps": ranks["crps"],
        "mean_rank_rmse": ranks["rmse"],
        "lowest_nll": nll.eq(best, axis=0).sum(),
        "median_excess_nll": nll.sub(best, axis=0).median(),
        "median_relative_rmse": rmse.div(rmse.min(axis=1), axis=0).median(),
        "median_coverage_95": coverage.median(),
        "skill_nll": skill(runs, PAPER_NLL),
        "skill_crps": skill(runs, "crps"),
        "datasets": nll.notna().sum(),
        "seeds": frame.groupby("method")["seed"].nunique(),
    }
    effects = random_activations.effects(runs, "nll")
    for name in random_activations.EFFECT:
        columns[f"activations_{name}"] = {base: row[name] for base, row in effects.items()}
    found = pd.DataFrame({"method": list(nll)})
    for name, values in columns.items():
        found[name] = found["method"].map(dict(values))
    return found.sort_values("mean_rank_nll", kind="stable", ignore_index=True)
