"""Negative log-likelihood on the UCI tables, beside the printed results."""

from collections.abc import Mapping
from typing import Any

from rafs.reporting.inputs import Inputs
from rafs.reporting.table import ReportTable
from rafs.reporting.tables._field import field_table

CAPTION = "Negative log-likelihood (with the constant ½ ln 2π) on the UCI tables"
READS = ("scores",)


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `methods`, `datasets`."""
    return field_table(inputs, options, "nll", CAPTION)
