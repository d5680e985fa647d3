"""Hyperdeep Ensemble (Wenzel, Snoek, Tran and Jenatton 2020).

1. Random search: candidates with L2 and dropout drawn log-uniformly, each from its own start.
2. Greedy selection with replacement of two to m of them, on held-out training rows.
3. Stratification: every selected set of hyperparameters is trained again from new starts.
4. Greedy selection again; members are weighted by how often they were selected.

The held-out rows have weight 0 in the loss, so that all candidates of a stage, and all trials of
a tuning, are one batch. Dropout acts in training only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rafs.engine import Fit, Training
from rafs.errors import DataError, DivergedError
from rafs.evaluation.likelihood import gaussian_nll
from rafs.methods.base import COMMON, FitRequest, Method, Task, TrainingPlan
from rafs.methods.ensemble import Array, Ensemble, combine
from rafs.methods.prior import on_weights
from rafs.methods.settings import Settings, extend, integer, interval, number
from rafs.seeding import Key, generator

PICKS = 10  # picks per requested member, repeats included, before selection ends
TINY = 1e-12  # variance below which a likelihood has no meaning


class Hyperdeep(Method):
    """Ensemble over initialisations and hyperparameters.

    In a tuning (`fit_trials`) a trial trains m candidates and selects among them, so that it costs
    as many networks and steps as a trial of any other method; stages 3 and 4 are left to `fit_all`.
    """

    name, label, role, order = "hde", "HDE", "paper", 2
    schema = extend(
        COMMON,
        {
            "distinct": integer(2, "members that are taken even if they improve nothing"),
            "candidates": integer(10, "networks of the random search"),
            "copies": integer(5, "fresh starts of each selected set of hyperparameters"),
            "l2": interval((1e-4, 1.0), "range of gamma for the weights, log-uniform", above=0.0),
            "dropout": interval(
                (1e-3, 0.5), "range of the dropout probability, log-uniform", above=0.0, below=1.0
            ),
            "held_out": number(
                0.2, "share of the training rows for selection", above=0.0, below=1.0
            ),
        },
        prior={"bias": 0.1},
    )

    def plan(self, task: Task, settings: Settings, size: int | None = None) -> TrainingPlan:
        """Return the candidates of the random search (stage 1); m of them by default.

        With random activations the activation is one of the hyperparameters that are searched. L2
        acts on the weights and is scaled by the share of the units that dropout leaves.
        """
        members = self.networks(task, settings, size)
        l2, dropout = (
            np.array(
                [_log_uniform(settings[name], *task.key, name, j) for j in range(members.size)]
            )
            for name in ("l2", "dropout")
        )
        training_rows = ~held_out(len(task.y), settings["held_out"], *task.key)
        return TrainingPlan(
            replace(
                members,
                gamma=np.outer(l2 * (1 - dropout), on_weights(members.widths)),
                dropout=dropout,
                weights=np.tile(training_rows.astype(np.float64), (members.size, 1)),
            )
        )

    def ensemble(self, task: Task, settings: Settings, plan: TrainingPlan, result: Fit) -> Ensemble:
        """Return the members that the greedy selection picks (stages 2 and 4)."""
        everyone = super().ensemble(task, settings, plan, result)
        return everyone.take(self.picks(task, everyone))

    def picks(self, task: Task, everyone: Ensemble) -> Array:
        """Return how often each network is picked, judged on the held-out rows."""
        settings = everyone.settings
        rows = held_out(len(task.y), settings["held_out"], *task.key)
        prediction = everyone.predict(task.x[rows])
        return greedy(
            prediction.members,
            task.y[rows],
            prediction.aleatoric,
            settings["variance"],
            most=settings["size"],
            least=settings["distinct"],
        )

    def fit_all(
        self, trials: Sequence[FitRequest], training: Training
    ) -> list[Ensemble | DivergedError]:
        """Search, select, stratify, select."""
        search = [self.plan(task, settings, settings["candidates"]) for task, settings in trials]
        results = self._stage(trials, search, training)
        copies = {
            i: self._copies(*trials[i], search[i], everyone)
            for i, everyone in enumerate(results)
            if isinstance(everyone, Ensemble)
        }
        again = [trials[i] for i in copies]
        stratified = self._stage(again, list(copies.values()), training)
        for i, everyone in zip(copies, stratified, strict=True):
            if isinstance(everyone, Ensemble):
                everyone = everyone.take(self.picks(trials[i][0], everyone))
            results[i] = everyone
        return results

    def _copies(
        self, task: Task, settings: Settings, search: TrainingPlan, found: Ensemble
    ) -> TrainingPlan:
        """Return new starts of the hyperparameters that the greedy selection picks (stage 3)."""
        rows = np.repeat(np.flatnonzero(self.picks(task, found)), settings["copies"])
        fresh = self.networks(
            replace(task, key=(*task.key, "stratification")), settings, size=len(rows)
        )
        return TrainingPlan(
            replace(search.members.take(rows), theta0=fresh.theta0, keys=fresh.keys)
        )

    def _stage(
        self, trials: Sequence[FitRequest], plans: Sequence[TrainingPlan], training: Training
    ) -> list[Ensemble | DivergedError]:
        """Train all networks of a stage, and leave out none."""
        return self.fit_plans(trials, plans, training, super().ensemble)


def held_out(n: int, share: float, *key: Key) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return which of n training rows are kept for selection."""
    size = max(1, round(share * n))
    if size >= n:
        raise DataError(f"{n} training rows are too few to hold a share of {share:g} out")
    rows = np.zeros(n, dtype=bool)
    rows[generator(*key, "held out").permutation(n)[:size]] = True
    return rows


def greedy(
    members: Array,
    y: Array,
    aleatoric: Array,
    variance: Mapping[str, Any],
    *,
    most: int,
    least: int = 2,
) -> Array:
    """Pick members with replacement and return how often each was picked.

    The first pick has the lowest squared error. Until `least` distinct members are selected, the
    next one is the new member with which the NLL of the ensemble is lowest. Then it is any member
    that lowers the NLL most, until `most` distinct ones are selected or none lowers it.
    """

    def nll(counts: Array) -> float:
        p = combine(members, counts / counts.sum(), aleatoric, variance)
        total = np.maximum(p.variance, TINY)
        return float(np.mean(gaussian_nll(y, p.mean, total)))

    one = np.eye(len(members))
    counts = one[np.argmin(np.mean((members - y) ** 2, axis=1))]
    best, wanted = nll(counts), min(most, len(members))
    while np.count_nonzero(counts) < wanted and counts.sum() < PICKS * wanted:
        short = np.count_nonzero(counts) < least
        allowed = np.flatnonzero(counts == 0) if short else np.arange(len(members))
        scores = [nll(counts + one[j]) for j in allowed]
        if not (short or min(scores) < best):
            break
        best = min(scores)
        counts = counts + one[allowed[np.argmin(scores)]]
    return counts


def _log_uniform(ends: list[float], *key: Key) -> float:
    """Draw a number whose logarithm is uniform between the ends."""
    low, high = np.log(ends)
    return float(np.exp(generator(*key).uniform(low, high)))
