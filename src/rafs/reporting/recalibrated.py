"""Recalibrated scores by method, dataset, kind and part, for their table and figure."""

import math
from typing import Any

import pandas as pd

from rafs.datasets.core import CATEGORIES
from rafs.evaluation import statistics
from rafs.evaluation.metrics import INSIDE, OUTSIDE, WHOLE
from rafs.evaluation.recalibration import SCORES, WAYS
from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import number

PARTS = {WHOLE: "all", INSIDE: "inside", OUTSIDE: "outside"}
REACHED = 0.93
"""Median coverage over seeds from which the 95 % intervals of a dataset count as holding."""

RANDOM = tuple(name for name, kind in CATEGORIES.items() if kind.random)

RUN = ["experiment", "method", "dataset", "seed"]
CELL = ["method", "dataset", "category", "way"]
RATIOS = {"width_95": "width_ratio", "interval_score_95": "interval_score_ratio"}  # to raw
MEDIANS = ["coverage_90", "coverage_95", *RATIOS.values(), "nll"]
COLUMNS = [*CELL, "part", "runs", "infinite", *MEDIANS, "low", "high"]


def runs_of(inputs: Inputs, runs: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return a row per run and kind, and the datasets without scores inside the training range."""
    names = list(dict.fromkeys(runs["experiment"]))
    if not names:
        return pd.DataFrame(columns=[*RUN, "category", "status", "way"]), []
    sizes = runs.reindex(columns=[*RUN, "n_inside", "n_test"])
    found = pd.concat([inputs.recalibrated(name) for name in names], ignore_index=True)
    return statistics.without_few_inside(sizes.merge(found, on=RUN))


def by_dataset(frame: pd.DataFrame) -> pd.DataFrame:
    """Return medians over the seeds that have scores; widths and interval scores relative to raw.

    `low` and `high` are the exact interval of the median coverage of the 95 % interval, `infinite`
    counts the runs whose 95 % interval is infinite: larger than any other.
    """
    scored = frame[frame["status"].eq("ok")]
    parts = [_part(scored, prefix) for prefix in PARTS]
    found = [
        {**dict(zip(CELL, key, strict=True)), "part": name, **_cell(runs)}
        for name, part in zip(PARTS.values(), parts, strict=True)
        for key, runs in part.groupby(CELL, sort=False)
    ]
    return pd.DataFrame(found, columns=COLUMNS)


def _part(scored: pd.DataFrame, prefix: str) -> pd.DataFrame:
    """Return the runs with scores in one part of the test rows, width and score relative to raw."""
    columns = {f"{prefix}{name}": RATIOS.get(name, name) for name in SCORES}
    part = scored[[*RUN, "category", "way", *columns]].rename(columns=columns)
    part = part.dropna(subset="coverage_95")
    runs = [part[key] for key in RUN]
    for name in RATIOS.values():
        raw = part[name].where(part["way"].eq("raw")).groupby(runs).transform("max")
        part[name] = part[name].fillna(math.inf) / raw
    return part


def _cell(runs: pd.DataFrame) -> dict[str, Any]:
    """Return the medians over the seeds of a cell."""
    low, high = statistics.median_interval(runs["coverage_95"].to_numpy(dtype=float))
    infinite = int(runs["width_ratio"].eq(math.inf).sum())
    medians = {name: float(runs[name].median()) for name in MEDIANS}
    return {"runs": len(runs), "infinite": infinite, **medians, "low": low, "high": high}


def coverages(found: pd.DataFrame, way: str) -> "pd.Series[float]":
    """Return the median over datasets of the coverage of the 95 % interval, by method."""
    chosen = found[found["way"].eq(way)]
    return chosen.groupby("method", sort=False)["coverage_95"].median()


def sentence(found: pd.DataFrame) -> str:
    """Describe the effect of recalibration on coverage inside and outside the training range."""
    found = found[~found["method"].isin(labels.REFERENCES)]
    split = found["part"].eq("all") & found["category"].isin(RANDOM)
    places = {
        "Inside the training range": found["part"].eq("inside"),
        "On random test rows of real tables": split,
        "Outside the training range": found["part"].eq("outside"),
    }
    said = [_repaired(where, found[rows]) for where, rows in places.items() if rows.any()]
    return " ".join(said) or "No run has recalibrated scores."


def _repaired(where: str, mine: pd.DataFrame) -> str:
    """Describe the effect on coverage in one part of the test rows."""
    ranges = {way: _range(coverages(mine, way)) for way in WAYS}
    holding = {
        way: int((mine.loc[mine["way"].eq(way), "coverage_95"] >= REACHED).sum()) for way in WAYS
    }
    return (
        f"{where} the raw 95 % intervals cover {ranges['raw']} of the targets, depending on the "
        f"method, the scaled ones {ranges['scaled']} and the conformal ones {ranges['conformal']} "
        f"(medians over datasets); of {int(mine['way'].eq('raw').sum())} pairs of method and "
        f"dataset, {holding['raw']} reach {REACHED:g} raw, {holding['scaled']} scaled and "
        f"{holding['conformal']} conformal."
    )


def _range(values: "pd.Series[float]") -> str:
    return f"{number(float(values.min()))} to {number(float(values.max()))}"
