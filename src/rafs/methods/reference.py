"""No-skill references: baselines that a useful ensemble must beat.

They are networks without a hidden layer whose parameters are computed, not trained: an `Ensemble`
of one member whose noise is a standard deviation of residuals.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rafs.engine import Fit, Members, Training
from rafs.engine.problem import VARIANCE_FLOOR
from rafs.errors import DivergedError, ParameterError
from rafs.methods.base import COMMON, FitRequest, Method, Task, TrainingPlan
from rafs.methods.ensemble import Array, Ensemble
from rafs.methods.settings import Schema, Settings, defaults

SHARED = ("size", "hidden", "activations")  # settings that params.yaml shares between all methods
SCHEMA: Schema = {"variance": COMMON["variance"]}


class Reference(Method):
    """A method without settings that solves for its parameters."""

    needs_noise = False
    schema = SCHEMA

    def resolve(self, *layers: Mapping[str, Any], where: str | None = None) -> Settings:
        """Return the settings, which are fixed; settings shared by all ensembles are ignored."""
        fixed = defaults(self.schema)
        for layer in layers:
            for name, value in layer.items():
                if name not in SHARED and value != fixed.get(name):
                    raise ParameterError(
                        f"{where or f'methods.{self.name}'}: {self.name} has no settings, so no"
                        f" {name!r}"
                    )
        return fixed

    def plan(self, task: Task, settings: Settings) -> TrainingPlan:
        """Return the one network, which starts at its solution."""
        return TrainingPlan(self._network(self._solution(task)[0]))

    def fit_trials(
        self, trials: Sequence[FitRequest], training: Training
    ) -> list[Ensemble | DivergedError]:
        """Solve every task; nothing is trained."""
        return [self._fitted(task, settings) for task, settings in trials]

    def _fitted(self, task: Task, settings: Settings) -> Ensemble:
        theta, sd = self._solution(task)
        plan = TrainingPlan(self._network(theta))
        done = Fit(plan.members.theta0, np.array([sd**2]), np.array([-1]))
        return self.ensemble(replace(task, noise=sd), settings, plan, done)

    def _network(self, theta: Array) -> Members:
        return Members(
            widths=(len(theta) - 1, 1),
            activations=("linear",),
            theta0=theta[None, :],
            learning_rate=np.zeros(1),
            keys=np.zeros(1, dtype=np.uint64),
        )

    @abstractmethod
    def _solution(self, task: Task) -> tuple[Array, float]:
        """Return the weights, the intercept last, and the standard deviation of the residuals."""


def constant(task: Task) -> tuple[Array, float]:
    """Return the solution that ignores the inputs."""
    theta = np.append(np.zeros(task.x.shape[1]), task.y.mean())
    return theta, deviation(task.y - theta[-1], len(task.y) - 1)


def deviation(residuals: Array, freedom: int) -> float:
    """Return the standard deviation, at least the smallest one that a network can learn."""
    variance = float(residuals @ residuals) / max(freedom, 1)
    return max(variance, VARIANCE_FLOOR) ** 0.5
