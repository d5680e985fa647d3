"""Intervals that hold: what recalibration on held-out rows repairs, and what it cannot."""

from collections.abc import Sequence

from rafs.reporting.page.elements import Html, tag
from rafs.reporting.table import ReportTable

TABLE = "recalibration"
METHODS = (
    "Every interval again, with its width fitted to the held-out rows of tuning: scaled has one "
    "factor on the standard deviation, conformal takes the quantile of the normalised errors."
)


def section(table: ReportTable | None, figures: Sequence[Html], shown: Html | None) -> list[Html]:
    """Return the section; nothing where neither table nor figure was made."""
    content = []
    if table is not None:
        content += [tag("p", METHODS), tag("p", table.notes[0])]
    if figures:
        content.append(tag("div", list(figures), class_="gallery"))
    return [*content, *([shown] if shown else [])]
