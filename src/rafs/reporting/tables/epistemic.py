"""The epistemic variance that methods predict, against their error."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from rafs.evaluation import statistics
from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import NONE, interval, number
from rafs.reporting.table import ReportTable, Row, chosen, gaps
from rafs.reporting.why import epistemic

TITLE = "Epistemic"
CAPTION = (
    "Claimed epistemic variance against the expected squared error of the ensemble's mean, over "
    "draws of data and networks, at test points inside and outside the training range. Medians "
    "over datasets, of the ratio with an exact 95 % interval."
)
READS = ("scores", "predictions", "data")
SECTION = "why"

RAFS, ANCHORED = "rafs", "ae"


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `datasets`, `methods`."""
    runs = chosen(inputs, options)
    found = epistemic.table(inputs, runs)
    rows: list[Row | None] = [
        [labels.method(method), *(cell for part in epistemic.PARTS for cell in _part(mine, part))]
        for method in epistemic.in_order(found)
        for mine in [found[found["method"] == method]]
    ]
    heads = ("claimed / actual", "share of bias²", "rank correlation")
    return ReportTable(
        caption=CAPTION,
        frame=found,
        head=["Method", *(f"{part}: {head}" for part in epistemic.PARTS for head in heads)],
        rows=rows,
        notes=[
            "Every seed has training rows and networks of its own, and all predict the same test "
            "points, where the function is known. Actual: mean over test points of the squared "
            "error of the ensemble's mean, averaged over seeds; it is the sum of squared bias and "
            "variance (unbiased estimates). A ratio below 1 is overconfidence. Rank correlation: "
            "of claimed variance and expected squared error over the test points of a dataset.",
            *(_test(found, part) for part in epistemic.PARTS),
            *_few(found),
            *gaps(runs),
        ],
    )


def _part(found: pd.DataFrame, part: str) -> list[str]:
    """Return ratio, share of bias and correlation of one part."""
    mine = found[found["part"] == part]
    if mine.empty:
        return [NONE] * 3
    ratios = mine["ratio"].dropna().to_numpy(dtype=float)
    low, high = statistics.median_interval(ratios)
    return [
        interval(float(np.median(ratios)) if ratios.size else math.nan, low, high),
        number(float(mine["bias_share"].median())),
        number(float(mine["correlation"].median())),
    ]


def _test(found: pd.DataFrame, part: str) -> str:
    """Test whether the predicted variance of RAFs is nearer to the error than that of AE."""
    off = epistemic.misjudged(found, part)
    if not {RAFS, ANCHORED} <= set(off.columns):
        return f"{part.capitalize()}: RAFs and AE were not both run."
    differences = (off[RAFS] - off[ANCHORED]).dropna().to_numpy(dtype=float)
    value, low, high = statistics.hodges_lehmann(differences)
    nearer = int((differences < 0).sum())
    value, low, high = (math.exp(min(end, 700.0)) for end in (value, low, high))
    return (
        f"{part.capitalize()}, the claim of RAFs is nearer to the error than that of AE on "
        f"{nearer} of {differences.size} datasets; the factor by which it is off is "
        f"{interval(value, low, high)} times "
        f"that of AE (Hodges-Lehmann estimate, signed-rank test over datasets, p = "
        f"{statistics.signed_rank(differences):.2g})."
    )


def _few(found: pd.DataFrame) -> list[str]:
    """Name the datasets that have too few points inside to be counted there."""
    inside = set(found.loc[found["part"] == "inside", "dataset"])
    return labels.few_inside(set(found["dataset"]) - inside)
