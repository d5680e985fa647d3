"""Laplace with the noise of the data, and with the noise that the evidence gives."""

from collections.abc import Mapping
from typing import Any

from rafs.evaluation.metrics import PAPER_NLL
from rafs.reporting.inputs import Inputs
from rafs.reporting.table import ReportTable
from rafs.reporting.tables._score import score_table

TITLE = "Laplace noise"
CAPTION = (
    "Does Laplace need its own noise? NLL with the noise of the data as that of its likelihood, "
    "and with the noise that the evidence gives (`evidence`)"
)
READS = ("scores",)


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `methods`, `datasets`."""
    return score_table(inputs, options, PAPER_NLL, CAPTION)
