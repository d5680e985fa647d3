"""Random activations on top of every method: what they change, dataset by dataset."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from rafs import statistics
from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.tables.table import (
    NONE,
    TOO_FEW,
    Cell,
    Row,
    Table,
    chosen,
    gaps,
    interval,
    number,
    p_value,
    records,
    sections,
)


def pairs(methods: Sequence[str]) -> dict[str, str]:
    """Return which method is which base method with random activations; rafs is ae's."""
    found = {}
    for name in methods:
        mixed = f"{name}+rafs"
        mixed = "rafs" if name == "ae" and mixed not in methods else mixed
        if mixed in methods:
            found[name] = mixed
    return found


def build(inputs: Inputs, options: Mapping[str, Any]) -> Table:
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
    summary: list[Row | None] = [None, ["Wins, ties, losses", *map(_counts, whole.values())]]
    summary.append(["Median change", *(number(t["difference"].median()) for t in each.values())])
    summary.append(["Probability of improvement", *map(_improvement, whole.values())])
    summary.append(["p over datasets (Holm)", *map(p_value, corrected)])
    frames = [table.assign(base=base, method=bases[base]) for base, table in each.items()]
    return Table(
        caption=f"Change in {labels.metric(metric)} when the members of a method take random "
        "activations: Hodges-Lehmann estimate of the difference over the same seeds with its "
        "95 % interval. Below zero, random activations help.",
        frame=pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(),
        head=["Dataset", *(f"{labels.method(base)} → + RAFs" for base in bases)],
        rows=[*rows, *(summary if bases else [])],
        notes=[
            "Bold: a gain that stands after Holm's correction over the datasets (exact signed-rank "
            "test at 5 %); wins and losses are counted the same way. AE + RAFs is RAFs Ensemble.",
            "A diverged run is worse than any score; the change may then be infinite.",
            *([] if any(row["tellable"] for row in whole.values()) else [TOO_FEW]),
            *gaps(used),
        ],
    )


def _cell(row: Mapping[str, Any] | None) -> Cell:
    if row is None or not row["pairs"]:
        return Cell(NONE)
    return Cell(interval(row["difference"], row["low"], row["high"]), row["outcome"] == "win")


def _counts(row: Mapping[str, Any]) -> str:
    return f"{row['wins']}, {row['ties']}, {row['losses']}"


def _improvement(row: Mapping[str, Any]) -> str:
    return interval(row["improvement"], row["improvement_low"], row["improvement_high"])
