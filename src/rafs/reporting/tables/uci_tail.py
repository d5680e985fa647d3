"""Tail splits: the test set is the two outer thirds along one input."""

from functools import partial

from rafs.reporting.tables._shift import shift_table

TITLE = "UCI tail"
CAPTION = "Which ensembles widen in the tails of a table?"
READS = ("scores", "recalibrated")
SECTION = "uci"

build = partial(shift_table, caption=CAPTION)
