"""Time and memory of a job, estimated before it runs, for a cluster.

The work of training is parameters times rows times steps times networks. The assumed rate of a core
is low, so that the estimate is too long rather than too short. Limits of time and memory are above
the estimate, and increase with every attempt.
"""

import math
from dataclasses import dataclass

from rafs.config.parameters import Settings
from rafs.engine import Training
from rafs.engine.layout import n_parameters
from rafs.methods.tuning import Search, split_sizes

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
    rows: int, features: int, settings: Settings, how: Training, networks: float
) -> Effort:
    """Return the effort of training a number of networks."""
    batch = min(how.batch_size or rows, rows)
    size = n_parameters((features, *settings.get("hidden", ()), 2))
    torch = TORCH if how.device == "cuda" else 0
    return Effort(
        START + networks * how.steps * batch * size / RATE,
        BASE + torch + COPIES * rows * features * 8e-6,
    )


def networks(settings: Settings) -> int:
    """Return how many networks a run trains: the stages of a Hyperdeep Ensemble count.

    A reference without settings is one linear network.
    """
    copies = settings.get("size", 1) * settings.get("copies", 1)
    return int(copies + settings.get("candidates", 0))


def tuning_trainings(rows: int, search: Search) -> float:
    """Return how many full trainings of an ensemble the tuning of a run costs."""
    _, splits = split_sizes(rows, search.holdout, search.rows)
    finalists = min(search.keep, search.trials)
    screened = search.trials if search.trials > search.keep else 0
    screening = screened * search.screening * math.ceil(splits / 2)
    return float(screening + finalists * splits)
