"""The results that tables, figures and claims are made from, read from their files."""

from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rafs.errors import DamagedFileError, DataError
from rafs.files import read_npz

KEYS = ("experiment", "method", "dataset", "seed", "status")


class Inputs:
    """The scores, predictions, data and tuning trials below one directory."""

    def __init__(self, root: Path | str = ".") -> None:
        self.root = Path(root)

    def scores(self, experiment: str) -> pd.DataFrame:
        """Return one row per run of an experiment, runs without scores included."""
        frame = self.find(experiment)
        if frame is None:
            raise DataError(
                f"there are no scores of experiment {experiment!r} ({self._scores(experiment)}); "
                "run the workflow, or take the experiment out of this table's parameters"
            )
        return frame

    def find(self, experiment: str) -> pd.DataFrame | None:
        """Return the scores of an experiment, or None where it was not run."""
        path = self._scores(experiment)
        if not path.exists():
            return None
        frame = _read_csv(path)
        if missing := [key for key in KEYS if key not in frame]:
            raise DamagedFileError(
                f"{path} has no column {missing[0]!r}; delete it and run the workflow again"
            )
        return frame

    def collect(self, experiments: Iterable[str]) -> pd.DataFrame:
        """Return the scores of several experiments under one another."""
        return pd.concat([self.scores(name) for name in experiments], ignore_index=True)

    def predictions(
        self, experiment: str, method: str, dataset: str, seed: int
    ) -> dict[str, NDArray[Any]] | None:
        """Return mean, variance and aleatoric variance of a run, or None if it has none."""
        path = self.root / "results" / "runs" / experiment / method / dataset / f"seed-{seed}"
        return read_npz(path / "predictions.npz") if (path / "predictions.npz").exists() else None

    def data(self, dataset: str, seed: int, protocol: str = "described") -> SimpleNamespace | None:
        """Return x_train, y_train, x_test, y_test and what else is stored of a dataset."""
        path = self.root / "data" / "processed" / protocol / dataset / f"seed-{seed}.npz"
        if not path.exists():
            return None
        return SimpleNamespace(**{key: _plain(value) for key, value in read_npz(path).items()})

    def trials(self, experiment: str, method: str, dataset: str) -> pd.DataFrame | None:
        """Return the tuning trials of a method on a dataset, or None if nothing was tuned."""
        path = self.root / "results" / "tuning" / experiment / method / dataset / "trials.csv"
        return _read_csv(path) if path.exists() else None

    def _scores(self, experiment: str) -> Path:
        return self.root / "results" / "scores" / f"{experiment}.csv"


def _read_csv(path: Path) -> pd.DataFrame:
    try:
        return pd.read_csv(path)
    except (OSError, ValueError) as error:
        raise DamagedFileError(
            f"{path} cannot be read as a table ({error}); delete it and run the workflow again"
        ) from error


def _plain(value: NDArray[Any]) -> Any:
    """Return an array as it is, a single value as a Python one, and NaN as None."""
    if value.ndim:
        return value
    single = value.item()
    return None if isinstance(single, float) and np.isnan(single) else single
