"""The results that tables, figures and claims are made from, read from their files."""

from collections.abc import Collection, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
from numpy.typing import NDArray

from rafs import paths
from rafs.errors import DamagedFileError, DataError
from rafs.files import read_json, read_npz, sha256
from rafs.sampled import read_dataset

KEYS = ("experiment", "method", "dataset", "seed", "status")


class Inputs:
    """The scores, predictions, data and tuned values below one directory.

    With `files`, only these may be read: reading any other is an error, because the table, figure
    or claim has not declared it. With `experiments`, the scores of all others are ignored: files of
    an experiment that was removed from params.yaml may still exist.
    """

    def __init__(
        self,
        root: Path | str = ".",
        files: Collection[str] | None = None,
        experiments: Collection[str] | None = None,
    ) -> None:
        self.root = Path(root)
        self.files = None if files is None else frozenset(files)
        self.experiments = experiments

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
        """Return the scores of an experiment, or None if it was not run."""
        if self.experiments is not None and experiment not in self.experiments:
            return None
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
        """Return the concatenated scores of several experiments."""
        return pd.concat([self.scores(name) for name in experiments], ignore_index=True)

    def costs(self, experiment: str) -> pd.DataFrame:
        """Return the cost of an experiment: a row per run with cpu_seconds."""
        path = self.path(paths.COSTS, experiment=experiment)
        return _read_csv(path) if path.exists() else pd.DataFrame(columns=[*KEYS, "cpu_seconds"])

    def tuned(self, experiment: str) -> pd.DataFrame:
        """Return the tuned values of an experiment: a row per run and setting."""
        path = self.path(paths.TUNED, experiment=experiment)
        if not path.exists():
            raise DataError(f"there are no tuned values of {experiment!r} ({path})")
        return _read_csv(path)

    def recalibrated(self, experiment: str) -> pd.DataFrame:
        """Return the recalibrated scores of an experiment: a row per run and kind."""
        path = self.path(paths.RECALIBRATED, experiment=experiment)
        if not path.exists():
            raise DataError(f"there are no recalibrated scores of {experiment!r} ({path})")
        return _read_csv(path)

    def predictions(
        self, experiment: str, method: str, dataset: str, seed: int
    ) -> dict[str, NDArray[Any]] | None:
        """Return mean, variance and aleatoric variance of a run, or None if it has none."""
        path = self.path(
            paths.PREDICTIONS, experiment=experiment, method=method, dataset=dataset, seed=seed
        )
        arrays = read_npz(path) if path.exists() else {}
        return arrays if "mean" in arrays else None

    def run(self, experiment: str, method: str, dataset: str, seed: int) -> dict[str, Any] | None:
        """Return the record of a run (settings, data, engine), or None if it has none."""
        path = self._behind(
            paths.RECORD, experiment=experiment, method=method, dataset=dataset, seed=seed
        )
        return read_json(path) if path.exists() else None

    def digest(self, experiment: str, method: str, dataset: str, seed: int) -> str:
        """Return the SHA-256 of a run's predictions, or nothing if it has none."""
        path = self._behind(
            paths.PREDICTIONS, experiment=experiment, method=method, dataset=dataset, seed=seed
        )
        return sha256(path) if path.exists() else ""

    def data(self, dataset: str, seed: int, protocol: str = "described") -> SimpleNamespace | None:
        """Return the fields of a sampled dataset, or None if its data are unavailable."""
        path = self.path(paths.DATA, protocol=protocol, dataset=dataset, seed=seed)
        found = read_dataset(path) if path.exists() else ""
        return None if isinstance(found, str) else SimpleNamespace(**vars(found))

    def record(self, dataset: str) -> dict[str, Any] | None:
        """Return the record of a dataset's file (rows, features, SHA-256), or None."""
        if not (self.root / paths.FETCHED.format(dataset=dataset)).exists():
            return None
        return read_json(self.path(paths.FETCHED, dataset=dataset))

    def path(self, template: str, **place: str | int) -> Path:
        """Return a file that may be read; raise an error if reading it was not declared."""
        name = template.format(**place)
        if self.files is not None and name not in self.files:
            raise DataError(
                f"{name} is read but is no input of this job's rule; declare it in READS, or take "
                "the experiment out of the options"
            )
        return self.root / name

    def _behind(self, template: str, **place: str | int) -> Path:
        """Return a file that scores were made from; only the scores must be declared."""
        return self.root / template.format(**place)

    def _scores(self, experiment: str) -> Path:
        return self.path(paths.SCORES, experiment=experiment)


def _read_csv(path: Path) -> pd.DataFrame:
    try:
        return pd.read_csv(path)
    except (OSError, ValueError) as error:
        raise DamagedFileError(
            f"{path} cannot be read as a table ({error}); delete it and run the workflow again"
        ) from error
