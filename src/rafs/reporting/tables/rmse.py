"""Root mean squared error of all methods on all datasets: the paper's Table 2."""

from collections.abc import Mapping
from typing import Any

from rafs.reporting.inputs import Inputs
from rafs.reporting.tables.score import score_table
from rafs.reporting.tables.table import Table


def build(inputs: Inputs, options: Mapping[str, Any]) -> Table:
    """Build the table; options: `experiments`, `methods`, `datasets`."""
    what = "Root mean squared error on the test points, in the units of y"
    return score_table(inputs, options, "rmse", what, fine=True)
