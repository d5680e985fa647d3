"""Check that every job of the reproduction succeeded; fail and list the failures if not."""

import csv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rafs.errors import RafsError
from rafs.files import write_json
from rafs.pipeline.failures import failures, stand_ins
from rafs.pipeline.jobs import only

if TYPE_CHECKING:
    from rafs.pipeline.job_specs import VerifySpec


def run(spec: "VerifySpec", inputs: Sequence[str], outputs: Sequence[str]) -> None:
    """Write the number of runs by status, read from the scores (the inputs), or list failures."""
    notes = [note for note in failures() if concerns(spec, stand_ins(note)[0])]
    if notes:
        lines = [f"  {note.parent}: {note.read_text()}" for note in notes[:20]]
        more = f"\n  and {len(notes) - 20} more" if len(notes) > 20 else ""
        raise RafsError(
            f"{len(notes)} jobs failed; run the workflow again to repeat just those:\n"
            + "\n".join(lines)
            + more
        )
    counts: Counter[str] = Counter()
    for scores in inputs:
        with Path(scores).open(newline="") as file:
            counts.update(row["status"] for row in csv.DictReader(file))
    write_json(only(outputs), {"runs": spec["runs"], "status": dict(sorted(counts.items()))})


def concerns(spec: "VerifySpec", output: Path) -> bool:
    """Tell whether the experiments of the spec have made, or used, an output."""
    if output.is_relative_to("results"):
        return output.parts[2] in spec["experiments"]  # results/runs/main/...
    name = output.parent.relative_to("data/processed").as_posix()
    return output.name in (f"seed-{seed}.npz" for seed in spec["data"].get(name, []))
