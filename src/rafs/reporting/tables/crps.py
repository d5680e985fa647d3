"""Continuous ranked probability score of all methods on all datasets."""

from functools import partial

from rafs.reporting.tables._score import score_table

TITLE = "CRPS"
CAPTION = "Continuous ranked probability score on the test points, in the units of y"
READS = ("scores",)

build = partial(score_table, metric="crps", caption=CAPTION, fine=True)
