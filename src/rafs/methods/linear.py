"""`linear` is least squares with an intercept and the standard deviation of its residuals."""

import numpy as np

from rafs.methods.base import Task
from rafs.methods.ensemble import Array
from rafs.methods.reference import Reference, constant, deviation


class Linear(Reference):
    """Least squares with n - p degrees of freedom, p the rank of the inputs with an intercept.

    On inputs without full rank it is the minimum-norm solution. If no degree of freedom is left for
    estimating the residuals, it is the constant.
    """

    name, label, role, order = "linear", "Linear", "reference", 2

    def _solution(self, task: Task) -> tuple[Array, float]:
        centre = task.x.mean(axis=0)
        weights, _, rank, _ = np.linalg.lstsq(task.x - centre, task.y - task.y.mean())
        freedom = len(task.y) - int(rank) - 1
        if freedom < 1:
            return constant(task)
        theta = np.append(weights, task.y.mean() - centre @ weights)
        residuals = task.y - task.x @ theta[:-1] - theta[-1]
        return theta, deviation(residuals, freedom)
