"""Saved models whose arrays or values were changed, with a checksum that is right again."""

import copy
import math
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from rafs import NTKGaussianProcess, RAFsEnsemble
from rafs.errors import DamagedFileError, DataError
from rafs.estimators import model_files

from .conftest import CLASSES, small

RANDOM = np.random.default_rng(0)
X = RANDOM.uniform(-2, 2, (12, 2))
Y = RANDOM.normal(size=12)
EXAMPLES = 120  # for each estimator

TYPES = ("float32", "float16", ">f8", "int64", "bool", "complex128", "U3", "S2", "datetime64[s]",
         "V8", "f8,f8")  # fmt: skip
NUMBERS = (math.nan, math.inf, -math.inf, -1.0, 0.0, -0.0, 1e308, -1e308, 5e-324, 1e-300, 2.0**63)
VALUES = (None, True, False, 0, -1, 1, 2**31, 2**63, 10**400, -(10**400), 0.5, 1e308, "", "relu",
          "1", "de", "nngp", [], [[]], [1], [0, 0], ["tanh"], {}, {"tuple": [1]}, {"dict": 1},
          {"a": 1, "b": 2}, "\0", "\ud800")  # fmt: skip

Array = NDArray[Any]


def written(cls: Any, path: Path) -> tuple[str, dict[str, Any], dict[str, Array]]:
    """Return what a fitted estimator writes."""
    extra = {} if cls is NTKGaussianProcess else {"steps": 3, "hidden": (4, 3)}
    small(cls, **extra).fit(X, Y).save(path)
    return model_files.load(path)


def retyped(array: Array, draw: Callable[..., Any]) -> Array:
    kind = np.dtype(draw(st.sampled_from(TYPES)))
    if kind.kind in "VSUM" or kind.names:
        return np.zeros(array.shape, dtype=kind)
    with np.errstate(all="ignore"):
        return array.astype(kind)


def reshaped(array: Array, draw: Callable[..., Any]) -> Array:
    shapes = {
        "flat": array.ravel(),
        "turned": array.T,
        "longer": np.concatenate([np.atleast_1d(array)] * 2),
        "shorter": np.atleast_1d(array)[:-1],
        "empty": np.atleast_1d(array)[:0],
        "deeper": array[None],
        "narrow": array[..., None],
        "single": np.array(array.flat[0]),
        "fortran": np.asfortranarray(array),
    }
    return shapes[draw(st.sampled_from(sorted(shapes)))]


def revalued(array: Array, draw: Callable[..., Any]) -> Array:
    changed = np.array(array)
    number = draw(st.sampled_from(NUMBERS) | st.floats())
    if draw(st.booleans()):
        changed[...] = number
    else:
        changed.flat[draw(st.integers(0, changed.size - 1))] = number
    return changed


def changed_arrays(arrays: dict[str, Array], draw: Callable[..., Any]) -> dict[str, Array]:
    """Change, drop, exchange or rename one array."""
    name = draw(st.sampled_from(sorted(arrays)))
    how = draw(st.sampled_from(["type", "shape", "value", "value", "drop", "rename", "exchange"]))
    rest = {key: value for key, value in arrays.items() if key != name}
    if how == "drop":
        return rest
    if how == "rename":
        return rest | {draw(st.sampled_from(["frozen.x", "scales", "other"])): arrays[name]}
    if how == "exchange":
        return rest | {name: arrays[draw(st.sampled_from(sorted(arrays)))]}
    change = {"type": retyped, "shape": reshaped, "value": revalued}[how]
    return rest | {name: change(arrays[name], draw)}


def places(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every value in some JSON."""
    if before:
        yield before
    if isinstance(value, dict | list):
        for key, entry in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(entry, (*before, key))


def changed_state(state: dict[str, Any], draw: Callable[..., Any]) -> dict[str, Any]:
    """Put another value somewhere."""
    changed = copy.deepcopy(state)
    *way, last = draw(st.sampled_from(list(places(state))))
    target: Any = changed
    for key in way:
        target = target[key]
    target[last] = draw(st.sampled_from(VALUES))
    return changed


def verdict(cls: Any, path: Path) -> str:
    """Load and use a model: it is refused in a sentence, or it predicts, or cannot for these X."""
    said = ""
    try:
        model = cls.load(path)
    except DamagedFileError as error:
        said = str(error)
    if said:
        assert len(said.splitlines()) == 1
        return "refused"
    try:
        mean, std = model.predict(X, return_std=True)
        members = model.predict_members(X)
    except DataError as error:
        said = str(error)
    if said:
        assert said.startswith("a prediction is not finite")
    else:
        assert mean.shape == std.shape == members.shape[1:] == (12,)
        assert all(np.isfinite(part).all() for part in (mean, std, members))
    return "accepted"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("cls", CLASSES)
def test_crafted_models(
    cls: Any, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """Whatever an array or a value was changed to, there is a sentence or a prediction."""
    path = tmp_path / "model"
    kind, state, arrays = written(cls, path)
    count: Counter[str] = Counter()

    @seed(1)
    @settings(deadline=None, max_examples=EXAMPLES, database=None)
    @given(st.data())
    def try_one(data: st.DataObject) -> None:
        if data.draw(st.sampled_from([True, True, True, False]), label="arrays"):
            crafted = state, changed_arrays(arrays, data.draw)
        else:
            crafted = changed_state(state, data.draw), arrays
        try:
            model_files.save(path, kind, *crafted)
        except UnicodeEncodeError:  # a text that is none cannot be in a file
            return
        count[verdict(cls, path)] += 1

    try_one()
    record_property("inputs", count.total())
    for outcome in ("refused", "accepted"):
        record_property(outcome, count[outcome])
    assert count["refused"] > EXAMPLES / 3


@pytest.mark.parametrize(
    ("name", "change", "sentence"),
    [
        ("theta", lambda a: a.astype(">f8"), "theta holds >f8 and should hold float64"),
        ("theta", lambda a: a[:, :-1], r"theta has shape \(3, 30\) and should have \(3, 31\)"),
        ("theta", lambda a: a * np.nan, "theta holds values that are not finite"),
        ("theta", lambda a: a * 0 + 1e308, "its predictions are not finite numbers"),
        ("weights", lambda a: a * 2, "weights are not shares that sum to 1"),
        ("weights", lambda a: a * np.array([4, -1, 0]), "weights are not shares that sum to 1"),
        ("x.scale", lambda a: a * 0, "x.scale holds values that are not above 0"),
        ("y.mean", lambda a: a[None], r"y.mean has shape \(1,\) and should have \(\)"),
        ("other", lambda a: np.zeros(2), "unknown arrays: other"),
    ],
)
@pytest.mark.refusal
def test_what_is_wrong_is_said(
    tmp_path: Path, name: str, change: Callable[[Array], Array], sentence: str
) -> None:
    path = tmp_path / "model"
    kind, state, arrays = written(RAFsEnsemble, path)
    model_files.save(path, kind, state, {**arrays, name: change(arrays.get(name, np.zeros(1)))})
    with pytest.raises(DamagedFileError, match=sentence):
        RAFsEnsemble.load(path)
