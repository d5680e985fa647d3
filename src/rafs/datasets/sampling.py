"""Sampling of the synthetic datasets: y = f(x) + noise, each part from its own random stream.

Features are independent and uniform. The noise is independent of them, and the test targets
contain it as well, because the predicted variance does. A stream depends only on the dataset, the
seed and the role, so a different noise level does not change the inputs, and a different number
of training rows does not change the test rows.
"""

import math

import numpy as np
from numpy.typing import NDArray

from rafs import seeding
from rafs.datasets.core import Array, Dataset, Interval, Spec
from rafs.datasets.portable import cos, log


def draw(spec: Spec, seed: int, *, train: int, test: int, noise: float | None) -> Dataset:
    """Sample training and test rows of a synthetic dataset."""
    assert spec.function is not None
    assert noise is not None
    x_train = _training_inputs(spec, seed, train)
    x_test = test_inputs(spec, seed, test)
    return Dataset(
        name=spec.name,
        features=spec.features,
        x_train=x_train,
        y_train=spec.function(x_train) + noise * normal(train, spec.name, seed, "train"),
        x_test=x_test,
        y_test=spec.function(x_test) + noise * normal(test, spec.name, seed, "test"),
        noise=noise,
        seed=seed,
        in_distribution=inside(spec, x_test),
    )


def _training_inputs(spec: Spec, seed: int, size: int) -> Array:
    u = uniform(size, spec, seed, "train")
    if not spec.clusters:
        return scale(u, spec.train_ranges)
    return in_clusters(spec, np.array_split(u, len(spec.clusters)))


def in_clusters(spec: Spec, parts: list[Array]) -> Array:
    """Put one part of uniform numbers into each of the clusters."""
    return np.concatenate(
        [scale(part, (cluster,)) for part, cluster in zip(parts, spec.clusters, strict=True)]
    )


def test_inputs(spec: Spec, seed: int, size: int) -> Array:
    """Return an even grid for clustered sets, and independent uniform rows for the others."""
    if spec.clusters:
        return np.linspace(*spec.test_ranges[0], size)[:, None]
    return scale(uniform(size, spec, seed, "test"), spec.test_ranges)


def uniform(size: int, spec: Spec, seed: int, role: str) -> Array:
    """Return [size, dimension] independent uniform numbers in [0, 1)."""
    return seeding.generator("data", spec.name, seed, role, "x").random((size, spec.dimension))


def scale(u: Array, ranges: tuple[Interval, ...]) -> Array:
    """Map the unit cube to the ranges; rounding does not exceed their ends."""
    low, high = np.array(ranges, dtype=np.float64).T
    return np.clip(low + (high - low) * u, low, high)


def normal(size: int, name: str, seed: int, role: str) -> Array:
    """Return independent standard normal numbers (Box and Muller, 1958)."""
    u, v = seeding.generator("data", name, seed, role, "noise").random((size, 2)).T
    return np.sqrt(-2.0 * log(1.0 - u)) * cos(2.0 * math.pi * v)


def inside(spec: Spec, x: Array) -> NDArray[np.bool_]:
    """Mark the rows that lie where training rows may lie."""
    if spec.clusters:
        inside = np.zeros(len(x), dtype=bool)
        for low, high in spec.clusters:
            inside |= (x[:, 0] >= low) & (x[:, 0] <= high)
        return inside
    low, high = np.array(spec.train_ranges).T
    marked: NDArray[np.bool_] = ((x >= low) & (x <= high)).all(axis=1)
    return marked
