"""A summary of the methods on the UCI tables, beside published results."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs.evaluation import statistics
from rafs.reporting import labels, published
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import number, p_equals
from rafs.reporting.table import ReportTable, chosen, gaps, ranked
from rafs.reporting.tables._field import NOT_RUN, over_splits
from rafs.reporting.uci import CELLS, COMPARED, OUTCOMES, TUNED, below, rows

TITLE = "UCI"
CAPTION = "The methods on the UCI tables, the best mean rank in NLL first."
READS = ("scores",)
SECTION = "uci"

RANKED = ("nll", "rmse", "crps")
EXPLAINED = (
    "Mean ranks are over the tables, by the median over splits, and of the ensembles alone; p is "
    "Nemenyi's against the lowest mean rank in NLL. Lower than printed: on how many tables the "
    "mean over splits, rounded as the printed one, is lower in NLL, and in RMSE; a table with a "
    "lost run is not counted. "
    f"Against {TUNED}, split by split: on how many tables significantly better, not different, "
    "worse (Nadeau and Bengio's corrected t-test, Holm's correction over the tables, 5 %); its NLL "
    "is that of a mixture of 10,000 samples, those of the methods here are of one Gaussian. "
    "Coverage: the median over tables of the median over splits."
)


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `methods`, `datasets`."""
    frame = chosen(inputs, options)
    found = numbers(frame)
    ranks = statistics.ranking(ranked(frame), "nll")
    left_out = ", ".join(map(labels.dataset, ranks.left_out))
    return ReportTable(
        caption=f"{CAPTION} {EXPLAINED}",
        frame=found,
        head=["Method", *CELLS],
        rows=rows(found),
        notes=[
            f"Friedman's test of equal ranks in NLL over {ranks.datasets} tables: "
            f"{p_equals(ranks.p)}; mean ranks that differ by {number(ranks.critical_difference)} "
            "or more differ significantly (Nemenyi, 5 %).",
            *(
                [f"Without ranks, because an ensemble has no score: {left_out}."]
                if left_out
                else []
            ),
            "Tables: on how many a method has scores, which all its counts and its coverage are "
            f"of. {NOT_RUN}",
            *gaps(frame),
        ],
    )


def numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row per method: the ensembles by their mean rank in NLL, then the references."""
    ranks = {metric: statistics.ranking(ranked(frame), metric) for metric in RANKED}
    nll = ranks["nll"]
    known = {name: rank for name, rank in nll.mean_ranks.items() if not math.isnan(rank)}
    best = min(known, key=lambda name: known[name]) if known else None
    covered = statistics.wide(frame, "coverage_95").replace(math.inf, math.nan)  # diverged runs
    coverage = covered.groupby(level="dataset").median().median()
    found = pd.DataFrame({"method": list(dict.fromkeys(frame["method"]))})
    columns: dict[str, Mapping[str, Any] | pd.Series[Any]] = {
        "reference": {name: name in labels.REFERENCES for name in found["method"]},
        **{f"mean_rank_{metric}": ranks[metric].mean_ranks for metric in RANKED},
        "p_against_best_nll": nll.nemenyi[best].drop(best) if best else {},
        "tables": _with_scores(frame),
        **_lower_than_printed(frame),
        **_paired(frame),
        "coverage_95": coverage,
    }
    for name, values in columns.items():
        found[name] = found["method"].map(dict(values))
    found["ranked_tables"] = nll.datasets
    return found.sort_values(["reference", "mean_rank_nll"], kind="stable", ignore_index=True)


def _with_scores(frame: pd.DataFrame) -> dict[str, int]:
    """Return on how many tables each method has a score."""
    ok = frame[frame["status"].eq("ok")].groupby("method")["dataset"].nunique()
    return dict.fromkeys(frame["method"], 0) | ok.to_dict()


def _lower_than_printed(frame: pd.DataFrame) -> dict[str, dict[str, int]]:
    """Return on how many tables each method has a lower mean than each printed source."""
    columns, none = {}, dict.fromkeys(frame["method"], 0)
    for metric in COMPARED:
        ours = over_splits(frame, metric)
        whole = ours["diverged"] + ours["missing"] == 0
        ours["mean"] = ours["mean"].where(whole, math.inf).round(2)
        both = ours.merge(published.uci(), on="dataset")
        lower = both[both["mean"] < both[metric]]
        for source in published.UCI_SOURCES:
            count = lower.loc[lower["source"] == source, "method"].value_counts()
            columns[below(source, metric)] = none | count.to_dict()
    return columns


def _paired(frame: pd.DataFrame) -> dict[str, dict[str, int]]:
    """Return how often each method wins, ties and loses against tuned MC dropout."""
    theirs = published.uci_mc_dropout().rename(columns={"split": "seed"})
    theirs = theirs[theirs["dataset"].isin(frame["dataset"])]
    category = dict(zip(frame["dataset"], frame["category"], strict=True))
    rival = theirs.assign(method=TUNED, status="ok", category=theirs["dataset"].map(category))
    runs = pd.concat([frame, rival], ignore_index=True)
    columns: dict[str, dict[str, int]] = {}
    for metric in COMPARED:
        for method in dict.fromkeys(frame["method"]):
            found = statistics.compare(runs, metric, str(method), TUNED)
            for outcome, name in OUTCOMES.items():
                count = int((found["outcome"] == outcome).sum())
                columns.setdefault(f"{name}_{metric}", {})[str(method)] = count
    return columns
