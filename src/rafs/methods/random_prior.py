"""RP-param: randomised prior functions (Osband, Aslanides and Cassirer 2018).

Member j is a trainable network plus β times a frozen one p_j, trained on a bootstrap resample
of the rows: o_j(x) = β p_j(x), and w_ji counts how often row i was sampled.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from rafs.engine import Members, outputs
from rafs.methods.base import (
    COMMON,
    TARGET_NOISE,
    Method,
    Task,
    TrainingPlan,
    draws,
    with_target_noise,
)
from rafs.methods.ensemble import PRECISE, Array
from rafs.methods.settings import Settings, extend, number, switch
from rafs.seeding import Key, generator


class RandomPrior(Method):
    """Each member contains a frozen random function."""

    name, label, role, order = "rp", "RP-param", "paper", 5
    schema = extend(
        COMMON,
        {
            "beta": number(1.0, "scale of the frozen prior network", least=0.0),
            "bootstrap": switch(True, "whether each member resamples the rows"),
            "decay": number(0.0, "gamma of all parameters, towards zero", least=0.0),
            "target_noise": TARGET_NOISE,
        },
        prior={"weight": 2.0},
    )

    def plan(self, task: Task, settings: Settings) -> TrainingPlan:
        """Return networks that fit the residuals of their frozen priors."""
        members = self.networks(task, settings)
        m, n = members.size, len(task.y)
        frozen = {"prior": draws(m, members.widths, settings, *task.key, "prior network")}
        offset = self.offset(settings, members, frozen, task.x)
        return TrainingPlan(
            replace(
                members,
                offset=with_target_noise(offset, task, settings),
                weights=np.stack([counts(n, *task.key, "bootstrap", j) for j in range(m)])
                if settings["bootstrap"]
                else None,
                gamma=np.full_like(members.theta0, settings["decay"]),
            ),
            frozen,
        )

    def offset(
        self, settings: Settings, members: Members, frozen: Mapping[str, Array], x: Array
    ) -> Array:
        """Return β p_j(x); p_j has the activation of member j."""
        return settings["beta"] * outputs(members, frozen["prior"], x, PRECISE)


def counts(n: int, *key: Key) -> Array:
    """Sample n of n rows with replacement and return how often each was sampled."""
    return np.bincount(generator(*key).integers(n, size=n), minlength=n).astype(np.float64)
