"""The effect of random activations on every method, dataset by dataset."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs.evaluation import statistics
from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import NONE, interval, p_value
from rafs.reporting.random_activations import change, effects, pairs
from rafs.reporting.table import (
    Cell,
    ReportTable,
    Row,
    chosen,
    gaps,
    in_metric,
    records,
    rows_by_dataset,
)

TITLE = "RAFs on"
CAPTION = (
    "Change in NLL when the members of a method take random activations: Hodges-Lehmann estimate "
    "of the difference over the same seeds (on real data the mean over splits) with its 95 % "
    "interval. Below zero, random activations help."
)
READS = ("scores",)


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `datasets`, `metric` (default nll)."""
    metric = str(options.get("metric", "nll"))
    frame = chosen(inputs, options)
    bases = pairs(list(dict.fromkeys(frame["method"])))
    used = frame[frame["method"].isin({*bases, *bases.values()})]
    each = {base: statistics.compare(used, metric, mixed, base) for base, mixed in bases.items()}
    whole = effects(used, metric)
    cells = {(b, r["dataset"]): r for b, t in each.items() for r in records(t)}
    rows = rows_by_dataset(used, lambda name: [_cell(cells.get((base, name))) for base in bases])
    summary: list[Row | None] = [None, ["Lower, higher on", *map(_counts, whole.values())]]
    changes = [change(row, metric) for row in whole.values()]
    what = "Ratio" if statistics.is_ratio(metric) else "Change"
    summary.append([f"{what}, median over datasets", *changes])
    summary.append(["Probability of improvement", *map(_improvement, whole.values())])
    summary.append(["p over datasets (Holm)", *map(_p, whole.values())])
    frames = [table.assign(base=base, method=bases[base]) for base, table in each.items()]
    return ReportTable(
        caption=in_metric(CAPTION, metric),
        frame=pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(),
        head=["Dataset", *(f"{labels.method(base)} → + RAFs" for base in bases)],
        rows=[*rows, *(summary if bases else [])],
        notes=[
            "The intervals are those of single cells: one in twenty would exclude zero by chance. "
            "What the table claims is its last row: Wilcoxon's signed-rank test over the datasets, "
            "Holm's correction over the columns. Bold: a significant gain (5 %).",
            *_ranks(used, metric),
            "AE + RAFs is RAFs Ensemble; the table `pairwise` tests that pair among all methods "
            "and corrects it over more tests. A diverged run is worse than any score; the change "
            "may then be infinite.",
            *gaps(used),
        ],
    )


def _ranks(used: pd.DataFrame, metric: str) -> list[str]:
    """Return the mean ranks of all methods with and without, on the seeds that all have."""
    seeds = used.groupby("seed")["method"].nunique()
    shared = used[used["seed"].isin(seeds[seeds == used["method"].nunique()].index)]
    if shared.empty:
        return []
    found = statistics.ranking(shared, metric, list(dict.fromkeys(shared["method"])))
    ordered = sorted(found.mean_ranks.items(), key=lambda entry: entry[1])
    shown = ", ".join(f"{labels.method(name)} {rank:.2f}" for name, rank in ordered)
    return [
        f"Mean ranks of all {len(ordered)} on {found.datasets} datasets and the seeds that all "
        f"have: {shown}."
    ]


def _cell(row: Mapping[str, Any] | None) -> Cell:
    if row is None or not row["pairs"]:
        return Cell(NONE)
    return Cell(interval(row["difference"], row["low"], row["high"]))


def _counts(row: Mapping[str, Any]) -> str:
    return f"{row['better']}, {row['worse']}"


def _p(row: Mapping[str, Any]) -> Cell:
    p = row["p_holm"]
    return Cell(p_value(p), p < statistics.ALPHA and row["better"] > row["worse"])


def _improvement(row: Mapping[str, Any]) -> str:
    return interval(row["improvement"], row["improvement_low"], row["improvement_high"])
