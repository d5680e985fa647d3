"""How much the mean ranks vary when the tuning is repeated with other seeds."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import NONE, number
from rafs.reporting.table import ReportTable, Row, chosen, gaps, in_metric, ranked
from rafs.reporting.tables._swept_ranks import mean_ranks

TITLE = "Tuning luck"
CAPTION = (
    "Mean rank in NLL of each method when the whole tuning is repeated with other seeds, and the "
    "standard deviation over these repetitions."
)
READS = ("scores",)

BEFORE = {
    "rafs": (2.28, 2.16, 2.40, 2.24, 2.00),
    "rp": (2.32, 2.64, 3.56, 3.04, 3.00),
}
"""Mean ranks in NLL over five tunings of version 0.1.0, which tuned once for all seeds."""


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `datasets`, `metric`."""
    metric = str(options.get("metric", "nll"))
    frame = ranked(chosen(inputs, options))
    ranks = mean_ranks(frame, metric)
    spread = {str(m): float(sd) for m, sd in ranks.std(axis=1, ddof=1).items()}
    before = {name: float(np.std(values, ddof=1)) for name, values in BEFORE.items()}
    rows: list[Row | None] = []
    for method in map(str, ranks.index):
        shown = [number(float(value)) for value in ranks.loc[method].to_numpy()]
        old = number(before[method]) if method in before else NONE
        rows.append([labels.method(method), *shown, number(spread[method]), old])
    table = (
        ranks.rename_axis("method")
        .reset_index()
        .melt("method", var_name="tuning_seed", value_name="mean_rank")
    )
    table["sd"] = table["method"].map(spread)
    table["sd_before"] = table["method"].map(before)
    return ReportTable(
        caption=in_metric(CAPTION, metric),
        frame=table,
        head=["Method", *(f"seed {value:g}" for value in ranks.columns), "sd", "sd before"],
        rows=rows,
        notes=[
            "sd before: that of version 0.1.0, which tuned once for all seeds, drew the noise of "
            "real data and scored trials on one split; measured for two methods, among six methods "
            "and with seeds 0 to 4.",
            *gaps(frame),
        ],
    )
