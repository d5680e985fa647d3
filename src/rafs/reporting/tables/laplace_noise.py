"""Laplace with the noise of the data, and with the noise that the evidence gives."""

from functools import partial

from rafs.evaluation.metrics import PAPER_NLL
from rafs.reporting.tables._score import score_table

TITLE = "Laplace noise"
CAPTION = (
    "Does Laplace need its own noise? NLL with the noise of the data as that of its likelihood, "
    "and with the noise that the evidence gives (`evidence`)"
)
READS = ("scores",)

build = partial(score_table, metric=PAPER_NLL, caption=CAPTION)
