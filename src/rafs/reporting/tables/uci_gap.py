"""Gap splits (Foong et al. 2019): the test set is the middle third along one input."""

from collections.abc import Mapping
from typing import Any

from rafs.reporting.inputs import Inputs
from rafs.reporting.table import ReportTable
from rafs.reporting.tables._shift import shift_table

CAPTION = "Which ensembles widen in a gap of their training rows, and as much as their error grows?"
READS = ("scores", "recalibrated")


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `methods`, `datasets`."""
    return shift_table(inputs, options, ("uci_gap",), "in a gap of their training rows")
