"""Which training jobs run on a GPU and are therefore trained together.

With `device: auto` the engine chooses by the size of the work (`rafs.engine.devices`). Here the
choice is made for a single run, before the run begins. Runs that train on the CPU are faster in
separate processes, one per core.
"""

import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from rafs import methods
from rafs.engine import Training
from rafs.engine.devices import resolve_device
from rafs.engine.layout import n_parameters
from rafs.methods.base import training
from rafs.sampled import read_dataset

if TYPE_CHECKING:
    from rafs.pipeline.job_specs import TrainSpec


def trains_on_gpu(spec: "TrainSpec", file: Path) -> bool:
    """Tell whether a run on the data of a file would train on a GPU if it were trained alone."""
    if spec["training"]["device"] != "auto":
        return bool(spec["training"]["device"] == "cuda")
    if not _gpu_at_hand():
        return False
    data = read_dataset(file)
    if isinstance(data, str):
        return False
    rows, features = data.x_train.shape
    method, how = methods.of(spec["base"], spec["settings"]), training(rows, spec["training"])
    settings = method.resolve(spec["settings"], spec["sweep"])
    parameters = n_parameters((features, *settings.get("hidden", ()), method.n_outputs))
    work = parameters * min(how.batch_size or rows, rows) * settings.get("size", 1)
    return resolve_device(how, work) == "cuda"


@cache
def _gpu_at_hand() -> bool:
    return resolve_device(Training(steps=1), math.inf) == "cuda"
