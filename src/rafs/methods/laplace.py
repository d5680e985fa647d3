"""Last-layer Laplace approximation (MacKay 1992; Kristiadi, Hein and Hennig 2020).

One network is trained to the maximum of its posterior, Eq. 2 with the centre 0. Given its hidden
layers it is linear in the weights w of its last layer, whose posterior is then a Gaussian without
further approximation:

    w | y ~ N(ŵ, A⁻¹),    A = Φᵀ Φ / σ² + Σ_w⁻¹

where row i of Φ holds the last hidden units for x_i, and 1 for the bias. The prediction at x has
the mean of the network and the variance φ(x)ᵀ A⁻¹ φ(x) + σ².

σ is the noise σ_a of the data, which every method is given. But the likelihood also has to explain
the misfit of the network, which is most of the error if σ_a is small. `evidence: true`
estimates σ from the residuals r (MacKay 1992); it is at least σ_a:

    σ² = max(σ_a², ‖r‖² / (n - γ)),    γ = Σ_k λ_k / (λ_k + σ²)

with the eigenvalues λ_k of Σ_w^½ Φᵀ Φ Σ_w^½; γ is the effective number of parameters.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import brentq

from rafs.engine import Fit, Members, outputs
from rafs.engine.layout import layers, n_parameters
from rafs.methods.base import COMMON, Method, Task, TrainingPlan
from rafs.methods.ensemble import PRECISE, Array, Ensemble, Prediction
from rafs.methods.prior import deviations, regularisation
from rafs.methods.settings import Settings, extend, switch

LEAST_NOISE = 1e-3  # in standard deviations of y, so that A has a root


@dataclass(frozen=True)
class LastLayer(Ensemble):
    """One network with the Cholesky factor of A, the posterior precision of its last layer."""

    factor: Array | None = None

    def predict(self, x: Array) -> Prediction:
        """Return the exact moments under the posterior of the last layer."""
        found = super().predict(x)
        phi = units(self.members, self.theta[0], x)
        epistemic = (solve_triangular(self.factor, phi, lower=True) ** 2).sum(axis=0)
        return replace(found, variance=found.variance + epistemic, epistemic=epistemic)


class Laplace(Method):
    """Γ = σ_a² Σ_0⁻¹ with the centre 0, and a posterior over the last layer."""

    name, label, role, order = "laplace", "Laplace", "reference", 7
    anchored = True
    schema = extend(
        COMMON,
        {"evidence": switch(False, "whether the noise is estimated from the residuals")},
        prior={"weight": 2.0},
    )

    def plan(self, task: Task, settings: Settings) -> TrainingPlan:
        """Return one network, regularised towards zero."""
        network = self.networks(task, settings, size=1)
        gamma = regularisation(network.widths, settings["prior"], task.noise)
        return TrainingPlan(replace(network, gamma=gamma[None, :]))

    def ensemble(self, task: Task, settings: Settings, plan: TrainingPlan, result: Fit) -> Ensemble:
        """Return the trained network with the posterior of its last layer."""
        trained = super().ensemble(task, settings, plan, result)
        last = last_layer(plan.members)
        phi = units(plan.members, trained.theta[0], task.x)
        prior = deviations(trained.widths, settings["prior"])[last]
        gram, noise = phi @ phi.T, max(task.noise, LEAST_NOISE)
        if settings["evidence"]:
            residuals = task.y - trained.predict(task.x).mean
            noise = evidence(np.outer(prior, prior) * gram, residuals, noise)
            trained = replace(trained, noise=noise)
        precision = gram / noise**2 + np.diag(1 / prior**2)
        return LastLayer(**vars(trained), factor=cholesky(precision, lower=True))


def evidence(gram: Array, residuals: Array, least: float) -> float:
    """Return the noise σ that satisfies ‖r‖² = σ² (n - γ), or `least` if that is larger.

    `gram` is Σ_w^½ Φᵀ Φ Σ_w^½. The right-hand side increases with σ.
    """
    n, squared = len(residuals), float(residuals @ residuals)
    eigenvalues = np.linalg.eigvalsh(gram).clip(min=0.0)

    def excess(log_noise: float) -> float:
        noise = float(np.exp(2 * log_noise))
        return noise * (n - np.sum(eigenvalues / (eigenvalues + noise))) - squared

    low = float(np.log(least))
    if excess(low) >= 0:
        return least
    high = 0.5 * float(np.log((squared + eigenvalues.sum()) / n + least**2))
    return float(np.exp(brentq(excess, low, high)))


def last_layer(network: Members) -> NDArray[np.intp]:
    """Return where the parameters of the last layer are; a bias that is switched off is none."""
    layer = layers(network.widths)[-1]
    absent = network.scales is not None and network.scales[0, -1, 1] == 0
    return np.arange(layer.weight.start, layer.weight.stop if absent else layer.bias.stop)


def units(network: Members, theta: Array, x: Array) -> Array:
    """Return the last hidden units and 1 for the bias, [unit, row].

    These are the outputs of the network with the identity in place of its last layer.
    """
    *hidden, layer = layers(network.widths)
    end = hidden[-1].bias.stop if hidden else 0
    m = layer.fan_in
    widths = (*network.widths[:-1], m)
    inner = replace(
        network.take([0]),
        widths=widths,
        theta0=np.zeros((1, n_parameters(widths))),
        centre=None,
        gamma=None,
        scales=None,
    )
    identity = np.concatenate([theta[:end], np.eye(m).ravel(), np.zeros(m)])
    found = outputs(inner, identity[None, :], x, PRECISE)
    phi = found[0].T if m > 1 else found
    absent = network.scales is not None and network.scales[0, -1, 1] == 0
    return phi if absent else np.vstack([phi, np.ones(len(x))])
