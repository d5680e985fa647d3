"""All pairs of methods over the datasets: how often each is lower, with significance."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs.evaluation import statistics
from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import NONE, p_equals
from rafs.reporting.table import PAIRED, Cell, ReportTable, Row, chosen, gaps, ranked, records

TITLE = "Pairwise"
CAPTION = (
    "Every two methods over the datasets: on how many the method of the row has the lower, and the "
    "higher, median over seeds, and p of Wilcoxon's signed-rank test on these medians (differences "
    "in NLL, ratios of scores in the units of y) with Holm's correction over all pairs and metrics "
    "of this table."
)
READS = ("scores",)


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `methods`, `datasets`."""
    frame = ranked(chosen(inputs, options))
    methods = list(dict.fromkeys(frame["method"]))
    found = statistics.pairwise(frame, methods=methods)
    pairs = {(row["metric"], row["method"], row["rival"]): row for row in records(found)}
    rows: list[Row | None] = []
    for metric in statistics.TESTED:
        rows += [None] * bool(rows)
        for a in methods:
            shown = [_cell(pairs, metric, a, b) for b in methods]
            rows.append([labels.metric(metric), labels.method(a), *shown])
    return ReportTable(
        caption=CAPTION,
        frame=found,
        head=["Metric", "Method", *(f"against {labels.method(name)}" for name in methods)],
        rows=rows,
        notes=[
            _bold(found),
            *(_best(frame, metric, found) for metric in statistics.TESTED),
            *gaps(frame),
        ],
        align="ll",
    )


def _cell(pairs: Mapping[Any, Mapping[str, Any]], metric: str, a: str, b: str) -> Cell:
    """Return one pair as seen from the method of the row."""
    row, counts = pairs.get((metric, a, b)), ("better", "worse")
    if row is None:
        row, counts = pairs.get((metric, b, a)), ("worse", "better")
    if row is None:
        return Cell("")
    lower, higher = (int(row[name]) for name in counts)
    if not lower + higher:
        return Cell(NONE)
    shown = f"{lower}, {higher} ({p_equals(row['p_holm'])})"
    return Cell(shown, row["p_holm"] < statistics.ALPHA and lower > higher)


def _bold(found: pd.DataFrame) -> str:
    """Explain bold, and note where it does not follow from the counts."""
    words = "Bold: the method of the row is significantly better (5 %)."
    wins = found[["better", "worse"]].max(axis=1)
    significant = found["p_holm"] < statistics.ALPHA
    return f"{words} {PAIRED}" if wins[~significant].max() >= wins[significant].min() else words


def _best(frame: pd.DataFrame, metric: str, pairs: pd.DataFrame) -> str:
    """Say who has the best mean rank, and which methods are not significantly different."""
    ranks = statistics.ranking(frame, metric).mean_ranks
    best, p = statistics.against_best(ranks, pairs, metric)
    near = [name for name in ranks if name != best and not p.get(name, 1.0) < statistics.ALPHA]
    words = ", ".join(labels.method(name) for name in near) or "none"
    return (
        f"{labels.metric(metric)}: lowest mean rank {labels.method(best)}; not significantly "
        f"different from it: {words}."
    )
