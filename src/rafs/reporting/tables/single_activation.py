"""RAFs against the Anchored Ensemble with one activation, whichever it is."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs.reporting.inputs import Inputs
from rafs.reporting.table import ReportTable
from rafs.reporting.tables._contrast import table
from rafs.reporting.why.controls import RAFS, beside, others, singles

TITLE = "Single activation"
CAPTION = (
    "Is it the right activation? RAFs against AE whose members all have one activation: each of "
    "the seven, the best of them on each dataset, and the one that tuning picks."
)
READS = ("scores",)
SECTION = "why"


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table from the experiments that it is named after."""
    tuned = beside(inputs, "other_diversity", ())
    frame = pd.concat([singles(inputs), tuned[tuned["method"] == "ae_choice"]], ignore_index=True)
    return table(
        frame, RAFS, others(frame["method"], RAFS), CAPTION,
        "The best single activation is chosen on each dataset by the median NLL of the test "
        "points, which no tuning can do: it flatters AE.",
    )  # fmt: skip
