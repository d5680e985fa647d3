"""The methods of a comparison: of the package, of params.yaml, and classes by their path."""

from collections.abc import Sequence
from typing import Any

from rafs import methods
from rafs.config import Params
from rafs.errors import ParameterError


def settings(params: Params, method: str) -> dict[str, Any]:
    """Return what the parameters set for a method; a name with a dot is the path of a class."""
    given = params.fixed(method)
    return {"estimator": method, **given} if "." in method else given


def check(params: Params, names: Sequence[str]) -> None:
    """Refuse a misspelt name, and a class that cannot be imported, before anything runs."""
    for name in names:
        given = settings(params, name)
        defined = methods.defined_by(name, given)
        if defined is None:
            if name not in methods.names() and name.lower() in methods.names():
                raise ParameterError(f"--methods: no {name!r}; did you mean {name.lower()!r}?")
            methods.module_of(name)
        elif defined == "estimator":
            from rafs.methods import estimator

            estimator.load(methods.of(name, given).resolve(given)["estimator"])
        else:
            raise ParameterError(f"--methods: {name} has {defined} only, and nothing to train")


def with_random_activations(names: Sequence[str]) -> tuple[str, ...]:
    """Return methods and, for every ensemble among them, its variant with random activations."""
    ensembles = methods.ensembles()
    more = [methods.with_random_activations(name) for name in names if name in ensembles]
    return tuple(dict.fromkeys((*names, *more)))
