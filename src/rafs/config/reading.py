"""Read untrusted YAML: plain values only, no duplicates, bounded size."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from rafs.config.wording import dotted
from rafs.errors import ParameterError

LARGEST_FILE = 2**20  # bytes
MOST_VALUES = 100_000  # after anchors are followed
MOST_KEYS = 1_000  # of one mapping
DEEPEST = 20
LARGEST_INTEGER = 2**53 - 1  # JSON numbers are exact up to here


class _Loader(yaml.SafeLoader):
    """Safe YAML that refuses duplicate keys and merges that grow without limit."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Return a value; report the line of an invalid one, such as `!!int ''`."""
        try:
            return super().construct_object(node, deep)
        except (ValueError, ArithmeticError, AttributeError, LookupError, TypeError) as error:
            raise yaml.constructor.ConstructorError(
                None, None, str(error), node.start_mark
            ) from error

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Follow `<<`; each level of merges can multiply the keys of the one below."""
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


def read(path: Path) -> Any:
    """Return the content of a YAML file."""
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
        # _Loader is a SafeLoader: YAML tags can create plain values only.
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


def check_plain(content: Any) -> None:
    """Refuse values that JSON does not have, and implausibly many values.

    A few anchors can stand for billions of values, so a value counts wherever it is used.
    """
    waiting: list[tuple[tuple[object, ...], Any]] = [((), content)]
    count = 0
    while waiting:
        path, value = waiting.pop()
        count += 1
        if count > MOST_VALUES:
            raise ParameterError(f"{dotted(path[:1])} holds more than {MOST_VALUES} values")
        if len(path) > DEEPEST:
            raise ParameterError(f"{dotted(path[:1])} is nested too deeply")
        if isinstance(value, Mapping):
            waiting += [((*path, key), item) for key, item in value.items()]
        elif isinstance(value, list):
            waiting += [((*path, index), item) for index, item in enumerate(value)]
        else:
            _check_scalar(path, value)


def _check_scalar(path: Sequence[object], value: Any) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise ParameterError(f"{dotted(path)} must be a finite number, not {value}")
    if isinstance(value, int) and abs(value) > LARGEST_INTEGER:
        raise ParameterError(
            f"{dotted(path)} must be a whole number of at most {LARGEST_INTEGER}; it is larger"
        )
    if isinstance(value, str) and any("\ud800" <= c <= "\udfff" for c in value):
        raise ParameterError(f"{dotted(path)} must be valid Unicode text, not {value!r}")
    if not (value is None or isinstance(value, str | bool | int | float)):
        raise ParameterError(
            f"{dotted(path)} must be a number, text or a list, not a {type(value).__name__}"
        )
