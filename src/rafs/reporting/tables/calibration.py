"""How well calibrated predictions are: coverage, calibration error, CRPS, interval score."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs.evaluation import statistics
from rafs.evaluation.metrics import INSIDE, INTERVALS, OUTSIDE
from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import number
from rafs.reporting.table import Cell, ReportTable, Row, chosen, gaps, partly_run, ranked
from rafs.reporting.tables._score import matrix

TITLE = "Calibration"
CAPTION = (
    "Calibration: share of test targets inside the central predictive interval, by its nominal "
    "level, then the 95 % interval inside and outside the training range (generated data only), "
    "and the calibration error; each is the median over datasets of the median over seeds. Last: "
    "mean ranks in CRPS and in the 95 % interval score."
)
READS = ("scores",)

COVERAGES = {
    **{f"coverage_{level}": f"{level} %" for level in INTERVALS},
    f"{INSIDE}coverage_95": "95 % inside",
    f"{OUTSIDE}coverage_95": "95 % outside",
}
HEAD = {
    **COVERAGES,
    "crps_rank": "CRPS rank",
    "interval_score_95_rank": "Interval score rank",
}
RANKED = ("crps", "interval_score_95")


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `methods`, `datasets`."""
    frame, few = statistics.without_few_inside(chosen(inputs, options))
    shares = [*COVERAGES, "calibration_error"]
    found = {metric: statistics.cells(frame, metric) for metric in (*shares, *RANKED)}
    middle = pd.DataFrame({m: matrix(found[m], "median").median() for m in shares})
    for metric in RANKED:
        ranks = statistics.ranking(ranked(frame), metric).mean_ranks
        middle[f"{metric}_rank"] = pd.Series(ranks)
    distance = middle.drop(index=list(labels.REFERENCES), errors="ignore")
    for column in COVERAGES:
        level = int(column.rpartition("_")[2])
        distance[column] = (distance[column] - level / 100).abs()
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
        for method in dict.fromkeys(frame["method"])
    ]
    return ReportTable(
        caption=CAPTION,
        frame=pd.concat([table.assign(metric=m) for m, table in found.items()], ignore_index=True),
        head=["Method", *(HEAD.get(column, labels.metric(column)) for column in shown)],
        rows=rows,
        notes=[
            "Bold: nearest to the nominal level, or lowest. The CSV file has every dataset, with "
            "CRPS and interval score in the units of y.",
            *labels.few_inside(few),
            *partly_run(frame),
            *gaps(frame),
        ],
    )
