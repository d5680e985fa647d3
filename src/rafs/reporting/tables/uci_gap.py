"""Gap splits (Foong et al. 2019): the test set is the middle third along one input."""

from functools import partial

from rafs.reporting.tables._shift import shift_table

TITLE = "UCI gap"
CAPTION = "Which ensembles widen in a gap of their training rows?"
READS = ("scores", "recalibrated")
SECTION = "uci"

build = partial(shift_table, caption=CAPTION)
