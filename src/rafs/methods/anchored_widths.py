"""Control: the Anchored Ensemble whose members have different widths.

A narrow network is the widest one with units that are off: all weights into and out of them are
zero. Every activation is zero at zero, so these weights have no gradient and stay zero, and the
members train as one batch of one shape. The mean width is that of the other methods.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rafs.engine.layout import layers
from rafs.methods import prior
from rafs.methods.anchored import Anchored
from rafs.methods.base import Task, TrainingPlan
from rafs.methods.settings import Settings, extend, number, several


class AnchoredWidths(Anchored):
    """Anchored; member j has `widths[j]` times the hidden units, in turn."""

    name, label, role, order = "ae_widths", "AE, different widths", "control", 4
    schema = extend(
        Anchored.schema,
        {
            "widths": several(
                [0.2, 0.6, 1.0, 1.4, 1.8],
                number(1.0, "", above=0.0),
                "factors on the widths of the hidden layers, by member in turn",
                least=1,
            )
        },
    )

    def plan(self, task: Task, settings: Settings) -> TrainingPlan:
        """Return anchored networks of the widest shape, with units of the narrow ones off."""
        inner = [_hidden(settings["hidden"], factor) for factor in settings["widths"]]
        widest = [max(sizes) for sizes in zip(*inner, strict=True)]
        plan = super().plan(task, {**settings, "hidden": widest})
        full = plan.members.widths
        theta0, gamma = np.zeros_like(plan.members.theta0), np.zeros_like(plan.members.theta0)
        for j in range(settings["size"]):
            widths = (full[0], *inner[j % len(inner)], full[-1])
            on = active(full, widths)
            theta0[j, on] = prior.draw(widths, settings["prior"], *task.key, "initial", j)
            gamma[j, on] = prior.regularisation(widths, settings["prior"], task.noise)
        return replace(
            plan, members=replace(plan.members, theta0=theta0, centre=theta0, gamma=gamma)
        )


def _hidden(hidden: list[int], factor: float) -> list[int]:
    return [max(1, round(factor * width)) for width in hidden]


def active(full: tuple[int, ...], widths: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return which parameters of the full network are those of the narrower one, in its order."""
    parts = []
    for whole, part in zip(layers(full), layers(widths), strict=True):
        weights = np.zeros((whole.fan_in, whole.fan_out), dtype=bool)
        weights[: part.fan_in, : part.fan_out] = True
        parts += [weights.ravel(), np.arange(whole.fan_out) < part.fan_out]
    return np.concatenate(parts)
