"""Tail splits: the test set is the two outer thirds along one input."""

from collections.abc import Mapping
from typing import Any

from rafs.reporting.inputs import Inputs
from rafs.reporting.table import ReportTable
from rafs.reporting.tables._shift import shift_table

CAPTION = "Which ensembles widen in the tails of a table, and as much as their error grows?"
READS = ("scores", "recalibrated")


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `methods`, `datasets`."""
    return shift_table(inputs, options, ("uci_tail",), "in the tails of a table")
