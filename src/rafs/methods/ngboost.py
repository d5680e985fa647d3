"""`ngboost` is natural gradient boosting of a Gaussian (Duan et al. 2020), by its own package."""

from typing import Any

from rafs.engine import Training
from rafs.errors import EstimatorError
from rafs.methods.base import Task
from rafs.methods.external import ExternalMethod
from rafs.methods.settings import Schema, Settings, integer, number

SCHEMA: Schema = {
    "learning_rate": number(0.01, "shrinkage of every step", above=0.0, most=1.0),
    "iterations": integer(500, "steps of boosting"),
    "depth": integer(3, "depth of a tree"),
}


class NGBoost(ExternalMethod):
    """Mean and log standard deviation are sums of trees; needs the extra `rafs[ngboost]`."""

    name, label, role, order = "ngboost", "NGBoost", "reference", 9
    schema = SCHEMA

    def make(self, settings: Settings, training: Training, task: Task, seed: int) -> Any:
        """Return the estimator."""
        try:
            from ngboost import NGBRegressor
        except ImportError:
            raise EstimatorError(
                "the package ngboost is missing; pip install 'rafs[ngboost]'"
            ) from None
        from sklearn.tree import DecisionTreeRegressor

        return NGBRegressor(
            Base=DecisionTreeRegressor(max_depth=settings["depth"], random_state=seed),
            learning_rate=settings["learning_rate"],
            n_estimators=settings["iterations"],
            verbose=False,
            random_state=seed,
        )
