"""RAFs of five members against larger ensembles."""

from functools import partial

from rafs.reporting.tables._contrast import contrast_table
from rafs.reporting.why.controls import ANCHORED, RAFS, beside

TITLE = "Larger ensembles"
CAPTION = (
    "Would more members do? RAFs of five members against AE, RP-param and RAFs of five, ten and "
    "twenty."
)
READS = ("scores",)
SECTION = "why"

build = partial(
    contrast_table,
    caption=CAPTION,
    runs=partial(beside, experiment="larger_ensembles", main=[RAFS, ANCHORED, "rp"]),
    notes=["Settings are those that the method of the same seed was tuned to with five members."],
)
