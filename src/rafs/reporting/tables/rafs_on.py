"""Random activations on top of every method: what they change, dataset by dataset."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from rafs.evaluation import statistics
from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.table import (
    NONE,
    Cell,
    ReportTable,
    Row,
    chosen,
    gaps,
    interval,
    number,
    p_value,
    records,
    sections,
)

CAPTION = (
    "Change in NLL when the members of a method take random activations, over the same seeds, with "
    "its 95 % interval."
)
READS = ("scores",)


def pairs(methods: Sequence[str]) -> dict[str, str]:
    """Return which method is which base method with random activations; rafs is ae's."""
    found = {}
    for name in methods:
        mixed = f"{name}+rafs"
        mixed = "rafs" if name == "ae" and mixed not in methods else mixed
        if mixed in methods:
            found[name] = mixed
    return found


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `datasets`, `metric` (default nll)."""
    metric = str(options.get("metric", "nll"))
    frame = chosen(inputs, options, ("main", "rafs_on"))
    bases = pairs(list(dict.fromkeys(frame["method"])))
    used = frame[frame["method"].isin({*bases, *bases.values()})]
    each = {base: statistics.compare(used, metric, mixed, base) for base, mixed in bases.items()}
    whole = {
        base: records(statistics.against(used, metric, mixed, [base]))[0]
        for base, mixed in bases.items()
    }
    cells = {(b, r["dataset"]): r for b, t in each.items() for r in records(t)}
    categories = dict(zip(frame["dataset"], frame["category"], strict=True))
    rows: list[Row | None] = []
    for name in sections(list(dict.fromkeys(used["dataset"])), categories):
        shown = [_cell(cells.get((base, name))) for base in bases] if name else []
        rows.append([labels.dataset(name), *shown] if name else None)
    corrected = statistics.holm([row["p"] for row in whole.values()])
    summary: list[Row | None] = [None, ["Lower, higher on", *map(_counts, whole.values())]]
    change = [_change(row["difference"], metric) for row in whole.values()]
    what = "Ratio" if statistics.is_ratio(metric) else "Change"
    summary.append([f"{what}, median over datasets", *change])
    summary.append(["Probability of improvement", *map(_improvement, whole.values())])
    tests = zip(corrected, whole.values(), strict=True)
    summary.append(["p over datasets (Holm)", *(_p(p, row) for p, row in tests)])
    frames = [table.assign(base=base, method=bases[base]) for base, table in each.items()]
    return ReportTable(
        caption=f"Change in {labels.metric(metric)} when the members of a method take random "
        "activations: Hodges-Lehmann estimate of the difference over the same seeds (on real data "
        "the mean over splits) with its 95 % interval. Below zero, random activations help.",
        frame=pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(),
        head=["Dataset", *(f"{labels.method(base)} → + RAFs" for base in bases)],
        rows=[*rows, *(summary if bases else [])],
        notes=[
            "The intervals are those of single cells: one in twenty would exclude zero by chance. "
            "What the table claims is its last row: Wilcoxon's signed-rank test over the datasets, "
            "Holm's correction over the columns. Bold: a significant gain (5 %).",
            "AE + RAFs is RAFs Ensemble; the table `pairwise` tests that pair among all methods "
            "and corrects it over more tests. A diverged run is worse than any score; the change "
            "may then be infinite.",
            *gaps(used),
        ],
    )


def _cell(row: Mapping[str, Any] | None) -> Cell:
    if row is None or not row["pairs"]:
        return Cell(NONE)
    return Cell(interval(row["difference"], row["low"], row["high"]))


def _counts(row: Mapping[str, Any]) -> str:
    return f"{row['better']}, {row['worse']}"


def _change(difference: float, metric: str) -> str:
    return number(math.exp(difference) if statistics.is_ratio(metric) else difference)


def _p(p: float, row: Mapping[str, Any]) -> Cell:
    return Cell(p_value(p), p < 1 - statistics.LEVEL and row["better"] > row["worse"])


def _improvement(row: Mapping[str, Any]) -> str:
    return interval(row["improvement"], row["improvement_low"], row["improvement_high"])
