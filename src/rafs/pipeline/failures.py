"""The notes of jobs that failed.

`rafs.pipeline.jobs.failed` writes stand-ins (placeholders) for the outputs of a failed job, and a
note: `failed.txt` beside the files of a training job, `<file>.failed.txt` for a file of any other
job. A note holds as long as the first of these files has the same message, hence until the job
succeeds.
"""

from pathlib import Path

from rafs import paths
from rafs.errors import DamagedFileError
from rafs.files import read_json
from rafs.sampled import read_dataset

# Patterns of notes, and the files that a note is about; the first has the message.
FOLDERS: dict[str, tuple[str, ...]] = {
    "data/processed": (paths.DATA,),
    "results/runs": paths.TRAINED,
}


def note_of(job: str, output: str | Path) -> Path:
    """Return the path of the note about an output."""
    file = Path(output)
    return file.with_name(paths.FAILED if job == "train" else f"{file.name}.{paths.FAILED}")


def notes() -> list[Path]:
    """Return all notes, also those of jobs that have succeeded since."""
    return sorted(note for folder in FOLDERS for note in Path(folder).rglob(f"*{paths.FAILED}"))


def failures() -> list[Path]:
    """Return the notes that hold: their jobs have stand-ins for outputs."""
    return [note for note in notes() if holds(note)]


def stand_ins(note: Path) -> list[Path]:
    """Return the outputs of the job that a note is about, first the one with the message."""
    if note.name != paths.FAILED:
        return [note.with_name(note.name.removesuffix(f".{paths.FAILED}"))]
    (files,) = (names for folder, names in FOLDERS.items() if note.is_relative_to(folder))
    return [note.with_name(Path(name).name) for name in files]


def holds(note: Path) -> bool:
    """Tell whether the output that a note is about has the message of the note."""
    file = stand_ins(note)[0]
    if not file.exists():
        return False
    try:
        said = read_dataset(file) if file.suffix == ".npz" else read_json(file)["message"]
    except (DamagedFileError, KeyError, TypeError):
        return True
    return bool(said == note.read_text())
