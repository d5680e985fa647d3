"""One run of the benchmark: tune a method on the training rows, train it, predict the test rows.

The workflow and `rafs compare` both do this. A run is described by plain JSON values (`spec`):
method (`base`), dataset, seed, settings, swept settings, training, tuning, and whether the data are
standardised (`scaled`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rafs import methods
from rafs.engine import Training
from rafs.engine.devices import Location
from rafs.errors import DivergedError
from rafs.methods import tuning
from rafs.methods.base import Task, training
from rafs.methods.base import predict as predict_rows
from rafs.methods.ensemble import Prediction, Scaler

if TYPE_CHECKING:
    from rafs.sampled import Dataset

UNTUNED: dict[str, Any] = {"status": "untuned", "message": None, "values": {}}


@dataclass
class BenchmarkRun:
    """A run: its data (or the reason why they are missing), its tuning, and its cost."""

    spec: dict[str, Any]
    data: "Dataset | str"
    best: dict[str, Any]
    trials: Sequence[tuning.Trial] = ()
    held_out: tuning.HeldOut = field(default_factory=tuning.HeldOut)  # of the best trial
    seconds: dict[str, float] | None = None
    places: Sequence[Location] = ()  # where its networks were trained; references train none

    @cached_property
    def settings(self) -> dict[str, Any]:
        """The settings that the tuned run is trained with: fixed, tuned and swept ones."""
        spec = self.spec
        return methods.of(spec["base"], spec["settings"]).resolve(
            spec["settings"], tuning.settings_of(self.best), spec["sweep"]
        )


@dataclass(frozen=True)
class Prepared:
    """The task, settings and test inputs of a run, in standardised units."""

    method: str
    settings: dict[str, Any]
    training: Training
    task: Task
    x_test: np.ndarray
    y_scale: Scaler


@dataclass(frozen=True)
class Outcome:
    """Predictions in units of y, and how many distinct members they come from."""

    prediction: Prediction
    members: int
    message: str | None = None  # a remark, such as a warning of an estimator


def tune(runs: Sequence[BenchmarkRun]) -> None:
    """Tune runs of a kind on their own training rows, if they are tuned here."""
    how = runs[0].spec["tuning"]
    if not isinstance(how, dict):
        return
    problems = [problem(run.spec, run.data) for run in runs if not isinstance(run.data, str)]
    found = tuning.tune(problems, tuning.Search(**how), runs[0].spec["training"])
    for run, trials in zip(runs, found, strict=True):
        run.trials, run.best, run.held_out = trials, tuning.best(trials), trials[0].held_out


def problem(spec: dict[str, Any], data: "Dataset") -> tuning.Problem:
    """Return the tuning problem of a run, which contains only its training rows."""
    return tuning.Problem(
        spec["base"],
        {**spec["settings"], **spec["sweep"]},
        spec["dataset"],
        spec["seed"],
        data.x_train,
        data.y_train,
        data.noise,
    )


def scaler(spec: dict[str, Any], values: np.ndarray) -> Scaler:
    """Return the standardisation of some values, or the identity if data are not standardised."""
    if spec.get("scaled", True):
        return Scaler.fit(values)
    return Scaler(np.zeros(values.shape[1:]), np.ones(values.shape[1:]))


def prepare(run: BenchmarkRun) -> Prepared:
    """Standardise with the statistics of the training rows."""
    spec, data = run.spec, run.data
    assert not isinstance(data, str)
    x_scale, y_scale = scaler(spec, data.x_train), scaler(spec, data.y_train)
    key = ("run", spec["seed"], spec["dataset"], spec["base"])
    return Prepared(
        spec["base"],
        run.settings,
        training(len(data.y_train), spec["training"]),
        Task(
            x_scale.transform(data.x_train),
            y_scale.transform(data.y_train),
            noise(run.best, data, y_scale),
            key,
        ),
        x_scale.transform(data.x_test),
        y_scale,
    )


def noise(best: dict[str, Any], data: "Dataset", y_scale: Scaler) -> float:
    """Return the known or fitted noise in standardised units; 0 for a method that needs none."""
    if data.noise is not None:
        return data.noise / float(y_scale.scale)
    return tuning.noise_of(best)


def fit_predict(runs: Sequence[Prepared]) -> list[Outcome | DivergedError]:
    """Train runs of one method with the same training options, and predict in units of y."""
    method, training = methods.of(runs[0].method, runs[0].settings), runs[0].training
    fitted = method.fit_all([(run.task, run.settings) for run in runs], training)
    return [predict(run, model) for run, model in zip(runs, fitted, strict=True)]


def predict(run: Prepared, model: Any) -> Outcome | DivergedError:
    """Predict the test points in units of y."""
    predicted = predict_rows(model, run.x_test)
    if isinstance(predicted, DivergedError):
        return predicted
    prediction = predicted.in_units(run.y_scale)
    if not (np.isfinite(prediction.mean).all() and np.isfinite(prediction.variance).all()):
        return DivergedError(run.training.steps, 0, "its predictions are not finite")
    return Outcome(prediction, len(prediction.members), getattr(model, "message", None))


def noise_in_training(run: BenchmarkRun) -> float:
    """Return the noise of a run in standardised units."""
    assert not isinstance(run.data, str)
    return noise(run.best, run.data, scaler(run.spec, run.data.y_train))


def remark(run: BenchmarkRun, outcome: Outcome) -> str | None:
    """Return the remarks of a successful run, on its tuning and on its model."""
    tuned = run.best["message"] if run.trials else None
    return "; ".join(filter(None, [tuned, outcome.message])) or None


def import_code(spec: dict[str, Any]) -> None:
    """Import the class of a method that params.yaml defines, so that no run is charged for it."""
    if spec["base"] not in methods.names():
        methods.of(spec["base"], spec["settings"]).resolve(spec["settings"])


@cache
def load_compiled_code(name: str) -> None:
    """Train a method briefly, so that loading its compiled code is not charged to a run.

    The code of a method that params.yaml defines stays out of a process that outlives the run.
    """
    if name not in methods.names():
        return
    x = np.linspace(-1.0, 1.0, 12)[:, None]
    method = methods.get(name)
    settings = method.resolve({"hidden": [4], "size": 2})
    for batch in (None, 4):
        short = training(len(x), {"steps": 2, "batch_size": batch, "device": "cpu"})
        method.fit(Task(x, x[:, 0], 0.1, ("compile",)), settings, short).predict(x)
