"""What the tables of datasets share: which ones they list."""

from collections.abc import Mapping
from typing import Any

from rafs import datasets


def listed(options: Mapping[str, Any]) -> list[datasets.Spec]:
    """Return the datasets that a table lists, as its options describe them."""
    entries = options.get("entries", {})
    names = options.get("datasets", datasets.names())
    return [datasets.describe(name, entries.get(name, {})) for name in names]
