"""The identity of the code that a job runs.

A job has to run again when its code changes, and only then. Its code is the set of modules that its
entry modules import, directly or indirectly (the static import closure inside this package), and
the locked versions of the third-party packages that those modules import. A module is represented
by its syntax tree without docstrings, so that comments and formatting do not count, and by the data
files that belong to it.
"""

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from rafs import methods

PACKAGE = "rafs"
ROOT = Path(__file__).resolve().parents[1]
# Packages that only look up their modules by name: an additional one changes no job's result.
CATALOGUES = {"rafs"}
# Modules that show the declarations of methods, and import no method.
DECLARED = {"rafs.reporting.labels"}
# Packages that import all of their modules: an additional one is part of the code.
SCANNED = {"rafs.reporting.claims"}
DATA = {".css", ".csv", ".html", ".js", ".json"}
TORCH_LOCK = "requirements-torch.lock"
DISTRIBUTIONS = {"sklearn": "scikit-learn", "yaml": "pyyaml"}  # where the import name differs


@cache
def _file(module: str) -> Path | None:
    """Return the source file of a module of this package, or None if there is no such module."""
    base = ROOT.joinpath(*module.split(".")[1:])
    for candidate in (base / "__init__.py", base.with_suffix(".py")):
        if candidate.is_file():
            return candidate
    return None


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    if (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        return body[1:]
    return body


def _canonical(node: object) -> str:
    """Write a syntax tree as text: no positions, no docstrings, no empty fields."""
    if isinstance(node, list):
        return "[" + ",".join(_canonical(item) for item in node) + "]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = []
    for name, value in ast.iter_fields(node):
        if name == "body" and isinstance(
            node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        ):
            value = _without_docstring(value)
        if value is not None and value != [] and name not in ("kind", "type_comment"):
            fields.append(f"{name}={_canonical(value)}")
    return f"{type(node).__name__}({','.join(fields)})"


@cache
def _parsed(module: str, path: Path, _stamp: tuple[int, int]) -> tuple[str, tuple[str, ...]]:
    tree = ast.parse(path.read_bytes(), filename=str(path))
    imports = dict.fromkeys(_imports(tree, module, path.name == "__init__.py"))
    digest = hashlib.sha256(_canonical(tree).encode())
    for file in _data(path):
        digest.update(f"\n{file.name} ".encode() + file.read_bytes())
    return digest.hexdigest(), tuple(imports)


def _data(path: Path) -> list[Path]:
    """Return the data files of a module: those in its package, or in a folder of its name."""
    folder = path.parent if path.name == "__init__.py" else path.with_suffix("")
    return sorted(file for file in folder.glob("*") if file.suffix in DATA)


def _module(module: str) -> tuple[str, tuple[str, ...]]:
    """Return the digest of a module and the names of what it imports."""
    path = _file(module)
    if path is None:
        raise ModuleNotFoundError(f"there is no module {module}")
    stat = path.stat()
    return _parsed(module, path, (stat.st_mtime_ns, stat.st_size))


def _imports(tree: ast.Module, module: str, is_package: bool) -> Iterator[str]:
    """Yield the absolute names of everything that a module imports, at any depth of its code.

    What is imported for annotations alone, under `if TYPE_CHECKING`, never runs and is left out.
    """
    unused = {inner for node in ast.walk(tree) if _for_types(node) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if node in unused:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = module.split(".")
                parts = parts[: len(parts) - node.level + (1 if is_package else 0)]
                base = ".".join([*parts, base] if base else parts)
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _modules(package: str) -> list[str]:
    """Return the names of the modules in a package."""
    folder = ROOT.joinpath(*package.split(".")[1:])
    return sorted(file.stem for file in folder.glob("[a-z]*.py"))


def _for_types(node: ast.AST) -> bool:
    test = node.test if isinstance(node, ast.If) and not node.orelse else None
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


def closure(roots: Iterable[str]) -> tuple[dict[str, str], set[str]]:
    """Return the digests of all modules that the roots lead to, and the foreign packages."""
    digests: dict[str, str] = {}
    foreign: set[str] = set()
    waiting = list(roots)
    while waiting:
        module = waiting.pop()
        if module in digests or module in CATALOGUES:
            continue
        digests[module], imports = _module(module)
        if module in DECLARED:
            declared = repr(methods.declarations()).encode()
            digests["declarations of rafs.methods"] = hashlib.sha256(declared).hexdigest()
        if module in SCANNED:
            waiting += [f"{module}.{name}" for name in _modules(module)]
        if "." in module:  # importing a module also runs its parent packages
            waiting.append(module.rpartition(".")[0])
        for name in imports:
            if name.split(".")[0] != PACKAGE:
                foreign.add(name.split(".")[0])
            elif _file(name):
                waiting.append(name)
    return digests, foreign


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(lock: Path) -> dict[str, str]:
    """Return the locked version of every package, and of torch from its own lock file."""
    locks = [file for file in (lock.with_name(TORCH_LOCK), lock) if file.is_file()]
    found = [_pins(file, file.stat().st_mtime_ns) for file in locks]
    return {name: version for each in found for name, version in each.items()}


@cache
def _pins(lock: Path, _stamp: int) -> dict[str, str]:
    lines = lock.read_text(encoding="utf-8").splitlines()
    pairs = (line.split()[0].split("==") for line in lines if re.match(r"^[A-Za-z0-9].*==", line))
    return {_normal(name): version for name, version in pairs}


def code_hash(roots: Iterable[str], lock: Path) -> str:
    """Return one hash of the code of some entry modules and of its locked packages."""
    digests, foreign = closure(roots)
    locked = pins(lock)
    packages = sorted(_normal(DISTRIBUTIONS.get(name, name)) for name in foreign)
    versions = [f"{name}=={locked[name]}" for name in packages if name in locked]
    text = "\n".join([*(f"{name} {digests[name]}" for name in sorted(digests)), *versions])
    return hashlib.sha256(text.encode()).hexdigest()[:16]
