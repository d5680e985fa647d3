"""Datasets: the paper's 27 (20 functions with noise, 5 real, 2 large), UCI and user tables.

>>> from rafs import datasets
>>> data = datasets.load("friedman", seed=3)
>>> data.x_train.shape, data.y_test.shape, data.noise
((200, 5), (500,), 0.1)

Every dataset of the paper is a module in `rafs.datasets.catalogue` that describes and samples it.
The modules are discovered automatically, and each is imported when its dataset is requested, so
results on one dataset do not depend on the module of another.

A user dataset is described by an entry of `datasets` in params.yaml instead (`rafs.datasets.user`).
The functions below take such an entry in addition to the name and treat all datasets alike.
"""

import importlib
import math
import pkgutil
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from rafs.datasets import quirks
from rafs.datasets.core import TABLES, Dataset, Entry, Function, Origin, Spec
from rafs.errors import ParameterError, closest

__all__ = [
    "Dataset", "Origin", "Spec", "describe", "describe_all", "function", "is_user", "load",
    "module_of", "names", "origin", "origins", "raw_files", "resolve", "spec",
]  # fmt: skip

CHANGES = ("train", "test", "noise")  # keys of an entry that change a dataset of the catalogue
NOTHING: Entry = MappingProxyType({})
_CATALOGUE = Path(__file__).with_name("catalogue")


@cache
def _found() -> tuple[str, ...]:
    return tuple(sorted(module.name for module in pkgutil.iter_modules([str(_CATALOGUE)])))


@cache
def names() -> tuple[str, ...]:
    """Return the names of all datasets: those of the paper in its order, then others by name."""
    return tuple(sorted(_found(), key=lambda name: (spec(name).place or math.inf, name)))


def is_user(entry: Entry) -> bool:
    """Whether an entry of params.yaml describes a user dataset."""
    return any(kind in entry for kind in TABLES)


def module_of(name: str, entry: Entry = NOTHING) -> str:
    """Return the module that describes and samples a dataset: the entry point of its code."""
    if is_user(entry):
        return f"{__name__}.user"
    if name not in _found():
        near = closest(name, _found())
        raise ParameterError(f"there is no dataset {name!r}; the nearest name is {near!r}")
    return f"{__name__}.catalogue.{name}"


@cache
def spec(name: str) -> Spec:
    """Return the description of a dataset of the catalogue."""
    found = getattr(importlib.import_module(module_of(name)), "SPEC", None)
    if not isinstance(found, Spec) or found.name != name:
        raise ParameterError(
            f"{_CATALOGUE / name}.py has no description SPEC of a dataset with the name {name!r}"
        )
    return found


def describe(name: str, entry: Entry = NOTHING) -> Spec:
    """Return the description of any dataset, as changed by an entry of params.yaml."""
    if is_user(entry):
        described: Spec = importlib.import_module(module_of(name, entry)).describe(name, entry)
        return described
    if strange := [key for key in entry if key not in CHANGES]:
        raise ParameterError(
            f"datasets.{name}.{strange[0]} is for a user dataset; of a dataset of the "
            f"paper only {', '.join(CHANGES)} can be changed"
        )
    return replace(spec(name), **entry)


def resolve(entries: Mapping[str, Entry], root: Path | str) -> dict[str, Entry]:
    """Return the entries of a project in `root`, with the paths of user files from here."""
    return {
        name: importlib.import_module(module_of(name, entry)).resolve(name, entry, root)
        if is_user(entry)
        else entry
        for name, entry in entries.items()
    }


def describe_all(entries: Mapping[str, Entry]) -> dict[str, Spec]:
    """Return every dataset by name: those of the catalogue in the paper's order, then users'."""
    users = (name for name, entry in entries.items() if is_user(entry))
    return {name: describe(name, entries.get(name, NOTHING)) for name in (*names(), *users)}


def function(name: str) -> Function:
    """Return the noise-free function of a synthetic dataset, from [n, d] to [n]."""
    description = spec(name)
    if description.function is None:
        raise ParameterError(
            f"the dataset {name!r} is real data and has no function; load it with load({name!r})"
        )
    return description.function


def load(
    name: str,
    seed: int = 0,
    protocol: str = "described",
    *,
    train: int | None = None,
    test: int | None = None,
    noise: float | None = None,
    **table: Any,
) -> Dataset:
    """Sample a dataset: the same (name, seed, protocol) gives the same bytes everywhere.

    The protocol is `described` (the text, with its misprints corrected) or `released` (the
    behaviour of the authors' code); single quirks of the latter follow a plus sign, as in
    ``described+collinear_inputs`` (`rafs.datasets.quirks` lists them).
    `train`, `test` and `noise` replace the described sizes and standard deviation. The noise of
    real data is unknown; there, `noise` is the value that the experiment assumes.
    A user dataset is loaded with the keys of its entry in params.yaml: ``csv=..., target=...``.
    """
    changes = {"train": train, "test": test, "noise": noise}
    given = {key: value for key, value in changes.items() if value is not None}
    description = describe(name, {**table, **given})
    odd = [q for q in quirks.active(protocol, name) if quirks.QUIRKS[q].where == "data"]
    for role, size in (("train", train), ("test", test)):
        if size is not None and size < 1:
            raise ParameterError(f"the {role} size of {name!r} is {size}; it must be at least 1")
    if noise is not None and not (math.isfinite(noise) and noise >= 0):
        raise ParameterError(f"the noise of {name!r} is {noise}; it must be a number from 0 up")
    sizes = {"train": description.train, "test": description.test}
    if protocol == "described":
        usual = None if description.noise is None else float(description.noise)
        return description.draw(description, int(seed), **sizes, noise=usual)
    known = None if noise is None else float(noise)
    released = importlib.import_module(f"{__name__}.released")
    drawn: Dataset = released.draw(spec(name), int(seed), protocol, odd, **sizes, noise=known)
    return drawn


def origins(name: str, protocol: str = "described", entry: Entry = NOTHING) -> tuple[str, ...]:
    """Return the names of the files that a dataset is read from."""
    description = describe(name, entry)
    read = not description.synthetic or "puma560_pumadyn" in quirks.active(protocol, name)
    return tuple(description.sources) if read else ()


def origin(source: str, entry: Entry = NOTHING) -> Origin:
    """Return where a file comes from; `entry` is that of its dataset."""
    dataset = source if is_user(entry) else raw_files()[source]
    found: Origin = describe(dataset, entry if is_user(entry) else NOTHING).sources[source]
    return found


@cache
def raw_files() -> dict[str, str]:
    """Return the dataset of every file that `rafs.datasets.fetch` knows, real data first."""
    ordered = sorted(names(), key=lambda name: spec(name).synthetic)
    sources = ((source, name) for name in ordered for source in spec(name).sources)
    return {source: source if source in names() else name for source, name in sources}
