"""RAFs with fewer distinct activations."""

from collections.abc import Sequence
from functools import partial

from rafs.reporting.tables._contrast import contrast_table
from rafs.reporting.why.controls import beside

TITLE = "Activation count"
CAPTION = (
    "How many activations? RAFs of seven members with seven distinct activations against RAFs with "
    "k of them, drawn per seed."
)
READS = ("scores",)
SECTION = "why"


def most(methods: Sequence[str]) -> str:
    """Return RAFs with as many distinct activations as members."""
    return max(methods, key=lambda name: int(name.rpartition("=")[2]), default="")


build = partial(
    contrast_table,
    caption=CAPTION,
    runs=partial(beside, experiment="activation_count"),
    method=most,
    notes=["Settings are those that RAFs of the same seed was tuned to with five members."],
)
