"""Say whether every job succeeded; fail, with the list, if one did not."""

import csv
from collections import Counter
from pathlib import Path
from typing import Any

from rafs import paths
from rafs.errors import RafsError
from rafs.files import write_json


def failures(root: Path | str = ".") -> list[Path]:
    """Return the notes that failed jobs left."""
    found = (
        path
        for folder in ("data/processed", "results/tuning", "results/runs")
        for path in Path(root, folder).rglob(f"*{paths.FAILED}")
    )
    return sorted(found)


def run(spec: dict[str, Any]) -> None:
    """Write how many runs ended how, or raise with what failed."""
    notes = failures()
    if notes:
        lines = [f"  {note.parent}: {note.read_text()}" for note in notes[:20]]
        more = f"\n  and {len(notes) - 20} more" if len(notes) > 20 else ""
        raise RafsError(
            f"{len(notes)} jobs failed; run the workflow again to repeat just those:\n"
            + "\n".join(lines)
            + more
        )
    counts: Counter[str] = Counter()
    for path in sorted(Path("results/scores").glob("*.csv")):
        with path.open(newline="") as file:
            counts.update(row["status"] for row in csv.DictReader(file))
    write_json(paths.COMPLETE, {"runs": spec["runs"], "status": dict(sorted(counts.items()))})
