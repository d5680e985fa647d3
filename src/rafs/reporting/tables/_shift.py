"""Does an ensemble widen where it errs more? Test rows of a gap or a tail against held-out rows.

A run predicts test rows away from the training rows, and training rows that tuning held out. The
ratio of the root mean predicted variances of both measures how much the ensemble widens; the same
ratio of RMSE measures how much its error grows.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from rafs.evaluation import statistics
from rafs.reporting import labels
from rafs.reporting.inputs import KEYS, Inputs
from rafs.reporting.table import (
    WITH_SCORES,
    ReportTable,
    Row,
    chosen,
    gaps,
    interval,
    number,
    p_equals,
    records,
    with_scores,
)

RATIOS = {"widening": ("sharpness", "held_sharpness"), "growth": ("rmse", "held_rmse")}
SCORES = ("coverage_95", "nll")
TOO_FEW = "too few tables"
WIDENS = {-1: "narrows", 0: "not shown", 1: "yes"}
KEEPS_UP = {-1: "less", 0: "not significantly different", 1: "more"}
HEAD = (
    "Method", "Tables", "Widening", "Widens", "Error growth", "Widening / growth",
    "As much as the error grows", "95 % coverage", "NLL",
)  # fmt: skip
COLUMNS = (
    "method", "reference", "tables", "widening", "widening_low", "widening_high", "p_widening",
    "growth", "kept_up", "kept_up_low", "kept_up_high", "p_kept_up", "coverage_95", "nll",
    "p_widening_holm", "p_kept_up_holm",
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


def joined(inputs: Inputs, frame: pd.DataFrame, experiments: Sequence[str]) -> pd.DataFrame:
    """Return runs with the scores of their held-out rows: held_rmse and held_sharpness."""
    keys = list(KEYS[:4])
    held = pd.concat([inputs.recalibrated(name) for name in experiments], ignore_index=True)
    held = held[(held["way"] == "raw") & (held["status"] == "ok")]
    above, below = zip(*RATIOS.values(), strict=True)
    runs = frame[frame["status"] == "ok"].reindex(columns=[*keys, *above, *SCORES])
    both = runs.merge(held.reindex(columns=[*keys, *below]), on=keys)
    return both.dropna(subset=[*above, *below])


def by_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Return medians over the splits of each table: log ratios, coverage and NLL."""
    ratios = {
        name: np.log(runs[above].astype(float) / runs[below].astype(float))
        for name, (above, below) in RATIOS.items()
    }
    return (
        runs.assign(**ratios)
        .groupby(["method", "dataset"], sort=False)[[*ratios, *SCORES]]
        .median()
        .reset_index()
    )


def summary(tables: pd.DataFrame) -> pd.DataFrame:
    """Return a row per method, the ensembles before the references; p is corrected in each block.

    `kept_up` is the widening over the growth of the error: below 1 the intervals fall behind.
    """
    rows = [
        {
            "method": method,
            "reference": method in labels.REFERENCES,
            "tables": len(part),
            **_tested("widening", part["widening"]),
            "growth": math.exp(part["growth"].median()),
            **_tested("kept_up", part["widening"] - part["growth"]),
            **part[list(SCORES)].median(),
        }
        for method, part in tables.groupby("method", sort=False)
    ]
    found = pd.DataFrame(rows, columns=list(COLUMNS))
    for name in ("p_widening", "p_kept_up"):
        blocks = found.groupby("reference", sort=False)[name]
        found[f"{name}_holm"] = blocks.transform(statistics.holm).astype(float)
    return found.sort_values("reference", kind="stable", ignore_index=True)


def _tested(name: str, logs: "pd.Series[float]") -> dict[str, float]:
    """Return the median ratio with its interval, and p of the signed-rank test."""
    values = np.asarray(logs, dtype=np.float64)
    low, high = statistics.median_interval(values)
    return {
        name: float(np.exp(np.median(values))),
        f"{name}_low": math.exp(low),
        f"{name}_high": math.exp(high),
        f"p_{name}": statistics.signed_rank(values),
    }


def direction(row: Mapping[str, Any], name: str) -> int:
    """Return 1 or -1 if a ratio is significantly above or below 1, else 0."""
    if not row[f"p_{name}_holm"] < statistics.ALPHA:
        return 0
    return 1 if row[name] > 1 else -1


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
