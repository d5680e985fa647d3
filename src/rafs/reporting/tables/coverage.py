"""Coverage of the 95 % interval of all methods on all datasets."""

from functools import partial

from rafs.reporting.tables._score import score_table

TITLE = "Coverage"
CAPTION = "Share of the test points inside the central 95 % interval"
READS = ("scores",)

build = partial(score_table, metric="coverage_95", caption=CAPTION)
