"""Labels of everything that is shown: methods, datasets, categories, metrics.

Titles of datasets come from the catalogue, labels of methods from their declarations; anything else
is shown by its identifier.
"""

import csv
from collections.abc import Iterable
from functools import cache
from importlib import resources

from rafs import datasets, methods
from rafs.datasets.core import CATEGORIES

PAPER_METHODS = methods.of_role("paper")

COSTS = {"cpu_seconds": "CPU seconds"}

REFERENCES = methods.references()
"""Methods without any claim: they are shown beside the others, and take no part in ranks."""


@cache
def paper_datasets() -> frozenset[str]:
    """Return the names of the 25 datasets of the paper's tables, as Table 4 lists them."""
    with (resources.files(__package__) / "published" / "sizes.csv").open() as file:
        return frozenset(row["dataset"] for row in csv.DictReader(file))


def method(name: str) -> str:
    """Return the label of a method: `rp+rafs` is RP-param + RAFs, `rafs@size=3` RAFs (size 3).

    A variant is called by its name alone: `rafs@variant=without_gelu` is RAFs (without gelu).
    """
    base, _, sweep = name.partition("@")
    if sweep:
        key, _, value = sweep.partition("=")
        words = f"{key} {value}".removeprefix("variant ").replace("_", " ")
        return f"{method(base)} ({words})"
    if base.endswith(methods.SUFFIX):
        return f"{method(base.removesuffix(methods.SUFFIX))} + RAFs"
    declared = methods.declarations().get(base)
    return declared.label if declared else base


@cache
def dataset(name: str) -> str:
    """Return the title of a dataset, as in the paper."""
    return datasets.spec(name).title if name in datasets.names() else name


def rivals(*methods: str) -> tuple[str, ...]:
    """Return the methods of the paper without some of them."""
    return tuple(name for name in PAPER_METHODS if name not in methods)


def with_paper(found: Iterable[str]) -> list[str]:
    """Return the methods of the paper, then all others that were found."""
    return in_order([*PAPER_METHODS, *found])


def category(name: str) -> str:
    """Return the full name of a category."""
    return CATEGORIES[name].label if name in CATEGORIES else name


def metric(name: str) -> str:
    """Return the printed name of a metric or a cost."""
    from rafs.evaluation import metrics  # imports scipy, which is not needed to plan a workflow

    if name in metrics.BY_NAME:
        return metrics.BY_NAME[name].label
    return COSTS.get(name) or name.replace("_", " ")


def few_inside(names: Iterable[str]) -> list[str]:
    """Say which datasets have no scores inside the training range, if any."""
    listed = ", ".join(dataset(name) for name in in_order(names))
    if not listed:
        return []
    return [f"Inside without {listed}: fewer than 5 % of the test rows are inside the range."]


def in_order(names: Iterable[str]) -> list[str]:
    """Sort methods or datasets as the paper does; others follow in the given order."""
    known = {name: place for place, name in enumerate((*PAPER_METHODS, *datasets.names()))}
    return sorted(dict.fromkeys(names), key=lambda name: known.get(name, len(known)))
