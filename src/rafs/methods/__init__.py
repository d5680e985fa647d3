"""The ensembles of the paper, each found by its name and imported only when it is asked for.

"RAFs" is an axis and not a method: ``<method>+rafs`` is that method with random activations, and
``rafs`` itself is ``ae+rafs``.
"""

import difflib
from importlib import import_module
from typing import TYPE_CHECKING

from rafs.errors import ParameterError

if TYPE_CHECKING:
    from rafs.methods.base import Method

REGISTRY = {
    "de": "deep:DeepEnsemble",
    "hde": "hyperdeep:HyperdeepEnsemble",
    "ae": "anchored:AnchoredEnsemble",
    "ntkgp": "ntkgp:NTKGPEnsemble",
    "rp": "random_prior:RandomPriorEnsemble",
    "rafs": "rafs:RAFsEnsemble",
    "de_nll": "deep_likelihood:LikelihoodEnsemble",
}
SUFFIX = "+rafs"
ALIASES = {"ae+rafs": "rafs", "rafs+rafs": "rafs"}


def names() -> tuple[str, ...]:
    """Return every method: the six of the paper in its order, de_nll, then <method>+rafs."""
    plain = tuple(REGISTRY)
    return plain + tuple(f"{name}{SUFFIX}" for name in plain if f"{name}{SUFFIX}" not in ALIASES)


def _split(name: str) -> tuple[str, bool]:
    """Return the base method and whether it takes random activations."""
    known = ALIASES.get(name, name)
    if known not in names():
        nearest = difflib.get_close_matches(str(name), names(), n=1, cutoff=0.0)[0]
        raise ParameterError(
            f"there is no method {name!r}; did you mean {nearest!r}? (known: {', '.join(names())})"
        )
    base = known.removesuffix(SUFFIX)
    return base, base != known


def module_of(name: str) -> str:
    """Return the module that holds the method: where the code of its runs begins."""
    return f"rafs.methods.{REGISTRY[_split(name)[0]].partition(':')[0]}"


def get(name: str) -> "Method":
    """Return the method of that name."""
    base, random = _split(name)
    method: Method = getattr(import_module(module_of(base)), REGISTRY[base].partition(":")[2])(
        random_activations=random
    )
    return method
