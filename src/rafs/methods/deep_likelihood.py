"""Deep Ensemble of Lakshminarayanan, Pritzel and Blundell (2017).

Each network puts out a mean and a variance and minimises the Gaussian negative log-likelihood,
optionally also at inputs moved by an adversarial step (their Section 2.4). The prediction is the
mixture of the members' Gaussians:

    μ = 1/m Σ_j μ_j,    σ² = 1/m Σ_j (σ_j² + μ_j²) - μ²

that is, the mean of the variances plus the population variance of the means.
"""

from dataclasses import replace

import numpy as np

from rafs.engine import Training
from rafs.engine.problem import VARIANCE_FLOOR
from rafs.methods.base import COMMON, Distribution, Method, Plan, Task
from rafs.methods.ensemble import Array
from rafs.methods.settings import Settings, extend, number


class LikelihoodEnsemble(Method):
    """The known noise is not used: the aleatoric variance is learned."""

    name, label, loss, n_outputs = "de_nll", "DE (2017)", "gaussian", 2
    schema = extend(
        COMMON,
        {"adversarial": number(0.0, "step in standardised inputs (0: none)", least=0.0)},
        learning_rate=0.003,  # the likelihood is steep where the variance is small
        prior={"bias": 0.1},
        variance={"ddof": 0, "add_noise": False},
    )

    def plan(self, task: Task, settings: Settings) -> Plan:
        """Return plain networks with two outputs."""
        return Plan(self.networks(task, settings))

    def distribution(self, outputs: Array) -> Distribution:
        """Read mean and variance; softplus keeps the variance positive."""
        return Distribution(outputs[..., 0], np.logaddexp(0.0, outputs[..., 1]) + VARIANCE_FLOOR)

    def adapt(self, settings: Settings, training: Training) -> Training:
        """Return the training with the likelihood and the adversarial step."""
        return replace(training, loss=self.loss, adversarial=settings["adversarial"])
