"""Root mean squared error of all methods on all datasets: the paper's Table 2."""

from functools import partial

from rafs.reporting.tables._score import score_table

TITLE = "RMSE"
CAPTION = "Root mean squared error on the test points, in the units of y"
READS = ("scores",)

build = partial(score_table, metric="rmse", caption=CAPTION, fine=True)
