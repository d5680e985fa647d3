"""The negative log-likelihood of a Gaussian: what tuning, selection and scores share."""

import numpy as np
from numpy.typing import NDArray

HALF_LOG_TWO_PI = 0.5 * float(np.log(2 * np.pi))


def gaussian_nll(
    y: NDArray[np.float64], mean: NDArray[np.float64], variance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return -ln N(y; mean, variance) of every point, with the constant ½ ln 2π."""
    result: NDArray[np.float64] = (
        HALF_LOG_TWO_PI + 0.5 * np.log(variance) + 0.5 * (y - mean) ** 2 / variance
    )
    return result
