"""Stand in for a job that failed, so that the rest goes on and the report says what is missing.

The files it should have written are written with the status "failed" and the reason, and a note
makes the next run of the workflow repeat just this job: `failed.txt` beside the files of a
training job, `<file>.failed.txt` for a job with one file. A note holds as long as the files say
what it says; so it ends with the job's success, and is still there if that never came.
"""

import contextlib
from pathlib import Path
from typing import Any

import numpy as np

from rafs import paths
from rafs.errors import DamagedFileError
from rafs.files import read_json, write_json, write_npz, write_text
from rafs.storage import read_dataset, write_missing

# Where notes are, and the files of a job whose note is beside them: first the one that says why.
FOLDERS: dict[str, tuple[str, ...]] = {
    "data/processed": (paths.DATA,),
    "results/runs": (paths.RECORD, paths.PREDICTIONS, paths.TRIALS, paths.BEST, paths.COST),
}


def run(spec: dict[str, Any]) -> None:
    """Write the outputs of the failed job `spec["of"]`."""
    kind, job = spec["of"], spec["spec"]
    if kind == "score":
        for seed in job["seeds"]:
            stand_in_for_metrics({**job, "seed": seed}, Path(spec["log"]))
        return
    message = f"the {kind} job failed: {why(Path(spec['log']))} (see {spec['log']})"
    place = {key: job[key] for key in ("experiment", "method", "dataset", "seed") if key in job}
    if kind == "data":
        path = paths.DATA.format(**{**place, "protocol": job["protocol"]})
        write_text(f"{path}.{paths.FAILED}", message)
        write_missing(path, message)
        return
    write_text(f"{paths.RUN.format(**place)}/{paths.FAILED}", message)
    write_text(paths.TRIALS.format(**place), "trial,round,status,nll\n")
    write_json(paths.BEST.format(**place), {"status": "failed", "message": message, "values": {}})
    record = {**place, "protocol": job["protocol"], "status": "failed", "message": message}
    empty = {name: np.empty(0) for name in ("mean", "variance", "aleatoric")}
    write_npz(paths.PREDICTIONS.format(**place), empty)
    write_json(paths.RECORD.format(**place), record)
    write_json(paths.COST.format(**place), {"cpu_seconds": None})


def stand_in_for_metrics(job: dict[str, Any], log: Path) -> None:
    """Write the metrics file of one run, unless the job scored it: others may have failed.

    Snakemake removes the outputs of a job before it starts.
    """
    place = {key: job[key] for key in ("experiment", "method", "dataset", "seed")}
    path = Path(paths.METRICS.format(**place))
    if path.exists():
        return
    reason = why(log, f"seed-{job['seed']}: ")
    message = f"the score job failed: {reason} (see {log})"
    write_text(f"{path}.{paths.FAILED}", message)
    parts = dict.fromkeys(("metrics", "in_distribution", "out_of_distribution"))
    record = {**place, "protocol": job["protocol"]}
    with contextlib.suppress(DamagedFileError):  # which may be why the job failed
        record |= read_json(paths.RECORD.format(**place))
    write_json(path, {**record, **parts, "status": "failed", "message": message})


def why(log: Path, start: str = "") -> str:
    """Return the last line of a job's log, preferably one that begins with `start`."""
    lines = log.read_text(errors="replace").split("\n") if log.exists() else []
    said = [line.strip().removeprefix("rafs: ") for line in lines if line.strip()]
    about = [line.removeprefix(start) for line in said if line.startswith(start)]
    return (about or said or ["it was killed without a word"])[-1][:400]


def notes() -> list[Path]:
    """Return all notes, those too whose job has succeeded since."""
    return sorted(note for folder in FOLDERS for note in Path(folder).rglob(f"*{paths.FAILED}"))


def failures() -> list[Path]:
    """Return the notes of the jobs that something else than a result stands in for."""
    return [note for note in notes() if holds(note)]


def outputs(note: Path) -> list[Path]:
    """Return the outputs of the job that a note is about, first the one that says why."""
    if note.name != paths.FAILED:
        return [note.with_name(note.name.removesuffix(f".{paths.FAILED}"))]
    (files,) = (names for folder, names in FOLDERS.items() if note.is_relative_to(folder))
    return [note.with_name(Path(name).name) for name in files]


def holds(note: Path) -> bool:
    """Tell whether the output that a note is about says what the note says."""
    file = outputs(note)[0]
    if not file.exists():
        return False
    try:
        said = read_dataset(file) if file.suffix == ".npz" else read_json(file)["message"]
    except (DamagedFileError, KeyError, TypeError):
        return True
    return bool(said == note.read_text())
