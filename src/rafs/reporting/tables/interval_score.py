"""Interval score at 95 % of all methods on all datasets."""

from functools import partial

from rafs.reporting.tables._score import score_table

TITLE = "Interval score"
CAPTION = "Interval score at 95 % on the test points, in the units of y"
READS = ("scores",)

build = partial(score_table, metric="interval_score_95", caption=CAPTION, fine=True)
