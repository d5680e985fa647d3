"""A score on the UCI tables in the literature's format: mean over splits and standard error."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from rafs.evaluation import statistics
from rafs.evaluation.metrics import BY_NAME
from rafs.reporting import labels, published
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import NONE, number
from rafs.reporting.table import (
    ROUNDING,
    Cell,
    ReportTable,
    Row,
    chosen,
    gaps,
    lost,
    ranked,
    records,
    scored,
)
from rafs.reporting.uci import label

BLOCKS = ("ensemble", "reference", "printed")
NOT_RUN = "A method is not run on tables that have too many rows for it (`largest`)."
PARTIAL = "(a/b): a of b runs have a score, and the mean is over these; such a mean is not bold."


def field_table(
    inputs: Inputs, options: Mapping[str, Any], metric: str, caption: str, fine: bool = False
) -> ReportTable:
    """Return a row per method and a column per table; options as for `score_table`.

    `caption` names the score, and is continued here; `fine` does not limit the decimals.

    Ensembles, references and printed results are in separate blocks; only ensembles can be bold or
    have a star.
    """
    frame = chosen(inputs, options)
    winners = statistics.winners(ranked(frame), metric)
    alone = {(d, m) for d, m, star in winners[["dataset", "method", "alone"]].to_numpy() if star}
    found = with_printed(over_splits(frame, metric), metric)
    lowest = _lowest(found)
    keys = list(zip(found["dataset"], found["method"], strict=True))
    found = found.assign(
        metric=metric,
        lowest=[key in lowest for key in keys],
        significant=[key in alone for key in keys],
    )
    cells = dict(zip(keys, records(found), strict=True))
    datasets = list(dict.fromkeys(frame["dataset"]))
    rows: list[Row | None] = []
    for block in BLOCKS:
        methods = dict.fromkeys(found.loc[found["block"] == block, "method"])
        rows += [None] * bool(rows and methods)
        for method in methods:
            shown = [_cell(cells.get((name, method)), None if fine else 2) for name in datasets]
            rows.append([label(method), *shown])
    return ReportTable(
        caption=f"{caption}: mean over splits ± its standard error. {BY_NAME[metric].rewards} "
        f"Lower is better. {ROUNDING[None if fine else 2]}",
        frame=found,
        head=["Method", *map(labels.dataset, datasets)],
        rows=rows,
        notes=[
            "Bold: the lowest mean among the ensembles, before rounding. *: significantly better "
            "than every other ensemble there (Nadeau and Bengio's corrected t-test over the "
            f"splits; 5 %, Holm's correction over the tables), which is so on {len(alone)} of "
            f"{len(datasets)}.",
            "Splits of one table share most of their rows, so the standard errors are too small.",
            "Printed: Table 1 of Lakshminarayanan et al. (2017), to two decimals, on splits made "
            "by the same protocol; ± as printed, a standard error for PBP.",
            *([f"{NONE}: {NOT_RUN}"] if any(Cell(NONE) in row for row in rows if row) else []),
            *gaps(frame, PARTIAL),
        ],
    )


def over_splits(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return dataset, method, block, mean, se, scored, diverged, missing.

    The mean and its standard error are over the splits with a score.
    """
    found = statistics.cells(frame, metric)
    runs = statistics.values(frame, metric).replace(math.inf, math.nan)
    errors = runs.groupby([frame["method"], frame["dataset"]]).sem()
    keys = zip(found["method"], found["dataset"], strict=True)
    blocks = np.where(found["method"].isin(labels.REFERENCES), BLOCKS[1], BLOCKS[0])
    columns = ["dataset", "method", "block", "mean", "se", "scored", "diverged", "missing"]
    return found.assign(se=[errors[key] for key in keys], block=blocks)[columns]


def with_printed(found: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Add the printed means on the same tables, with the values printed after ±."""
    theirs = published.uci()
    theirs = theirs[theirs["dataset"].isin(found["dataset"])].rename(
        columns={"source": "method", metric: "mean", f"{metric}_pm": "se"}
    )
    order = {name: place for place, name in enumerate(published.UCI_SOURCES)}
    theirs = theirs.sort_values("method", key=lambda names: names.map(order), kind="stable")
    part = theirs[["dataset", "method", "mean", "se"]].assign(block=BLOCKS[2])
    return pd.concat([found, part], ignore_index=True)


def _lowest(found: pd.DataFrame) -> set[tuple[str, str]]:
    """Return for each table the ensemble with the lowest mean among those without lost runs."""
    whole = found[
        (found["block"] == BLOCKS[0]) & (found["diverged"] + found["missing"] == 0)
    ].dropna(subset=["mean"])
    best = whole.loc[whole.groupby("dataset")["mean"].idxmin()]
    return set(zip(best["dataset"], best["method"], strict=True))


def _cell(row: Mapping[str, Any] | None, decimals: int | None) -> Cell:
    if row is None:
        return Cell(NONE)
    if row["block"] == BLOCKS[2]:
        return Cell(f"{published.printed(row['mean'])} ± {published.printed(row['se'])}")
    if not row["scored"]:
        return Cell(lost(row))
    shown = f"{number(row['mean'], decimals)} ± {number(row['se'], decimals)}"
    return Cell(shown + "*" * row["significant"] + scored(row), row["lowest"])
