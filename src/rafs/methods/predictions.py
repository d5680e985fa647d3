"""Predictions that were made elsewhere as a method that params.yaml defines.

    methods:
      theirs: {predictions: data/own/theirs.csv}

The file has a row per test point, in their order, with the columns dataset, split, y, mean and sd
(`rafs.evaluation.predicted`), all in units of y. Nothing is tuned or trained. `y` must be the
targets of the run: predictions for other rows, or in another order, are not scored.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rafs.engine import Training
from rafs.errors import EstimatorError, ParameterError, RafsError
from rafs.evaluation.predicted import Predicted, read
from rafs.files import sha256
from rafs.methods.base import Task
from rafs.methods.ensemble import Array, Prediction, Scaler
from rafs.methods.external import ExternalMethod
from rafs.methods.settings import Schema, Setting, Settings
from rafs.seeding import Key

TOLERANCE = 1e-6  # of a target, and of the spread of targets: they may have been rounded


class InUnits(Prediction):
    """A prediction that is in the units of y already."""

    def in_units(self, y: Scaler) -> "Prediction":
        """Return it as it is."""
        return self


@dataclass(frozen=True)
class PredictedRun:
    """The rows of a file for one run."""

    name: str
    place: str
    rows: Predicted

    def predict(self, x: Array) -> Prediction:
        """Return the predictions for the test rows; `check` tells whether they are for these."""
        mean, variance = self.rows.mean, self.rows.variance
        if len(mean) != len(x):
            raise EstimatorError(
                f"{self.name}: {self.place} has {len(mean)} rows for {len(x)} test rows"
            )
        none = np.zeros(len(x))
        return InUnits(mean, variance, none, variance, mean[None, :], np.ones(1))

    def check(self, y: Array) -> None:
        """Refuse predictions for other rows than those with these targets."""
        given = self.rows.y
        wrong = ~np.isclose(given, y, rtol=TOLERANCE, atol=TOLERANCE * float(np.std(y)))
        if wrong.any():
            row = int(np.argmax(wrong))
            raise EstimatorError(
                f"{self.name}: {self.place}: y is not that of the test rows in {wrong.sum()} of "
                f"{len(y)} rows, first in row {row + 1} ({given[row]:g}, not {y[row]:g}); keep the "
                "rows in the order of the test rows"
            )


def _text(default: str | None, meaning: str) -> Setting:
    def check(value: Any) -> str | None:
        if not (value is None or (isinstance(value, str) and value)):
            raise ValueError("must be a text")
        return value

    return Setting(default, check, meaning)


SCHEMA: Schema = {
    "predictions": _text(None, "the file"),
    "method": _text(None, "which rows, by its column `method` (null: all)"),
}


class PredictionsMethod(ExternalMethod):
    """The predictions of a file."""

    role = "later"
    schema = SCHEMA

    def __init__(self, name: str) -> None:
        self.name = self.label = name

    def make(self, settings: Settings, training: Training, task: Task, seed: int) -> PredictedRun:
        """Return the rows of the run whose key the task has: (run, split, dataset, method)."""
        _, split, dataset, *_ = task.key
        return self.rows(settings, dataset, split)

    def identity(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the hash of the file, if it is there: a run depends on what is in it."""
        file = Path(settings["predictions"])
        return {file.name: sha256(file)} if file.is_file() else {}

    def rows(self, settings: Mapping[str, Any], dataset: Key, split: Key) -> PredictedRun:
        """Return the rows of a file for a run."""
        file, chosen = settings["predictions"], settings["method"]
        found = read(file)
        for column in ("dataset", "split", *(["method"] if chosen else [])):
            if column not in found.keys:
                raise EstimatorError(f"{file} has no column {column!r}; add it")
        if chosen is not None:
            found = found.where(method=chosen)
        elif "method" in found.keys and found.keys["method"].nunique() > 1:
            raise EstimatorError(f"{file} has several methods; name one with the setting `method`")
        place = f"{file}, {dataset}, split {split}"
        rows = found.where(dataset=dataset, split=split, role="test")
        if not len(rows):
            raise EstimatorError(f"{place}: it has no rows for this run")
        return PredictedRun(self.name, place, rows)

    def fitted(self, task: Task, settings: Settings, training: Training) -> Any:
        """Return the rows of the run, or the error that there are none."""
        try:
            return self.make(settings, training, task, 0)
        except RafsError as error:
            return EstimatorError(f"{self.name}: {error}")


def method(name: str, settings: Mapping[str, Any]) -> PredictionsMethod:
    """Return the method that settings with a key `predictions` define."""
    if not isinstance(settings["predictions"], str):
        raise ParameterError(
            f"methods.{name}.predictions must be the path of a CSV or parquet file, not "
            f"{settings['predictions']!r}"
        )
    return PredictionsMethod(name)


def check(name: str, settings: Mapping[str, Any], dataset: str, split: int, y: Array) -> None:
    """Refuse predictions of a method for other rows than those with these targets."""
    given = method(name, settings)
    given.rows(given.resolve(settings), dataset, split).check(y)
