"""What the tables of gap and tail splits share: how ensembles widen, and how their error grows."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs.evaluation import statistics
from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import interval, number, p_equals
from rafs.reporting.table import WITH_SCORES, ReportTable, Row, chosen, gaps, records, with_scores
from rafs.reporting.widening import by_table, direction, joined, summary

TOO_FEW = "too few tables"
WIDENS = {-1: "narrows", 0: "not shown", 1: "yes"}
KEEPS_UP = {-1: "less", 0: "not significantly different", 1: "more"}
HEAD = (
    "Method", "Tables", "Widening", "Widens", "Error growth", "Widening / growth",
    "As much as the error grows", "95 % coverage", "NLL",
)  # fmt: skip
EXPLAINED = (
    "Widening: root mean predicted variance (noise included) of the test rows over that of "
    "held-out training rows; error growth: the same ratio of RMSE. Medians over tables of the "
    "median over the runs with scores, with the exact 95 % interval of the median over tables; "
    "coverage and NLL (with ½ ln 2π) likewise, at the test rows."
)


def shift_table(inputs: Inputs, options: Mapping[str, Any], caption: str) -> ReportTable:
    """Return a row per method: how it widens, and how its error grows; `caption` is continued.

    Options: `experiments`, `methods`, `datasets`.
    """
    frame = chosen(inputs, options)
    runs = joined(inputs, frame, options["experiments"])
    found = summary(by_table(runs))
    ends = _ends(runs, frame)
    return ReportTable(
        caption=f"{caption} {EXPLAINED}",
        frame=found,
        head=HEAD,
        rows=_rows(found, ends),
        notes=[
            "“Widens” and “as much as the error grows”: Wilcoxon's signed-rank test over tables of "
            "whether the widening, and widening / growth, differ from 1 (5 %, Holm's correction "
            "over the ensembles, and over the references).",
            "Held-out rows are predicted by the networks of the winning trial, which were trained "
            "without them; those of HDE are selected once, its final ones again from fresh starts. "
            "A method without a tuning of its own (`tuning: null`, another experiment's values, "
            "given predictions) has none, and no row here.",
            *([WITH_SCORES] if any(ends[name] for name in found["method"]) else []),
            *gaps(frame),
        ],
    )


def _ends(runs: pd.DataFrame, frame: pd.DataFrame) -> dict[str, str]:
    """Return the remark behind the label of a method with lost runs."""
    scored = runs["method"].value_counts()
    return {
        str(method): with_scores(int(scored.get(method, 0)), int(count))
        for method, count in frame["method"].value_counts().items()
    }


def _rows(found: pd.DataFrame, ends: Mapping[str, str]) -> list[Row | None]:
    shown: list[Row | None] = []
    for row in records(found):
        if row["reference"] and shown and None not in shown:
            shown.append(None)
        shown.append(
            [
                f"{labels.method(row['method'])}{ends[row['method']]}",
                str(row["tables"]),
                _ratio(row, "widening"),
                _judged(row, "widening", WIDENS),
                number(row["growth"]),
                _ratio(row, "kept_up"),
                _judged(row, "kept_up", KEEPS_UP),
                number(row["coverage_95"]),
                number(row["nll"]),
            ]
        )
    return shown


def _ratio(row: Mapping[str, Any], name: str) -> str:
    return interval(*(row[f"{name}{end}"] for end in ("", "_low", "_high")))


def _judged(row: Mapping[str, Any], name: str, words: Mapping[int, str]) -> str:
    """Return the word for a direction, with p; a few tables can never give a small one."""
    if not 2.0 ** (1 - row["tables"]) < statistics.ALPHA:
        return TOO_FEW
    return f"{words[direction(row, name)]} ({p_equals(row[f'p_{name}_holm'])})"
