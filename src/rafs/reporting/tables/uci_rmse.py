"""Root mean squared error on the UCI tables, beside the printed results."""

from collections.abc import Mapping
from typing import Any

from rafs.reporting.inputs import Inputs
from rafs.reporting.table import ReportTable
from rafs.reporting.tables._field import field_table

CAPTION = "Root mean squared error (in the units of y) on the UCI tables"
READS = ("scores",)


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `methods`, `datasets`."""
    return field_table(inputs, options, "rmse", CAPTION, fine=True)
