"""Predictions that were made elsewhere as a method that params.yaml defines.

    methods:
      theirs: {predictions: data/own/theirs.csv, label: Theirs}

The file has a row per test point, in their order, with the columns dataset, split, y, mean and sd
(`rafs.evaluation.predicted`), all in units of y. Nothing is tuned or trained. `y` must be the
targets of the run: predictions for other rows, or in another order, are refused.
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

    def predict_for(self, y: Array) -> Prediction | EstimatorError:
        """Return the predictions for rows with these targets, or why they are for other rows."""
        given = self.rows.y
        if len(given) != len(y):
            return EstimatorError(
                f"{self.name}: {self.place} has {len(given)} rows for {len(y)} test rows"
            )
        wrong = ~np.isclose(given, y, rtol=TOLERANCE, atol=TOLERANCE * float(np.std(y)))
        if wrong.any():
            row = int(np.argmax(wrong))
            return EstimatorError(
                f"{self.name}: {self.place}: y is not that of the test rows in {wrong.sum()} of "
                f"{len(y)} rows, first in row {row + 1} ({given[row]:g}, not {y[row]:g}); keep the "
                "rows in the order of the test rows"
            )
        mean, variance = self.rows.mean, self.rows.variance
        none = np.zeros(len(y))
        return InUnits(mean, variance, none, variance, mean[None, :], np.ones(1))


def _text(default: str | None, meaning: str) -> Setting:
    def check(value: Any) -> str | None:
        if not (value is None or (isinstance(value, str) and value)):
            raise ValueError("must be a text")
        return value

    return Setting(default, check, meaning)


SCHEMA: Schema = {
    "predictions": _text(None, "the file"),
    "label": _text(None, "what tables and figures call it"),
    "method": _text(None, "which rows, by its column `method` (null: all)"),
}


class PredictionsMethod(ExternalMethod):
    """The predictions of a file."""

    role = "later"
    schema = SCHEMA

    def __init__(self, name: str, label: str) -> None:
        self.name, self.label = name, label

    def make(self, settings: Settings, training: Training, task: Task, seed: int) -> PredictedRun:
        """Return the rows of the run whose key the task has: (run, split, dataset, method)."""
        file, chosen = settings["predictions"], settings["method"]
        _, split, dataset, *_ = task.key
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
    return PredictionsMethod(name, str(settings.get("label") or name))


def content(settings: Mapping[str, Any]) -> list[str]:
    """Return the hash of the file, if it is there: a run depends on what is in it."""
    file = Path(settings["predictions"])
    return [sha256(file)] if file.is_file() else []
