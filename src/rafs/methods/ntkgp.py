"""NTKGP-param (He, Lakshminarayanan and Teh 2020).

A wide network trained from θ_0 behaves like its linearisation, so its prior lacks the
contribution of the layers below the last to the neural tangent kernel. The untrainable function

    o_j(x) = J(x; θ_0j) θ~_j

with J the Jacobian of f and θ~ an independent draw of the prior whose last layer is zeroed
adds exactly that: f(x; θ_0) + o(x) is a draw from GP(0, NTK) in the limit of width. The
network is regularised towards θ_0 with Γ = σ_a² Σ_0⁻¹.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from rafs.engine import Members
from rafs.engine.jacobian import jacobian_offset
from rafs.engine.layout import layers
from rafs.methods import prior
from rafs.methods.base import (
    COMMON,
    TARGET_NOISE,
    Method,
    Task,
    TrainingPlan,
    draws,
    with_target_noise,
)
from rafs.methods.ensemble import Array
from rafs.methods.settings import Settings, choice, extend


class NTKGP(Method):
    """In NTK parameterisation θ ~ N(0, I), and the prior's deviations multiply inside f."""

    name, label, role, order = "ntkgp", "NTKGP-param", "paper", 4
    anchored = True
    schema = extend(
        COMMON,
        {
            "target_noise": TARGET_NOISE,
            "parameterisation": choice(
                "ntk", ("ntk", "standard"), "ntk: deviations multiply standard normal parameters"
            ),
        },
        prior={"weight": 1.5},
    )

    def plan(self, task: Task, settings: Settings) -> TrainingPlan:
        """Return networks that start at θ_0, are anchored there, and carry their offset."""
        members = self.networks(task, settings)
        widths, m = members.widths, members.size
        tangent = draws(m, widths, settings, *task.key, "tangent")
        last = layers(widths)[-1]
        tangent[:, last.weight] = tangent[:, last.bias] = 0.0
        gamma = prior.regularisation(widths, settings["prior"], task.noise)
        if settings["parameterisation"] == "ntk":
            sd = prior.deviations(widths, settings["prior"])
            unit = np.where(sd > 0, sd, 1.0)
            tangent, gamma = tangent / unit, gamma * unit**2
            members = replace(
                members,
                theta0=members.theta0 / unit,
                scales=np.tile(prior.layer_deviations(widths, settings["prior"]), (m, 1, 1)),
            )
        frozen = {"initial": members.theta0, "tangent": tangent}
        offset = self.offset(settings, members, frozen, task.x)
        return TrainingPlan(
            replace(
                members,
                centre=members.theta0,
                gamma=np.tile(gamma, (m, 1)),
                offset=with_target_noise(offset, task, settings),
            ),
            frozen,
        )

    def offset(
        self, settings: Settings, members: Members, frozen: Mapping[str, Array], x: Array
    ) -> Array:
        """Return the Jacobian-vector product at the initial parameters."""
        return jacobian_offset(members, frozen["initial"], frozen["tangent"], x)
