"""Deep Ensemble of Lakshminarayanan, Pritzel and Blundell (2017).

Each network outputs a mean and a variance and minimises the Gaussian negative log-likelihood,
optionally also at inputs moved by an adversarial step (their Section 2.4). The prediction is the
mixture of the members' Gaussians:

    μ = 1/m Σ_j μ_j,    σ² = 1/m Σ_j (σ_j² + μ_j²) - μ²

that is, the mean of the variances plus the population variance of the means.

The gradient of this likelihood with respect to μ is (μ - y)/σ². Where the mean fits poorly, σ²
grows, the rows count less, and the fit stays poor (Seitzer et al. 2022). Two remedies are settings:
`warm_up` first trains the mean alone with a fixed variance (Nix and Weigend 1994; Sluijterman et
al. 2023), and `beta_nll` multiplies the gradient of every row by σ^2β, which is treated as a
constant (Seitzer et al. 2022). β = 0.5, their recommendation, is the default: it was the better of
the two on held-out training rows (docs/methods.md). The paper stops after 40 epochs; here networks
are trained longer, and `l2` on the weights keeps the variance from collapsing. The recipe of 2017
is `beta_nll: 0, l2: 0, activation: relu, hidden: [50], learning_rate: 0.1` with 40 epochs of
batches of 100.
"""

from dataclasses import replace

import numpy as np

from rafs.engine import Training
from rafs.engine.problem import VARIANCE_FLOOR
from rafs.methods.base import COMMON, Distribution, Method, Task, TrainingPlan
from rafs.methods.ensemble import Array
from rafs.methods.prior import on_weights
from rafs.methods.settings import Settings, extend, number


class DeepLikelihood(Method):
    """The known noise is not used: the aleatoric variance is learned."""

    name, label, role, order = "de_nll", "DE (2017)", "later", 1
    loss, n_outputs, needs_noise = "gaussian", 2, False
    schema = extend(
        COMMON,
        {
            "adversarial": number(0.0, "step in standardised inputs (0: none)", least=0.0),
            "beta_nll": number(
                0.5, "rows weigh σ^2β in the gradient (0: the likelihood)", least=0.0, most=1.0
            ),
            "warm_up": number(
                0.0, "share of the steps that train the mean alone", least=0.0, most=1.0
            ),
            "l2": number(1.0, "gamma for the weights (0: none)", least=0.0),
        },
        prior={"bias": 0.1},
        variance={"ddof": 0, "add_noise": False},
    )

    def plan(self, task: Task, settings: Settings) -> TrainingPlan:
        """Return networks with two outputs, regularised towards zero."""
        members = self.networks(task, settings)
        gamma = settings["l2"] * on_weights(members.widths)
        return TrainingPlan(replace(members, gamma=np.tile(gamma, (members.size, 1))))

    def distribution(self, outputs: Array) -> Distribution:
        """Read mean and variance; softplus keeps the variance positive."""
        return Distribution(outputs[..., 0], np.logaddexp(0.0, outputs[..., 1]) + VARIANCE_FLOOR)

    def adapt(self, settings: Settings, training: Training) -> Training:
        """Return the training with the likelihood and its optimisation."""
        options = {name: settings[name] for name in ("adversarial", "beta_nll", "warm_up")}
        return replace(training, loss=self.loss, **options)
