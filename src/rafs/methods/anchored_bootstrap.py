"""Control: the Anchored Ensemble whose members each resample the training rows.

It separates diversity of the data from diversity of the activations, at the cost of AE.
"""

from dataclasses import replace

import numpy as np

from rafs.methods.anchored import Anchored
from rafs.methods.base import Task, TrainingPlan
from rafs.methods.random_prior import counts
from rafs.methods.settings import Settings


class AnchoredBootstrap(Anchored):
    """Anchored; w_ji counts how often member j sampled row i."""

    name, label, role, order = "ae_bootstrap", "AE (bootstrap)", "control", 2

    def plan(self, task: Task, settings: Settings) -> TrainingPlan:
        """Return anchored networks, each with its own weights on the rows."""
        plan = super().plan(task, settings)
        m, n = plan.members.size, len(task.y)
        weights = np.stack([counts(n, *task.key, "bootstrap", j) for j in range(m)])
        return replace(plan, members=replace(plan.members, weights=weights))
