"""The cost of the runs: CPU-seconds by method and dataset."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import NONE, number
from rafs.reporting.table import ReportTable, Row, partly_run, selected
from rafs.reporting.tables._score import matrix

TITLE = "Cost"
CAPTION = (
    "CPU-seconds of one run (tuning, training, prediction), median over seeds. They depend on the "
    "machine."
)
READS = ("costs",)


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `methods`, `datasets`."""
    experiments = options["experiments"]
    costs = pd.concat([inputs.costs(name) for name in experiments], ignore_index=True)
    costs = selected(costs, options)
    if "cpu_seconds" not in costs:
        costs = costs.assign(cpu_seconds=float("nan"))
    seconds = costs.groupby(["dataset", "method"], sort=False)["cpu_seconds"]
    found = seconds.agg(["count", "median", "mean", "max", "sum"]).reset_index()
    table = matrix(found, "median")
    datasets, methods = labels.in_order(table.index), labels.in_order(table.columns)
    table = table.reindex(index=datasets, columns=methods)
    rows: list[Row | None] = [
        [labels.dataset(name), *(number(value) for value in row)]
        for name, row in zip(datasets, table.to_numpy(), strict=True)
    ]
    by_method = costs.groupby("method")["cpu_seconds"]
    for title, values, divisor in (
        ("Median run", by_method.median(), 1.0),
        ("All runs, minutes", by_method.sum(), 60.0),
    ):
        line = [number(values.get(method, float("nan")) / divisor) for method in methods]
        rows += [None] * (title == "Median run") + [[title, *(text or NONE for text in line)]]
    return ReportTable(
        caption=CAPTION,
        frame=found.rename(columns={"count": "runs"}),
        head=["Dataset", *map(labels.method, methods)],
        rows=rows,
        notes=partly_run(costs),
    )
