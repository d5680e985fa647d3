"""The job of a run (`rafs.methods.runs`): read its data, tune, train, predict, write the results.

`run_all` takes several runs. Those of one method with the same tuning and training form one batch,
which makes full use of a GPU.
"""

import csv
import io
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rafs.engine import recorded
from rafs.errors import DivergedError, ParameterError, RafsError
from rafs.files import canonical_json, read_json, sha256, write_json, write_npz, write_text
from rafs.methods import tuning
from rafs.methods.ensemble import Prediction
from rafs.methods.runs import (
    UNTUNED,
    BenchmarkRun,
    Outcome,
    fit_predict,
    import_code,
    noise_in_training,
    prepare,
    remark,
    tune,
)
from rafs.pipeline.jobs import named
from rafs.sampled import read_dataset

if TYPE_CHECKING:
    from rafs.pipeline.job_specs import TrainSpec

COLUMNS = ("trial", "round", "status", "nll")


class TrainingInputs(NamedTuple):
    """The inputs of a run: its data, and the tuned values of another run if it uses those."""

    data: str
    best: str | None = None


class TrainingOutputs(NamedTuple):
    """The outputs of a run."""

    predictions: str
    record: str
    trials: str
    best: str
    cost: str
    held_out: str


class TrainingJob(NamedTuple):
    """A run to be done, with its files."""

    spec: "TrainSpec"
    inputs: TrainingInputs
    outputs: TrainingOutputs

    @classmethod
    def of(cls, spec: "TrainSpec", inputs: Sequence[str], outputs: Sequence[str]) -> "TrainingJob":
        """Give the files of a run their names."""
        return cls(spec, named(TrainingInputs, inputs), named(TrainingOutputs, outputs))


def run(spec: "TrainSpec", inputs: Sequence[str], outputs: Sequence[str]) -> None:
    """Write the predictions, the record, the tuning and the cost of a run."""
    (error,) = run_all([TrainingJob.of(spec, inputs, outputs)])
    if error is not None:
        raise error


def run_all(jobs: Sequence[TrainingJob]) -> list[RafsError | None]:
    """Execute several runs; return the error or None for each."""
    errors: list[RafsError | None] = [None] * len(jobs)
    alike: dict[str, list[tuple[TrainingJob, BenchmarkRun]]] = {}  # tuned and trained together
    for i, job in enumerate(jobs):
        try:
            run = read(job)
        except RafsError as error:
            errors[i] = error
            continue
        if isinstance(run.data, str) or run.best["status"] == "failed":
            write(job, run, None)
        else:
            kind = [run.spec["base"], run.spec["tuning"], run.spec["training"]]
            alike.setdefault(canonical_json(kind), []).append((job, run))
    for pairs in alike.values():
        runs = [run for _, run in pairs]
        import_code(runs[0].spec)
        begun = time.process_time()
        tune(runs)
        tuned = time.process_time()
        with recorded() as places:
            outcomes = fit_predict([prepare(run) for run in runs])
        ended = time.process_time()
        for (job, run), outcome in zip(pairs, outcomes, strict=True):
            run.seconds = {
                "tuning": (tuned - begun) / len(runs),
                "training": (ended - tuned) / len(runs),
            }
            run.places = sorted(places)
            write(job, run, outcome)
    return errors


def read(job: TrainingJob) -> BenchmarkRun:
    """Read the data of a run, and the tuned values of another run if it uses those."""
    if isinstance(job.spec["tuning"], str) != bool(job.inputs.best):
        raise ParameterError("a run takes the tuned values of another exactly if its spec says so")
    best = read_json(job.inputs.best) if job.inputs.best else UNTUNED
    return BenchmarkRun(dict(job.spec), read_dataset(job.inputs.data), best)


def write(job: TrainingJob, run: BenchmarkRun, outcome: Outcome | DivergedError | None) -> None:
    """Write the predictions, the record, the tuning and the cost of a finished run."""
    spec, outputs = job.spec, job.outputs
    place = {key: spec[key] for key in ("experiment", "method", "dataset", "seed")}
    status, message = state(run, outcome)
    done = outcome if isinstance(outcome, Outcome) else None
    write_npz(outputs.predictions, arrays(done.prediction if done else None))
    write_npz(outputs.held_out, vars(run.held_out))
    write_text(outputs.trials, as_csv(run.trials))
    write_json(outputs.best, run.best)
    write_json(
        outputs.record,
        {
            **place,
            "protocol": spec["protocol"],
            "settings": run.settings,
            "training": spec["training"],
            "engine": "+".join(place.engine for place in run.places) or None,
            "device": "+".join(place.device for place in run.places) or None,
            "noise": None if isinstance(run.data, str) else noise_in_training(run),
            "tuned": run.best,
            "members": done.members if done else None,
            "data": {"sha256": sha256(job.inputs.data)},
            "status": status,
            "message": message,
        },
    )
    seconds = run.seconds or {"tuning": 0.0, "training": 0.0}
    write_json(outputs.cost, {"cpu_seconds": sum(seconds.values()), **seconds})


def state(run: BenchmarkRun, outcome: Outcome | DivergedError | None) -> tuple[str, str | None]:
    """Return the status of a run and its message."""
    if isinstance(run.data, str):
        return "missing", run.data
    if isinstance(outcome, DivergedError):
        return outcome.status, str(outcome)
    return ("ok", remark(run, outcome)) if outcome else ("failed", run.best["message"])


def arrays(prediction: Prediction | None) -> dict[str, np.ndarray]:
    """Return the stored arrays of a prediction; none for a run without one."""
    if prediction is None:
        return {name: np.empty(0) for name in ("mean", "variance", "aleatoric")}
    return {
        "mean": prediction.mean,
        "variance": prediction.variance,
        "aleatoric": np.unique(prediction.aleatoric)
        if np.ptp(prediction.aleatoric) == 0
        else prediction.aleatoric,
    }


def as_csv(trials: Sequence[tuning.Trial]) -> str:
    """Return the trials as CSV with every value at full precision."""
    rows = [trial.row() for trial in sorted(trials, key=lambda trial: trial.number)]
    names = [*COLUMNS, *sorted({name for row in rows for name in row} - set(COLUMNS))]
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
