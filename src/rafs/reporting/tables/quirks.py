"""The effect of single quirks of the released code on the scores of the same runs."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs.datasets.quirks import QUIRKS
from rafs.evaluation import NOT_RUN, statistics
from rafs.reporting import labels, published
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import NONE, interval, number
from rafs.reporting.table import Cell, ReportTable, Row, chosen, gaps, lost, records

TITLE = "Quirks"
CAPTION = (
    "What single quirks of the authors' code do, each switched on alone: median over the same "
    "seeds without and with it, and the change (Hodges-Lehmann estimate, on real data the mean, "
    "with its 95 % interval where there are six seeds or more; not corrected for their number). "
    "Tuned values are those without it. NLL without the constant ½ ln 2π. The first rows summarise "
    "each quirk: the median of its changes over datasets and methods, and in how many of these the "
    "score is higher and lower with it, by an interval that does not contain zero."
)
READS = ("scores",)

METRICS = tuple(published.METRICS.values())
MARK = "@quirk="
OF = ("described", "quirk", "change")


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments` (with quirks, then without), `datasets`."""
    first, second = options["experiments"]
    odd, plain = (chosen(inputs, {**options, "experiments": [name]}) for name in (first, second))
    odd = odd[odd["method"].str.contains(MARK)]
    begun = odd[odd["status"] != NOT_RUN]
    found = pd.concat(
        [effect(begun, plain, metric) for metric in METRICS], ignore_index=True
    ).sort_values(["quirk", "dataset", "method"], key=_order, kind="stable")
    used = [name for name in QUIRKS if name in set(found["quirk"])]
    return ReportTable(
        caption=CAPTION,
        frame=found,
        head=[
            "Quirk",
            "Dataset",
            "Method",
            *(f"{name}, {of}" for name in ("NLL", "RMSE") for of in OF),
        ],
        rows=[*summary(found), None, *single(found)] if len(found) else [],
        notes=[
            *(f"{name}: {QUIRKS[name].what}. Effect: {QUIRKS[name].effect}." for name in used),
            *gaps(odd),
        ],
        align="lll",
    )


def effect(odd: pd.DataFrame, plain: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return a row per quirk, dataset and method: both medians, and the change over the seeds."""
    parts = []
    for method, with_it in odd.groupby("method", sort=False):
        base, _, quirk = str(method).partition(MARK)
        pairs = set(zip(with_it["dataset"], with_it["seed"], strict=True))
        same = [pair in pairs for pair in zip(plain["dataset"], plain["seed"], strict=True)]
        without = plain[(plain["method"] == base) & pd.Series(same, index=plain.index)]
        both = pd.concat([with_it, without], ignore_index=True)
        change = statistics.compare(both, metric, str(method), base)
        change = change[["dataset", "pairs", "difference", "low", "high", "p"]]
        for name, runs in (("quirk", with_it), ("described", without)):
            medians = statistics.cells(runs, metric)
            kept = medians[["dataset", "median", "scored", "diverged", "missing"]]
            kept = kept.rename(columns={c: f"{name}_{c}" for c in kept if c != "dataset"})
            change = change.merge(kept, on="dataset", how="left")
        parts.append(change.assign(quirk=quirk, method=base, metric=metric))
    columns = ["metric", "quirk", "dataset", "method"]
    if not parts:
        return pd.DataFrame(columns=columns)
    whole = pd.concat(parts, ignore_index=True)
    return whole[[*columns, *(c for c in whole if c not in columns)]]


def summary(found: pd.DataFrame) -> list[Row]:
    """Return a row per quirk: its effect over all its datasets and methods."""
    rows: list[Row] = []
    for quirk, part in found.groupby("quirk", sort=False):
        counts = [f"{part[name].nunique()} {name}s" for name in ("dataset", "method")]
        counts = [text.removesuffix("s") if text.startswith("1 ") else text for text in counts]
        changes = [_changes(part[part["metric"] == metric]) for metric in METRICS]
        shown = [text for change in changes for text in ("", "", change)]
        rows.append([Cell(str(quirk), bold=True), *counts, *shown])
    return rows


def single(found: pd.DataFrame) -> list[Row]:
    """Return a row per quirk, dataset and method."""
    parts = {
        metric: {(r["quirk"], r["dataset"], r["method"]): r for r in records(part)}
        for metric, part in found.groupby("metric", sort=False)
    }
    rows: list[Row] = []
    for quirk, dataset, method in parts[METRICS[0]]:
        shown = [text for m in METRICS for text in _cells(parts[m][quirk, dataset, method])]
        rows.append([quirk, labels.dataset(dataset), labels.method(method), *shown])
    return rows


def _changes(part: pd.DataFrame) -> str:
    """Return the median change, and how many changes are significant."""
    known = part[part["pairs"] > 0]
    if known.empty:
        return NONE
    up, down = int((known["low"] > 0).sum()), int((known["high"] < 0).sum())
    middle = number(float(known["difference"].median()))
    return f"{middle}; {up} higher, {down} lower of {len(known)}"


def _order(column: "pd.Series[str]") -> "pd.Series[int]":
    """Sort quirks as in their table, datasets and methods as in the paper."""
    names = list(QUIRKS) if column.name == "quirk" else labels.in_order(column)
    return column.map({name: place for place, name in enumerate(names)})


def _cells(cell: Mapping[str, Any]) -> list[str]:
    """Return the score without the quirk, with it, and the change as text."""
    shown = []
    for name in ("described", "quirk"):
        part = {key: cell[f"{name}_{key}"] for key in ("median", "scored", "diverged", "missing")}
        if not part["scored"] >= 1:  # NaN where there is no such run
            shown.append(lost(part) if part["scored"] == 0 else NONE)
        else:
            shown.append(number(part["median"]))
    change = interval(cell["difference"], cell["low"], cell["high"]) if cell["pairs"] else NONE
    return [*shown, change]
