"""How honest the predicted uncertainty is: coverage, calibration error, CRPS."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs import statistics
from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.tables.score import matrix
from rafs.reporting.tables.table import Cell, Row, Table, chosen, gaps, number

COVERAGES = {
    "coverage_50": 0.50,
    "coverage_90": 0.90,
    "coverage_95": 0.95,
    "in_coverage_95": 0.95,
    "out_coverage_95": 0.95,
}
HEAD = {
    "coverage_50": "50 %",
    "coverage_90": "90 %",
    "coverage_95": "95 %",
    "in_coverage_95": "95 % inside",
    "out_coverage_95": "95 % outside",
}


def build(inputs: Inputs, options: Mapping[str, Any]) -> Table:
    """Build the table; options: `experiments`, `methods`, `datasets`."""
    frame = chosen(inputs, options, ("main",))
    metrics = [*COVERAGES, "calibration_error", "crps"]
    found = {metric: statistics.cells(frame, metric) for metric in metrics}
    methods = list(dict.fromkeys(frame["method"]))
    middle = pd.DataFrame({m: matrix(found[m], "mean").median() for m in metrics if m != "crps"})
    middle["crps_rank"] = pd.Series(statistics.ranking(frame, "crps").mean_ranks)
    distance = middle.copy()
    for metric, nominal in COVERAGES.items():
        distance[metric] = (distance[metric] - nominal).abs()
    best = {
        column: distance[column].idxmin() for column in distance if distance[column].notna().any()
    }
    shown = {str(column): middle[column].to_dict() for column in middle}
    rows: list[Row | None] = [
        [
            labels.method(method),
            *(
                Cell(number(values[method]), best.get(column) == method)
                for column, values in shown.items()
            ),
        ]
        for method in methods
    ]
    heads = [HEAD.get(column, labels.metric(column)) for column in shown][:-1]
    return Table(
        caption="Calibration: share of test targets inside the central predictive interval, by its "
        "nominal level, then the 95 % interval inside and outside the training range (generated "
        "data only), and the calibration error; each is the median over datasets of the mean over "
        "seeds. Last: mean rank in CRPS over the datasets.",
        frame=pd.concat([table.assign(metric=m) for m, table in found.items()], ignore_index=True),
        head=["Method", *heads, "CRPS rank"],
        rows=rows,
        notes=[
            "Bold: nearest to the nominal level, or lowest. The CSV file has every dataset, with "
            "CRPS in the units of y.",
            *gaps(frame),
        ],
    )
