"""Anchored Ensemble (Pearce et al. 2018): Eq. 2.

Member j starts at a draw θ_0j of the prior N(0, Σ_0) and is regularised towards that draw
with Γ = σ_a² Σ_0⁻¹ (Algorithm 1, lines 1, 4 and 10).
"""

from dataclasses import replace

import numpy as np

from rafs.methods.base import COMMON, TARGET_NOISE, Method, Task, TrainingPlan, with_target_noise
from rafs.methods.prior import regularisation
from rafs.methods.settings import Settings, extend


class Anchored(Method):
    """Regularised towards the prior draw that each member starts from."""

    name, label, role, order = "ae", "AE", "paper", 3
    anchored = True
    schema = extend(COMMON, {"target_noise": TARGET_NOISE}, prior={"weight": 2.0})

    def plan(self, task: Task, settings: Settings) -> TrainingPlan:
        """Return networks anchored where they start."""
        members = self.networks(task, settings)
        gamma = regularisation(members.widths, settings["prior"], task.noise)
        return TrainingPlan(
            replace(
                members,
                centre=members.theta0,
                gamma=np.tile(gamma, (members.size, 1)),
                offset=with_target_noise(None, task, settings),
            )
        )
