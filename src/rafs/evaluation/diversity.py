"""How much the members of an ensemble differ, from the mean and variance that they predict.

Let m members of equal weight have the residuals e_j at the test points, A the mean squared residual
of their mean, and V the mean over points of the members' variance (with m - 1). The mean square of
the members' residuals is A + V (m - 1)/m (Krogh and Vedelsby 1994), and the squared sum of the
residuals is m² A. Both together give the mean product of two different members' residuals, A - V/m.
Their ratio

    (A - V/m) / (A + V (m - 1)/m)

is the correlation between the residuals of two members, pooled over pairs: 1 if all members are
wrong in the same way, 0 if they err independently. The members' own predictions are not needed.
"""

import numpy as np
from numpy.typing import NDArray

from rafs.evaluation import metrics

Array = NDArray[np.float64]

SPREAD, CORRELATION = "member_sd", "member_correlation"


def diversity(residuals: Array, variance: Array, members: int) -> dict[str, float]:
    """Return the members' root mean variance, and the correlation of their residuals.

    `residuals` are those of the ensemble's mean; `variance` is the variance over its members at
    each point, with m - 1. Members that are all exact have no correlation.
    """
    error, spread = float(np.mean(residuals**2)), float(np.mean(variance))
    found = {SPREAD: spread**0.5}
    total = error + spread * (members - 1) / members
    if total > 0:
        found[CORRELATION] = (error - spread / members) / total
    return found


def by_part(
    residuals: Array, variance: Array, members: int, inside: NDArray[np.bool_] | None
) -> dict[str, dict[str, float]]:
    """Return `diversity` at all points and, where known, inside and outside the training range."""
    return {
        part: diversity(residuals[mask], variance[mask], members)
        for part, mask in metrics.by_part(len(residuals), inside).items()
    }
