"""Where networks are trained: `device: auto` uses the CPU unless a GPU pays off.

One step on the GPU is a sequence of small kernels, whatever the size of the networks: 41 for an
ensemble of one activation, 109 for five (counted). At about 10 microseconds a launch that is a
millisecond. A core takes parameters x rows x networks / 1e10 seconds for the same step (measured:
0.7 to 1.7e10 per second), 0.1 milliseconds for the paper's five networks of 100 units. Moreover,
the cores of a machine train one run each, while a GPU trains runs in turn. So a step must take a
tenth of a second on one core, a hundred times the launches of a step, before a GPU beats all
cores of a large machine. The whole training must take a minute on one core, because importing
torch (1.5 s, measured) and starting CUDA (seconds) come first.

No GPU was available to measure this. The thresholds err towards the CPU, where the results are the
same on every machine of a kind. The largest step of what `snakemake` runs by default has 2.5e7; the
full batches of the experiment `released` reach 8e9.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from rafs.engine.problem import Members, Training
from rafs.errors import DeviceError

STEP = 1e9  # parameters x rows x networks of one step from which a GPU pays off: 0.1 s on a core
WHOLE = 6e11  # the same, of all steps: a minute on a core


class Location(NamedTuple):
    """Where networks are trained."""

    engine: str  # fused or torch
    device: str  # cpu or cuda


_places: ContextVar[set[Location] | None] = ContextVar("places", default=None)


def work(members: Members, rows: int, training: Training) -> float:
    """Return parameters x rows x networks of one step."""
    batch = min(training.batch_size or rows, rows)
    return float(members.n_parameters * batch * members.size)


def resolve_device(training: Training, work: float = 0.0) -> str:
    """Return the device to use, cpu or cuda, for this amount of work per step."""
    if training.backend == "fused" and training.device == "cuda":
        raise DeviceError("the fused engine runs on the CPU; use device: cpu or another backend")
    if training.device == "cuda":
        require_torch("device: cuda")
        if not _gpu():
            raise DeviceError(
                "device: cuda was asked for, but torch finds no GPU; use device: auto or cpu"
            )
        return "cuda"
    pays = work >= STEP and work * training.steps >= WHOLE
    if training.backend == "fused" or training.device == "cpu" or not pays:
        return "cpu"
    return "cuda" if _may_have_gpu() and find_spec("torch") and _gpu() else "cpu"


def require_torch(what: str) -> None:
    """Say how to install torch where it is needed and absent."""
    if find_spec("torch") is None:
        raise DeviceError(
            f"{what} needs torch, which is not installed; install it with"
            " `pip install 'rafs[torch]'`, or in a clone with `make torch`"
        )


def _gpu() -> bool:
    import torch

    return bool(torch.cuda.is_available())


def _may_have_gpu() -> bool:
    """Return, without importing torch, whether asking it for a GPU is worth the time."""
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES", "0") in ("", "-1")
    return not hidden and any(Path(path).exists() for path in ("/dev/nvidiactl", "/dev/dxg"))


@contextmanager
def recorded() -> Iterator[set[Location]]:
    """Collect where the trainings inside the block run."""
    places: set[Location] = set()
    token = _places.set(places)
    try:
        yield places
    finally:
        _places.reset(token)


def record(place: Location) -> None:
    """Add a place to what is being recorded."""
    places = _places.get()
    if places is not None:
        places.add(place)
