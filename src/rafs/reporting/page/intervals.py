"""The section on intervals: what recalibration on held-out rows corrects, and what it cannot."""

from collections.abc import Sequence

from rafs.reporting.page.elements import Html, shown, tag
from rafs.reporting.table import StoredTable

METHODS = (
    "Every interval again, with its width fitted to the held-out rows of tuning: scaled has one "
    "factor on the standard deviation, conformal takes the quantile of the normalised errors."
)


def section(
    tables: Sequence[StoredTable], figures: Sequence[Html], folded: Sequence[Html]
) -> list[Html]:
    """Return the section; nothing if neither table nor figure was made."""
    said = [part for table in tables for part in (METHODS, table.notes[0])]
    return [*(tag("p", sentence) for sentence in said), *shown(figures), *folded]
