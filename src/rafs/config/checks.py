"""Checks of several keys of params.yaml together: names that must exist, values that must fit."""

import math
import re
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from pydantic import ValidationError

from rafs import datasets, methods
from rafs.config.fields import Group
from rafs.config.models import (
    DESCRIBED,
    SECTIONS,
    Choice,
    DatasetEntry,
    ExperimentEntry,
    LogUniform,
    SearchSpace,
)
from rafs.config.parameters import Params, Settings
from rafs.config.sentences import sentence
from rafs.config.wording import nearest
from rafs.datasets import quirks
from rafs.datasets.core import GROUPS, PAPER, USER
from rafs.errors import ParameterError
from rafs.methods.base import Method

G = TypeVar("G", bound=Group)

NAME = re.compile(r"[a-z][a-z0-9_]*")
LEAST_TO_TUNE = 3  # training rows: one to hold out, two to train on
MOST_RUNS = 100_000
SO_FAR = "so_far"  # the part of an experiment that runs nothing and shows existing runs


def check(params: Params) -> None:
    """Raise a ParameterError with the first contradiction."""
    _check_methods(params)
    _check_datasets(params)
    if params.tuning.keep > params.tuning.trials:
        raise ParameterError("tuning.keep must be at most tuning.trials")
    for name in params.experiments:
        _check_datasets_of(params, name)
    for name in params.experiments:
        _check_experiment(params, name)
        _check_swept_section(params, name)
    _check_together(params)
    if not any(entry.default for entry in params.experiments.values()):
        raise ParameterError("experiments has none with default: true; nothing would be run")
    _check_runs(params)


# --- methods ------------------------------------------------------------------------------------


def _check_methods(params: Params) -> None:
    for name in params.methods:
        where = f"methods.{name}"
        if name not in params.method_names:
            raise ParameterError(
                f"{where}: no such method; {nearest(name, params.method_names)} (one of your own "
                f"needs {' or '.join(f'`{key}:`' for key in methods.DEFINED)})"
            )
        if name not in methods.names() and not NAME.fullmatch(name):
            raise ParameterError(
                f"{where}: the name becomes part of file names; use small letters, digits and _"
            )
        layers, method = [*params.shared(name), params.fixed(name)], params.method(name)
        if len(set(methods.DEFINED) & set(params.fixed(name))) > 1:
            raise ParameterError(f"{where} has {' and '.join(methods.DEFINED)}; give one of them")
        method.resolve(*layers, where=where)
        for key, space in params.search(name).items():
            usable = partial(_resolve, method, layers, key, f"{where}.search")
            _check_search(f"{where}.search.{key}", space, usable)


def _resolve(method: Method, layers: list[Settings], key: str, where: str, value: Any) -> None:
    method.resolve(*layers, {key: value}, where=where)


def _check_search(where: str, searched: SearchSpace, usable: Callable[[Any], None]) -> None:
    """Check that the values of a search space are valid: choices, ends, one value in between."""
    if isinstance(searched, Choice):
        values: tuple[Any, ...] = searched.choice
    else:
        log = isinstance(searched, LogUniform)
        low, high = searched.log_uniform if isinstance(searched, LogUniform) else searched.uniform
        if low > high:
            kind = "log_uniform" if log else "uniform"
            raise ParameterError(f"{where}.{kind} must be [low, high]")
        values = (low, low + (high - low) / math.pi, high)  # in between, and no whole number
    for value in values:
        usable(value)


# --- datasets -----------------------------------------------------------------------------------


def _check_datasets(params: Params) -> None:
    for name, entry in params.datasets.items():
        is_user = datasets.is_user(entry.written())
        if is_user:
            _check_name(name)
        elif name not in datasets.names():
            raise ParameterError(
                f"datasets.{name}: no such dataset; {nearest(name, datasets.names())} "
                "(a user dataset needs `csv:` or `parquet:`)"
            )
        described = datasets.describe(name, entry.written())
        if not is_user:
            _check_sizes(name, described)


def _check_sizes(name: str, described: datasets.Spec) -> None:
    spec = datasets.spec(name)
    if spec.splits and (described.train, described.test) != (spec.train, spec.test):
        raise ParameterError(
            f"datasets.{name}: its splits are fixed, with {spec.train} training and {spec.test} "
            "test rows; leave `train` and `test` out"
        )
    total = described.train + described.test
    if not spec.synthetic and total > spec.train + spec.test:
        raise ParameterError(
            f"datasets.{name}: train and test together are {total} rows, but the file has "
            f"{spec.train + spec.test}"
        )


def _check_name(name: str) -> None:
    if name in datasets.names() or name in (PAPER, *GROUPS):
        raise ParameterError(
            f"datasets.{name}: a dataset or group of this name exists; give your table another one"
        )
    if not NAME.fullmatch(name):
        raise ParameterError(
            f"datasets.{name}: the name becomes part of file names; use small letters, digits and _"
        )


# --- experiments --------------------------------------------------------------------------------


def _check_datasets_of(params: Params, name: str) -> None:
    """Refuse unknown datasets before other experiments refer to them."""
    try:
        if not params.dataset_names(params.experiments[name].datasets):
            raise ParameterError(f"the group {USER!r} is empty; describe a table under datasets")
    except ParameterError as error:
        raise ParameterError(f"experiments.{name}.datasets: {error}") from None
    for dataset in params.dataset_names(params.experiments[name].datasets):
        spec = params.described[dataset]
        if not spec.seeds(params.seeds_of(name)):
            raise ParameterError(
                f"experiments.{name}.seeds has no split of {dataset}, whose seeds are 0 to "
                f"{(spec.splits or 0) - 1}; add one of them, or take the dataset out"
            )


def _check_experiment(params: Params, name: str) -> None:
    entry = params.experiments[name]
    where = f"experiments.{name}"
    key, values = entry.swept
    layers = [entry.settings_of(key, value) for value in values] or [{}]
    if entry.sweep and entry.variants:
        raise ParameterError(f"{where} has a sweep and variants; it can have one of them")
    for method in entry.methods:
        if method not in params.method_names:
            raise ParameterError(
                f"{where}.methods: {method!r} is no method; {nearest(method, params.method_names)}"
            )
        for layer in layers:
            params.settings(name, method, layer, where=f"{where}.{_swept(entry)}".rstrip("."))
    _check_quirks(entry, where)
    _check_parts(params, name)
    _check_named_methods(entry, where)
    _check_protocol(params, name)
    _check_tuning_source(params, name)


def _swept(entry: ExperimentEntry) -> str:
    """Return which key of an experiment has several values, if any."""
    return "variants" if entry.variants else "sweep" if entry.sweep else ""


def _check_swept_section(params: Params, name: str) -> None:
    """Check swept values of training and tuning as if they stood in their sections."""
    key, values = params.experiments[name].swept
    section, _, inner = key.partition(".")
    if section not in SECTIONS:
        return
    group: Group = getattr(params, section)
    if inner not in group.written():
        near = nearest(inner, group.written())
        raise ParameterError(f"experiments.{name}.sweep.{key} is not a parameter; {near}")
    for value in values:
        try:
            changed(group, inner, value)
        except ParameterError as error:
            raise ParameterError(f"experiments.{name}.sweep: {section}.{error}") from None


def changed(group: G, key: str, value: Any) -> G:
    """Return a group with another value of a key, or say what is wrong with the value."""
    content = {**group.written(), key: value}
    try:
        return type(group).model_validate(content)
    except ValidationError as error:
        raise ParameterError(sentence(error, content)) from None


def _check_quirks(entry: ExperimentEntry, where: str) -> None:
    for part, listed in (("quirks", entry.quirks), ("sweep.quirk", entry.sweep.get("quirk", ()))):
        try:
            quirks.check(listed)
        except ParameterError as error:
            raise ParameterError(f"{where}.{part}: {error}") from None


def _check_parts(params: Params, name: str) -> None:
    entry = params.experiments[name]
    where = f"experiments.{name}"
    if entry.parts and entry.default:
        raise ParameterError(f"{where}.parts: only what has `default: false` is run in parts")
    for part in (*entry.parts, *([] if entry.default else [SO_FAR])):
        if f"{name}_{part}" in params.experiments or (part == SO_FAR and part in entry.parts):
            raise ParameterError(f"{where}: its part {name}_{part} has a name that is taken")
    for other in entry.also:
        if other not in params.experiments or other == name:
            near = nearest(other, set(params.experiments) - {name})
            raise ParameterError(f"{where}.also: {other!r} is no other experiment; {near}")


def _check_together(params: Params) -> None:
    """Check that a name for several experiments is free, and that these exist."""
    for name, listed in params.together.items():
        if name in params.experiments:
            raise ParameterError(f"together.{name}: the name is taken; choose another")
        for experiment in listed:
            if experiment not in params.experiments:
                near = nearest(experiment, params.experiments)
                raise ParameterError(f"together.{name}: {experiment!r} is no experiment; {near}")


def _check_named_methods(entry: ExperimentEntry, where: str) -> None:
    """Check that settings of single methods are for methods of the experiment."""
    named: dict[str, tuple[str, ...]] = {
        "largest": tuple(entry.largest),
        "settings": tuple(entry.settings),
    }
    for part, of in entry.parts.items():
        named[f"parts.{part}.methods"] = of.methods or ()
        named[f"parts.{part}.largest"] = tuple(of.largest)
    for key, listed in named.items():
        for method in listed:
            if method not in entry.methods:
                near = nearest(method, entry.methods)
                raise ParameterError(f"{where}.{key}.{method}: not one of its methods; {near}")


def _check_protocol(params: Params, name: str) -> None:
    """Check that the protocol suits the datasets, and that their noise is known or tuned."""
    entry = params.experiments[name]
    where = f"experiments.{name}"
    protocol = "+".join([entry.protocol, *entry.quirks])
    chosen = params.dataset_names(entry.datasets)
    mine = [dataset for dataset in chosen if params.described[dataset].category == USER]
    if mine and (protocol != DESCRIBED or "quirk" in entry.sweep):
        raise ParameterError(
            f"{where}.datasets: {mine[0]} is a user dataset, and these have no quirks and no "
            "protocol but `described`; leave it out of this experiment"
        )
    if params.tuning_source(name) is not None:
        return
    if not any(params.method(method).needs_noise for method in entry.methods):
        return
    for dataset in chosen:
        assumed = "assumed_noise" in quirks.active(protocol, dataset)
        if not (assumed or params.described[dataset].noise is not None):
            raise ParameterError(
                f"{where}.tuning is null, so the noise of {dataset} is unknown: give "
                f"datasets.{dataset}.noise, or the quirk assumed_noise"
            )


def _check_tuning_source(params: Params, name: str) -> None:
    """Check that the experiment whose tuned values are used tunes these methods and datasets."""
    source = params.tuning_source(name)
    if source == name:
        _check_tunes_itself(params, name)
    elif source is not None:
        _check_takes_values(params, name, source)


def _check_tunes_itself(params: Params, name: str) -> None:
    entry = params.experiments[name]
    if entry.protocol != DESCRIBED or "quirks" in entry.model_fields_set:
        raise ParameterError(
            f"experiments.{name} cannot tune itself: only the protocol `described` without quirks "
            "is tuned; give `tuning:` another experiment, or null for no tuning"
        )
    for dataset in params.dataset_names(entry.datasets):
        rows = params.datasets.get(dataset, DatasetEntry()).train
        if rows is not None and rows < LEAST_TO_TUNE:
            raise ParameterError(
                f"datasets.{dataset}.train must be at least {LEAST_TO_TUNE} where "
                f"experiments.{name} tunes; fewer need `tuning: null` there"
            )


def _check_takes_values(params: Params, name: str, source: str) -> None:
    entry = params.experiments[name]
    where = f"experiments.{name}.tuning"
    if source not in params.experiments:
        raise ParameterError(
            f"{where}: {source!r} is no experiment; {nearest(source, params.experiments)}"
        )
    if params.tuning_source(source) != source or _swept(params.experiments[source]):
        raise ParameterError(f"{where}: {source!r} has no tuned values of its own")
    lost = params.untuned(name)
    if lost and entry.default:
        raise ParameterError(
            f"{where}: {source!r} does not tune {lost[0]!r}; take it out of experiments.{name}, or "
            f"put it into experiments.{source}"
        )
    chosen = params.dataset_names(entry.datasets)
    if set(entry.methods) <= set(lost) or set(chosen) <= set(lost):
        raise ParameterError(
            f"{where}: {source!r} tunes none of what experiments.{name} runs; take the experiment "
            "out, or put its methods and datasets there"
        )
    missing = params.untuned_seeds(name)
    if missing and (entry.default or missing == params.seeds_of(name)):
        raise ParameterError(
            f"experiments.{name}.seeds: {source!r} tunes no seed {min(missing)}; a run takes the "
            f"tuned values of the same seed, so give experiments.{name} seeds of {source!r}"
        )


def _check_runs(params: Params) -> None:
    """Refuse more runs than a workflow can plan."""
    total = 0
    for name, entry in params.experiments.items():
        seeds, chosen = params.seeds_of(name), params.dataset_names(entry.datasets)
        cells = len(entry.methods) * max(1, len(entry.swept[1]))
        total += cells * sum(len(params.described[each].seeds(seeds)) for each in chosen)
        if total > MOST_RUNS:
            raise ParameterError(
                f"experiments.{name} brings the runs to {total}, more than the {MOST_RUNS} that "
                "can be planned; use fewer seeds"
            )
