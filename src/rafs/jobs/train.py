"""Train one ensemble on one dataset for one seed, and predict the test points."""

import time
from typing import Any

import numpy as np

from rafs import methods, paths
from rafs.errors import DivergedError
from rafs.files import read_json, sha256, write_json, write_npz
from rafs.methods.base import Task, training
from rafs.methods.ensemble import Prediction, Scaler
from rafs.storage import read_dataset

UNTUNED: dict[str, Any] = {"status": "untuned", "message": None, "values": {}}


def run(spec: dict[str, Any]) -> None:
    """Write predictions, the record of the run and what it cost."""
    place = {key: spec[key] for key in ("experiment", "method", "dataset", "seed")}
    data_path = paths.DATA.format(**{**place, "protocol": spec["protocol"]})
    data = read_dataset(data_path)
    best = UNTUNED if spec["tuning"] is None else read_json(paths.BEST.format(
        experiment=spec["tuning"], method=spec["base"], dataset=spec["dataset"]
    ))  # fmt: skip
    started = time.process_time()
    prediction: Prediction | None = None
    noise: float | None = None
    settings = methods.get(spec["base"]).resolve(spec["settings"], tuned(best, spec), spec["sweep"])
    if isinstance(data, str):
        status, message = "missing", data
    elif best["status"] == "failed":
        status, message = "failed", best["message"]
    else:
        y_scale = scaler(spec, data.y_train)
        noise = best["values"]["noise"] if data.noise is None else data.noise / float(y_scale.scale)
        try:
            prediction = fit_predict(spec, settings, data, noise, y_scale)
            status, message = "ok", None
        except DivergedError as error:
            status, message = "diverged", str(error)
    cost = time.process_time() - started
    write_npz(paths.PREDICTIONS.format(**place), arrays(prediction))
    write_json(
        paths.RECORD.format(**place),
        {
            **place,
            "protocol": spec["protocol"],
            "settings": settings,
            "training": spec["training"],
            "noise": noise,
            "tuned": best,
            "code": spec["code"],
            "data": {"sha256": sha256(data_path)},
            "status": status,
            "message": message,
        },
    )
    write_json(paths.COST.format(**place), {"cpu_seconds": cost})


def tuned(best: dict[str, Any], spec: dict[str, Any]) -> dict[str, Any]:
    """Return the tuned settings; the noise is not a setting of the method."""
    return {name: value for name, value in best["values"].items() if name != "noise"}


def scaler(spec: dict[str, Any], values: np.ndarray) -> Scaler:
    """Return the standardisation of some values, or none where the data are taken as they are."""
    if spec.get("scaled", True):
        return Scaler.fit(values)
    return Scaler(np.zeros(values.shape[1:]), np.ones(values.shape[1:]))


def fit_predict(
    spec: dict[str, Any], settings: dict[str, Any], data: Any, noise: float, y_scale: Scaler
) -> Prediction:
    """Standardise with the statistics of the training rows, train, and predict in units of y."""
    x_scale = scaler(spec, data.x_train)
    key = ("run", spec["seed"], spec["dataset"], spec["base"])
    task = Task(x_scale.transform(data.x_train), y_scale.transform(data.y_train), noise, key)
    plan = training(len(data.y_train), spec["training"])
    ensemble = methods.get(spec["base"]).fit(task, settings, plan)
    prediction = ensemble.predict(x_scale.transform(data.x_test)).in_units(y_scale)
    if not (np.isfinite(prediction.mean).all() and np.isfinite(prediction.variance).all()):
        raise DivergedError(plan.steps, 0, "its predictions are not finite")
    return prediction


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
