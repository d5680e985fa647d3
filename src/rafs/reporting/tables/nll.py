"""Negative log-likelihood of all methods on all datasets: the paper's Table 1."""

from collections.abc import Mapping
from typing import Any

from rafs.evaluation.metrics import PAPER_NLL
from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.table import ReportTable
from rafs.reporting.tables._score import score_table

TITLE = "NLL"
CAPTION = (
    "Negative log-likelihood (without the constant ½ ln 2π, as in the paper) on the test points"
)
READS = ("scores",)


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `methods`, `datasets`, `metric`."""
    metric = str(options.get("metric", PAPER_NLL))
    caption = CAPTION if metric == PAPER_NLL else f"{labels.metric(metric)} on the test points"
    return score_table(inputs, options, metric, caption)
