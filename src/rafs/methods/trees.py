"""`trees` is a bootstrap of gradient-boosted trees with quantiles (HistGradientBoosting)."""

from typing import Any

import numpy as np

from rafs.engine import Training
from rafs.methods.base import Task
from rafs.methods.ensemble import Array
from rafs.methods.external import ExternalMethod, ModelOutput
from rafs.methods.settings import Schema, Settings, integer, number

QUANTILES = (0.158655, 0.841345)  # one standard deviation below and above a Gaussian mean
STEPS = 30  # of a network per iteration of boosting: 3,000 steps are 100 iterations
LEAST = 1e-3  # standard deviation, in those of y, so that quantiles never coincide

SCHEMA: Schema = {
    "learning_rate": number(0.1, "shrinkage of every tree", above=0.0, most=1.0),
    "leaves": integer(31, "leaves of a tree", least=2),
    "least_rows": integer(5, "rows of a leaf, at least"),
    "resamples": integer(5, "bootstrap resamples of the rows", least=2),
}


class Trees(ExternalMethod):
    """Mean and spread of models of resampled rows, and the noise between two quantiles of y.

    The variance of the means over the resamples is epistemic; half the distance of the quantiles,
    which are fitted to all rows, is the aleatoric standard deviation.
    """

    name, label, role, order = "trees", "Boosted trees", "reference", 8
    schema = SCHEMA

    def make(self, settings: Settings, training: Training, task: Task, seed: int) -> Any:
        """Return the model."""
        return BoostedTrees(settings, max(1, training.steps // STEPS), seed)


class BoostedTrees:
    """Models of the mean, one per resample, and of two quantiles."""

    def __init__(self, settings: Settings, iterations: int, seed: int) -> None:
        self.settings, self.iterations, self.seed = settings, iterations, seed

    def _model(self, loss: str, quantile: float | None = None) -> Any:
        from sklearn.ensemble import HistGradientBoostingRegressor

        return HistGradientBoostingRegressor(
            loss=loss,
            quantile=quantile,
            learning_rate=self.settings["learning_rate"],
            max_leaf_nodes=self.settings["leaves"],
            min_samples_leaf=self.settings["least_rows"],
            max_iter=self.iterations,
            early_stopping=False,
            random_state=self.seed,
        )

    def fit(self, x: Array, y: Array) -> None:
        """Fit the means to resamples of the rows, and the quantiles to all of them."""
        random, n = np.random.default_rng(self.seed), len(y)
        samples = [random.integers(n, size=n) for _ in range(self.settings["resamples"])]
        self.means = [self._model("squared_error").fit(x[rows], y[rows]) for rows in samples]
        self.quantiles = [self._model("quantile", q).fit(x, y) for q in QUANTILES]

    def moments(self, x: Array) -> ModelOutput:
        """Return mean, standard deviation and the variance of the means over resamples."""
        means = np.array([model.predict(x) for model in self.means])
        low, high = (model.predict(x) for model in self.quantiles)
        noise = np.maximum((high - low) / 2, LEAST)
        epistemic = means.var(axis=0, ddof=1)
        return ModelOutput(means.mean(axis=0), np.sqrt(noise**2 + epistemic), epistemic)
