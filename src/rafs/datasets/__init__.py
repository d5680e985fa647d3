"""The 27 datasets of the paper: 20 functions with noise, 5 real datasets and 2 large ones.

>>> from rafs import datasets
>>> data = datasets.load("friedman", seed=3)
>>> data.x_train.shape, data.y_test.shape, data.noise
((200, 5), (500,), 0.1)

A dataset's family (a module) is imported when the dataset is asked for, and not before, so that
what is computed from one dataset depends on the code of its own family alone.
"""

import difflib
import importlib
import math
from types import ModuleType

from rafs import quirks
from rafs.datasets.core import Dataset, Function, Spec
from rafs.errors import ParameterError

__all__ = ["Dataset", "Spec", "family", "function", "load", "names", "origins", "spec"]

# In the order of the paper's tables.
_FAMILIES = {
    "he": "trigonometric",
    "forrester": "trigonometric",
    "schaffer4": "local_minima",
    "double_pendulum": "physical",
    "rastrigin": "local_minima",
    "ishigami": "trigonometric",
    "environmental": "physical",
    "griewank": "local_minima",
    "roos_arnold": "others",
    "friedman": "trigonometric",
    "planar_arm": "physical",
    "sum_of_powers": "others",
    "ackley": "local_minima",
    "piston": "physical",
    "robot_arm": "physical",
    "borehole": "physical",
    "styblinski_tang": "others",
    "puma560": "puma",
    "welch": "others",
    "wing_weight": "physical",
    "boston": "real",
    "abalone": "real",
    "naval": "real",
    "forest_fire": "real",
    "parkinsons": "real",
    "superconductivity": "real",
    "news": "real",
}


def names() -> tuple[str, ...]:
    """Return the names of all datasets, in the order of the paper."""
    return tuple(_FAMILIES)


def family(name: str) -> str:
    """Return the full name of the module that describes and draws a dataset."""
    if name not in _FAMILIES:
        near = difflib.get_close_matches(str(name), _FAMILIES, n=1, cutoff=0.0)
        raise ParameterError(f"there is no dataset {name!r}; the nearest name is {near[0]!r}")
    return f"{__name__}.{_FAMILIES[name]}"


def _module(name: str) -> ModuleType:
    return importlib.import_module(family(name))


def spec(name: str) -> Spec:
    """Return the description of a dataset."""
    found: Spec = next(spec for spec in _module(name).SPECS if spec.name == name)
    return found


def function(name: str) -> Function:
    """Return the noise-free function of a synthetic dataset, from [n, d] to [n]."""
    description = spec(name)
    if description.function is None:
        raise ParameterError(
            f"the dataset {name!r} is real data and has no function; load it with load({name!r})"
        )
    return description.function


def load(
    name: str,
    seed: int = 0,
    protocol: str = "described",
    *,
    train: int | None = None,
    test: int | None = None,
    noise: float | None = None,
) -> Dataset:
    """Draw a dataset: the same (name, seed, protocol) gives the same bytes, always and everywhere.

    The protocol is `described` (the text, with its misprints corrected) or `released` (what the
    authors' code does); single quirks of the latter follow a plus sign, as in
    ``described+collinear_inputs`` (`rafs.quirks` lists them).
    `train`, `test` and `noise` replace the described sizes and standard deviation. Real data have
    no known noise; there, `noise` is what the experiment is to assume.
    """
    description = spec(name)
    odd = [q for q in quirks.active(protocol, name) if quirks.QUIRKS[q].where == "data"]
    for role, size in (("train", train), ("test", test)):
        if size is not None and size < 1:
            raise ParameterError(f"the {role} size of {name!r} is {size}; it must be at least 1")
    if noise is not None and not (math.isfinite(noise) and noise >= 0):
        raise ParameterError(f"the noise of {name!r} is {noise}; it must be a number from 0 up")
    sizes = {
        "train": description.train if train is None else train,
        "test": description.test if test is None else test,
    }
    known = None if noise is None else float(noise)
    drawn: Dataset
    if protocol == "described":
        usual = description.noise if known is None else known
        drawn = _module(name).draw(description, int(seed), **sizes, noise=usual)
    else:
        released = importlib.import_module(f"{__name__}.released")
        drawn = released.draw(description, int(seed), protocol, odd, **sizes, noise=known)
    return drawn


def origins(name: str, protocol: str = "described") -> tuple[str, ...]:
    """Return the names by which `rafs.datasets.fetch` knows the files of a dataset."""
    if "puma560_pumadyn" in quirks.active(protocol, name):
        return ("pumadyn_train", "pumadyn_test")
    return () if spec(name).synthetic else (name,)
