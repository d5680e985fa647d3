"""The data of the released code: each deviation from the described sampling is a named quirk.

Numbers that a quirk does not affect are the same as in the described sampling, so that a single
quirk shows its own effect alone. `rafs.datasets.quirks` has the table.
"""

import math
from collections.abc import Callable, Collection
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

import numpy as np

from rafs.datasets import fetch, real, sampling
from rafs.datasets.core import Array, Dataset, Function, Spec, columns
from rafs.datasets.portable import cos, product, total
from rafs.errors import ParameterError
from rafs.seeding import generator

NOISE = 0.1  # standard deviation that the released code assumes for all data

# Number of features sampled at a time; the next ones are the same numbers on other ranges.
TOGETHER = {
    "environmental": 1, "piston": 1, "borehole": 1, "wing_weight": 1, "planar_arm": 2,
    "robot_arm": 4,
}  # fmt: skip


def draw(
    spec: Spec,
    seed: int,
    protocol: str,
    quirks: Collection[str],
    *,
    train: int,
    test: int,
    noise: float | None,
) -> Dataset:
    """Sample a dataset with some quirks on; `noise` is None unless another one is requested."""
    if "puma560_pumadyn" in quirks:
        drawn = _pumadyn(spec, seed, train, test, NOISE if noise is None else noise)
    elif spec.synthetic:
        drawn = _synthetic(spec, seed, quirks, train, test, spec.noise if noise is None else noise)
    else:
        drawn = _real(spec, seed, quirks, train, test, noise)
    return replace(drawn, protocol=protocol)


# --- functions with noise -------------------------------------------------------------------------


def _synthetic(
    spec: Spec, seed: int, quirks: Collection[str], train: int, test: int, noise: float | None
) -> Dataset:
    assert spec.function is not None
    assert noise is not None
    changed = [FUNCTIONS[name] for name in quirks if name in FUNCTIONS]
    function: Function = changed[0] if changed else spec.function
    shared, collinear = "shared_stream" in quirks, "collinear_inputs" in quirks
    same = "same_test_points" in quirks
    test_seed = 0 if same else seed
    x_train = _training_inputs(spec, _uniform(spec, seed, "train", train, collinear), shared)
    if spec.clusters:
        x_test = sampling.test_inputs(spec, test_seed, test)
    else:
        u = _uniform(spec, test_seed, "train" if shared else "test", test, collinear)
        x_test = sampling.scale(u, spec.test_ranges)
    in_test = 0.0 if same or "noise_free_test" in quirks else noise
    return Dataset(
        name=spec.name,
        features=spec.features,
        x_train=x_train,
        y_train=function(x_train) + noise * sampling.normal(train, spec.name, seed, "train"),
        x_test=x_test,
        y_test=function(x_test) + in_test * sampling.normal(test, spec.name, seed, "test"),
        noise=noise,
        seed=seed,
        in_distribution=sampling.inside(spec, x_test),
    )


def _uniform(spec: Spec, seed: int, role: str, size: int, collinear: bool) -> Array:
    u = sampling.uniform(size, spec, seed, role)
    if collinear:
        width = TOGETHER[spec.name]
        u = np.tile(u[:, :width], spec.dimension // width)
    return u


def _training_inputs(spec: Spec, u: Array, shared: bool) -> Array:
    if not spec.clusters:
        return sampling.scale(u, spec.train_ranges)
    parts = np.array_split(u, len(spec.clusters))
    if shared:
        parts = [parts[0][: len(part)] for part in parts]
    return sampling.in_clusters(spec, parts)


def rastrigin_cubed(x: Array) -> Array:
    """Return 30 + sum of x_i^2 - 10 cos^3(2 pi x_i)."""
    waves = ((xi, cos(2 * math.pi * xi)) for xi in columns(x, 3))
    return 30.0 + total(xi * xi - 10.0 * (wave * wave * wave) for xi, wave in waves)


def griewank_rows(x: Array) -> Array:
    """Return the Griewank function of n dimensions for n rows; the last input stands for more."""
    inputs = _repeated(columns(x, 4), len(x))
    waves = (cos(xi / math.sqrt(i)) for i, xi in enumerate(inputs, start=1))
    return total(xi * xi for xi in inputs) / 4000.0 - product(waves) + 1.0


def sum_of_powers_rows(x: Array) -> Array:
    """Return the sum of |x_i|^i with as many terms as rows; the last input stands for more."""
    inputs = _repeated(columns(x, 6), len(x))
    return total(product([np.abs(xi)] * i) for i, xi in enumerate(inputs, start=1))


def roos_arnold_zero(x: Array) -> Array:
    """Return zeros."""
    return 0.0 * columns(x, 5)[0]


def robot_arm_cosine(x: Array) -> Array:
    """Return sqrt(2) |u|: the hand's second coordinate is taken to be the first."""
    inputs = columns(x, 8)
    turned = zip(inputs[4:], accumulate(inputs[:4]), strict=True)
    return math.sqrt(2.0) * np.abs(total(length * cos(angle) for length, angle in turned))


def _repeated(inputs: tuple[Array, ...], count: int) -> list[Array]:
    """Return the first `count` inputs, the last one again where there are no more."""
    return [inputs[min(i, len(inputs) - 1)] for i in range(count)]


FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "rastrigin_cubed": rastrigin_cubed,
    "griewank_rows": griewank_rows,
    "sum_of_powers_rows": sum_of_powers_rows,
    "roos_arnold_zero": roos_arnold_zero,
    "robot_arm_cosine": robot_arm_cosine,
}


# --- files ----------------------------------------------------------------------------------------


def _real(
    spec: Spec, seed: int, quirks: Collection[str], train: int, test: int, noise: float | None
) -> Dataset:
    if "contiguous_split" in quirks:
        order = np.arange(spec.sources[spec.name].rows)
        drawn = real.split(spec, seed, order, train=train, test=test, noise=noise)
    else:
        drawn = spec.draw(spec, seed, train=train, test=test, noise=noise)
    if noise is None and "assumed_noise" in quirks:
        unit = _deviation(drawn.y_train) if spec.name == "boston" else 1.0
        drawn = replace(drawn, noise=NOISE * unit)
    return drawn


def _deviation(y: Array) -> float:
    """Return the standard deviation, from sums that are rounded once: equal on every machine."""
    mean = math.fsum(y) / len(y)
    return math.sqrt(math.fsum((y - mean) ** 2) / len(y))


def _pumadyn(spec: Spec, seed: int, train: int, test: int, noise: float) -> Dataset:
    """Return pumadyn-8nh: trained on its test file, tested on the other."""
    parts = []
    for (name, source), size in zip(spec.sources.items(), (train, test), strict=True):
        if size > source.rows:
            raise ParameterError(
                f"{size} rows of {source.files[0].path} are asked for; it has {source.rows}"
            )
        found = fetch.required(name)
        file = next(file for file in source.files if file.sha256 == found.sha256)
        whole = replace(spec, name=name, features=spec.features[:8])
        values = real.read(whole, Path(found.path), file.layout)[:size]
        inert = generator("data", "pumadyn", seed, name, "inert").random(size)
        x = np.column_stack([values[:, :8], sampling.scale(inert[:, None], ((-0.6, 0.6),))])
        parts.append((np.ascontiguousarray(x), np.ascontiguousarray(values[:, 8])))
    (x_train, y_train), (x_test, y_test) = parts
    return Dataset(
        name=spec.name,
        features=spec.features,
        x_train=x_train,
        y_train=y_train,
        x_test=x_test,
        y_test=y_test,
        noise=noise,
        seed=seed,
        source=found.source,
    )
