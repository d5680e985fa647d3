"""Shared code of the tables of controls: one method against each rival over datasets."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from rafs.evaluation import statistics
from rafs.evaluation.diversity import CORRELATION
from rafs.reporting.inputs import Inputs
from rafs.reporting.judgement.differences import Difference
from rafs.reporting.numbers import NONE, interval, number, p_value
from rafs.reporting.table import Cell, ReportTable, Row, gaps
from rafs.reporting.why.controls import RAFS, SCALES, Contrast, contrasts, label, others

COLUMNS = (
    "method", "rival", "lower", "higher", "part", "datasets", "difference", "low", "high",
    "p_holm",
)  # fmt: skip


def contrast_table(
    inputs: Inputs,
    options: Mapping[str, Any],
    *,
    caption: str,
    runs: Callable[[Inputs], pd.DataFrame],
    method: str | Callable[[Sequence[str]], str] = RAFS,
    without: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> ReportTable:
    """Return a row per rival: counts, differences in NLL and CRPS, and how alike members are.

    `runs` reads the experiments that the table is named after. `method` may choose among their
    methods; the others, `without` some, are the rivals.
    """
    frame = runs(inputs)
    if not isinstance(method, str):
        method = method(others(frame["method"]))
    rivals = others(frame["method"], method, *without)
    found = contrasts(frame, method, rivals)
    alike = correlations(frame)
    rows: list[Row | None] = [_row(each, alike) for each in found]
    return ReportTable(
        caption=caption,
        frame=tidy(found),
        head=["Against", "lower, higher on", "NLL", "p (Holm)", "NLL inside", "NLL outside",
              "CRPS, ratio", "residual correlation"],
        rows=rows,
        notes=[
            f"{label(method)} minus each rival, by the medians over the same seeds: Hodges-Lehmann "
            "estimate over datasets with its 95 % interval; below zero (CRPS: below 1) "
            f"{label(method)} is better. p: signed-rank test over datasets, Holm's correction over "
            "the rows. Inside and outside: test points of synthetic data inside and outside the "
            "training range. Residual correlation: of two members of the rival, median over "
            f"datasets; that of {label(method)} is {number(alike.get(method, math.nan))}.",
            *notes,
            *gaps(frame[frame["method"].isin([method, *rivals])]),
        ],
    )  # fmt: skip


def tidy(found: Sequence[Contrast]) -> pd.DataFrame:
    """Return a row per rival and part of the scores."""
    rows = [
        {
            "method": each.method, "rival": each.rival, "lower": each.lower, "higher": each.higher,
            "part": part, "datasets": d.pairs, "difference": d.value, "low": d.low, "high": d.high,
            "p_holm": d.p,
        }
        for each in found
        for part, d in each.differences.items()
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=list(COLUMNS))


def correlations(frame: pd.DataFrame) -> dict[str, float]:
    """Return the correlation of members' residuals: median over datasets of medians over seeds."""
    if CORRELATION not in frame:
        return {}
    medians = statistics.medians(frame, CORRELATION)
    return {str(name): float(value) for name, value in medians.median().items()}


def _row(each: Contrast, alike: dict[str, float]) -> Row:
    parts = [_shown(each.differences.get(name)) for name in SCALES]
    whole, inside, outside, crps = parts
    p = each.overall.p
    return [
        label(each.rival),
        f"{each.lower}, {each.higher}",
        Cell(whole, bold=each.overall.better),
        p_value(p),
        inside,
        outside,
        crps,
        number(alike.get(each.rival, math.nan)),
    ]


def _shown(difference: Difference | None) -> str:
    """Show a difference with its interval, or a ratio where it is one of logarithms."""
    if difference is None or not difference.pairs:
        return NONE
    value, low, high = difference.value, difference.low, difference.high
    if difference.scale.logarithmic:
        value, low, high = (math.exp(min(end, 700.0)) for end in (value, low, high))
    return interval(value, low, high)
