"""The methods: every class in this package that declares a name, discovered automatically.

A method is a file with a subclass of `rafs.methods.base.Method` that declares, as literals, what
`Declaration` lists. Declarations are read from the source: listing the methods imports none of
them, and a training job loads the module of its own method alone. Modules without such a class
(`base`, `ensemble`, ...) are helpers.

Random activations can be combined with any ensemble: ``<method>+rafs`` is that method with random
activations, and ``rafs`` itself is ``ae+rafs``.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rafs.errors import ParameterError, closest

if TYPE_CHECKING:
    from rafs.methods.base import Method

SUFFIX = "+rafs"
ROLES = ("paper", "later", "control", "reference")
# Modules of the methods that params.yaml defines, by the setting that defines them.
DEFINED = {"estimator": f"{__name__}.estimator", "predictions": f"{__name__}.predictions"}


@dataclass(frozen=True)
class Declaration:
    """The declaration of a method by its class."""

    module: str
    kind: str  # name of the class
    name: str  # in params.yaml, on the command line and in results
    label: str  # in tables and figures; the paper's abbreviation
    role: str = "later"  # paper: compared there; later: added since; control: a variant of one
    # of these that explains why it works; reference: not an ensemble
    order: int = 100  # place among the methods of its role, before the name
    aliases: tuple[str, ...] = ()  # names that mean this method too

    def __post_init__(self) -> None:
        """Refuse a role that does not exist."""
        if self.role not in ROLES:
            raise ParameterError(
                f"{self.module}: the role of {self.kind} must be one of {', '.join(ROLES)}"
            )


@cache
def declarations() -> dict[str, Declaration]:
    """Return the methods by name: the paper's in its order, later ones, controls, references."""
    files = sorted(Path(__file__).parent.glob("[a-z]*.py"))
    found = [entry for file in files for entry in _declared(file)]
    found.sort(key=lambda entry: (ROLES.index(entry.role), entry.order, entry.name))
    by_name = {entry.name: entry for entry in found}
    for entry in found:
        if by_name[entry.name] is not entry:
            other = by_name[entry.name].module
            raise ParameterError(f"{entry.module} and {other} both declare {entry.name!r}")
    return by_name


def _declared(file: Path) -> Iterator[Declaration]:
    """Yield the methods that a file declares."""
    for node in ast.parse(file.read_bytes(), filename=str(file)).body:
        if isinstance(node, ast.ClassDef):
            values = dict(_literals(node))
            if values.get("name") and "label" in values:
                yield Declaration(f"{__name__}.{file.stem}", node.name, **values)


def _literals(node: ast.ClassDef) -> Iterator[tuple[str, Any]]:
    """Yield what the body of a class assigns to the fields of a declaration."""
    known = {field.name for field in fields(Declaration)}
    for statement in node.body:
        if not isinstance(statement, ast.Assign):
            continue
        target, value = statement.targets[0], statement.value
        pairs = [(target, value)]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = list(zip(target.elts, value.elts, strict=True))
        for place, literal in pairs:
            if isinstance(place, ast.Name) and place.id in known:
                yield place.id, ast.literal_eval(literal)


def of_role(*roles: str) -> tuple[str, ...]:
    """Return the methods of some roles, in order."""
    return tuple(name for name, entry in declarations().items() if entry.role in roles)


def references() -> tuple[str, ...]:
    """Return the reference methods, which the ensembles are compared with."""
    return of_role("reference")


def plain() -> tuple[str, ...]:
    """Return the ensembles without the suffix: the six of the paper, then later ones."""
    return of_role("paper", "later")


def ensembles() -> tuple[str, ...]:
    """Return every ensemble: the six of the paper in its order, later ones, then <method>+rafs."""
    random = (f"{name}{SUFFIX}" for name in plain())
    return plain() + tuple(name for name in random if name not in _aliases())


def controls() -> tuple[str, ...]:
    """Return the ensembles that only explain why another one works."""
    return of_role("control")


def names() -> tuple[str, ...]:
    """Return every method: the ensembles, the controls, then the references."""
    return ensembles() + controls() + references()


def with_random_activations(name: str) -> str:
    """Return the name of an ensemble with random activations: ``rafs`` for ``ae`` and for itself.

    >>> with_random_activations("rp"), with_random_activations("ae")
    ('rp+rafs', 'rafs')
    """
    random = name.removesuffix(SUFFIX) + SUFFIX
    return _aliases().get(random, random)


def module_of(name: str) -> str:
    """Return the module that holds the method: the entry point of the code of its runs."""
    return _find(name)[0].module


def get(name: str) -> "Method":
    """Return the method of that name."""
    entry, random = _find(name)
    method: Method = getattr(import_module(entry.module), entry.kind)(random_activations=random)
    return method


def of(name: str, settings: Mapping[str, Any]) -> "Method":
    """Return the method of that name: one of this package, or one that its settings define.

    The module of such a method creates it: ``method(name, settings)``.
    """
    key = defined_by(name, settings)
    if key is None:
        return get(name)
    method: Method = import_module(DEFINED[key]).method(name, settings)
    return method


def defined_by(name: str, settings: Mapping[str, Any]) -> str | None:
    """Return the setting that defines a method; None for one of this package."""
    key = next((key for key in DEFINED if key in settings), None)
    if name in names() or name in _aliases():
        if key is not None and key not in get(name).defaults:
            raise ParameterError(
                f"methods.{name} has {key!r}, but {name!r} is a method of this package; choose "
                "another name"
            )
        return None
    return key


@cache
def _aliases() -> dict[str, str]:
    return {alias: name for name, entry in declarations().items() for alias in entry.aliases}


def _find(name: str) -> tuple[Declaration, bool]:
    """Return the method of that name without the suffix, and whether it had one."""
    known = _aliases().get(name, name)
    if known not in names():
        raise ParameterError(
            f"there is no method {name!r}; did you mean {closest(name, names())!r}? "
            f"(known: {', '.join(names())})"
        )
    base = known.removesuffix(SUFFIX)
    return declarations()[base], base != known
