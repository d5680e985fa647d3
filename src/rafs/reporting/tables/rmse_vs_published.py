"""Our RMSE beside the published one."""

from collections.abc import Mapping
from typing import Any

from rafs.reporting.inputs import Inputs
from rafs.reporting.table import ReportTable
from rafs.reporting.tables._vs_published import score_vs_published

CAPTION = "RMSE beside the published value."
READS = ("scores",)


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `methods`, `datasets`."""
    return score_vs_published(inputs, options, "rmse")
