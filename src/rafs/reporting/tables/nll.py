"""Negative log-likelihood of all methods on all datasets: the paper's Table 1."""

from collections.abc import Mapping
from typing import Any

from rafs.reporting.inputs import Inputs
from rafs.reporting.table import ReportTable
from rafs.reporting.tables._score import score_table

CAPTION = "Negative log-likelihood on the test points"
READS = ("scores",)


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `experiments`, `methods`, `datasets`, `metric`."""
    metric = str(options.get("metric", "nll_paper"))
    what = CAPTION
    if metric == "nll_paper":
        constant = "(without the constant ½ ln 2π, as in the paper)"
        what = CAPTION.replace("likelihood", f"likelihood {constant}")
    return score_table(inputs, options, metric, what)
