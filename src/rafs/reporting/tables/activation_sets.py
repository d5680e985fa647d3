"""RAFs with other sets of activations."""

from functools import partial

from rafs.reporting.tables._contrast import contrast_table
from rafs.reporting.why.controls import ALL, RAFS, beside

TITLE = "Activation sets"
CAPTION = (
    "Does it matter which activations? RAFs with all seven, five of them drawn per seed, against "
    "RAFs with the order of the paper and with other sets."
)
READS = ("scores",)
SECTION = "why"

build = partial(
    contrast_table,
    caption=CAPTION,
    runs=partial(beside, experiment="activation_sets", main=[RAFS]),
    method=ALL,
    notes=[
        "RAFs alone is the order of the paper, of which five members use the first five. Settings "
        "are those that RAFs of the same seed was tuned to with that order."
    ],
)
