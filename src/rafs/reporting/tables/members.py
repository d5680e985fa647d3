"""How many distinct members the ensembles have."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import number
from rafs.reporting.table import ReportTable, Row, chosen, gaps, ranked

TITLE = "Members"
CAPTION = (
    "Number of distinct members of the ensembles: share of the runs with each number, over all "
    "datasets and seeds."
)
READS = ("scores",)


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `methods`, `datasets`."""
    frame = ranked(chosen(inputs, options))
    known = frame.reindex(columns=["method", "dataset", "members"]).dropna()
    known = known.assign(members=known["members"].astype(int))
    counts = known.groupby(["method", "members"], sort=False).size().rename("runs").reset_index()
    sizes = sorted(set(counts["members"]))
    runs = {(m, k): n for m, k, n in counts.itertuples(index=False)}
    rows: list[Row | None] = []
    for method in dict.fromkeys(known["method"]):
        mine = known.loc[known["method"] == method, "members"]
        shares = [f"{100 * runs.get((method, k), 0) / len(mine):.0f} %" for k in sizes]
        rows.append([labels.method(method), *shares, number(mine.mean()), str(len(mine))])
    single = int((known["members"] < 2).sum())
    return ReportTable(
        caption=CAPTION,
        frame=counts if len(counts) else pd.DataFrame(columns=["method", "members", "runs"]),
        head=["Method", *map(str, sizes), "Mean", "Runs"],
        rows=rows,
        notes=[
            f"Ensembles of one, whose members have no spread: {single} of {len(known)} runs.",
            *gaps(frame),
        ],
    )
