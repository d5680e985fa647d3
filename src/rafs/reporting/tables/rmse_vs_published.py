"""Our RMSE beside the published one."""

from collections.abc import Mapping
from typing import Any

from rafs.reporting.inputs import Inputs
from rafs.reporting.tables.table import Table
from rafs.reporting.tables.vs_published import score_vs_published


def build(inputs: Inputs, options: Mapping[str, Any]) -> Table:
    """Build the table; options: `experiments`, `methods`, `datasets`."""
    return score_vs_published(inputs, options, "rmse")
