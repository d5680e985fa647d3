"""Validation errors of pydantic as one sentence: the key, what it must be, what it is."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from rafs.config.wording import dotted, short

KINDS = {
    "int_type": "a whole number",
    "float_type": "a number",
    "string_type": "text",
    "tuple_type": "a list",
    "dict_type": "a group of keys",
    "model_type": "a group of keys",
    "bool_type": "true or false",
}
LIMITS = {
    "greater_than_equal": ("ge", "at least"),
    "less_than_equal": ("le", "at most"),
    "greater_than": ("gt", "above"),
    "less_than": ("lt", "below"),
}
KEY = "[key]"  # what pydantic calls a key that is wrong itself
NAME = "is no name here; use small letters, _ and, after the first character, digits"


def sentence(errors: ValidationError, content: Any) -> str:
    """Return the error nearest to the root of the content as a sentence."""
    found = [error for error in errors.errors() if not _only_follows(error)]
    return _say(min(found, key=lambda error: len(error["loc"])), content)


def _only_follows(error: ErrorDetails) -> bool:
    """Whether a list is called too short because its entries are wrong."""
    given = error["input"]
    return error["type"] == "too_short" and len(given) >= error["ctx"]["min_length"]


def _say(error: ErrorDetails, content: Any) -> str:
    kind, value = error["type"], short(error["input"])
    context: Mapping[str, Any] = error.get("ctx", {})
    path = list(_path(error["loc"], content, missing=kind == "missing"))
    where = dotted(path)
    if KEY in error["loc"]:
        return f"{dotted(path[:-1])}: {short(path[-1])} {NAME}"
    if kind == "unknown":
        return f"{dotted([*path, context['key']])} is not a parameter; {context['near']}"
    if kind == "null":
        return f"{dotted([*path, context['key']])} must be given a value, not null, or be left out"
    if kind == "missing" and isinstance(path[-1], int):
        return f"{dotted(path[:-1])} must have more than {path[-1]} entries"
    if kind == "missing":
        return f"{where} is missing"
    if kind == "fault":
        return f"{where} {error['msg']}"
    if kind in ("too_short", "too_long"):
        return f"{where} must have {_number_of_entries(kind, context)}, not {value}"
    return f"{where} must be {_expected(kind, context, error['msg'])}, not {value}"


def _number_of_entries(kind: str, context: Mapping[str, Any]) -> str:
    few = kind == "too_short"
    number = context["min_length" if few else "max_length"]
    return f"at {'least' if few else 'most'} {number} {'entry' if number == 1 else 'entries'}"


def _expected(kind: str, context: Mapping[str, Any], message: str) -> str:
    """Return what a value must be."""
    if kind in LIMITS:
        name, words = LIMITS[kind]
        limit = context[name]
        return f"{words} {int(limit) if limit == int(limit) else limit}"
    if kind == "string_too_short":
        return "text that is not empty"
    if kind == "string_pattern_mismatch":
        return f"text that matches {context['pattern']}"
    return KINDS.get(kind, message)


def _path(location: tuple[int | str, ...], content: Any, missing: bool) -> Iterator[int | str]:
    """Yield the keys of a location, without the tags that pydantic puts between them."""
    for part in location:
        keys = dict(enumerate(content)) if isinstance(content, list) else content
        if isinstance(keys, dict) and part in keys:
            content = keys[part]
            yield part
    if missing:
        yield location[-1]
