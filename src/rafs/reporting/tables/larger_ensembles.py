"""RAFs of five members against larger ensembles."""

from collections.abc import Mapping
from typing import Any

from rafs.reporting.inputs import Inputs
from rafs.reporting.table import ReportTable
from rafs.reporting.tables._contrast import table
from rafs.reporting.why.controls import ANCHORED, RAFS, beside, others

TITLE = "Larger ensembles"
CAPTION = (
    "Would more members do? RAFs of five members against AE, RP-param and RAFs of five, ten and "
    "twenty."
)
READS = ("scores",)
SECTION = "why"


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table from the experiments that it is named after."""
    frame = beside(inputs, "larger_ensembles", [RAFS, ANCHORED, "rp"])
    return table(
        frame, RAFS, others(frame["method"], RAFS), CAPTION,
        "Settings are those that the method of the same seed was tuned to with five members.",
    )  # fmt: skip
