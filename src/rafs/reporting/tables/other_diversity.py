"""RAFs against Anchored Ensembles that differ in something else than activations."""

from collections.abc import Mapping
from typing import Any

from rafs.reporting.inputs import Inputs
from rafs.reporting.table import ReportTable
from rafs.reporting.tables._contrast import table
from rafs.reporting.why.controls import ANCHORED, RAFS, beside, others

TITLE = "Other diversity"
CAPTION = (
    "Would any diversity do? RAFs against AE whose members differ in something else: the rows that "
    "they see, the scale of their priors, or their widths."
)
READS = ("scores",)
SECTION = "why"


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table from the experiments that it is named after."""
    frame = beside(inputs, "other_diversity", [RAFS, ANCHORED])
    return table(frame, RAFS, others(frame["method"], RAFS, "ae_choice"), CAPTION)
