"""Time and memory of a job, estimated before it runs, for a cluster.

The work of training is parameters times rows times steps times networks. The assumed rate of a core
is low, so that the estimate is too long rather than too short. Limits of time and memory are above
the estimate, and increase with every attempt.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rafs.engine.layout import n_parameters
from rafs.methods.tuning import split_sizes

RATE = 2e9  # parameters x rows per second, forward and backward
MARGIN = 10  # ratio of the time limit to the estimate
START = 1.0  # seconds of any job
BASE = 1000  # megabytes of any job: the largest of the reproduction takes 410
TORCH = 4000  # additional megabytes if torch and CUDA are loaded
COPIES = 20  # copies of the data that are held at a time


@dataclass(frozen=True)
class Effort:
    """Seconds of one core, and megabytes."""

    seconds: float
    megabytes: float

    def memory(self, attempt: int) -> int:
        """Return the megabytes to request."""
        return math.ceil(self.megabytes * attempt)

    def minutes(self, attempt: int) -> int:
        """Return the time limit of a job in minutes."""
        return math.ceil(5 + MARGIN * self.seconds / 60) * attempt


def effort_of(
    rows: int, features: int, settings: Mapping[str, Any], how: Mapping[str, Any], networks: float
) -> Effort:
    """Return the effort of training a number of networks."""
    batch = min(how.get("batch_size") or rows, rows)
    steps = how["steps"]
    if how.get("epochs"):
        steps = how["epochs"] * math.ceil(rows / batch)
    size = n_parameters((features, *settings.get("hidden", ()), 2))
    torch = TORCH if how.get("device") == "cuda" else 0
    return Effort(
        START + networks * steps * batch * size / RATE,
        BASE + torch + COPIES * rows * features * 8e-6,
    )


def networks(settings: Mapping[str, Any]) -> int:
    """Return how many networks a run trains: the stages of a Hyperdeep Ensemble count.

    A reference without settings is one linear network.
    """
    copies = settings.get("size", 1) * settings.get("copies", 1)
    return int(copies + settings.get("candidates", 0))


def tuning_trainings(rows: int, tuning: Mapping[str, Any]) -> float:
    """Return how many full trainings of an ensemble the tuning of a run costs."""
    _, splits = split_sizes(rows, tuning["holdout"], tuning["rows"])
    finalists = min(tuning["keep"], tuning["trials"])
    screened = tuning["trials"] if tuning["trials"] > tuning["keep"] else 0
    screening = screened * tuning["screening"] * math.ceil(splits / 2)
    return float(screening + finalists * splits)
