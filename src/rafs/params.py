"""Reading and checking params.yaml: the one place for parameters.

Whatever is wrong is said in one sentence with the path of the key, before anything runs: the shape
is checked against the closed schema, names against the catalogues, settings by the methods.
"""

import copy
import difflib
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import ValidationError, best_match

from rafs import datasets, methods, quirks
from rafs.datasets import own
from rafs.errors import ParameterError
from rafs.reporting import labels

if TYPE_CHECKING:
    from rafs.methods.base import Method

Params = dict[str, Any]

NAME = re.compile(r"[a-z][a-z0-9_]*")
CHANGES = ("train", "test", "noise")  # of a dataset of the paper
LEAST_TO_TUNE = 3  # training rows: one to hold out, two to train on
SCHEMA = "workflow/schemas/params.schema.yaml"

LARGEST_FILE = 2**20  # bytes
MOST_VALUES = 100_000  # after anchors are followed
MOST_KEYS = 1_000  # of one mapping
DEEPEST = 20
LARGEST_INTEGER = 2**53 - 1  # beyond it JSON's numbers are not exact
MOST_RUNS = 100_000
LONGEST_SENTENCE = 600

# Names of rules and of their targets, which an experiment cannot have as well.
RESERVED = {
    "all", "fetch", "data", "own", "own_data", "tune", "tuned", "train", "score", "aggregate",
    "table", "figure", "claims", "summary", "page", "verify", "smoke",
}  # fmt: skip
SWEPT = {"ensemble_size": "size", "cardinality": "activations.k"}  # what these figures show
SO_FAR = "so_far"  # the part of an experiment by name that asks for no run: what there is
ONE_DIMENSIONAL = ("uncertainty_1d", "training_points_1d")

PAPER = "paper"  # the group of the datasets that its tables have
GROUPS = {  # by category
    "synthetic": ("PM", "MLM", "T", "O"),
    "real": ("real",),
    "large": ("large",),
}
OWN = own.CATEGORY  # the group of all tables that somebody brought


class _Loader(yaml.SafeLoader):
    """Safe YAML that refuses a key given twice, and merges that grow without end."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Return a value; where one cannot be made, as of `!!int ''`, say in which line."""
        try:
            return super().construct_object(node, deep)
        except (ValueError, ArithmeticError, AttributeError, LookupError, TypeError) as error:
            raise yaml.constructor.ConstructorError(
                None, None, str(error), node.start_mark
            ) from error

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Follow `<<`; each level of merges may multiply what is in the one below."""
        merged = [value for key, value in node.value if key.tag == "tag:yaml.org,2002:merge"]
        if not any(len(value.value) > MOST_KEYS for value in merged):
            super().flatten_mapping(node)
        if len(node.value) > MOST_KEYS or any(len(value.value) > MOST_KEYS for value in merged):
            raise yaml.constructor.ConstructorError(
                None, None, "it merges too many keys", node.start_mark
            )


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    written = Counter(key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode))
    for key, times in written.items():
        if times > 1:
            raise yaml.constructor.ConstructorError(
                None, None, f"the key {key!r} is given twice", node.start_mark
            )
    found = loader.construct_mapping(node, deep=True)
    for key in found:
        if not isinstance(key, str):
            raise yaml.constructor.ConstructorError(
                None, None, f"the key {key!r} is not text", node.start_mark
            )
    return found


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def load(path: Path | str, edition: str | None = None) -> Params:
    """Return checked parameters; an edition such as "smoke" is a section laid over the rest."""
    try:
        return _load(Path(path), edition)
    except ParameterError as problem:
        raise ParameterError(_line(str(problem))) from None


def _line(text: str) -> str:
    """Return a sentence that is one line of a terminal, whatever a file made it quote."""
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return _cut(shown, LONGEST_SENTENCE)


def _load(path: Path, edition: str | None) -> Params:
    schema = path.resolve().parent / SCHEMA
    params = check(_read(path), schema, path.name)
    overrides = params.pop("smoke", {})
    if edition == "smoke":
        params = check(_overlay(params, overrides, "smoke"), schema, f"{path.name} (smoke)")
    elif edition is not None:
        raise ParameterError(f"there is no edition {edition!r} of the parameters; only 'smoke'")
    return params


def _read(path: Path) -> Any:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
        text = content.decode()
    except OSError as error:
        raise ParameterError(f"{path.name} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ParameterError(f"{path.name} cannot be read as UTF-8 text: {error}") from error
    if len(content) > LARGEST_FILE:
        raise ParameterError(f"{path.name} has more than {LARGEST_FILE} bytes; that is too much")
    try:
        # _Loader is a SafeLoader: no tag of YAML can make anything but plain values.
        return yaml.load(text, Loader=_Loader)  # noqa: S506
    except (
        yaml.YAMLError, RecursionError,
        ValueError, ArithmeticError, AttributeError, LookupError, TypeError,  # `!!int ''` and such
    ) as error:  # fmt: skip
        mark = getattr(error, "problem_mark", None)
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error)
        if isinstance(error, RecursionError):
            problem = "it is nested too deeply"
        raise ParameterError(f"{path.name}{place}: this is not valid YAML: {problem}") from error


def _overlay(base: Params, over: Mapping[str, Any], where: str) -> Params:
    """Lay a section over the parameters: mappings are merged, except a sweep, which is replaced."""
    result = copy.deepcopy(base)
    for key, value in over.items():
        if key not in result:
            raise ParameterError(f"{where}.{key} changes nothing: {_nearest(key, result)}")
        if isinstance(value, Mapping) and isinstance(result[key], dict) and key != "sweep":
            result[key] = _overlay_loose(result[key], value)
        else:
            result[key] = copy.deepcopy(value)
    return result


def _overlay_loose(base: Params, over: Mapping[str, Any]) -> Params:
    result = dict(base)
    for key, value in over.items():
        merge = isinstance(value, Mapping) and isinstance(result.get(key), dict) and key != "sweep"
        result[key] = _overlay_loose(result[key], value) if merge else copy.deepcopy(value)
    return result


@cache
def _validator(path: Path) -> Draft202012Validator:
    """Return the schema's validator, for which 2.0 is no whole number: paths are made of them."""
    whole = Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    )
    strict = validators.extend(Draft202012Validator, type_checker=whole)
    found: Draft202012Validator = strict(yaml.safe_load(path.read_text(encoding="utf-8")))
    return found


def _nearest(name: object, known: Iterable[str]) -> str:
    options = list(known)
    near = difflib.get_close_matches(str(name), options, n=1, cutoff=0.0)
    return f"did you mean {near[0]!r}?" if near else "there is nothing to choose from"


def _dotted(path: Iterable[object]) -> str:
    return ".".join(_cut(str(part)) for part in path) or "the file"


def _say(error: ValidationError) -> str:
    """Turn a violation of the schema into a sentence with the key's path."""
    where = _dotted(error.absolute_path)
    limit: Any = error.validator_value
    instance: Any = error.instance
    if error.validator == "additionalProperties" and isinstance(error.schema, dict):
        known = error.schema.get("properties", {})
        extra = next(key for key in instance if key not in known)
        path = _dotted([*error.absolute_path, extra])
        return f"{path} is not a parameter; {_nearest(extra, known)}"
    if error.validator == "required":
        missing = next(key for key in limit if key not in instance)
        return f"{_dotted([*error.absolute_path, missing])} is missing"
    if error.validator in ("oneOf", "anyOf"):
        forms = " or ".join(_form(option) for option in limit)
        return f"{where} must be {forms}, not {_short(instance)}"
    if error.validator == "type":
        expected = limit
        names = expected if isinstance(expected, list) else [expected]
        return f"{where} must be {' or '.join(map(_article, names))}, not {_short(instance)}"
    if error.validator == "enum":
        options = ", ".join(map(str, limit))
        return f"{where} must be one of {options}, not {_short(instance)}"
    limits = {
        "minimum": "at least", "maximum": "at most", "exclusiveMinimum": "above",
        "exclusiveMaximum": "below",
    }  # fmt: skip
    if error.validator in limits:
        bound = f"{limits[error.validator]} {limit}"
        return f"{where} must be {bound}, not {_short(instance)}"
    return f"{where}: {_short(error.message, 160)}"


def _article(name: str) -> str:
    return {
        "integer": "a whole number", "number": "a number", "string": "text", "array": "a list",
        "object": "a group of keys", "boolean": "true or false", "null": "null",
    }[name]  # fmt: skip


def _form(option: Mapping[str, Any]) -> str:
    if "required" in option:
        return f"{{{option['required'][0]}: [...]}}"
    return _article(option["type"])


def _short(value: object, length: int = 60) -> str:
    return _cut(value if isinstance(value, str) and length > 60 else repr(value), length)


def _cut(text: str, length: int = 60) -> str:
    return text if len(text) <= length else text[: length - 3] + "..."


def _plain(params: Any) -> None:
    """Refuse values that have no place in JSON, and more of them than a person would write.

    A few anchors can stand for billions of values: each is counted wherever it is used.
    """
    waiting: list[tuple[tuple[object, ...], Any]] = [((), params)]
    count = 0
    while waiting:
        path, value = waiting.pop()
        count += 1
        if count > MOST_VALUES:
            raise ParameterError(f"{_dotted(path[:1])} holds more than {MOST_VALUES} values")
        if len(path) > DEEPEST:
            raise ParameterError(f"{_dotted(path[:1])} is nested too deeply")
        if isinstance(value, Mapping):
            waiting += [((*path, key), item) for key, item in value.items()]
        elif isinstance(value, list):
            waiting += [((*path, index), item) for index, item in enumerate(value)]
        else:
            _scalar(path, value)


def _scalar(path: Sequence[object], value: Any) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise ParameterError(f"{_dotted(path)} must be a finite number, not {value}")
    if isinstance(value, int) and abs(value) > LARGEST_INTEGER:
        raise ParameterError(
            f"{_dotted(path)} must be a whole number of at most {LARGEST_INTEGER}; it is larger"
        )
    if isinstance(value, str) and any("\ud800" <= c <= "\udfff" for c in value):
        raise ParameterError(f"{_dotted(path)} must be text, not half a character: {value!r}")
    if not (value is None or isinstance(value, str | bool | int | float)):
        raise ParameterError(
            f"{_dotted(path)} must be a number, text or a list, not a {type(value).__name__}"
        )


def check(params: Any, schema: Path, source: str = "params.yaml") -> Params:
    """Return the parameters if they are usable, or raise a ParameterError that says what is not."""
    try:
        _plain(params)
        error = best_match(_validator(schema).iter_errors(params))
        if error is not None:
            raise ParameterError(_say(error))
        _check_methods(params)
        _check_datasets(params)
        _check_search("tuning.noise", params["tuning"]["noise"], _noise)
        for name in params["experiments"]:
            _check_datasets_of(params, name)
        for name in params["experiments"]:
            _check_experiment(params, name)
        if not any(entry.get("default", True) for entry in params["experiments"].values()):
            raise ParameterError("experiments has none with default: true; nothing would be run")
        _check_runs(params)
        _check_shown(params)
    except ParameterError as problem:
        raise ParameterError(f"{source}: {problem}") from None
    except RecursionError:
        raise ParameterError(f"{source}: the file is nested too deeply") from None
    result: Params = params
    return result


def seeds(value: int | list[int]) -> list[int]:
    """Return the list of seeds that a number of seeds, or a list, stands for."""
    return list(range(value)) if isinstance(value, int) else list(value)


def own_data(params: Params) -> dict[str, dict[str, Any]]:
    """Return the entries of tables that somebody brought, by name."""
    return {name: entry for name, entry in params["datasets"].items() if own.is_own(entry)}


def all_datasets(params: Params) -> list[str]:
    """Return every dataset there is: those of the paper in its order, then own ones."""
    return [*datasets.names(), *own_data(params)]


def category(params: Params, dataset: str) -> str:
    """Return the category of a dataset."""
    return OWN if dataset in own_data(params) else datasets.spec(dataset).category


def synthetic(params: Params, dataset: str) -> bool:
    """Whether a dataset is generated from a function."""
    return dataset not in own_data(params) and datasets.spec(dataset).synthetic


def noise_is_known(params: Params, dataset: str) -> bool:
    """Whether the noise of a dataset need not be tuned: it was added to a function, or is given."""
    given = params["datasets"].get(dataset, {}).get("noise") is not None
    return given or synthetic(params, dataset)


def dataset_names(params: Params, names: Iterable[str]) -> list[str]:
    """Return datasets for names and groups, in the order of the paper, each once."""
    wanted: set[str] = set()
    known = all_datasets(params)
    for name in names:
        if name == OWN:
            wanted |= set(own_data(params))
        elif name == PAPER:
            wanted |= labels.paper_datasets()
        elif name in GROUPS:
            wanted |= {d for d in datasets.names() if datasets.spec(d).category in GROUPS[name]}
        elif name in known:
            wanted.add(name)
        else:
            raise ParameterError(
                f"{name!r} is no dataset; {_nearest(name, [*known, PAPER, *GROUPS, OWN])}"
            )
    return [name for name in known if name in wanted]


def fixed(params: Params, method: str) -> dict[str, Any]:
    """Return the settings of a method without its search space; m+rafs takes those of m."""
    entry = dict(_entry(params, method))
    entry.pop("search", None)
    if method.endswith("+rafs"):
        entry["activation"] = "random"
    return entry


def search(params: Params, method: str) -> dict[str, Any]:
    """Return what is tuned of a method, by dotted name of the setting."""
    return dict(_entry(params, method).get("search", {}))


def _entry(params: Params, method: str) -> dict[str, Any]:
    table = params["methods"]
    entry: dict[str, Any] = table.get(method, table.get(method.removesuffix("+rafs"), {}))
    return entry


def layers(params: Params, experiment: str, method: str) -> list[dict[str, Any]]:
    """Return the settings of a method in an experiment, to be laid over its defaults in turn."""
    entry = params["experiments"][experiment]
    own = {key: value for key, value in _own(entry, method).items() if key != "training"}
    return [params["ensemble"], fixed(params, method), entry.get("ensemble", {}), own]


def training(params: Params, experiment: str, method: str) -> dict[str, Any]:
    """Return how a method is trained in an experiment."""
    entry = params["experiments"][experiment]
    own = _own(entry, method).get("training", {})
    return {**params["training"], **entry.get("training", {}), **own}


def _own(entry: Mapping[str, Any], method: str) -> dict[str, Any]:
    """Return what an experiment sets for one method; m+rafs takes what is set for m."""
    table = entry.get("settings", {})
    found = table.get(method, table.get(method.removesuffix("+rafs"), {}))
    random = {"activation": "random"} if method.endswith("+rafs") else {}
    return {**found, **random}


def _check_methods(params: Params) -> None:
    for name in params["methods"]:
        where = f"methods.{name}"
        if name not in methods.names():
            raise ParameterError(f"{where}: no such method; {_nearest(name, methods.names())}")
        method = methods.get(name)
        shared = params["ensemble"]
        method.resolve(shared, fixed(params, name), where=where)
        for key, distribution in search(params, name).items():
            _check_search(
                f"{where}.search.{key}",
                distribution,
                partial(_resolved, method, shared, fixed(params, name), key, f"{where}.search"),
            )


def _resolved(
    method: "Method", shared: Params, entry: Params, key: str, where: str, value: Any
) -> None:
    method.resolve(shared, entry, {key: value}, where=where)


def _noise(value: Any) -> None:
    if not isinstance(value, int | float) or isinstance(value, bool) or value < 0:
        raise ParameterError(f"tuning.noise must hold numbers from 0 up, not {_short(value)}")


def _check_search(where: str, distribution: Params, usable: Callable[[Any], None]) -> None:
    """Check that whatever may be drawn can be used: ends, choices, and a value between the ends."""
    ((kind, values),) = distribution.items()
    if kind != "choice":
        low, high = map(float, values)
        if low > high:
            raise ParameterError(f"{where}.{kind} must be [low, high]")
        values = [low, low + (high - low) / math.pi, high]  # in between, and no whole number
    for value in values:
        usable(value)


def _check_datasets(params: Params) -> None:
    for name, entry in params["datasets"].items():
        if own.is_own(entry):
            _check_own(name, entry)
            continue
        if name not in datasets.names():
            raise ParameterError(
                f"datasets.{name}: no such dataset; {_nearest(name, datasets.names())} "
                "(a table of your own needs `csv:` or `parquet:`)"
            )
        if strange := [key for key in entry if key not in CHANGES]:
            raise ParameterError(
                f"datasets.{name}.{strange[0]} is for a table of your own; of a dataset of the "
                f"paper only {', '.join(CHANGES)} can be changed"
            )
        if not datasets.spec(name).synthetic and entry:
            spec = datasets.spec(name)
            total = entry.get("train", spec.train) + entry.get("test", spec.test)
            if total > spec.train + spec.test:
                raise ParameterError(
                    f"datasets.{name}: train and test together are {total} rows, but the file has "
                    f"{spec.train + spec.test}"
                )


def _check_own(name: str, entry: Mapping[str, Any]) -> None:
    if name in datasets.names() or name in (PAPER, *GROUPS, OWN):
        raise ParameterError(
            f"datasets.{name}: a dataset or group of this name exists; give your table another one"
        )
    if not NAME.fullmatch(name):
        raise ParameterError(
            f"datasets.{name}: the name becomes part of file names; use small letters, digits and _"
        )
    own.check(name, entry)
    if not own.is_remote(entry) and set("{}") & set(own.location(entry)):
        raise ParameterError(
            f"datasets.{name}.{own.kind(entry)}: Snakemake reads {{ and }} in a path as its own; "
            "rename the file"
        )


def _check_runs(params: Params) -> None:
    """Refuse more runs than a workflow can plan."""
    total = 0
    for name, entry in params["experiments"].items():
        ((_, swept),) = entry.get("sweep", {"": [None]}).items()
        number = entry.get("seeds", params["seeds"])
        total += (
            len(dataset_names(params, entry["datasets"]))
            * len(entry["methods"])
            * len(swept)
            * (number if isinstance(number, int) else len(number))
        )
        if total > MOST_RUNS:
            raise ParameterError(
                f"experiments.{name} brings the runs to {total}, more than the {MOST_RUNS} that "
                "can be planned; use fewer seeds"
            )


def _check_datasets_of(params: Params, name: str) -> None:
    """Refuse an experiment on datasets that there are not; others may look at them later."""
    try:
        if not dataset_names(params, params["experiments"][name]["datasets"]):
            raise ParameterError("the group 'own' is empty; describe a table under datasets")
    except ParameterError as error:
        raise ParameterError(f"experiments.{name}.datasets: {error}") from None


def _check_experiment(params: Params, name: str) -> None:
    entry = params["experiments"][name]
    where = f"experiments.{name}"
    if name in RESERVED or name.startswith(("table_", "figure_")):
        raise ParameterError(f"{where}: {name!r} is the name of a target already; choose another")
    chosen = seeds(entry.get("seeds", params["seeds"]))
    if params["tuning"]["seed"] in chosen:
        raise ParameterError(
            f"{where}.seeds contains tuning.seed ({params['tuning']['seed']}); tuning must not see "
            "the data of an evaluation run"
        )
    for method in entry["methods"]:
        if method not in methods.names():
            raise ParameterError(
                f"{where}.methods: {method!r} is no method; {_nearest(method, methods.names())}"
            )
        (key, values), *_ = entry.get("sweep", {"": [None]}).items()
        for value in values:
            methods.get(method).resolve(
                *layers(params, name, method),
                {key: value} if key not in ("", "quirk") else {},
                where=f"{where}.sweep" if key else where,
            )
    _check_protocol(params, name)
    _check_tuning_source(params, name)


def _check_protocol(params: Params, name: str) -> None:
    """Check what an experiment says about quirks, single methods and other experiments."""
    entry = params["experiments"][name]
    where = f"experiments.{name}"
    swept = entry.get("sweep", {}).get("quirk", [])
    for part, listed in (("quirks", entry.get("quirks", [])), ("sweep.quirk", swept)):
        try:
            quirks.check(listed)
        except ParameterError as error:
            raise ParameterError(f"{where}.{part}: {error}") from None
    named = {part: entry.get(part, {}) for part in ("largest", "settings")}
    parts = entry.get("parts", {})
    if parts and entry.get("default", True):
        raise ParameterError(f"{where}.parts: only what has `default: false` is run in parts")
    for part in (*parts, *([] if entry.get("default", True) else [SO_FAR])):
        if f"{name}_{part}" in params["experiments"] or (part == SO_FAR and part in parts):
            raise ParameterError(f"{where}: its part {name}_{part} has a name that is taken")
    for part, of in parts.items():
        named |= {f"parts.{part}.{key}": of.get(key, {}) for key in ("methods", "largest")}
    for part, listed in named.items():
        for method in listed:
            if method not in entry["methods"]:
                near = _nearest(method, entry["methods"])
                raise ParameterError(f"{where}.{part}.{method}: not one of its methods; {near}")
    for other in entry.get("also", []):
        if other not in params["experiments"] or other == name:
            near = _nearest(other, set(params["experiments"]) - {name})
            raise ParameterError(f"{where}.also: {other!r} is no other experiment; {near}")
    protocol = "+".join([entry.get("protocol", "described"), *entry.get("quirks", [])])
    mine = [name for name in dataset_names(params, entry["datasets"]) if name in own_data(params)]
    if mine and (protocol != "described" or swept):
        raise ParameterError(
            f"{where}.datasets: {mine[0]} is a table of your own, which knows no quirks and no "
            "protocol but `described`; leave it out of this experiment"
        )
    if "tuning" in entry and entry["tuning"] is None:
        for dataset in dataset_names(params, entry["datasets"]):
            assumed = "assumed_noise" in quirks.active(protocol, dataset)
            if not (assumed or noise_is_known(params, dataset)):
                raise ParameterError(
                    f"{where}.tuning is null, but somebody has to say what the noise of "
                    f"{dataset} is: give datasets.{dataset}.noise, or the quirk assumed_noise"
                )


def _check_tuning_source(params: Params, name: str) -> None:
    """Check that the experiment whose tuned values are used tunes these methods and datasets."""
    entry = params["experiments"][name]
    source = entry.get("tuning", name)
    where = f"experiments.{name}.tuning"
    if source is None:
        return
    if source == name and (entry.get("protocol", "described") != "described" or "quirks" in entry):
        raise ParameterError(
            f"experiments.{name} departs from the protocol `described`, by which is tuned, and so "
            "needs `tuning:`, another experiment or null for none"
        )
    if source == name:
        if "sweep" in entry:
            raise ParameterError(
                f"experiments.{name} sweeps a value and so needs `tuning:`, the experiment whose "
                "tuned values it takes"
            )
        for dataset in dataset_names(params, entry["datasets"]):
            rows = params["datasets"].get(dataset, {}).get("train", LEAST_TO_TUNE)
            if rows < LEAST_TO_TUNE:
                raise ParameterError(
                    f"datasets.{dataset}.train must be at least {LEAST_TO_TUNE} where "
                    f"experiments.{name} tunes; fewer need `tuning: null` there"
                )
        return
    if source not in params["experiments"]:
        raise ParameterError(
            f"{where}: {source!r} is no experiment; {_nearest(source, params['experiments'])}"
        )
    other = params["experiments"][source]
    if other.get("tuning", source) != source:
        raise ParameterError(f"{where}: {source!r} has no tuning of its own")
    for kind, mine, theirs in (
        ("method", entry["methods"], other["methods"]),
        (
            "dataset",
            dataset_names(params, entry["datasets"]),
            dataset_names(params, other["datasets"]),
        ),
    ):
        lost = [item for item in mine if item not in theirs]
        if lost:
            raise ParameterError(f"{where}: {source!r} does not tune the {kind} {lost[0]!r}")


def _check_shown(params: Params) -> None:
    from rafs.reporting import FIGURES, TABLES

    for section, known in (("tables", TABLES), ("figures", FIGURES)):
        for name, entry in params[section].items():
            where = f"{section}.{name}"
            if name not in known:
                raise ParameterError(f"{where}: there is no such one; {_nearest(name, known)}")
            for experiment in entry["experiments"]:
                if experiment not in params["experiments"]:
                    raise ParameterError(
                        f"{where}.experiments: {experiment!r} is no experiment; "
                        f"{_nearest(experiment, params['experiments'])}"
                    )
                if section == "figures" and name in SWEPT:
                    _check_swept(params, where, experiment, SWEPT[name])
            _check_options(params, where, entry)
            if section == "figures" and name in ONE_DIMENSIONAL:
                for dataset in entry.get("datasets", []):
                    line = dataset in datasets.names() and datasets.spec(dataset).dimension == 1
                    if not line or not datasets.spec(dataset).synthetic:
                        raise ParameterError(
                            f"{where}.datasets: {dataset!r} is no function of one variable"
                        )


def _check_swept(params: Params, where: str, experiment: str, setting: str) -> None:
    if setting not in params["experiments"][experiment].get("sweep", {}):
        raise ParameterError(
            f"{where}.experiments: {experiment!r} does not sweep {setting!r}, which this shows"
        )


def _check_options(params: Params, where: str, entry: Params) -> None:
    """Check that what is to be shown is a part of what is run."""
    shown = [params["experiments"][name] for name in entry["experiments"]]
    run = {
        "datasets": [d for e in shown for d in dataset_names(params, e["datasets"])]
        or all_datasets(params),
        "methods": [m for e in shown for m in e["methods"]] or methods.names(),
    }
    for option, there in run.items():
        for name in entry.get(option, []):
            if name not in there:
                what = option.removesuffix("s")
                place = " of its experiments" if shown else ""
                raise ParameterError(
                    f"{where}.{option}: {name!r} is no {what}{place}; {_nearest(name, there)}"
                )
    drawn = {seed for e in shown for seed in seeds(e.get("seeds", params["seeds"]))}
    if shown and "seed" in entry and entry["seed"] not in drawn:
        raise ParameterError(f"{where}.seed: its experiments have no seed {entry['seed']}")
