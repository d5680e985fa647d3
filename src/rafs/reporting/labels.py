"""One name for everything that is shown: methods, datasets, categories, metrics.

Titles of datasets come from the catalogue; what is not known is shown by its identifier. Labels of
methods are those of the methods themselves (a test compares them), written down here because
importing a method takes a second or two.
"""

import csv
import importlib
from collections.abc import Iterable
from functools import cache
from importlib import resources

from rafs.errors import RafsError

PAPER_METHODS = ("de", "hde", "ae", "ntkgp", "rp", "rafs")
METHODS = {
    "de": "DE",
    "hde": "HDE",
    "ae": "AE",
    "ntkgp": "NTKGP-param",
    "rp": "RP-param",
    "rafs": "RAFs",
    "de_nll": "DE (2017)",
}

CATEGORIES = {
    "PM": "Physical models",
    "MLM": "Many local minima",
    "T": "Trigonometric",
    "O": "Others",
    "real": "Real-world",
    "large": "Large",
    "own": "Own data",
}

METRICS = {
    "nll": "NLL",
    "nll_paper": "NLL (without ½ ln 2π)",
    "rmse": "RMSE",
    "mae": "MAE",
    "crps": "CRPS",
    "coverage_50": "50 % coverage",
    "coverage_90": "90 % coverage",
    "coverage_95": "95 % coverage",
    "calibration_error": "Calibration error",
    "sharpness": "Sharpness",
    "cpu_seconds": "CPU seconds",
}


@cache
def paper_datasets() -> frozenset[str]:
    """Return the names of the 25 datasets of the paper's tables, as Table 4 lists them."""
    with (resources.files(__package__) / "published" / "sizes.csv").open() as file:
        return frozenset(row["dataset"] for row in csv.DictReader(file))


def method(name: str) -> str:
    """Return the label of a method: `rp+rafs` is RP-param + RAFs, `rafs@size=3` RAFs (size 3)."""
    base, _, sweep = name.partition("@")
    if sweep:
        key, _, value = sweep.partition("=")
        return f"{method(base)} ({key.replace('_', ' ')} {value})"
    if base.endswith("+rafs"):
        return f"{method(base.removesuffix('+rafs'))} + RAFs"
    return METHODS.get(base) or _own_label(base)


@cache
def _own_label(name: str) -> str:
    """Return the label that a further method gives itself."""
    try:
        return str(importlib.import_module("rafs.methods").get(name).label) or name
    except (ImportError, AttributeError, RafsError):
        return name


@cache
def dataset(name: str) -> str:
    """Return the title of a dataset, as in the paper."""
    try:
        return str(importlib.import_module("rafs.datasets").spec(name).title)
    except (ImportError, AttributeError, RafsError):
        return name


def with_paper(found: Iterable[str]) -> list[str]:
    """Return the methods of the paper, and after them whatever else was found."""
    return in_order([*PAPER_METHODS, *found])


def category(name: str) -> str:
    """Return the full name of a category."""
    return CATEGORIES.get(name, name)


def metric(name: str) -> str:
    """Return the name of a metric as it is printed."""
    return METRICS.get(name, name.replace("_", " "))


@cache
def dataset_names() -> tuple[str, ...]:
    """Return the catalogue's datasets in the paper's order."""
    try:
        return tuple(importlib.import_module("rafs.datasets").names())
    except (ImportError, AttributeError):
        return ()


def in_order(names: Iterable[str]) -> list[str]:
    """Sort methods or datasets as the paper does; strangers follow as they came."""
    known = {name: place for place, name in enumerate((*PAPER_METHODS, *dataset_names()))}
    return sorted(dict.fromkeys(names), key=lambda name: known.get(name, len(known)))
