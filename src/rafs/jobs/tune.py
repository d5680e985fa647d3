"""Tune a method on a dataset: random search, scored by NLL on held-out training rows.

Every method gets the same number of trials, of networks and of steps. The rows come from a seed
that no evaluation run uses. The first trial is the default, so that tuning never makes it worse on
the held-out rows. The trials are trained as one batch.
"""

import csv
import io
import math
from typing import Any

import numpy as np

from rafs import methods, paths
from rafs.errors import DivergedError
from rafs.files import write_json, write_text
from rafs.likelihood import gaussian_nll
from rafs.methods.base import Task, training
from rafs.methods.ensemble import Scaler
from rafs.seeding import generator
from rafs.storage import read_dataset

DEFAULT_NOISE = 0.3  # of the first trial, where the noise is not known


def run(spec: dict[str, Any]) -> None:
    """Write every trial to a table, and the values of the best."""
    place = {key: spec[key] for key in ("experiment", "method", "dataset")}
    data = read_dataset(
        paths.DATA.format(protocol="described", dataset=spec["dataset"], seed=spec["seed"])
    )
    if isinstance(data, str):
        trials, best = [], {"status": "missing", "message": data, "values": {}}
    else:
        trials = tune(spec, data.x_train, data.y_train, data.noise)
        best = choose(trials)
    write_text(paths.TRIALS.format(**place), as_csv(trials))
    write_json(paths.BEST.format(**place), best)


def tune(
    spec: dict[str, Any], x: np.ndarray, y: np.ndarray, noise: float | None
) -> list[dict[str, Any]]:
    """Return one row per trial: its values and its NLL on the held-out rows."""
    method = methods.get(spec["method"])
    key = ("tuning", spec["method"], spec["dataset"], spec["seed"])
    held = hold_out(len(y), spec["holdout"], generator("tuning", spec["dataset"], "hold-out"))
    x_scale, y_scale = Scaler.fit(x[~held]), Scaler.fit(y[~held])
    values = [draw(spec, trial, noise is None) for trial in range(spec["trials"])]
    x_fit, y_fit = x_scale.transform(x[~held]), y_scale.transform(y[~held])
    tasks = []
    for trial, chosen in enumerate(values):
        settings = {name: value for name, value in chosen.items() if name != "noise"}
        sd = chosen["noise"] if noise is None else noise / float(y_scale.scale)
        tasks.append(
            (
                Task(x_fit, y_fit, sd, (*key, trial)),
                method.resolve(spec["settings"], settings),
            )
        )
    fitted = method.fit_trials(tasks, training(len(y_fit), spec["training"]))
    rows = []
    for trial, (chosen, ensemble) in enumerate(zip(values, fitted, strict=True)):
        row: dict[str, Any] = {"trial": trial, **chosen}
        if isinstance(ensemble, DivergedError):
            row |= {"nll": None, "status": "diverged"}
        else:
            predicted = ensemble.predict(x_scale.transform(x[held])).in_units(y_scale)
            nll = float(gaussian_nll(y[held], predicted.mean, predicted.variance).mean())
            finite = math.isfinite(nll)
            row |= {"nll": nll if finite else None, "status": "ok" if finite else "diverged"}
        rows.append(row)
    return rows


def hold_out(n: int, share: float, random: np.random.Generator) -> np.ndarray:
    """Mark the rows that are held out: the share of n, at least one, at most all but two."""
    count = min(max(round(share * n), 1), n - 2)
    marked = np.zeros(n, dtype=bool)
    marked[random.permutation(n)[:count]] = True
    return marked


def draw(spec: dict[str, Any], trial: int, unknown_noise: bool) -> dict[str, Any]:
    """Draw the values of a trial; trial 0 is the default."""
    if trial == 0:
        return {"noise": DEFAULT_NOISE} if unknown_noise else {}
    random = generator("tuning", spec["method"], spec["dataset"], "trial", trial)
    return {name: sample(space, random) for name, space in sorted(spec["search"].items())}


def sample(space: dict[str, Any], random: np.random.Generator) -> Any:
    """Draw one value from a search space of params.yaml."""
    ((kind, values),) = space.items()
    if kind == "choice":
        return values[random.integers(len(values))]
    low, high = values
    if kind == "uniform":
        return float(random.uniform(low, high))
    return float(np.exp(random.uniform(np.log(low), np.log(high))))


def choose(trials: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the values of the trial with the lowest NLL; the first if none is finite."""
    good = [row for row in trials if row["nll"] is not None]
    best = min(good, key=lambda row: row["nll"]) if good else trials[0]
    values = {name: value for name, value in best.items() if name not in ("trial", "nll", "status")}
    return {
        "status": "ok" if good else "diverged",
        "message": None if good else f"all {len(trials)} trials diverged; the default is used",
        "trial": best["trial"],
        "values": values,
    }


def as_csv(trials: list[dict[str, Any]]) -> str:
    """Return the trials as CSV with every value at full precision."""
    names = ["trial", "status", "nll"]
    names += sorted({name for row in trials for name in row} - set(names))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(trials)
    return text.getvalue()
