"""Check the reference methods against printed numbers and exact results; gate.py runs this.

On UCI data they are tuned as params.yaml says. The authors of MC dropout train for up to 4,000
epochs, so it is also run for more steps (`STEPS`). In addition to their printed numbers, their
repository has tuned results split by split, which are lower.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from gating import METRICS, PBP, Check, Split, at_most, score, splits

from rafs import gp, methods
from rafs.methods import runs
from rafs.methods.base import Task, training
from rafs.methods.ensemble import Prediction
from rafs.reporting import published
from rafs.sampled import Dataset

PARAMS = Path(__file__).resolve().parents[1] / "params.yaml"
DUAN = "Duan et al. 2020"
GAL = "Gal and Ghahramani 2016; 10,000 steps"
DROPOUT = "their tuned results, split by split"
DROPOUT_LONG = f"{DROPOUT}; 10,000 steps"
LINEAR = "posterior of a linear model"
KERNEL = "posterior of its kernel"
NTK = "He et al. 2020, analytic posterior"
LIBRARY = "scikit-learn's own prediction"
QUANTILES = "68.3 % interval of a known noise"

NGBOOST = {"yacht": (0.50, 0.20), "bostonHousing": (2.94, 2.43), "concrete": (5.06, 3.04)}
STEPS = 10_000  # the authors of MC dropout train for up to 4,000 epochs
ROUNDING = 1e-4  # in standard deviations; a network without hidden layers is trained, not solved


def tuned(name: str, table: str, found: Sequence[Split], **how: Any) -> list[tuple[float, float]]:
    """Return RMSE and NLL of a method on splits of a table, tuned as params.yaml says.

    `how` is laid over the training.
    """
    params = yaml.safe_load(PARAMS.read_text(encoding="utf-8"))
    entry = params["methods"].get(name, {})
    search = entry.get("search", {})
    settings = {k: v for k, v in entry.items() if k != "search"}
    spec = {
        "base": name,
        "dataset": table,
        "settings": settings,
        "sweep": {},
        "training": {**params["training"], **how},
        "tuning": {"space": search, **params["tuning"]} if search else None,
    }
    work = [
        runs.BenchmarkRun({**spec, "seed": i}, data(i, split), runs.UNTUNED)
        for i, split in enumerate(found)
    ]
    runs.tune(work)
    return [scored(run, split) for run, split in zip(work, found, strict=True)]


def data(seed: int, split: Split) -> Dataset:
    """Return a split as a dataset whose noise is unknown."""
    features = tuple(f"x{k}" for k in range(split.x.shape[1]))
    return Dataset("split", features, split.x, split.y, split.x_test, split.y_test, None, seed)


def scored(run: runs.BenchmarkRun, split: Split) -> tuple[float, float]:
    """Train a tuned run and score its predictions."""
    (outcome,) = runs.fit_predict([runs.prepare(run)])
    if not isinstance(outcome, runs.Outcome):
        raise outcome
    return score(outcome.prediction, split.y_test)


def printed(folder: Path, count: int) -> Iterator[Check]:
    """NGBoost, Laplace and MC dropout on UCI tables."""
    frame = published.uci().set_index(["source", "dataset"])[["rmse", "nll"]]
    for table in NGBOOST:
        found, name = list(splits(folder, table, count)), published.UCI[table]
        ours = tuned("ngboost", table, found)
        yield from at_most("NGBoost", DUAN, table, NGBOOST[table], ours)
        ours = tuned("laplace", table, found)
        yield from at_most("Laplace", PBP, table, frame.loc["PBP", name], ours)
        ours = tuned("mc_dropout", table, found, steps=STEPS)
        yield from at_most("MC dropout", GAL, table, frame.loc["MC-dropout-2016", name], ours)
        yield from paired(DROPOUT_LONG, table, ours)
        yield from paired(DROPOUT, table, tuned("mc_dropout", table, found))


def paired(source: str, table: str, found: Sequence[tuple[float, float]]) -> Iterator[Check]:
    """Yield whether MC dropout is behind its authors by more than two standard errors."""
    frame = published.uci_mc_dropout().set_index("dataset").loc[published.UCI[table]]
    theirs = frame.sort_values("split")[["rmse", "nll"]].to_numpy()[: len(found)].T
    for metric, wanted, ours in zip(METRICS, theirs, np.array(found).T, strict=True):
        error = 2 * float((ours - wanted).std(ddof=1)) / len(ours) ** 0.5
        there, here = float(wanted.mean()), float(ours.mean())
        yield Check("MC dropout", source, table, metric, there, here, error, here <= there + error)


def exact() -> Iterator[Check]:
    """Ridge, GP, NTK GP and Laplace against posteriors in closed form; trees against a library."""
    rng = np.random.default_rng(0)
    x, new = rng.normal(size=(40, 2)), rng.normal(size=(30, 2))
    y = np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] + 0.1 * rng.normal(size=40)
    task = Task(x, y, 0.1, ("gate",))
    yield from same("ridge", LINEAR, "linear model", task, new, ridge)
    yield from same("gp", KERNEL, "sin 2x", task, new, process)
    yield from same("ntk_gp", NTK, "sin 2x", task, new, tangent)
    yield from same("laplace", LINEAR, "linear model", task, new, bayesian, LAST_LAYER)
    yield from trees(task, new)
    yield from noise_of_trees()


LAST_LAYER = {
    "hidden": [], "prior": {"scaling": "none", "output": 1.3, "bias": 1.3}, "learning_rate": 0.05,
}  # fmt: skip


def fitted(name: str, task: Task, settings: Mapping[str, Any] | None = None) -> Any:
    """Fit a method for 3,000 steps in double precision."""
    method = methods.get(name)
    how = training(len(task.y), {"steps": 3000, "dtype": "float64"})
    (model,) = method.fit_all([(task, method.resolve(settings or {}))], how)
    return model


def same(name, source, dataset, task, new, closed, settings=None) -> Iterator[Check]:
    """Yield how far mean and standard deviation are from those in closed form."""
    model = fitted(name, task, settings)
    found: Prediction = model.predict(new)
    mean, variance = closed(task, new, model)
    off = float(np.max(np.abs(found.mean - mean) / np.sqrt(variance)))
    ratio = float(np.sqrt(np.mean(found.variance / variance)))
    label = methods.get(name).label
    yield Check(label, source, dataset, "error of the mean, sd", 0.0, off, ROUNDING, off < ROUNDING)
    met = abs(ratio - 1) < ROUNDING
    yield Check(label, source, dataset, "sd / exact sd", 1.0, ratio, ROUNDING, met)


def ridge(task: Task, new: np.ndarray, model: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the prediction of Bayesian linear regression with the precisions that were fitted."""
    noise, prior = model.model.alpha_, model.model.lambda_
    centre = task.x.mean(axis=0)
    x, z = task.x - centre, new - centre
    inverse = np.linalg.inv(noise * x.T @ x + prior * np.eye(x.shape[1]))
    mean = task.y.mean() + noise * z @ inverse @ x.T @ (task.y - task.y.mean())
    return mean, 1 / noise + np.einsum("ij,jk,ik->i", z, inverse, z)


def process(task: Task, new: np.ndarray, model: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the posterior of the kernel that was fitted, from its formula."""
    amplitude, rbf, noise = (
        model.model.kernel_.k1.k1.constant_value,
        model.model.kernel_.k1.k2.length_scale,
        model.model.kernel_.k2.noise_level,
    )

    def kernel(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        distance = (((a[:, None] - b[None]) / rbf) ** 2).sum(axis=-1)
        return amplitude * np.exp(-distance / 2)

    gain = np.linalg.solve(
        kernel(task.x, task.x) + noise * np.eye(len(task.y)), kernel(task.x, new)
    )
    return gain.T @ task.y, amplitude - (kernel(task.x, new) * gain).sum(axis=0) + noise


def tangent(task: Task, new: np.ndarray, model: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the posterior of `rafs.gp`, which the gate holds NTKGP-param against."""
    network = gp.WideNetwork(2, "erf", 1.5, 0.05)
    mean, variance = gp.posterior(task.x, task.y, task.noise, network).predict(new)
    return mean, variance + task.noise**2


def bayesian(task: Task, new: np.ndarray, model: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the posterior of a linear model with the prior of `LAST_LAYER`."""
    x, z = (np.column_stack([rows, np.ones(len(rows))]) for rows in (task.x, new))
    inverse = np.linalg.inv(x.T @ x / task.noise**2 + np.eye(3) / 1.3**2)
    mean = z @ inverse @ x.T @ task.y / task.noise**2
    return mean, task.noise**2 + np.einsum("ij,jk,ik->i", z, inverse, z)


def trees(task: Task, new: np.ndarray) -> Iterator[Check]:
    """Boosted trees predict the average of scikit-learn's models, fitted to the same resamples."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    library = HistGradientBoostingRegressor(max_iter=100, min_samples_leaf=5, early_stopping=False)
    model = fitted("trees", task)
    random, n = np.random.default_rng(model.model.seed), len(task.y)
    samples = [random.integers(n, size=n) for _ in model.model.means]
    wanted = np.mean([library.fit(task.x[s], task.y[s]).predict(new) for s in samples], axis=0)
    off = float(np.max(np.abs(model.predict(new).mean - wanted)))
    label = methods.get("trees").label
    yield Check(label, LIBRARY, "sin 2x", "error of the mean", 0.0, off, ROUNDING, off < ROUNDING)


def noise_of_trees(n: int = 2000) -> Iterator[Check]:
    """Boosted trees cover new targets whose noise grows with the input, at both of its ends."""
    rng = np.random.default_rng(1)
    x, new = (rng.uniform(size=(rows, 1)) for rows in (n, 10 * n))
    y, y_new = (v[:, 0] + (0.1 + v[:, 0]) * rng.normal(size=len(v)) for v in (x, new))
    settings = {"least_rows": 40, "leaves": 4}
    found = fitted("trees", Task(x, y, 0.0, ("gate",)), settings).predict(new)
    inside = np.abs(y_new - found.mean) <= np.sqrt(found.variance)
    label = methods.get("trees").label
    for name, rows in (("x < 0.5", new[:, 0] < 0.5), ("x > 0.5", new[:, 0] >= 0.5)):
        share = float(inside[rows].mean())
        met = abs(share - 0.6827) <= 0.05
        yield Check(label, QUANTILES, name, "coverage", 0.6827, share, 0.05, met)
