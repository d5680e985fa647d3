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

RATIOS = {"widening": ("sharpness", "held_sharpness"), "growth": ("rmse", "held_rmse")}
SCORES = ("coverage_95", "nll")
COLUMNS = (
    "method", "reference", "tables", "widening", "widening_low", "widening_high", "p_widening",
    "growth", "kept_up", "kept_up_low", "kept_up_high", "p_kept_up", "coverage_95", "nll",
    "p_widening_holm", "p_kept_up_holm",
)  # fmt: skip


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
    """Return 1 or -1 where a ratio is significantly above or below 1, and else 0."""
    if not row[f"p_{name}_holm"] < statistics.ALPHA:
        return 0
    return 1 if row[name] > 1 else -1
