"""The printed scores beside those of the released code's behaviour and of the text."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs.evaluation import NOT_RUN, statistics
from rafs.reporting import labels, published
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import NONE, number
from rafs.reporting.table import PARTIAL, ReportTable, Row, chosen, gaps, lost, records, scored

TITLE = "Released against published"
CAPTION = (
    "The printed scores beside runs with the behaviour of the authors' code: median over seeds and "
    "their range; and beside the median of the runs that follow the text. NLL without the constant "
    "½ ln 2π."
)
READS = ("scores",)

ROUNDING = 0.005  # half a unit of the last printed digit
KEYS = ["dataset", "method"]


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments` (released, then described), `methods`, `datasets`."""
    first, second = options["experiments"]
    released, described = (
        chosen(inputs, {**options, "experiments": [name]}) for name in (first, second)
    )
    released, waiting = started(released)
    found = pd.concat(
        [beside(released, described, metric) for metric in published.METRICS], ignore_index=True
    )
    parts = {
        metric: {(row["dataset"], row["method"]): row for row in records(part)}
        for metric, part in found.groupby("metric", sort=False)
    }
    rows: list[Row | None] = []
    for place, nll in parts.get("nll", {}).items():
        shown = [text for metric in parts for text in _cells(parts[metric][place])]
        titles = [labels.dataset(place[0]), labels.method(place[1])]
        intervals = f"{number(nll['published_half_width'])}, {number(nll['interval'])}"
        rows.append([*titles, *shown, intervals])
    return ReportTable(
        caption=CAPTION,
        frame=found,
        head=[
            "Dataset",
            "Method",
            *(f"{name}, {of}" for name in ("NLL", "RMSE") for of in ("printed", *OF)),
            "“Interval”: printed, released",
        ],
        rows=rows,
        notes=[
            summary(found),
            *not_run(released, waiting),
            "†: the printed value lies outside the range of the released runs (“> 100”: none of "
            "them exceeds 100).",
            "The split of Abalone, Naval propulsion, Forest fire and Parkinson's is fixed, and so "
            "are all inputs of PUMA560 that matter: there the range is over initialisations alone.",
            "“Interval” is what the authors' code prints after ±: 1.96 standard errors of the "
            "predicted means over the test points of one run.",
            *gaps(released, PARTIAL),
        ],
        align="ll",
    )


OF = ("released", "described")


def beside(released: pd.DataFrame, described: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return a row per printed cell that was run: printed, released and described, and `place`.

    `place` is within or outside the range of the released runs, or empty where none has a score.
    """
    name = published.METRICS[metric]
    ours = statistics.cells(released, name)
    values = statistics.values(released, name).replace(math.inf, math.nan)
    groups = values.groupby([released["dataset"], released["method"]])
    spread = groups.agg(least="min", most="max").reset_index()
    interval = released.get("interval", math.nan)
    means = released.assign(interval=interval).groupby(KEYS)["interval"].mean().reset_index()
    text = statistics.cells(described, name)[[*KEYS, "median", "low", "high"]].rename(
        columns={"median": "described", "low": "described_low", "high": "described_high"}
    )
    theirs = published.scores(metric).rename(
        columns={"value": "published", "half_width": "published_half_width"}
    )
    both = ours.merge(theirs.drop(columns="bold"), on=KEYS)
    for table in (spread, means, text):
        both = both.merge(table, on=KEYS, how="left")
    both.insert(0, "metric", metric)
    both["place"] = [_place(row) for row in records(both)]
    return both


def _place(row: Mapping[str, Any]) -> str:
    """Locate the printed value; a diverged run exceeds 100, and is in no other range."""
    if not row["scored"] + row["diverged"]:
        return ""
    if row["censored"]:
        inside = row["diverged"] > 0 or row["most"] > published.LIMIT
    else:
        inside = row["least"] - ROUNDING <= row["published"] <= row["most"] + ROUNDING
    return "within" if inside else "outside"


def summary(found: pd.DataFrame) -> str:
    """Say how many of the printed cells were run and how many lie within the range."""
    known = found[found["place"] != ""]
    total, inside = len(published.scores()), int(known["place"].eq("within").sum())
    counts = ", ".join(
        f"{labels.method(str(method))} {int(part['place'].eq('within').sum())} of {len(part)}"
        for method, part in known.groupby("method", sort=False)
    )
    words = f"Of the {total} printed cells {len(known)} were run; {inside} of these lie within the "
    words += f"range of the released runs{f' ({counts})' if counts else ''}."
    others = records(known[known["place"] == "outside"])
    if not others:
        return words
    text = sum(map(_as_described, others))
    return words + (
        f" Of the other {len(others)}, {text} lie within the 95 % interval of the runs that follow "
        f"the text; {len(others) - text} follow from neither."
    )


def _as_described(row: Mapping[str, Any]) -> bool:
    """Say whether a printed value lies within the interval of the runs that follow the text."""
    if row["censored"]:
        return bool(row["described_high"] > published.LIMIT)
    low, high = row["described_low"] - ROUNDING, row["described_high"] + ROUNDING
    return bool(low <= row["published"] <= high)


def started(released: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the runs of the cells that were begun, and those of the cells that were not."""
    begun = released["status"].ne(NOT_RUN).groupby([released[key] for key in KEYS])
    there = begun.transform("any")
    return released[there], released[~there]


def not_run(released: pd.DataFrame, waiting: pd.DataFrame) -> list[str]:
    """Say which printed cells were not run, by method, and what the rest of the runs would cost."""
    run = set(zip(released["dataset"], released["method"], strict=True))
    cells = published.scores("nll")
    rest = cells[
        [place not in run for place in zip(cells["dataset"], cells["method"], strict=True)]
    ]
    notes = []
    for method, part in rest.groupby("method", sort=False):
        names = [labels.dataset(str(name)) for name in part["dataset"]]
        which = "any dataset" if len(names) == cells["dataset"].nunique() else ", ".join(names)
        notes.append(f"{labels.method(str(method))} on {which}")
    costs = [] if waiting.empty else list(waiting["message"].dropna().unique())
    whole = [f"The experiment in whole costs {cost}." for cost in costs]
    return [f"Not run: {'; '.join(notes)}.", *whole] if notes else []


def _cells(cell: Mapping[str, Any]) -> list[str]:
    """Return the printed, the released and the described value as text."""
    printed = published.printed(math.inf if cell["censored"] else cell["published"])
    printed += "†" if cell["place"] == "outside" else ""
    decimals = None if cell["metric"] == "rmse" else 2
    if not cell["scored"]:
        ours = lost(cell)
    else:
        ends = [number(cell[end], decimals) for end in ("least", "most")]
        ours = f"{number(cell['median'], decimals)} [{ends[0]}, {ends[1]}]{scored(cell)}"
    text = NONE if math.isnan(cell["described"]) else number(cell["described"], decimals)
    return [printed, ours, text]
