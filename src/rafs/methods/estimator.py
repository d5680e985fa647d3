"""Any importable estimator as a method that params.yaml defines.

    methods:
      rbf_gp:
        estimator: sklearn.gaussian_process.GaussianProcessRegressor
        arguments: {kernel: {class: sklearn.gaussian_process.kernels.RBF, length_scale: 1.0}}
        search: {kernel__length_scale: {log_uniform: [0.1, 10.0]}}

A value with a key `class` is an object of that class. A name with double underscores addresses an
argument of an argument, as in scikit-learn's `set_params`. Modules are found as Python finds them,
and in `plugins/` and the project's directory. What a run depends on is the version of an installed
package, or the code of a module of the project and of all modules of the project that it imports.
"""

import ast
import hashlib
import inspect
import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import packages_distributions, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rafs.engine import Training
from rafs.errors import EstimatorError, ParameterError
from rafs.methods.base import Task
from rafs.methods.external import ExternalMethod, kind_of, parameters
from rafs.methods.settings import Settings

PROJECT = "RAFS_PROJECT"  # variable of the workflow with the project's directory
PLUGINS = "plugins"  # directory of a project with modules of its own
NESTED = "__"
PACKAGE = __name__.partition(".")[0]  # whose version does not identify its code


class EstimatorMethod(ExternalMethod):
    """A class with scikit-learn's `fit(X, y)`, by its dotted path."""

    role = "later"

    def __init__(self, name: str, path: str) -> None:
        self.name = self.label = name
        self.path = path

    @property
    def needs_noise(self) -> bool:  # type: ignore[override]
        """Whether the class predicts only a mean; a class that cannot be imported fails later."""
        try:
            return kind_of(load(self.path)) == "mean"
        except EstimatorError:
            return False

    def resolve(self, *layers: Mapping[str, Any], where: str | None = None) -> Settings:
        """Return the path and the arguments; any other name is an additional argument."""
        where = where or f"methods.{self.name}"
        arguments: dict[str, Any] = {}
        for layer in layers:
            own = {k: v for k, v in layer.items() if k != "estimator"}
            given = own.pop("arguments", {})
            if not isinstance(given, Mapping):
                raise ParameterError(
                    f"{where}.arguments must be a group of settings, not {given!r}"
                )
            arguments |= {**given, **own}
        self._check(arguments, where)
        return {"estimator": self.path, "arguments": arguments}

    def _check(self, arguments: Mapping[str, Any], where: str) -> None:
        """Refuse arguments that the class does not take, if it can be imported."""
        try:
            kind = load(self.path)
        except EstimatorError:
            return
        known = parameters(kind)
        if not known or any(p.kind is p.VAR_KEYWORD for p in known.values()):
            return
        nested = self._nested(arguments) if any(NESTED in name for name in arguments) else None
        for name in arguments:
            first = name.split(NESTED)[0]
            if first not in known:
                raise ParameterError(
                    f"{where}: {self.path} has no argument {first!r} "
                    f"(known: {', '.join(known) or 'none'})"
                )
            if nested is not None and NESTED in name and name not in nested:
                inner = [each for each in nested if each.startswith(first + NESTED)]
                raise ParameterError(
                    f"{where}: {self.path} has no argument {name!r} "
                    f"(known: {', '.join(inner) or f'none in {first}'})"
                )

    def _nested(self, arguments: Mapping[str, Any]) -> list[str] | None:
        """Return all arguments and arguments of arguments; None if they are unknown."""
        plain = {name: value for name, value in arguments.items() if NESTED not in name}
        try:
            return list(load(self.path)(**build(plain)).get_params())
        except Exception:  # the runs of the method will report the error
            return None

    def identity(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the version of every package that a class comes from, or the hash of its code."""
        return dict(identity(path) for path in sorted({self.path, *classes(settings["arguments"])}))

    def make(self, settings: Settings, training: Training, task: Task, seed: int) -> Any:
        """Return the estimator with its arguments and a random state."""
        given = {name: build(value) for name, value in settings["arguments"].items()}
        kind = load(self.path)
        if "random_state" in parameters(kind):
            given.setdefault("random_state", seed)
        nested = {name: given.pop(name) for name in list(given) if NESTED in name}
        made = kind(**given)
        return made.set_params(**nested) if nested else made


def method(name: str, settings: Mapping[str, Any]) -> EstimatorMethod:
    """Return the method that settings with a key `estimator` define."""
    path = settings["estimator"]
    if not isinstance(path, str) or "." not in path.strip("."):
        raise ParameterError(
            f"methods.{name}.estimator must be the dotted path of a class, such as "
            f"sklearn.linear_model.BayesianRidge, not {path!r}"
        )
    return EstimatorMethod(name, path)


@cache
def load(path: str) -> Any:
    """Return the class at a dotted path."""
    _look_in_project()
    module, _, name = path.rpartition(".")
    try:
        found = getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        raise EstimatorError(
            f"{path} cannot be imported: there is no module {error.name!r}; install its package, "
            f"or put the file into {PLUGINS}/"
        ) from error
    except AttributeError:
        raise EstimatorError(f"the module {module} has no {name!r}; check the name") from None
    except Exception as error:
        text = " ".join(str(error).split())
        raise EstimatorError(
            f"importing {module} failed ({type(error).__name__}: {text})"
        ) from error
    if not inspect.isclass(found):
        raise EstimatorError(f"{path} is no class; name one with fit(X, y)")
    return found


def classes(value: Any) -> Iterator[str]:
    """Yield the paths of the classes in some arguments."""
    if isinstance(value, Mapping):
        if "class" in value:
            yield str(value["class"])
        value = list(value.values())
    if isinstance(value, list | tuple):
        for each in value:
            yield from classes(each)


def identity(path: str) -> tuple[str, str | None]:
    """Return the origin of a class: a package with its version, or a hash of its code."""
    top = path.partition(".")[0]
    found = distributions().get(top)
    if found and top != PACKAGE and any(map(_installed, _files(top))):
        return found[0], version(found[0])
    _look_in_project()  # or an editable installation, whose version does not identify its code
    return top, code(path.rpartition(".")[0] if top == PACKAGE else top)


@cache
def distributions() -> Mapping[str, list[str]]:
    """Return the installed packages by their modules."""
    return packages_distributions()


def code(module: str) -> str | None:
    """Return a hash of a module or package and of everything that it imports from the project.

    None if there is no such module.
    """
    found: dict[str, list[Path]] = {}
    _follow(module, found)
    files = [file for name in sorted(found) for file in found[name]]
    if not files:
        return None
    return hashlib.sha256(b"\0".join(each.read_bytes() for each in files)).hexdigest()


def _follow(module: str, found: dict[str, list[Path]]) -> None:
    """Add the files of a module, and of the modules of the project that they import."""
    found[module] = files = _files(module)
    for file in files:
        for name in _imported(file):
            if name not in found and any(_in_project(each) for each in _files(name)):
                _follow(name, found)


def _files(module: str) -> list[Path]:
    """Return the file of a module, or all files of a package."""
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        return []
    if spec is None:
        return []
    if spec.submodule_search_locations is not None:
        folders = [Path(folder) for folder in spec.submodule_search_locations]
        return sorted(file for folder in folders for file in folder.rglob("*.py"))
    return [Path(spec.origin)] if spec.has_location and spec.origin else []


def _imported(file: Path) -> set[str]:
    """Return the top-level modules that a file imports."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return set()
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names - {PACKAGE}


def _in_project(file: Path) -> bool:
    """Whether a file belongs to the project, and not to an environment inside it."""
    return file.resolve().is_relative_to(_project()) and not _installed(file)


def _installed(file: Path) -> bool:
    return not {"site-packages", "dist-packages"}.isdisjoint(file.parts)


def _project() -> Path:
    return Path(os.environ.get(PROJECT, ".")).resolve()


def _look_in_project() -> None:
    """Let Python find the modules of the project after all others."""
    for folder in (_project() / PLUGINS, _project()):
        if folder.is_dir() and str(folder) not in sys.path:
            sys.path.append(str(folder))


def build(value: Any) -> Any:
    """Return an argument; a group with a key `class` is an object of that class."""
    if isinstance(value, Mapping):
        made = {key: build(each) for key, each in value.items() if key != "class"}
        return load(str(value["class"]))(**made) if "class" in value else made
    if isinstance(value, list | tuple):
        return [build(each) for each in value]
    return value
