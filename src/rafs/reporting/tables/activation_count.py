"""RAFs with fewer distinct activations."""

from collections.abc import Mapping
from typing import Any

from rafs.reporting.inputs import Inputs
from rafs.reporting.table import ReportTable
from rafs.reporting.tables._contrast import table
from rafs.reporting.why.controls import beside, others

TITLE = "Activation count"
CAPTION = (
    "How many activations? RAFs of seven members with seven distinct activations against RAFs with "
    "k of them, drawn per seed."
)
READS = ("scores",)
SECTION = "why"


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table from the experiments that it is named after."""
    frame = beside(inputs, "activation_count", [])
    names = others(frame["method"])
    most = max(names, key=lambda name: int(name.rpartition("=")[2]), default="")
    return table(
        frame, most, others(names, most), CAPTION,
        "Settings are those that RAFs of the same seed was tuned to with five members.",
    )  # fmt: skip
