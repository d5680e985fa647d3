"""What random activations change on each base method over the datasets."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from rafs.evaluation import statistics
from rafs.methods import with_random_activations
from rafs.reporting import labels
from rafs.reporting.numbers import interval
from rafs.reporting.table import records

EFFECT = ("better", "datasets", "difference", "difference_low", "difference_high")
"""What `sentence` needs of `effects`."""


def pairs(methods: Sequence[str]) -> dict[str, str]:
    """Return which method is which base method with random activations; rafs is ae's."""
    mixed = {name: with_random_activations(name) for name in methods}
    return {name: other for name, other in mixed.items() if other != name and other in methods}


def effects(frame: pd.DataFrame, metric: str) -> dict[str, dict[str, Any]]:
    """Return what random activations change on each base method over the datasets.

    These are the records of `statistics.against`, `p_holm` corrected over the base methods.
    """
    found = {}
    for base, mixed in pairs(list(dict.fromkeys(frame["method"]))).items():
        found[base] = records(statistics.against(frame, metric, mixed, [base]))[0]
    corrected = statistics.holm([row["p"] for row in found.values()])
    return {
        base: {**row, "p_holm": float(p)}
        for (base, row), p in zip(found.items(), corrected, strict=True)
    }


def sentence(found: Mapping[str, Mapping[str, Any]]) -> str:
    """Say in a sentence what `effects` finds in NLL.

    It calls nothing significant: RAFs against AE is also a test of the table `pairwise`, and the
    correction there is over more tests.
    """
    if not found:
        return ""
    changes = "; ".join(f"{labels.method(base)} {_gain(row)}" for base, row in found.items())
    return (
        "Random activations change the NLL of a base method by (median over datasets, its 95 % "
        f"interval, and on how many it is lower): {changes}."
    )


def _gain(row: Mapping[str, Any]) -> str:
    """Return the median change, and on how many datasets NLL is lower."""
    return f"{change(row, 'nll')}, {row['better']:.0f} of {row['datasets']:.0f}"


def change(row: Mapping[str, Any], metric: str) -> str:
    """Return the change with its interval; a ratio where the score has the units of y."""
    ends = [row[f"difference{end}"] for end in ("", "_low", "_high")]
    value, low, high = (math.exp(x) if statistics.is_ratio(metric) else x for x in ends)
    return interval(value, low, high)
