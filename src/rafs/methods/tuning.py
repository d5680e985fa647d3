"""Tuning inside a run: random search with successive halving on the run's own training rows.

Every run (method, dataset, seed) is tuned on its own training rows only, so that the spread over
seeds includes tuning variance and no test row is ever used.

- Trials: the first is the default; the others are a Latin hypercube over the search space. Their
  values depend on the setting's name and not on the method, so that methods that share a range try
  the same values (common random numbers).
- Screening: all trials are trained for a fraction of the steps; the best `keep` remain.
- Final round: these are trained in full and scored by NLL over disjoint sets of held-out rows, as
  many sets as are needed to hold out `rows` rows: cross-validation for small data, one split for
  large data.
- Unknown noise is not part of the search: it is fitted to the held-out rows of every trial.

All trials of a round share their random initialisation, so that they differ only by their settings.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rafs import methods
from rafs.errors import DivergedError, EstimatorError
from rafs.evaluation.likelihood import fit_noise, gaussian_nll
from rafs.methods.base import Method, Task, predict, training
from rafs.methods.ensemble import Scaler
from rafs.methods.settings import Settings
from rafs.seeding import Key, generator

Array = NDArray[np.float64]

FIRST_NOISE = 0.5  # noise that the screening trains with where it is unknown, in sd of y


@dataclass(frozen=True)
class Search:
    """The section `tuning` of params.yaml, and the search space of the method."""

    space: Mapping[str, Mapping[str, Any]]
    trials: int
    keep: int
    screening: float
    holdout: float
    rows: int
    seed: int


@dataclass(frozen=True)
class Problem:
    """The tuning problem of a run: a method with fixed settings and its unscaled training rows."""

    method: str
    settings: Mapping[str, Any]
    dataset: str
    seed: int
    x: Array
    y: Array
    noise: float | None  # in units of y; None: unknown


@dataclass(frozen=True)
class HeldOut:
    """Held-out training rows and what a trial predicts for them, in units of y."""

    y: Array = field(default_factory=lambda: np.empty(0))
    mean: Array = field(default_factory=lambda: np.empty(0))
    variance: Array = field(default_factory=lambda: np.empty(0))  # total: spread and noise


@dataclass(frozen=True)
class Trial:
    """One set of values and how it scored; `noise` in standard deviations of y, if fitted."""

    number: int
    values: dict[str, Any]
    noise: float | None = None
    nll: float | None = None
    status: str = "diverged"
    round: str = "screening"
    message: str | None = None  # why it failed
    held_out: HeldOut = field(default_factory=HeldOut, compare=False, repr=False)

    def row(self) -> dict[str, Any]:
        """Return the trial as a row of trials.csv."""
        noise = {} if self.noise is None else {"noise": self.noise}
        head = {"trial": self.number, "round": self.round, "status": self.status, "nll": self.nll}
        return head | self.values | noise


@dataclass(frozen=True)
class Split:
    """Standardised rows to train on and to score, and the standardisation of y."""

    x: Array
    y: Array
    x_held: Array
    y_held: Array
    scale: float
    y_scale: Scaler


@dataclass
class _State:
    """A problem, its splits and its remaining trials."""

    problem: Problem
    key: tuple[Key, ...]
    splits: list[Split]
    running: list[Trial]
    ended: list[Trial] = field(default_factory=list)


def tune(problems: Sequence[Problem], search: Search, how: Mapping[str, Any]) -> list[list[Trial]]:
    """Return the trials of every problem, best first; all problems are of one method.

    The networks of a round are trained as one batch, whatever run they belong to.
    """
    method = methods.of(problems[0].method, problems[0].settings)
    states = [_begin(problem, search) for problem in problems]
    if search.trials > search.keep:
        _round(method, states, how, "screening", search.screening)
        for state in states:
            state.running.sort(key=_order)
            state.ended += state.running[search.keep :]
            del state.running[search.keep :]
    _round(method, states, how, "final", 1.0)
    return [sorted(state.running, key=_order) + state.ended for state in states]


def best(trials: Sequence[Trial]) -> dict[str, Any]:
    """Return the values of the best trial; the default if all of the final round diverged."""
    lost = trials[0].nll is None
    chosen = min(trials, key=lambda trial: trial.number) if lost else trials[0]
    noise = {} if chosen.noise is None else {"noise": chosen.noise}
    return {
        "status": "diverged" if lost else "ok",
        "message": _remark(trials),
        "trial": chosen.number,
        "values": chosen.values | noise,
    }


def _remark(trials: Sequence[Trial]) -> str | None:
    """Report that trials failed, with the first reason, or that no finalist has a score."""
    failed = [trial for trial in trials if trial.status == EstimatorError.status]
    if failed:
        return f"{len(failed)} of {len(trials)} trials failed; the first: {failed[0].message}"
    if trials[0].nll is not None:
        return None
    finalists = sum(trial.round == "final" for trial in trials)
    return f"all {finalists} finalists diverged; the default is used"


def settings_of(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings among the tuned values of `best`, without the fitted noise."""
    return {name: value for name, value in found["values"].items() if name != "noise"}


def noise_of(found: Mapping[str, Any]) -> float:
    """Return the fitted noise among the tuned values of `best`, in sd of y; 0 if none was."""
    return float(found["values"].get("noise", 0.0))


def _order(trial: Trial) -> tuple[float, int]:
    return (math.inf if trial.nll is None else trial.nll, trial.number)


def _begin(problem: Problem, search: Search) -> _State:
    key = ("tuning", search.seed, problem.dataset, problem.seed)
    masks = held_out(len(problem.y), search.holdout, search.rows, generator(*key, "held out"))
    values = draws(search, *key)
    noise = FIRST_NOISE if fits_noise(problem) else None
    trials = [Trial(number, chosen, noise) for number, chosen in enumerate(values)]
    return _State(problem, key, [_split(problem, held) for held in masks], trials)


def fits_noise(problem: Problem) -> bool:
    """Whether the noise is fitted: it is unknown, and the method does not learn it itself."""
    method = methods.of(problem.method, problem.settings)
    return problem.noise is None and method.needs_noise


def split_sizes(n: int, share: float, rows: int) -> tuple[int, int]:
    """Return how many of n rows a split holds out, leaving two, and how many splits there are."""
    size = min(max(round(share * n), 1), n - 2)
    return size, min(math.ceil(rows / size), n // size)


def held_out(
    n: int, share: float, rows: int, random: np.random.Generator
) -> list[NDArray[np.bool_]]:
    """Return disjoint sets of held-out rows, each a share of n, until `rows` or all are in one."""
    size, count = split_sizes(n, share, rows)
    order = random.permutation(n)
    masks = np.zeros((count, n), dtype=bool)
    for i, mask in enumerate(masks):
        mask[order[i * size : (i + 1) * size]] = True
    return list(masks)


def draws(search: Search, *key: Key) -> list[dict[str, Any]]:
    """Return the values of all trials: the default, then a Latin hypercube."""
    found: list[dict[str, Any]] = [{} for _ in range(search.trials)]
    for name, space in sorted(search.space.items()):
        random = generator(*key, "trials", name)
        strata = random.permutation(search.trials - 1) + random.uniform(size=search.trials - 1)
        for values, u in zip(found[1:], strata / max(search.trials - 1, 1), strict=True):
            values[name] = quantile(space, float(u))
    return found


def quantile(space: Mapping[str, Any], u: float) -> Any:
    """Return the value of a search space of params.yaml at the quantile u in [0, 1)."""
    ((kind, values),) = space.items()
    if kind == "choice":
        return values[int(u * len(values))]
    low, high = values
    if kind == "uniform":
        return low + u * (high - low)
    return float(np.exp(np.log(low) + u * (np.log(high) - np.log(low))))


def _split(problem: Problem, held: NDArray[np.bool_]) -> Split:
    """Standardise with the statistics of the rows that are trained on."""
    x_scale, y_scale = Scaler.fit(problem.x[~held]), Scaler.fit(problem.y[~held])
    return Split(
        x_scale.transform(problem.x[~held]),
        y_scale.transform(problem.y[~held]),
        x_scale.transform(problem.x[held]),
        y_scale.transform(problem.y[held]),
        float(y_scale.scale),
        y_scale,
    )


def _round(
    method: Method,
    states: Sequence[_State],
    how: Mapping[str, Any],
    name: str,
    share: float,
) -> None:
    """Train and score the remaining trials of every problem, with a share of the steps."""
    jobs: list[tuple[int, int, Split, tuple[Task, Settings]]] = []
    for s, state in enumerate(states):
        problem = state.problem
        splits = state.splits
        if share < 1:  # screening uses half of the splits
            splits = splits[: math.ceil(len(splits) / 2)]
        for t, trial in enumerate(state.running):
            settings = method.resolve(problem.settings, trial.values)
            for fold, split in enumerate(splits):
                noise = _noise(problem, trial, split)
                task = Task(split.x, split.y, noise, (*state.key, problem.method, fold))
                jobs.append((s, t, split, (task, settings)))
    found: dict[tuple[int, int], list[Any]] = {}
    for (s, t, split, _), ensemble in zip(jobs, _fit(method, jobs, how, share), strict=True):
        found.setdefault((s, t), []).append((split, predict(ensemble, split.x_held)))
    for s, state in enumerate(states):
        state.running = [
            replace(_scored(trial, found[s, t]), round=name)
            for t, trial in enumerate(state.running)
        ]


def _noise(problem: Problem, trial: Trial, split: Split) -> float:
    """Return the noise that a trial is trained with, in standardised units."""
    if problem.noise is not None:
        return problem.noise / split.scale
    return FIRST_NOISE if trial.noise is None else trial.noise


def _fit(
    method: Method, jobs: Sequence[tuple[Any, ...]], how: Mapping[str, Any], share: float
) -> list[Any]:
    """Train the jobs of a round; those with the same training options form one batch."""
    alike: dict[Any, list[int]] = {}
    for i, (_, _, split, _) in enumerate(jobs):
        full = training(len(split.y), how)
        steps = max(1, round(share * full.steps))
        alike.setdefault(replace(full, steps=steps), []).append(i)
    results: list[Any] = [None] * len(jobs)
    for trained, members in alike.items():
        fitted = method.fit_trials([jobs[i][-1] for i in members], trained)
        for i, ensemble in zip(members, fitted, strict=True):
            results[i] = ensemble
    return results


def _scored(trial: Trial, parts: Sequence[tuple[Split, Any]]) -> Trial:
    """Return a trial with its NLL over all held-out rows, and with its noise if that is fitted."""
    for _, predicted in parts:
        if isinstance(predicted, DivergedError):
            return replace(
                trial, nll=None, status=predicted.status, message=str(predicted), held_out=HeldOut()
            )
    y = np.concatenate([split.y_held for split, _ in parts])
    log_scale = np.concatenate([np.full(len(s.y_held), math.log(s.scale)) for s, _ in parts])
    mean, variance, epistemic = (
        np.concatenate([getattr(predicted, name) for _, predicted in parts])
        for name in ("mean", "variance", "epistemic")
    )
    noise = trial.noise
    with np.errstate(all="ignore"):
        if noise is not None:
            noise = fit_noise((y - mean) ** 2, epistemic)
            variance = epistemic + noise**2
        nll = float(np.mean(gaussian_nll(y, mean, variance) + log_scale))
    if not math.isfinite(nll):
        return replace(trial, nll=None, status="diverged", held_out=HeldOut())
    held_out = _in_units([split for split, _ in parts], y, mean, variance)
    return replace(trial, nll=nll, status="ok", noise=noise, held_out=held_out)


def _in_units(splits: Sequence[Split], y: Array, mean: Array, variance: Array) -> HeldOut:
    """Return the held-out rows of all splits in units of y; each split has its own scale."""
    rows = [len(split.y_held) for split in splits]
    scale = Scaler(
        np.repeat([float(split.y_scale.mean) for split in splits], rows),
        np.repeat([split.scale for split in splits], rows),
    )
    with np.errstate(all="ignore"):
        return HeldOut(scale.inverse(y), scale.inverse(mean), variance * scale.scale**2)
