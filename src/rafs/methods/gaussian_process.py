"""`gp` is an exact Gaussian process with an RBF kernel and a length scale per input."""

from typing import Any

import numpy as np

from rafs.engine import Training
from rafs.errors import EstimatorError
from rafs.methods.base import Task
from rafs.methods.ensemble import Array
from rafs.methods.external import ExternalMethod, ModelOutput
from rafs.methods.settings import Settings

MOST_ROWS = 2000  # memory grows with the square of the rows, time with the cube
FITTED_TO = 500  # random rows, at most, that the kernel is fitted to


class GaussianProcess(ExternalMethod):
    """Amplitude, length scales and noise maximise the marginal likelihood.

    They are fitted to at most 500 random rows; the posterior conditions on all rows.
    """

    name, label, role, order = "gp", "GP", "reference", 4

    def make(self, settings: Settings, training: Training, task: Task, seed: int) -> Any:
        """Return the process, which fits its own hyperparameters."""
        check_rows(len(task.y))
        return ExactProcess(seed)


class ExactProcess:
    """A process of scikit-learn and the kernel that was fitted."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def fit(self, x: Array, y: Array) -> None:
        """Fit the kernel to some rows, and condition on all of them."""
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

        d = x.shape[1]
        amplitude = ConstantKernel(1.0, (1e-3, 1e6))
        lengths = RBF(np.full(d, float(np.sqrt(d))), (1e-2, 1e4))
        kernel = amplitude * lengths + WhiteKernel(0.1, (1e-6, 10.0))
        some = np.random.default_rng(self.seed).permutation(len(y))[:FITTED_TO]
        self.kernel_ = GaussianProcessRegressor(kernel).fit(x[some], y[some]).kernel_
        self.posterior = GaussianProcessRegressor(self.kernel_, optimizer=None).fit(x, y)

    def moments(self, x: Array) -> ModelOutput:
        """Return mean, standard deviation and the variance of the function."""
        mean, sd = self.posterior.predict(x, return_std=True)
        return ModelOutput(mean, sd, np.maximum(sd**2 - self.kernel_.k2.noise_level, 0.0))


def check_rows(rows: int) -> None:
    """Refuse more rows than an exact process can be fitted to."""
    if rows > MOST_ROWS:
        raise EstimatorError(
            f"{rows} training rows are more than the {MOST_ROWS} that an exact Gaussian process "
            "is fitted to; leave the method out there (`largest` of the experiment)"
        )
