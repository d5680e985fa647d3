"""RAFs against the Anchored Ensemble with each single activation."""

from functools import partial

from rafs.reporting.tables._contrast import contrast_table
from rafs.reporting.why.controls import singles_and_tuned

TITLE = "Single activation"
CAPTION = (
    "Is it the right activation? RAFs against AE whose members all have one activation: each of "
    "the seven, the best of them on each dataset, and the one that tuning picks."
)
READS = ("scores",)
SECTION = "why"

build = partial(
    contrast_table,
    caption=CAPTION,
    runs=singles_and_tuned,
    notes=[
        "The best single activation is chosen on each dataset by the median NLL of the test "
        "points, which no tuning can do: it flatters AE."
    ],
)
