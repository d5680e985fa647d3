"""MC dropout (Gal and Ghahramani 2016): one network whose units are dropped in prediction too.

Every sample is the trained network without a random subset of its hidden units. The mean of the
samples is the prediction; their variance and the noise make up its variance. A dropped unit is one
whose outgoing weights are 0, so that the samples are networks of the engine.
"""

from dataclasses import replace

import numpy as np

from rafs.engine import Fit
from rafs.engine.layout import layers
from rafs.methods.base import COMMON, Method, Task, TrainingPlan
from rafs.methods.ensemble import Array, Ensemble
from rafs.methods.prior import on_weights
from rafs.methods.settings import Settings, extend, integer, number
from rafs.seeding import Key, generator


class MCDropout(Method):
    """A single network, trained and used with dropout."""

    name, label, role, order = "mc_dropout", "MC dropout", "reference", 6
    schema = extend(
        COMMON,
        {
            "dropout": number(
                0.05, "probability with which a hidden unit is dropped", above=0.0, below=1.0
            ),
            "l2": number(1.0, "gamma for the weights", least=0.0),
            "samples": integer(100, "networks that are sampled for a prediction", least=2),
        },
        prior={"bias": 0.1},
        variance={"ddof": 0},
    )

    def plan(self, task: Task, settings: Settings) -> TrainingPlan:
        """Return one network with dropout; L2 is scaled by the share of the units that are left."""
        network = self.networks(task, settings, size=1)
        p = settings["dropout"]
        gamma = settings["l2"] * (1 - p) * on_weights(network.widths)
        return TrainingPlan(replace(network, gamma=gamma[None, :], dropout=np.array([p])))

    def ensemble(self, task: Task, settings: Settings, plan: TrainingPlan, result: Fit) -> Ensemble:
        """Return samples of the trained network."""
        network, m = plan.members, settings["samples"]
        theta = np.asarray(result.theta[0], dtype=np.float64)
        return Ensemble(
            method=self,
            settings=settings,
            noise=float(task.noise),
            widths=network.widths,
            activations=network.activations * m,
            theta=thinned(theta, network.widths, settings["dropout"], m, *task.key),
            weights=np.full(m, 1 / m),
            scales=None if network.scales is None else np.tile(network.scales, (m, 1, 1)),
        )


def thinned(theta: Array, widths: tuple[int, ...], p: float, m: int, *key: Key) -> Array:
    """Return m copies of a network in which each hidden unit is dropped with probability p.

    The weights of those that are left are divided by 1 - p, as in training.
    """
    copies = np.tile(theta, (m, 1))
    random = generator(*key, "dropout")
    for layer in layers(widths)[1:]:
        kept = random.uniform(size=(m, layer.fan_in)) >= p
        outgoing = copies[:, layer.weight].reshape(m, layer.fan_in, layer.fan_out)
        copies[:, layer.weight] = (outgoing * (kept / (1 - p))[:, :, None]).reshape(m, -1)
    return copies
