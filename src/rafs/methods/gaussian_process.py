"""`gp` is an exact Gaussian process with an RBF kernel and a length scale per input."""

from typing import Any

import numpy as np

from rafs.engine import Training
from rafs.errors import EstimatorError
from rafs.methods.base import Task
from rafs.methods.external import ExternalMethod
from rafs.methods.settings import Settings

MOST_ROWS = 2000  # memory grows with the square of the rows, time with the cube


class GaussianProcess(ExternalMethod):
    """Amplitude, length scales and noise have the highest marginal likelihood."""

    name, label, role, order = "gp", "GP", "reference", 4

    def make(self, settings: Settings, training: Training, task: Task, seed: int) -> Any:
        """Return the estimator, which tunes itself."""
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

        rows, inputs = task.x.shape
        check_rows(rows)
        lengths = RBF(np.full(inputs, float(np.sqrt(inputs))), (1e-2, 1e4))
        kernel = ConstantKernel(1.0, (1e-3, 1e6)) * lengths + WhiteKernel(0.1, (1e-6, 10.0))
        return GaussianProcessRegressor(kernel, random_state=seed)


def check_rows(rows: int) -> None:
    """Refuse more rows than an exact process can be fitted to."""
    if rows > MOST_ROWS:
        raise EstimatorError(
            f"{rows} training rows are more than the {MOST_ROWS} that an exact Gaussian process "
            "is fitted to; leave the method out there (`largest` of the experiment)"
        )
