"""Where the tuned values lie in their ranges."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import number
from rafs.reporting.table import Cell, ReportTable, Row, records, selected

TITLE = "Tuned values"
CAPTION = (
    "Tuned values over all datasets and seeds: the range of the search, the median and the "
    "quartiles of what was chosen, and the share of runs whose value lies in the lowest and the "
    "highest 5 % of the range (by its logarithm). Runs in which the default won have no such value "
    "and are counted by themselves."
)
READS = ("scores", "tuned")

TRAINED = ("ok", "diverged")
"""Runs that were tuned, whatever came of their training."""
EDGE = 0.05
"""The lowest and the highest part of a range, by its logarithm, that counts as its edge."""
MANY = 0.2
"""With a larger share of the runs at an edge, the range is too narrow."""


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `methods`, `datasets`."""
    experiments = options["experiments"]
    tuned = pd.concat([inputs.tuned(name) for name in experiments], ignore_index=True)
    runs = inputs.collect(experiments)
    tuned, runs = selected(tuned, options), selected(runs, options)
    found = positions(tuned)
    kept = defaults(tuned, runs)
    found["default_kept"] = [kept.get(str(name), 0) for name in found["method"]]
    rows: list[Row | None] = []
    before = None
    for row in records(found):
        rows += [None] * (before not in (None, row["method"]))
        before = row["method"]
        ends = f"{row['least']:g} to {row['most']:g}"
        quartiles = " to ".join(number(row[name], None) for name in ("quartile_1", "quartile_3"))
        rows.append(
            [
                labels.method(row["method"]),
                row["name"],
                ends,
                number(row["median"], None),
                quartiles,
                Cell(_share(row["at_low_edge"]), row["at_low_edge"] > MANY),
                Cell(_share(row["at_high_edge"]), row["at_high_edge"] > MANY),
                str(row["runs"]),
                str(row["default_kept"]),
            ]
        )
    edge = found[(found["at_low_edge"] > MANY) | (found["at_high_edge"] > MANY)]
    named = [f"{labels.method(r['method'])} {r['name']}" for r in records(edge)]
    return ReportTable(
        caption=CAPTION,
        frame=found,
        head=[
            *("Method", "Setting", "Range", "Median", "Quartiles", "At low", "At high", "Runs"),
            "Default kept",
        ],
        rows=rows,
        notes=[
            "Bold: more than a fifth of the runs lie at that edge, so the range is too narrow: "
            f"{', '.join(named) or 'none'}.",
        ],
        align="lll",
    )


def defaults(tuned: pd.DataFrame, runs: pd.DataFrame) -> dict[str, int]:
    """Count the runs of each method in which no trial won except the first, the default.

    On real data their tuned values still include a fitted noise.
    """
    keys = ["method", "dataset", "seed"]
    other = tuned[tuned["trial"] > 0].drop_duplicates(keys).groupby("method").size()
    total = runs[runs["status"].isin(TRAINED)].groupby("method").size()
    return {str(name): int(count) for name, count in total.sub(other, fill_value=0).items()}


def positions(tuned: pd.DataFrame) -> pd.DataFrame:
    """Return a row per method and tuned setting with a range: quartiles, shares at the edges."""
    rows = []
    numeric = tuned.assign(
        **{name: pd.to_numeric(tuned[name], errors="coerce") for name in ("value", "low", "high")}
    ).dropna(subset=["value", "low", "high"])
    for (method, name), part in numeric.groupby(["method", "name"], sort=False):
        place = part.apply(_place, axis=1)
        quartiles = part["value"].quantile([0.25, 0.5, 0.75]).to_list()
        rows.append(
            {
                "method": method,
                "name": name,
                "least": part["low"].min(),
                "most": part["high"].max(),
                "quartile_1": quartiles[0],
                "median": quartiles[1],
                "quartile_3": quartiles[2],
                "at_low_edge": float((place <= EDGE).mean()),
                "at_high_edge": float((place >= 1 - EDGE).mean()),
                "runs": len(part),
            }
        )
    columns = ["method", "name", "least", "most", "quartile_1", "median", "quartile_3"]
    columns += ["at_low_edge", "at_high_edge", "runs"]
    table = pd.DataFrame(rows, columns=columns)
    order = {name: k for k, name in enumerate(labels.in_order(table["method"]))}
    return table.sort_values("method", key=lambda names: names.map(order), kind="stable")


def _place(row: "pd.Series[Any]") -> float:
    """Return the position of a value in its range (0 to 1), on a log scale if all are positive."""
    value, low, high = (float(row[name]) for name in ("value", "low", "high"))
    if high <= low:
        return math.nan
    if min(value, low) > 0:
        value, low, high = math.log(value), math.log(low), math.log(high)
    return (value - low) / (high - low)


def _share(share: float) -> str:
    return f"{100 * share:.0f} %"
