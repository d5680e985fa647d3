"""`ridge` is Bayesian linear regression with a Gaussian prior, by scikit-learn."""

from typing import Any

from rafs.engine import Training
from rafs.methods.base import Task
from rafs.methods.external import ExternalMethod
from rafs.methods.settings import Settings


class Ridge(ExternalMethod):
    """Precisions of weights and noise maximise the marginal likelihood (MacKay 1992)."""

    name, label, role, order = "ridge", "Bayesian ridge", "reference", 3

    def make(self, settings: Settings, training: Training, task: Task, seed: int) -> Any:
        """Return the estimator, which fits its own hyperparameters."""
        from sklearn.linear_model import BayesianRidge

        return BayesianRidge()
