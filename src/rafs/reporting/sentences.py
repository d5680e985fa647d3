"""Words and sentences that README, page and documentation share."""

from collections.abc import Mapping, Sequence
from typing import Any

from rafs.evaluation.statistics import TESTED
from rafs.reporting import labels


def listed(words: Sequence[str]) -> str:
    """Return "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else list(words))


FAMILY = f"all pairs of methods in {listed([labels.metric(name) for name in TESTED])}"
"""What the tests of `rafs.evaluation.statistics.pairwise` are corrected over."""


def decided(row: Mapping[str, Any], name: str = "part") -> str:
    """Return a part of a statement, its outcome, and what decided it."""
    return f"{row[name]}: {row['outcome']}" + (f" ({row['detail']})" if row["detail"] else "")
