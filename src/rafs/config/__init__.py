"""params.yaml as typed, frozen models: the allowed keys and their values.

The settings of a method, with their defaults and ranges, are declared by the method
(`rafs.methods.base.COMMON` and its own module). A mistake is reported in one sentence with the path
of the key, before anything runs. The JSON schema for editors is made from the models by
``python -m rafs.config``.
"""

import copy
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from rafs.config import checks
from rafs.config.checks import changed
from rafs.config.parameters import Params
from rafs.config.reading import check_plain, read
from rafs.config.sentences import sentence
from rafs.config.wording import nearest, one_line
from rafs.errors import ParameterError

__all__ = ["Params", "changed", "check", "load"]

Check = Callable[[Params], None]


def load(path: Path | str, edition: str | None = None, also: Check | None = None) -> Params:
    """Return checked parameters; an edition such as "smoke" is a section merged into the rest.

    `also` is a further check, for constraints from outside this package.
    """
    try:
        return _load(Path(path), edition, also)
    except ParameterError as problem:
        raise ParameterError(one_line(str(problem))) from None


def _load(path: Path, edition: str | None, also: Check | None) -> Params:
    content = _from_here(read(path), path.parent)
    params = check(content, path.name, also)
    if edition is None:
        return params
    if edition != "smoke":
        raise ParameterError(f"there is no edition {edition!r} of the parameters; only 'smoke'")
    base = {key: value for key, value in content.items() if key != "smoke"}
    for key in params.smoke:
        if key not in base:
            raise ParameterError(f"{path.name}: smoke.{key} changes nothing: {nearest(key, base)}")
    return check(_overlay(base, params.smoke), f"{path.name} (smoke)", also)


def _from_here(content: Any, folder: Path) -> Any:
    """Return the content with the paths of predictions as they are from the working directory."""
    entries = content.get("methods") if isinstance(content, dict) else None
    for entry in entries.values() if isinstance(entries, dict) else ():
        if isinstance(entry, dict) and isinstance(entry.get("predictions"), str):
            entry["predictions"] = os.path.relpath(folder / entry["predictions"])
    return content


def _overlay(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Merge a section into the parameters; a sweep is replaced instead of merged."""
    result = dict(base)
    for key, value in over.items():
        merge = isinstance(value, Mapping) and isinstance(result.get(key), dict) and key != "sweep"
        result[key] = _overlay(result[key], value) if merge else copy.deepcopy(value)
    return result


def check(content: Any, source: str = "params.yaml", also: Check | None = None) -> Params:
    """Return the parameters from the content of a file, or raise a ParameterError."""
    try:
        check_plain(content)
        params = Params.model_validate(content)
        checks.check(params)
        if also is not None:
            also(params)
    except ValidationError as errors:
        raise ParameterError(f"{source}: {sentence(errors, content)}") from None
    except ParameterError as problem:
        raise ParameterError(f"{source}: {problem}") from None
    except RecursionError:
        raise ParameterError(f"{source}: the file is nested too deeply") from None
    return params
