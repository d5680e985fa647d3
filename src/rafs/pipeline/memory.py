"""Methods that compute each answer once per object."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

S = TypeVar("S")
P = ParamSpec("P")
T = TypeVar("T")


def once(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Compute a method once for the same arguments.

    The results are stored in the object, as by `functools.cached_property`; `functools.cache` would
    keep the object itself alive.
    """
    place = f"_once_{method.__name__}"

    @wraps(method)
    def found(self: S, *args: P.args, **kwargs: P.kwargs) -> T:
        known: dict[Any, T] = vars(self).setdefault(place, {})
        key = (args, tuple(sorted(kwargs.items())))
        if key not in known:
            known[key] = method(self, *args, **kwargs)
        return known[key]

    return found
