"""How the mean ranks depend on the number of optimiser steps."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import interval, number
from rafs.reporting.table import ReportTable, Row, chosen, gaps, in_metric, ranked
from rafs.reporting.tables._swept_ranks import difference_intervals, mean_ranks

TITLE = "Steps"
CAPTION = (
    "Mean rank in NLL of each method, tuned and trained with different numbers of optimiser steps, "
    "and its difference from that with the most steps, with a 95 % interval that resamples "
    "datasets and seeds."
)
READS = ("scores",)

CLOSE = 0.2
"""Mean ranks that differ by no more than this agree."""


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `datasets`, `metric`."""
    metric = str(options.get("metric", "nll"))
    frame = ranked(chosen(inputs, options))
    ranks = mean_ranks(frame, metric)
    most = float(ranks.columns.max())
    away = ranks.sub(ranks[most], axis=0)
    low, high = difference_intervals(frame, metric)
    fewer = [float(steps) for steps in ranks.columns[:-1]]
    ends = (part[fewer].to_numpy() for part in (away, low, high))
    rows: list[Row | None] = [
        [
            labels.method(str(method)),
            *(number(value) for value in means),
            *(interval(*difference) for difference in zip(*parts, strict=True)),
        ]
        for method, means, *parts in zip(ranks.index, ranks.to_numpy(), *ends, strict=True)
    ]
    return ReportTable(
        caption=in_metric(CAPTION, metric),
        frame=_tidy({"mean_rank": ranks, "difference": away, "low": low, "high": high}),
        head=[
            "Method",
            *(f"{steps:g} steps" for steps in ranks.columns),
            *(f"{steps:g} − {most:g}" for steps in fewer),
        ],
        rows=rows,
        notes=[*_enough(away.abs().max()), *_significant((low > 0) | (high < 0)), *gaps(frame)],
    )


def _tidy(columns: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return a row per method and number of steps."""
    shape = next(iter(columns.values()))
    return pd.DataFrame(
        [
            {"method": method, "steps": steps}
            | {name: table.loc[method, steps] for name, table in columns.items()}
            for method in shape.index
            for steps in shape.columns
        ],
        columns=["method", "steps", *columns],
    )


def _enough(farthest: "pd.Series[float]") -> list[str]:
    """Name the smallest budget whose ranks agree with those of the largest."""
    near = [float(steps) for steps in farthest.index[farthest <= CLOSE]]
    if not near:
        return []
    worst = ", ".join(f"{value:.2f} at {steps:g} steps" for steps, value in farthest.items())
    return [
        f"The fewest steps whose mean ranks agree with those of the most within {CLOSE}: "
        f"{min(near):g}. Largest differences: {worst}."
    ]


def _significant(apart: pd.DataFrame) -> list[str]:
    """Return a sentence on how many differences have an interval without zero."""
    number_apart = int(apart.to_numpy().sum())
    of = apart.shape[0] * (apart.shape[1] - 1)
    return [f"Differences whose interval leaves out zero: {number_apart} of {of}, uncorrected."]
