"""A model of a chemical spill: the concentration of a pollutant in a channel."""

import math

import numpy as np

from rafs.datasets.core import Array, Spec, columns
from rafs.datasets.portable import exp
from rafs.datasets.sampling import draw


def environmental(x: Array) -> Array:
    """Return the scaled concentration of a pollutant that was spilled twice into a channel.

    It is measured at s = 1 and t = 40.1. The first spill is at position 0 and time 0, the second
    at L and tau; there is no second one unless tau < t.
    """
    M, D, L, tau = columns(x, 4)
    s, t = 1.0, 40.1
    concentration = _spill(M, D, t, s) + _spill(M, D, t - tau, s - L)
    return math.sqrt(4 * math.pi) * concentration


def _spill(M: Array, D: Array, age: Array | float, distance: Array | float) -> Array:
    """Return M / sqrt(4 pi D age) exp(-distance^2 / (4 D age)), 0 without diffusion or age."""
    spread = 4.0 * D * age
    spreads = spread > 1e-300
    spread = np.where(spreads, spread, 1.0)
    density = M / np.sqrt(math.pi * spread) * exp(-(distance * distance / spread))
    return np.where(spreads, density, 0.0)


SPEC = Spec(
    name="environmental",
    title="Environmental 4D",
    place=7,
    category="PM",
    features=("M", "D", "L", "tau"),
    target="C",
    train=200,
    test=500,
    noise=0.1,
    train_ranges=((7.0, 13.0), (0.02, 0.12), (0.01, 3.0), (30.01, 30.295)),
    test_ranges=((5.0, 15.0), (0.0, 0.15), (0.01, 3.2), (23.71, 31.0)),
    function=environmental,
    draw=draw,
    citation="Bliznyuk, Ruppert, Shoemaker, Regis, Wild and Mugunthan (2008), Bayesian "
    "calibration and uncertainty analysis for computationally expensive models using "
    "optimization and radial basis function approximation, Journal of Computational and "
    "Graphical Statistics 17(2)",
    doi="10.1198/106186008X320681",
)
