"""A sampled dataset, and its file format in the workflow.

This module is separate from `rafs.datasets`, so that training depends on the data and not on the
code that generates them.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rafs.errors import DamagedFileError
from rafs.files import read_npz, write_npz

Array = NDArray[np.float64]

ARRAYS = ("x_train", "y_train", "x_test", "y_test")


@dataclass(frozen=True, eq=False)
class Dataset:
    """Training and test rows in original units.

    `noise` is the known standard deviation of the noise in y, or None. `in_distribution` marks the
    test rows that lie where training rows may lie; it is None for real data.
    """

    name: str
    features: tuple[str, ...]
    x_train: Array
    y_train: Array
    x_test: Array
    y_test: Array
    noise: float | None
    seed: int
    protocol: str = "described"
    source: str = "generated"
    in_distribution: NDArray[np.bool_] | None = None


def write_dataset(path: Path | str, data: Dataset) -> None:
    """Write a sampled dataset; equal datasets give equal bytes."""
    arrays = {name: getattr(data, name) for name in ARRAYS}
    arrays["noise"] = np.array(np.nan if data.noise is None else data.noise)
    arrays["features"] = np.array(data.features, dtype=np.str_)
    arrays["identity"] = np.array([data.name, data.protocol, str(data.seed)], dtype=np.str_)
    if data.in_distribution is not None:
        arrays["in_distribution"] = data.in_distribution
    write_npz(path, arrays)


def write_missing(path: Path | str, message: str) -> None:
    """Record that a dataset is unavailable, and why."""
    write_npz(path, {"missing": np.array(message, dtype=np.str_)})


def read_dataset(path: Path | str) -> Dataset | str:
    """Return a sampled dataset, or the reason why there is none."""
    arrays = read_npz(path)
    if "missing" in arrays:
        return str(arrays["missing"])
    try:
        name, protocol, seed = (str(part) for part in arrays["identity"])
        noise = float(arrays["noise"])
        data = Dataset(
            name=name,
            features=tuple(str(feature) for feature in arrays["features"]),
            x_train=arrays["x_train"],
            y_train=arrays["y_train"],
            x_test=arrays["x_test"],
            y_test=arrays["y_test"],
            noise=None if np.isnan(noise) else noise,
            seed=int(seed),
            protocol=protocol,
            in_distribution=arrays.get("in_distribution"),
        )
    except (KeyError, ValueError, TypeError) as error:
        raise DamagedFileError(
            f"{path} is not a dataset of this project ({error}); delete it and run again"
        ) from error
    if not all(np.isfinite(getattr(data, key)).all() for key in ARRAYS):
        raise DamagedFileError(f"{path} holds values that are not finite; delete it and run again")
    return data
