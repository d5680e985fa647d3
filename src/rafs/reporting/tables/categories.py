"""Mean ranks by category of data, and inside and outside the training range."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs.datasets.core import CATEGORIES
from rafs.evaluation import statistics
from rafs.evaluation.metrics import INSIDE, OUTSIDE
from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import number
from rafs.reporting.table import ReportTable, Row, chosen, gaps, in_metric, ranked

TITLE = "Categories"
CAPTION = (
    "Mean rank in NLL by the median over seeds: over all datasets, over those of each category, "
    "and inside and outside the training range (generated data only). In brackets: the number of "
    "datasets."
)
READS = ("scores",)


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `methods`, `datasets`, `metric` (default nll)."""
    metric = str(options.get("metric", "nll"))
    frame, few = statistics.without_few_inside(ranked(chosen(inputs, options)))
    parts = {"All": (frame, metric)}
    for name in CATEGORIES:
        part = frame[frame["category"] == name]
        parts |= {labels.category(name): (part, metric)} if len(part) else {}
    for name, prefix in (("Inside", INSIDE), ("Outside", OUTSIDE)):
        score = f"{prefix}{metric}"
        has = frame[score].notna() if score in frame else pd.Series(False, frame.index)
        part = frame[frame["dataset"].isin(frame.loc[has, "dataset"])]
        parts |= {name: (part, score)} if len(part) else {}
    methods = list(dict.fromkeys(frame["method"]))
    found = []
    for name, (part, score) in parts.items():
        ranking = statistics.ranking(part, score, methods)
        found += [
            (name, score, method, rank, ranking.datasets)
            for method, rank in ranking.mean_ranks.items()
        ]
    table = pd.DataFrame(found, columns=["part", "metric", "method", "mean_rank", "datasets"])
    counts = {part: datasets for part, _, _, _, datasets in found}
    ranks = {(part, method): rank for part, _, method, rank, _ in found}
    rows: list[Row | None] = [
        [labels.method(name), *(number(ranks[part, name]) for part in counts)] for name in methods
    ]
    return ReportTable(
        caption=in_metric(CAPTION, metric),
        frame=table,
        head=["Method", *(f"{part} ({count})" for part, count in counts.items())],
        rows=rows,
        notes=[
            "A category has few datasets: its mean ranks describe these, and claim nothing beyond.",
            *labels.few_inside(few),
            *gaps(frame),
        ],
    )
