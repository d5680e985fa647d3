"""Deep Ensemble as the paper uses it: independent initialisations, squared loss, known noise.

It has no variance head; the ensemble of Lakshminarayanan et al. (2017) is `de_nll`.
"""

from rafs.methods.base import COMMON, Method, Task, TrainingPlan
from rafs.methods.settings import Settings, extend


class Deep(Method):
    """Γ = 0: members differ by their initialisation."""

    name, label, role, order = "de", "DE", "paper", 1
    schema = extend(COMMON, prior={"bias": 0.1})

    def plan(self, task: Task, settings: Settings) -> TrainingPlan:
        """Return plain networks."""
        return TrainingPlan(self.networks(task, settings))
