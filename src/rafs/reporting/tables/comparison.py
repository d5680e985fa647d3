"""Whether a method is better than its rivals, and how sure that is."""

import math
from collections.abc import Mapping
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
)


def build(inputs: Inputs, options: Mapping[str, Any]) -> Table:
    """Build the table; options: `experiments`, `methods`, `datasets`, `reference`, `metrics`."""
    frame = chosen(inputs, options, ("main",))
    methods = list(dict.fromkeys(frame["method"]))
    reference = str(options.get("reference", "rafs"))
    rivals = [name for name in methods if name != reference]
    rows: list[Row | None] = []
    frames, notes = [], []
    for metric in options.get("metrics", ("nll", "rmse", "crps")):
        ranking = statistics.ranking(frame, metric)
        found = statistics.against(frame, metric, reference, rivals)
        ranks = pd.DataFrame(
            [{"rival": name, "mean_rank": ranking.mean_ranks[name]} for name in methods]
        )
        merged = ranks.merge(found, on="rival", how="left") if len(found) else ranks
        frames.append(
            merged.assign(
                metric=metric,
                reference=reference,
                friedman_p=ranking.p,
                critical_difference=ranking.critical_difference,
            ).rename(columns={"rival": "method"})
        )
        rows += [None] * bool(rows)
        lowest = min(ranking.mean_ranks.values())
        rows += [_row(metric, row, lowest) for row in records(merged)]
        notes.append(_sentence(metric, ranking))
        if len(found) and not found["tellable"].any() and TOO_FEW not in notes:
            notes.insert(0, TOO_FEW)
    name = labels.method(reference)
    return Table(
        caption=f"{name} against each rival over the datasets: wins, ties and losses on single "
        "datasets (exact signed-rank test over the same seeds at 5 %, Holm's correction over "
        f"datasets), probability that {name} scores lower on the same seed, with its 95 % "
        "bootstrap interval over seeds within datasets, and the signed-rank test over datasets, "
        "corrected over rivals. Mean rank: over datasets, by the median over seeds.",
        frame=pd.concat(frames, ignore_index=True),
        head=[
            "Metric",
            "Method",
            "Mean rank",
            f"{name}: wins, ties, losses",
            "Better, worse",
            "P(improvement)",
            "p (Holm)",
        ],
        rows=rows,
        notes=[*notes, *gaps(frame)],
        align="ll",
    )


def _row(metric: str, row: Mapping[str, Any], lowest: float) -> Row:
    """Return the line of one method; the reference has no duel with itself."""
    start: list[Cell | str] = [
        labels.metric(metric),
        labels.method(row["rival"]),
        Cell(number(row["mean_rank"]), row["mean_rank"] == lowest),
    ]
    if math.isnan(row.get("datasets", math.nan)):
        return [*start, NONE, NONE, NONE, NONE]
    counts = [f"{int(row[k])}" for k in ("wins", "ties", "losses")]
    return [
        *start,
        ", ".join(counts),
        f"{int(row['better'])}, {int(row['worse'])}",
        interval(row["improvement"], row["improvement_low"], row["improvement_high"]),
        p_value(row["p_holm"]),
    ]


def _sentence(metric: str, ranking: statistics.Ranking) -> str:
    """Say what Friedman's and Nemenyi's tests make of the mean ranks."""
    out = [labels.dataset(name) for name in ranking.left_out]
    without = f" (without {', '.join(out)}, where a method has no score)" if out else ""
    p = p_value(ranking.p)
    return (
        f"{labels.metric(metric)}: {ranking.datasets} datasets{without}; Friedman's test p "
        f"{p if p.startswith('<') else f'= {p}'}; critical difference of mean ranks (Nemenyi, "
        f"5 %): {number(ranking.critical_difference)}."
    )
