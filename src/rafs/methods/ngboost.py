"""`ngboost` is natural gradient boosting of a Gaussian (Duan et al. 2020, the authors' package).

As in the paper, the number of iterations is chosen on held-out training rows; then the model is
fitted again to all of them.
"""

from collections.abc import Mapping
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np

from rafs.engine import Training
from rafs.errors import EstimatorError
from rafs.methods.base import Task
from rafs.methods.ensemble import Array
from rafs.methods.external import ExternalMethod, ModelOutput
from rafs.methods.settings import Schema, Settings, integer, number

SCHEMA: Schema = {
    "learning_rate": number(0.05, "shrinkage of every iteration", above=0.0, most=1.0),
    "iterations": integer(500, "iterations of boosting, at most"),
    "patience": integer(50, "iterations without a better held-out likelihood before the last one"),
    "depth": integer(3, "depth of a tree"),
    "held_out": number(0.2, "share of the rows that are held out", above=0.0, below=1.0),
}


class NGBoost(ExternalMethod):
    """Mean and log standard deviation are sums of trees; needs the extra `rafs[ngboost]`."""

    name, label, role, order = "ngboost", "NGBoost", "reference", 9
    schema = SCHEMA

    def identity(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the version of the package: a run without it is repeated once it is installed."""
        return {"ngboost": version("ngboost") if find_spec("ngboost") else None}

    def make(self, settings: Settings, training: Training, task: Task, seed: int) -> Any:
        """Return the model."""
        return NaturalBoosting(settings, seed)


class NaturalBoosting:
    """An NGBRegressor that chooses its number of iterations."""

    def __init__(self, settings: Settings, seed: int) -> None:
        self.settings, self.seed = settings, seed

    def _model(self, iterations: int) -> Any:
        try:
            from ngboost import NGBRegressor
        except ImportError:
            raise EstimatorError(
                "the package ngboost is missing; pip install 'rafs[ngboost]'"
            ) from None
        from sklearn.tree import DecisionTreeRegressor

        return NGBRegressor(
            Base=DecisionTreeRegressor(max_depth=self.settings["depth"], random_state=self.seed),
            learning_rate=self.settings["learning_rate"],
            n_estimators=iterations,
            verbose=False,
            random_state=self.seed,
        )

    def fit(self, x: Array, y: Array) -> None:
        """Choose the number of iterations on held-out rows, and fit to all rows."""
        held, kept = np.split(
            np.random.default_rng(self.seed).permutation(len(y)),
            [max(1, round(self.settings["held_out"] * len(y)))],
        )
        trial = self._model(self.settings["iterations"]).fit(
            x[kept], y[kept], x[held], y[held], early_stopping_rounds=self.settings["patience"]
        )
        self.model = self._model(1 + int(trial.best_val_loss_itr or 0)).fit(x, y)

    def moments(self, x: Array) -> ModelOutput:
        """Return mean and standard deviation; the model has no epistemic variance."""
        found = self.model.pred_dist(x).params
        return ModelOutput(found["loc"], found["scale"], np.zeros(len(x)))
