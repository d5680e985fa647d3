"""Negative log-likelihood of all methods on all datasets: the paper's Table 1."""

from collections.abc import Mapping
from typing import Any

from rafs.reporting.inputs import Inputs
from rafs.reporting.tables.score import score_table
from rafs.reporting.tables.table import Table


def build(inputs: Inputs, options: Mapping[str, Any]) -> Table:
    """Build the table; options: `experiments`, `methods`, `datasets`, `metric`."""
    metric = str(options.get("metric", "nll_paper"))
    constant = "without the constant ½ ln 2π, as in the paper" if metric == "nll_paper" else ""
    what = f"Negative log-likelihood {f'({constant}) ' if constant else ''}on the test points"
    return score_table(inputs, options, metric, what)
