"""The negative log-likelihood of a Gaussian, used by tuning, selection and scores."""

import numpy as np
from numpy.typing import NDArray

HALF_LOG_TWO_PI = 0.5 * float(np.log(2 * np.pi))
NOISES = np.geomspace(0.01, 2.0, 533)  # standard deviations of y that a fitted noise may have


def gaussian_nll(
    y: NDArray[np.float64], mean: NDArray[np.float64], variance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return -ln N(y; mean, variance) of every point, with the constant ½ ln 2π."""
    result: NDArray[np.float64] = (
        HALF_LOG_TWO_PI + 0.5 * np.log(variance) + 0.5 * (y - mean) ** 2 / variance
    )
    return result


def fit_noise(squared_errors: NDArray[np.float64], epistemic: NDArray[np.float64]) -> float:
    """Return the noise sd that maximises the likelihood of errors with these epistemic variances.

    The search is over a logarithmic grid with steps of 1 %.
    """
    total = epistemic + NOISES[:, None] ** 2
    nll = np.mean(np.log(total) + squared_errors / total, axis=1)
    return float(NOISES[np.nanargmin(nll)]) if np.isfinite(nll).any() else float(NOISES[-1])
