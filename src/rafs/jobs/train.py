"""Train one ensemble on one dataset for one seed, and predict the test points.

Several runs can be asked for at once (`run_all`): those of one method that are trained alike are
one batch, which is how a GPU is filled.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rafs import methods, paths
from rafs.engine import Training
from rafs.errors import DivergedError, RafsError
from rafs.files import read_json, sha256, write_json, write_npz
from rafs.methods.base import Task, training
from rafs.methods.ensemble import Ensemble, Prediction, Scaler
from rafs.storage import Dataset, read_dataset

UNTUNED: dict[str, Any] = {"status": "untuned", "message": None, "values": {}}


def run(spec: dict[str, Any]) -> None:
    """Write predictions, the record of the run and what it cost."""
    (error,) = run_all([spec])
    if error is not None:
        raise error


def run_all(specs: Sequence[dict[str, Any]]) -> list[RafsError | None]:
    """Do several runs; return for each the error that it ended with, or None."""
    errors: list[RafsError | None] = [None] * len(specs)
    alike: dict[Any, list[Prepared]] = {}  # runs of a kind, to be trained together
    for i, spec in enumerate(specs):
        try:
            run = prepare(spec)
        except RafsError as error:
            errors[i] = error
            continue
        if run.inputs is None:
            write(run, None, 0.0)
        else:
            alike.setdefault((run.inputs.method, run.inputs.training), []).append(run)
    for runs in alike.values():
        started = time.process_time()
        outcomes = fit_predict([run.inputs for run in runs if run.inputs])
        cost = (time.process_time() - started) / len(runs)
        for run, outcome in zip(runs, outcomes, strict=True):
            write(run, outcome, run.cost + cost)
    return errors


@dataclass(frozen=True)
class Inputs:
    """What a run learns from and how, in standardised units, and where it predicts."""

    method: str
    settings: dict[str, Any]
    training: Training
    task: Task
    x_test: np.ndarray
    y_scale: Scaler


@dataclass(frozen=True)
class Prepared:
    """A run with its inputs; or one that has none, and why."""

    spec: dict[str, Any]
    best: dict[str, Any]
    settings: dict[str, Any]
    status: str
    message: str | None
    inputs: Inputs | None = None
    cost: float = 0.0  # CPU seconds of preparing them


def data_path(spec: dict[str, Any]) -> str:
    """Return the file with the data of a run."""
    return paths.DATA.format(**{key: spec[key] for key in ("protocol", "dataset", "seed")})


def tuned(best: dict[str, Any]) -> dict[str, Any]:
    """Return the tuned settings; the noise is not a setting of the method."""
    return {name: value for name, value in best["values"].items() if name != "noise"}


def scaler(spec: dict[str, Any], values: np.ndarray) -> Scaler:
    """Return the standardisation of some values, or none where the data are taken as they are."""
    if spec.get("scaled", True):
        return Scaler.fit(values)
    return Scaler(np.zeros(values.shape[1:]), np.ones(values.shape[1:]))


def prepare(spec: dict[str, Any]) -> Prepared:
    """Read the data and the tuned values of a run."""
    data = read_dataset(data_path(spec))
    best = UNTUNED if spec["tuning"] is None else read_json(paths.BEST.format(
        experiment=spec["tuning"], method=spec["base"], dataset=spec["dataset"]
    ))  # fmt: skip
    started = time.process_time()
    settings = methods.get(spec["base"]).resolve(spec["settings"], tuned(best), spec["sweep"])
    if isinstance(data, str):
        return Prepared(spec, best, settings, "missing", data)
    if best["status"] == "failed":
        return Prepared(spec, best, settings, "failed", best["message"])
    found = inputs(spec, settings, best, data)
    return Prepared(spec, best, settings, "ok", None, found, time.process_time() - started)


def inputs(
    spec: dict[str, Any], settings: dict[str, Any], best: dict[str, Any], data: Dataset
) -> Inputs:
    """Standardise with the statistics of the training rows."""
    x_scale, y_scale = scaler(spec, data.x_train), scaler(spec, data.y_train)
    noise = best["values"]["noise"] if data.noise is None else data.noise / float(y_scale.scale)
    key = ("run", spec["seed"], spec["dataset"], spec["base"])
    return Inputs(
        spec["base"],
        settings,
        training(len(data.y_train), spec["training"]),
        Task(x_scale.transform(data.x_train), y_scale.transform(data.y_train), noise, key),
        x_scale.transform(data.x_test),
        y_scale,
    )


def fit_predict(runs: Sequence[Inputs]) -> list[Prediction | DivergedError]:
    """Train runs of one method that are trained alike, and predict in units of y."""
    method, training = methods.get(runs[0].method), runs[0].training
    fitted = method.fit_all([(run.task, run.settings) for run in runs], training)
    return [
        predict(run, ensemble) if isinstance(ensemble, Ensemble) else ensemble
        for run, ensemble in zip(runs, fitted, strict=True)
    ]


def predict(run: Inputs, ensemble: Ensemble) -> Prediction | DivergedError:
    """Predict the test points in units of y."""
    prediction = ensemble.predict(run.x_test).in_units(run.y_scale)
    if not (np.isfinite(prediction.mean).all() and np.isfinite(prediction.variance).all()):
        return DivergedError(run.training.steps, 0, "its predictions are not finite")
    return prediction


def write(run: Prepared, outcome: Prediction | DivergedError | None, cost: float) -> None:
    """Write what came out of a run, how it was made and what it cost."""
    place = {key: run.spec[key] for key in ("experiment", "method", "dataset", "seed")}
    diverged = isinstance(outcome, DivergedError)
    write_npz(
        paths.PREDICTIONS.format(**place),
        arrays(outcome if isinstance(outcome, Prediction) else None),
    )
    write_json(
        paths.RECORD.format(**place),
        {
            **place,
            "protocol": run.spec["protocol"],
            "settings": run.settings,
            "training": run.spec["training"],
            "noise": run.inputs.task.noise if run.inputs else None,
            "tuned": run.best,
            "code": run.spec["code"],
            "data": {"sha256": sha256(data_path(run.spec))},
            "status": "diverged" if diverged else run.status,
            "message": str(outcome) if diverged else run.message,
        },
    )
    write_json(paths.COST.format(**place), {"cpu_seconds": cost})


def arrays(prediction: Prediction | None) -> dict[str, np.ndarray]:
    """Return what is kept of a prediction; nothing for a run that has none."""
    if prediction is None:
        return {name: np.empty(0) for name in ("mean", "variance", "aleatoric")}
    return {
        "mean": prediction.mean,
        "variance": prediction.variance,
        "aleatoric": np.unique(prediction.aleatoric)
        if np.ptp(prediction.aleatoric) == 0
        else prediction.aleatoric,
    }
