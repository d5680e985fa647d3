"""Control: the Anchored Ensemble whose members have priors of different scales.

Members of a narrow and of a wide prior differ in how fast their functions vary, as members with
different activations do.
"""

from dataclasses import replace

import numpy as np

from rafs.methods.anchored import Anchored
from rafs.methods.base import Task, TrainingPlan
from rafs.methods.settings import Settings, extend, number, several

SCALED = ("weight", "bias")  # they determine how fast a function varies


class AnchoredScales(Anchored):
    """Anchored; member j has the prior deviations times `scales[j]`, in turn."""

    name, label, role, order = "ae_scales", "AE (two prior scales)", "control", 3
    schema = extend(
        Anchored.schema,
        {
            "scales": several(
                [0.5, 2.0],
                number(1.0, "", above=0.0),
                "factors on prior.weight and prior.bias, by member in turn",
                least=1,
            )
        },
    )

    def plan(self, task: Task, settings: Settings) -> TrainingPlan:
        """Return anchored networks, each with the prior of its own scale.

        All members are planned at every scale, and each scale keeps its own members.
        """
        scales = settings["scales"]
        plans = [super(AnchoredScales, self).plan(task, _scaled(settings, s)) for s in scales]
        rows = [np.array([plan.members.theta0, plan.members.gamma]) for plan in plans]
        theta0, gamma = np.stack(
            [rows[j % len(scales)][:, j] for j in range(settings["size"])], axis=1
        )
        members = replace(plans[0].members, theta0=theta0, centre=theta0, gamma=gamma)
        return replace(plans[0], members=members)


def _scaled(settings: Settings, scale: float) -> Settings:
    prior = settings["prior"]
    return {**settings, "prior": {**prior, **{name: scale * prior[name] for name in SCALED}}}
