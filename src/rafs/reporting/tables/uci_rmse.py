"""Root mean squared error on the UCI tables, beside the printed results."""

from functools import partial

from rafs.reporting.tables._field import field_table

TITLE = "UCI RMSE"
CAPTION = "Root mean squared error (in the units of y) on the UCI tables"
READS = ("scores",)
SECTION = "uci"

build = partial(field_table, metric="rmse", caption=CAPTION, fine=True)
