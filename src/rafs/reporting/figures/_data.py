"""Shared code of the figures: the runs that they show, and notes on runs without scores."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from rafs.evaluation import statistics
from rafs.reporting.inputs import KEYS, Inputs
from rafs.reporting.table import gaps, selected


def scores(inputs: Inputs, options: Mapping[str, Any]) -> tuple[pd.DataFrame, list[str]]:
    """Return the runs of a figure, and notes on missing scores.

    Options: `experiments`, and perhaps `methods` and `datasets` to restrict them.
    """
    found = {name: inputs.find(name) for name in options["experiments"]}
    frames = [frame for frame in found.values() if frame is not None]
    rows = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=list(KEYS))
    rows = selected(rows, options)
    notes = [f"Experiment {name} has not been run." for name in found if found[name] is None]
    return rows, notes + gaps(rows)


def usable(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the runs that have a finite value of a metric."""
    if metric not in rows:
        return rows.iloc[:0].assign(**{metric: pd.Series(dtype=float)})
    values = pd.to_numeric(rows[metric], errors="coerce")
    return rows[(rows["status"] == "ok") & np.isfinite(values)].assign(**{metric: values})


def predictions(inputs: Inputs, *run: Any) -> dict[str, NDArray[Any]] | None:
    """Return what a run (experiment, method, dataset, seed) predicted, or None."""
    found = inputs.predictions(*run)
    return found if found and found["mean"].size else None


def why_not(rows: pd.DataFrame, **where: Any) -> str:
    """Return why runs are missing: their own message, or that there are none."""
    chosen = rows
    for column, value in where.items():
        chosen = chosen[chosen[column] == value]
    if "message" in chosen:
        messages = chosen.loc[chosen["status"] != "ok", "message"].dropna()
        if len(messages):
            return str(messages.iloc[0])
    lost = chosen.loc[chosen["status"] != "ok", "status"]
    return f"the run is {lost.iloc[0]}" if len(lost) else "there is no such run"


def interval(values: ArrayLike) -> tuple[float, float, float]:
    """Return the median over seeds and the ends of its exact 95 % interval."""
    summary = statistics.summarise(values)
    return summary.median, summary.low, summary.high
