"""Write stand-ins for the outputs of a failed job, so that the rest of the workflow continues.

They have the status "failed" and the reason, so that reports say what is missing. A note
(`rafs.pipeline.failures`) makes the next run of the workflow repeat this job only.
"""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from rafs.errors import DamagedFileError, ParameterError
from rafs.files import read_json, write_json, write_npz, write_text
from rafs.methods.tuning import HeldOut
from rafs.pipeline.failures import note_of
from rafs.pipeline.jobs import named, only
from rafs.pipeline.jobs.score import scored_runs
from rafs.pipeline.jobs.train import TrainingOutputs, as_csv
from rafs.sampled import write_missing

if TYPE_CHECKING:
    from rafs.pipeline.job_specs import DataSpec, RunRecord, ScoreSpec, TrainSpec


@dataclass(frozen=True)
class FailedJob:
    """A failed job, with the arguments from its rule, and its log."""

    kind: str
    log: Path
    spec: "DataSpec | TrainSpec | ScoreSpec"
    inputs: Sequence[str]
    outputs: Sequence[str]

    def message(self, start: str = "") -> str:
        """Return the reason: the last line of the log, preferably one that begins with `start`."""
        return f"the {self.kind} job failed: {why(self.log, start)} (see {self.log})"


def run(job: FailedJob) -> None:
    """Write the outputs of a job that failed."""
    write = {"data": write_data, "train": write_run, "score": write_metrics}.get(job.kind)
    if write is None:
        raise ParameterError(f"nothing can stand in for a job {job.kind!r}")
    write(job)


def write_data(job: FailedJob) -> None:
    """Write a dataset that is missing."""
    path, message = only(job.outputs), job.message()
    write_text(note_of(job.kind, path), message)
    write_missing(path, message)


def write_run(job: FailedJob) -> None:
    """Write a run without predictions."""
    spec, made = cast("TrainSpec", job.spec), named(TrainingOutputs, job.outputs)
    message = job.message()
    write_text(note_of(job.kind, made.record), message)
    write_text(made.trials, as_csv([]))
    write_json(made.best, {"status": "failed", "message": message, "values": {}})
    empty = {name: np.empty(0) for name in ("mean", "variance", "aleatoric")}
    write_npz(made.predictions, empty)
    write_npz(made.held_out, vars(HeldOut()))
    write_json(made.record, record(spec, spec["seed"], message))
    write_json(made.cost, {"cpu_seconds": None})


def write_metrics(job: FailedJob) -> None:
    """Write the missing metrics files; the job may have scored other seeds.

    Snakemake removes the outputs of a job before it starts.
    """
    spec = cast("ScoreSpec", job.spec)
    for seed, files in scored_runs(spec, job.inputs, job.outputs).items():
        if Path(files.metrics).exists():
            continue
        message = job.message(f"seed-{seed}: ")
        write_text(note_of(job.kind, files.metrics), message)
        known = {}
        with contextlib.suppress(DamagedFileError):  # which may be why the job failed
            known = read_json(files.record)
        parts = dict.fromkeys(("metrics", "in_distribution", "out_of_distribution"))
        write_json(files.metrics, {**known, **parts, **record(spec, seed, message)})


def record(spec: "TrainSpec | ScoreSpec", seed: int, message: str) -> "RunRecord":
    """Return the record of a run that a job was to make."""
    return {
        "experiment": spec["experiment"],
        "method": spec["method"],
        "dataset": spec["dataset"],
        "protocol": spec["protocol"],
        "seed": seed,
        "status": "failed",
        "message": message,
    }


def why(log: Path, start: str = "") -> str:
    """Return the last line of a job's log, preferably one that begins with `start`."""
    lines = log.read_text(errors="replace").split("\n") if log.exists() else []
    said = [line.strip().removeprefix("rafs: ") for line in lines if line.strip()]
    about = [line.removeprefix(start) for line in said if line.startswith(start)]
    return (about or said or ["it was killed and left no message"])[-1][:400]
