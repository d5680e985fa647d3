"""A trained ensemble and what it predicts, in standardised units (Algorithm 1, lines 12-18)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rafs.engine import Members, Training, outputs
from rafs.methods.settings import Settings

if TYPE_CHECKING:
    from rafs.methods.base import Method

Array = NDArray[np.float64]
PRECISE = Training(steps=0, dtype="float64")


@dataclass(frozen=True)
class Scaler:
    """Standardisation with the statistics of the training rows; a constant column keeps scale 1."""

    mean: Array
    scale: Array

    @classmethod
    def fit(cls, values: Array) -> "Scaler":
        """Take mean and standard deviation over the rows."""
        values = np.asarray(values, dtype=np.float64)
        constant = np.ptp(values, axis=0) == 0
        return cls(values.mean(axis=0), np.where(constant, 1.0, values.std(axis=0)))

    def transform(self, values: Array) -> Array:
        """Map values to standardised units."""
        return (values - self.mean) / self.scale

    def inverse(self, values: Array) -> Array:
        """Map standardised values back to their own units."""
        return values * self.scale + self.mean


@dataclass(frozen=True)
class Prediction:
    """A Gaussian for every row, and the members it came from."""

    mean: Array  # [n]
    variance: Array  # [n] total: epistemic + aleatoric
    epistemic: Array  # [n]
    aleatoric: Array  # [n]
    members: Array  # [m, n]
    weights: Array  # [m], sum 1

    def in_units(self, y: Scaler) -> "Prediction":
        """Return the prediction in the units of y, given the scaler that y was fitted with."""
        square = float(y.scale) ** 2
        return replace(
            self,
            mean=y.inverse(self.mean),
            variance=self.variance * square,
            epistemic=self.epistemic * square,
            aleatoric=self.aleatoric * square,
            members=y.inverse(self.members),
        )


def combine(
    members: Array, weights: Array, aleatoric: Array | float, variance: Mapping[str, Any]
) -> Prediction:
    """Return mean and variance of weighted members (Algorithm 1, lines 15-17).

    With equal weights and ddof 1 the epistemic variance is the sum of squares over m - 1; its
    unbiased form for weights w that sum to 1 divides by 1 - sum of w^2. One member has none.
    """
    mean = weights @ members
    epistemic = weights @ (members - mean) ** 2
    if variance["ddof"] == 1 and np.count_nonzero(weights) > 1:
        epistemic = epistemic / (1 - np.sum(weights**2))
    if variance["as_sd"]:
        epistemic = epistemic**2
    aleatoric = np.broadcast_to(np.asarray(aleatoric, dtype=np.float64), mean.shape)
    return Prediction(mean, epistemic + aleatoric, epistemic, aleatoric, members, weights)


@dataclass(frozen=True)
class Ensemble:
    """Trained networks: member j predicts o_j(x) + f_j(x; θ_j)."""

    method: "Method"
    settings: Settings
    noise: float  # σ_a in standardised units
    widths: tuple[int, ...]
    activations: tuple[str, ...]
    theta: Array  # [m, P]
    weights: Array  # [m], sum 1
    scales: Array | None = None  # [m, L, 2]
    frozen: dict[str, Array] = field(default_factory=dict)  # [m, P] each: what offsets are made of

    @property
    def members(self) -> Members:
        """The trained networks as the engine knows them."""
        m = len(self.activations)
        return Members(
            widths=self.widths,
            activations=self.activations,
            theta0=self.theta,
            learning_rate=np.zeros(m),
            keys=np.zeros(m, dtype=np.uint64),
            scales=self.scales,
        )

    def predict(self, x: Array) -> Prediction:
        """Predict rows of standardised inputs, in standardised units of y."""
        members = self.members
        f = self.method.distribution(outputs(members, self.theta, x, PRECISE))
        offset = self.method.offset(self.settings, members, self.frozen, x)
        mean = f.mean if offset is None else f.mean + offset
        variance = self.settings["variance"]
        aleatoric: Array | float = self.noise**2 if variance["add_noise"] else 0.0
        if f.variance is not None:
            aleatoric = aleatoric + self.weights @ f.variance
        return combine(mean, self.weights, aleatoric, variance)

    def take(self, counts: Array) -> "Ensemble":
        """Return the members with a positive count, weighted by it."""
        chosen = np.flatnonzero(counts)
        return replace(
            self,
            activations=tuple(self.activations[j] for j in chosen),
            theta=self.theta[chosen],
            weights=counts[chosen] / counts.sum(),
            scales=None if self.scales is None else self.scales[chosen],
            frozen={name: value[chosen] for name, value in self.frozen.items()},
        )
