"""The section on UCI tables: results, and how ensembles widen in gaps and tails."""

from collections.abc import Mapping, Sequence

from rafs.reporting import uci
from rafs.reporting.page.elements import Html, shown, tag
from rafs.reporting.table import StoredTable


def section(tables: Mapping[str, StoredTable], figures: Sequence[Html]) -> list[Html]:
    """Return the section; nothing if its experiments were not run."""
    said = uci.sentences({name: tables[name].frame for name in uci.READ if name in tables})
    return [*(tag("p", sentence) for sentence in said), *shown(figures, list(tables))]
