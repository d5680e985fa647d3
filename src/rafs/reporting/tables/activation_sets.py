"""RAFs with other sets of activations."""

from collections.abc import Mapping
from typing import Any

from rafs.reporting.inputs import Inputs
from rafs.reporting.table import ReportTable
from rafs.reporting.tables._contrast import table
from rafs.reporting.why.controls import ALL, RAFS, beside, others

TITLE = "Activation sets"
CAPTION = (
    "Does it matter which activations? RAFs with all seven, five of them drawn per seed, against "
    "RAFs with the order of the paper and with other sets."
)
READS = ("scores",)
SECTION = "why"


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table from the experiments that it is named after."""
    frame = beside(inputs, "activation_sets", [RAFS])
    return table(
        frame, ALL, others(frame["method"], ALL), CAPTION,
        "RAFs alone is the order of the paper, of which five members use the first five. Settings "
        "are those that RAFs of the same seed was tuned to with that order.",
    )  # fmt: skip
