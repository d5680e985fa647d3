"""How the functions of the compiled engine are compiled and kept.

numba stores machine code next to the source, or in the user's cache directory if that place is not
writable; if neither is, functions are compiled anew in every process. Two properties of its cache
could give wrong code: it checks only the file of the function itself to decide whether the code is
up to date, and processes that store different versions of a function at the same time may mix them
up. Here, therefore, code is stored under a name that covers everything it depends on: the contents
of the engine's files, the machine, and the types of the arguments.

numba has no option for the name, the constants or the globals of what it compiles, so the engine
copies Python functions with `types.FunctionType` before it compiles them (`_keep` here,
`in_precision` in `fused.mathematics`, `_with` in `fused.elementwise`). Of numba's internals it uses
`numba.core.cgutils` alone (`fused.simd`). Written for numba 0.61 to 0.68; upstream: none known.
"""

import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
import numpy as np
from llvmlite import binding  # type: ignore[import-untyped]
from numba import extending

# No "fast math": rounding follows the source, so results do not depend on the optimisations of the
# compiler. Sums that should run in vector registers are written that way.
OPTIONS: dict[str, Any] = {"error_model": "numpy"}

cfunc: Any = numba.cfunc
intrinsic: Any = extending.intrinsic
overload: Any = extending.overload


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


STAMP = _digest(
    numba.__version__,
    binding.get_host_cpu_name(),
    binding.get_host_cpu_features().flatten(),
    *(path.read_text("utf-8") for path in sorted(Path(__file__).parent.rglob("*.py"))),
)


class Kept:
    """A compiled function whose machine code is kept, one version for each kind of arguments."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.versions: dict[Any, Any] = {}

    def __call__(self, *arguments: Any) -> Any:
        """Call the version for these arguments; compile it, or fetch it, when it is new."""
        kinds = tuple(numba.typeof(argument) for argument in arguments)
        if kinds not in self.versions:
            name = f"{self.function.__name__}-{_digest(*map(str, kinds))}"
            self.versions[kinds] = _keep(partial(numba.njit, kinds), self.function, name)
        return self.versions[kinds](*arguments)


def plain(array: Any, dtype: Any) -> Any:
    """Return numbers as the one type that compiled functions accept."""
    return np.require(array, dtype, ["C_CONTIGUOUS", "ALIGNED", "WRITEABLE"])


def kept(function: Callable[..., Any]) -> Kept:
    """Compile a function and keep its machine code between processes where that is possible."""
    return Kept(function)


def callback(function: Callable[..., Any], signature: Any, name: str) -> Any:
    """Compile and keep, under a name of its own, a function that is called by its address."""
    return _keep(partial(cfunc, signature), function, name)


def inner(function: Callable[..., Any]) -> Any:
    """Compile a function as a part of the functions that call it."""
    return numba.njit(**OPTIONS)(function)


def _keep(compiler: Callable[..., Any], function: Any, name: str) -> Any:
    copy = FunctionType(function.__code__, function.__globals__, function.__name__)
    copy.__qualname__ = f"{name}-{STAMP}"
    try:
        return compiler(cache=True, **OPTIONS)(copy)
    except RuntimeError:  # numba found no directory that it can write to
        return compiler(**OPTIONS)(copy)
