"""Our NLL beside the published one."""

from collections.abc import Mapping
from typing import Any

from rafs.reporting.inputs import Inputs
from rafs.reporting.table import ReportTable
from rafs.reporting.tables._vs_published import score_vs_published

CAPTION = (
    "NLL beside the published value, both without the constant ½ ln 2π; the paper prints what "
    "exceeds 100 as > 100."
)
READS = ("scores",)


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `methods`, `datasets`."""
    return score_vs_published(inputs, options, "nll")
