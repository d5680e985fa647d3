"""Settings of a method: plain JSON values with a default, a range and a meaning.

A schema maps a name to a `Setting` or, for a group such as ``prior``, to another schema. Given
values are laid over the defaults, layer by layer. An unknown name or a value out of range raises a
`ParameterError` that names the setting and the probable intention. A method extends
the schema of another one setting by setting, and `params.yaml`, estimators and tuning resolve the
same schema: hence data, and no pydantic model per method.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Union

import numpy as np

from rafs.errors import ParameterError, closest

Settings = dict[str, Any]
Schema = Mapping[str, Union["Setting", "Schema"]]


@dataclass(frozen=True)
class Setting:
    """One setting; `read` returns the value in its one form or raises ValueError("must be ...")."""

    default: Any
    read: Callable[[Any], Any]
    meaning: str


def number(
    default: float, meaning: str, *, above: float = -math.inf, least: float = -math.inf,
    below: float = math.inf, most: float = math.inf,
) -> Setting:  # fmt: skip
    """Return the setting of a finite number with above < value < below, least <= value <= most."""

    def read(value: Any) -> float:
        if not isinstance(value, int | float | np.integer | np.floating) or isinstance(value, bool):
            raise ValueError("must be a number (in YAML with a point: 1.0e-3)")
        value = float(value)
        if not math.isfinite(value):
            raise ValueError("must be finite")
        for wrong, text in (
            (value <= above, f"above {above:g}"),
            (value < least, f"at least {least:g}"),
            (value >= below, f"below {below:g}"),
            (value > most, f"at most {most:g}"),
        ):
            if wrong:
                raise ValueError(f"must be {text}")
        return value

    return Setting(default, read, meaning)


def integer(default: int | None, meaning: str, *, least: int = 1, none: bool = False) -> Setting:
    """Return the setting of a whole number of at least `least`, or of null where `none` allows."""

    def read(value: Any) -> int | None:
        if value is None and none:
            return None
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not whole or value < least:
            raise ValueError(
                f"must be a whole number of at least {least}{' or null' if none else ''}"
            )
        return int(value)

    return Setting(default, read, meaning)


def switch(default: bool, meaning: str) -> Setting:
    """Return the setting of a boolean."""

    def read(value: Any) -> bool:
        if not isinstance(value, bool | np.bool_):
            raise ValueError("must be true or false")
        return bool(value)

    return Setting(default, read, meaning)


def choice(default: Any, options: Sequence[Any], meaning: str) -> Setting:
    """Return the setting of one of several values."""

    def read(value: Any) -> Any:
        for option in options:
            if type(value) is type(option) and value == option:
                return option
        raise ValueError(f"must be one of {', '.join(map(str, options))}")

    return Setting(default, read, meaning)


def several(default: Sequence[Any], item: Setting, meaning: str, *, least: int = 0) -> Setting:
    """Return the setting of a list whose entries are each read as `item`."""

    def read(value: Any) -> list[Any]:
        if not isinstance(value, list | tuple) or len(value) < least:
            raise ValueError(f"must be a list{f' of at least {least}' if least else ''}")
        try:
            return [item.read(entry) for entry in value]
        except ValueError as error:
            raise ValueError(f"has an entry that {error}") from None

    return Setting(list(default), read, meaning)


def interval(
    default: tuple[float, float], meaning: str, *, above: float, below: float = math.inf
) -> Setting:
    """Return the setting of a range [low, high] with above < low <= high < below."""
    end = number(default[0], meaning, above=above, below=below)

    def read(value: Any) -> list[float]:
        if not isinstance(value, list | tuple) or len(value) != 2:
            raise ValueError("must be a list [low, high]")
        try:
            low, high = map(end.read, value)
        except ValueError as error:
            raise ValueError(f"has an end that {error}") from None
        if low > high:
            raise ValueError("must be a list [low, high] with low <= high")
        return [low, high]

    return Setting(list(default), read, meaning)


def defaults(schema: Schema) -> Settings:
    """Return the default of every setting."""
    return {
        name: deepcopy(entry.default) if isinstance(entry, Setting) else defaults(entry)
        for name, entry in schema.items()
    }


def extend(schema: Schema, added: Schema | None = None, **changed: Any) -> Schema:
    """Return the schema with added settings and other defaults, by name (of a group: as a dict)."""
    result: dict[str, Setting | Schema] = {**schema, **(added or {})}
    for name, value in changed.items():
        entry = result[name]
        if isinstance(entry, Setting):
            result[name] = Setting(value, entry.read, entry.meaning)
        else:
            result[name] = extend(entry, **value)
    return result


def resolve(schema: Schema, *layers: Mapping[str, Any], where: str = "settings") -> Settings:
    """Lay settings over the defaults, later layers over earlier ones, and check each of them.

    A group is changed entry by entry: ``{"prior": {"weight": 2.0}}`` and ``{"prior.weight": 2.0}``
    mean the same and leave ``prior.bias`` alone.
    """
    result = defaults(schema)
    for layer in layers:
        _lay(schema, result, layer, where)
    return result


def _lay(schema: Schema, target: Settings, layer: Mapping[str, Any], where: str) -> None:
    if not isinstance(layer, Mapping):
        raise ParameterError(f"{where} must be a group of settings, not {layer!r}")
    for name, value in layer.items():
        head, _, rest = str(name).partition(".")
        if not schema:
            raise ParameterError(f"{where} has no settings, so it cannot have {head!r}; remove it")
        if head not in schema:
            raise ParameterError(
                f"{where} has no setting {head!r}; did you mean {closest(head, schema)!r}? "
                f"(known: {', '.join(schema)})"
            )
        entry = schema[head]
        if isinstance(entry, Setting):
            if rest:
                raise ParameterError(f"{where}.{head} is a value and has no setting {rest!r}")
            try:
                target[head] = entry.read(value)
            except ValueError as error:
                raise ParameterError(f"{where}.{head} {error}, not {value!r}") from None
        else:
            _lay(entry, target[head], {rest: value} if rest else value, f"{where}.{head}")


def table(schema: Schema, prefix: str = "") -> Iterator[tuple[str, Any, str]]:
    """Yield (dotted name, default, meaning) of every setting, for the documentation."""
    for name, entry in schema.items():
        if isinstance(entry, Setting):
            yield prefix + name, entry.default, entry.meaning
        else:
            yield from table(entry, f"{prefix}{name}.")
