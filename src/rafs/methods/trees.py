"""`trees` is a bootstrap of gradient-boosted trees: mean and quantiles (HistGradientBoosting)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rafs.engine import Training
from rafs.errors import DivergedError
from rafs.methods.base import Task, Trial
from rafs.methods.ensemble import Array, Ensemble
from rafs.methods.external import ExternalMethod, Moments
from rafs.methods.settings import Schema, Settings, integer, number

QUANTILES = (0.158655, 0.841345)  # one standard deviation below and above a Gaussian mean
ITERATION = 30  # steps of a network that stand for one iteration of boosting: 100 of 3,000


SCHEMA: Schema = {
    "learning_rate": number(0.1, "shrinkage of every tree", above=0.0, most=1.0),
    "leaves": integer(31, "leaves of a tree", least=2),
    "least_rows": integer(5, "rows of a leaf, at least"),
    "resamples": integer(5, "bootstrap resamples of the rows"),
}


class Trees(ExternalMethod):
    """Each of some resamples of the rows trains a mean and two quantiles.

    The spread of the means over resamples is epistemic; half the distance of the quantiles, on
    average over resamples, is the aleatoric standard deviation. A trial of a tuning uses all rows
    once, without resampling.
    """

    name, label, role, order = "trees", "Boosted trees", "reference", 8
    schema = SCHEMA

    def fit_trials(
        self, trials: Sequence[Trial], training: Training
    ) -> list[Ensemble | DivergedError]:
        """Fit with the effort of a trial."""
        return super().fit_trials([(t, {**s, "resamples": 1}) for t, s in trials], training)

    def fit_all(
        self, trials: Sequence[Trial], training: Training
    ) -> list[Ensemble | DivergedError]:
        """Fit with all resamples."""
        return super().fit_trials(trials, training)

    def make(self, settings: Settings, training: Training, task: Task, seed: int) -> Any:
        """Return the model."""
        return BoostedTrees(settings, max(1, training.steps // ITERATION), seed)


class BoostedTrees:
    """The models of all resamples."""

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
        """Fit a mean and two quantiles per resample; a single one takes all rows."""
        random, n = np.random.default_rng(self.seed), len(y)
        count = self.settings["resamples"]
        samples = (
            [random.integers(n, size=n) for _ in range(count)] if count > 1 else [np.arange(n)]
        )
        self.models = [
            (
                self._model("squared_error").fit(x[rows], y[rows]),
                *(self._model("quantile", q).fit(x[rows], y[rows]) for q in QUANTILES),
            )
            for rows in samples
        ]
        residuals = y - self.models[0][0].predict(x)
        self.least = 1e-3 * float(np.std(residuals) + np.std(y))

    def _outputs(self, x: Array) -> Array:
        return np.array([[model.predict(x) for model in models] for models in self.models])

    def moments(self, x: Array) -> Moments:
        """Return mean, standard deviation and the variance of the means over resamples."""
        mean, low, high = self._outputs(x).transpose(1, 0, 2)
        within = np.maximum((high - low) / 2, self.least)
        between = mean.var(axis=0, ddof=1) if len(mean) > 1 else np.zeros(len(x))
        return Moments(mean.mean(axis=0), np.sqrt(np.mean(within**2, axis=0) + between), between)
