"""Predictions from elsewhere, as a method that params.yaml defines.

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
from rafs.evaluation.predicted import PredictedRun
from rafs.files import sha256
from rafs.methods.base import Task
from rafs.methods.ensemble import Array, Prediction, Scaler
from rafs.methods.external import ExternalMethod
from rafs.methods.settings import Schema, Setting, Settings


class InUnits(Prediction):
    """A prediction that is in the units of y already."""

    def in_units(self, y: Scaler) -> "Prediction":
        """Return it as it is."""
        return self


@dataclass(frozen=True)
class GivenModel:
    """The rows of a file for one run, as a model."""

    name: str
    run: PredictedRun

    def predict(self, x: Array) -> Prediction:
        """Return the predictions for the test rows; scoring checks that the rows match."""
        mean, variance = self.run.rows.mean, self.run.rows.variance
        if len(mean) != len(x):
            raise EstimatorError(
                f"{self.name}: {self.run.place} has {len(mean)} rows for {len(x)} test rows"
            )
        none = np.zeros(len(x))
        return InUnits(mean, variance, none, variance, mean[None, :], np.ones(1))


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

    def make(self, settings: Settings, training: Training, task: Task, seed: int) -> GivenModel:
        """Return the rows of the run with the key of the task: (run, split, dataset, method)."""
        _, split, dataset, *_ = task.key
        place = settings["predictions"], str(dataset), int(split), settings["method"]
        return GivenModel(self.name, PredictedRun.read(*place))

    def identity(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the hash of the file, if it exists: a run depends on its content."""
        file = Path(settings["predictions"])
        return {file.name: sha256(file)} if file.is_file() else {}

    def fitted(self, task: Task, settings: Settings, training: Training) -> Any:
        """Return the rows of the run, or the error that there are none."""
        try:
            return self.make(settings, training, task, 0)
        except RafsError as error:
            return EstimatorError(f"{self.name}: {error}")


def method(name: str, settings: Mapping[str, Any]) -> PredictionsMethod:
    """Return the method that settings with a key `predictions` define."""
    if not (isinstance(settings["predictions"], str) and Path(settings["predictions"]).name):
        raise ParameterError(
            f"methods.{name}.predictions must be the path of a CSV or parquet file, not "
            f"{settings['predictions']!r}"
        )
    return PredictionsMethod(name)
