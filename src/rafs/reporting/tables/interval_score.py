"""Interval score at 95 % of all methods on all datasets."""

from collections.abc import Mapping
from typing import Any

from rafs.reporting.inputs import Inputs
from rafs.reporting.table import ReportTable
from rafs.reporting.tables._score import score_table

CAPTION = "Interval score at 95 % on the test points, in the units of y"
READS = ("scores",)


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `methods`, `datasets`."""
    return score_table(inputs, options, "interval_score_95", CAPTION, fine=True)
