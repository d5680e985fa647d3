"""The effect of random activations on every method, dataset by dataset."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from rafs.evaluation import statistics
from rafs.methods import with_random_activations
from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.table import (
    NONE,
    Cell,
    ReportTable,
    Row,
    chosen,
    gaps,
    in_metric,
    interval,
    p_value,
    records,
    sections,
)

CAPTION = (
    "Change in NLL when the members of a method take random activations: Hodges-Lehmann estimate "
    "of the difference over the same seeds (on real data the mean over splits) with its 95 % "
    "interval. Below zero, random activations help."
)
READS = ("scores",)


EFFECT = ("better", "datasets", "difference", "difference_low", "difference_high")
"""What `sentence` needs of `effects`."""


def pairs(methods: Sequence[str]) -> dict[str, str]:
    """Return the base method of every method with random activations (ae for rafs)."""
    mixed = {name: with_random_activations(name) for name in methods}
    return {name: other for name, other in mixed.items() if other != name and other in methods}


def effects(frame: pd.DataFrame, metric: str) -> dict[str, dict[str, Any]]:
    """Return the effect of random activations on each base method over the datasets.

    These are the records of `statistics.against`, `p_holm` corrected over the base methods.
    """
    found = {}
    for base, mixed in pairs(list(dict.fromkeys(frame["method"]))).items():
        found[base] = records(statistics.against(frame, metric, mixed, [base]))[0]
    corrected = statistics.holm([row["p"] for row in found.values()])
    return {
        base: {**row, "p_holm": float(p)}
        for (base, row), p in zip(found.items(), corrected, strict=True)
    }


def sentence(found: Mapping[str, Mapping[str, Any]]) -> str:
    """Summarise `effects` in NLL in a sentence.

    It calls nothing significant, because RAFs against AE is also a test of the table `pairwise`,
    whose correction is over more tests.
    """
    if not found:
        return ""
    changes = "; ".join(f"{labels.method(base)} {_gain(row)}" for base, row in found.items())
    return (
        "Random activations change the NLL of a base method by (median over datasets, its 95 % "
        f"interval, and on how many it is lower): {changes}."
    )


def _gain(row: Mapping[str, Any]) -> str:
    """Return the median change, and on how many datasets NLL is lower."""
    return f"{_change(row, 'nll')}, {row['better']:.0f} of {row['datasets']:.0f}"


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `datasets`, `metric` (default nll)."""
    metric = str(options.get("metric", "nll"))
    frame = chosen(inputs, options)
    bases = pairs(list(dict.fromkeys(frame["method"])))
    used = frame[frame["method"].isin({*bases, *bases.values()})]
    each = {base: statistics.compare(used, metric, mixed, base) for base, mixed in bases.items()}
    whole = effects(used, metric)
    cells = {(b, r["dataset"]): r for b, t in each.items() for r in records(t)}
    categories = dict(zip(frame["dataset"], frame["category"], strict=True))
    rows: list[Row | None] = []
    for name in sections(list(dict.fromkeys(used["dataset"])), categories):
        shown = [_cell(cells.get((base, name))) for base in bases] if name else []
        rows.append([labels.dataset(name), *shown] if name else None)
    summary: list[Row | None] = [None, ["Lower, higher on", *map(_counts, whole.values())]]
    change = [_change(row, metric) for row in whole.values()]
    what = "Ratio" if statistics.is_ratio(metric) else "Change"
    summary.append([f"{what}, median over datasets", *change])
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


def _change(row: Mapping[str, Any], metric: str) -> str:
    ends = [row[f"difference{end}"] for end in ("", "_low", "_high")]
    value, low, high = (math.exp(x) if statistics.is_ratio(metric) else x for x in ends)
    return interval(value, low, high)


def _p(row: Mapping[str, Any]) -> Cell:
    p = row["p_holm"]
    return Cell(p_value(p), p < statistics.ALPHA and row["better"] > row["worse"])


def _improvement(row: Mapping[str, Any]) -> str:
    return interval(row["improvement"], row["improvement_low"], row["improvement_high"])
