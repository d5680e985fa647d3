"""Negative log-likelihood on the UCI tables, beside the printed results."""

from functools import partial

from rafs.reporting.tables._field import field_table

TITLE = "UCI NLL"
CAPTION = "Negative log-likelihood (with the constant ½ ln 2π) on the UCI tables"
READS = ("scores",)
SECTION = "uci"

build = partial(field_table, metric="nll", caption=CAPTION)
