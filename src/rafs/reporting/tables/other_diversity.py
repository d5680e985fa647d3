"""RAFs against Anchored Ensembles whose members differ in other ways than by activations."""

from functools import partial

from rafs.reporting.tables._contrast import contrast_table
from rafs.reporting.why.controls import ANCHORED, RAFS, TUNED, beside

TITLE = "Other diversity"
CAPTION = (
    "Would any diversity do? RAFs against AE whose members differ in something else: the rows that "
    "they see, the scale of their priors, or their widths."
)
READS = ("scores",)
SECTION = "why"

build = partial(
    contrast_table,
    caption=CAPTION,
    runs=partial(beside, experiment="other_diversity", main=[RAFS, ANCHORED]),
    without=[TUNED],
)
