"""How the compiled functions of the engine are compiled and kept.

numba keeps machine code beside the source, or in the user's cache directory when that place cannot
be written; where neither can be, functions are compiled anew in every process. It looks only at the
file of the function itself to see whether the code is still right; here the name under which the
code is kept tells the contents of all files of the engine.
"""

import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numba
from numba import extending

# No "fast mathematics": every rounding is the one that the source says, so that a result does not
# depend on what the compiler makes of it. Sums that should run in vector registers are written so.
OPTIONS: dict[str, Any] = {"error_model": "numpy"}

intrinsic: Any = extending.intrinsic
overload: Any = extending.overload
cfunc: Any = numba.cfunc

STAMP = hashlib.sha256(
    b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
).hexdigest()[:12]


def kept(function: Callable[..., Any]) -> Any:
    """Compile a function and keep its machine code between processes where that is possible."""
    return _keep(numba.njit, function)


def callback(function: Callable[..., Any], signature: Any) -> Any:
    """Compile and keep a function that is called by its address."""
    return _keep(partial(cfunc, signature), function)


def inner(function: Callable[..., Any]) -> Any:
    """Compile a function as a part of the functions that call it."""
    return numba.njit(**OPTIONS)(function)


def _keep(compiler: Callable[..., Any], function: Callable[..., Any]) -> Any:
    function.__qualname__ = f"{function.__qualname__}-{STAMP}"
    try:
        return compiler(cache=True, **OPTIONS)(function)
    except RuntimeError:  # numba found no directory that it can write to
        return compiler(**OPTIONS)(function)
