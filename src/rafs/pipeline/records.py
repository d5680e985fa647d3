"""Snakemake's provenance records: which outputs are complete, damaged, or of unknown origin.

Snakemake writes a record of every output with the job that made it, and with the checksums of the
job's inputs. So the checksum of an output is known once a later job has read it. The workflow also
adds the checksum of the output to its own record when that is written (`seal_at_once`), before the
output counts as complete. Any later change of its bytes is detected, whether or not a job read it.
"""

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

from rafs.errors import RafsError
from rafs.files import sha256, write_json
from rafs.pipeline.plan import Plan
from rafs.pipeline.snakemake_compat import (
    INCOMPLETE,
    MARK,
    METADATA,
    OutputRecord,
    about,
    about_one,
    seal_record,
    seal_records,
)


def recorded() -> set[str]:
    """Return the outputs that have a record, or a mark that they are incomplete.

    Snakemake writes the record of an output before it removes the mark, so reading the marks first
    misses none.
    """
    return {output for top in (INCOMPLETE, METADATA) for output, _ in about(top)}


def records() -> dict[str, OutputRecord | None]:
    """Return Snakemake's record of every output that is complete; None for a damaged record."""
    begun = {output for output, _ in about(INCOMPLETE)}
    return {
        output: OutputRecord.of(file) for output, file in about(METADATA) if output not in begun
    }


def damaged(plan: Plan) -> dict[str, str]:
    """Return the damaged outputs, and why they count as damaged.

    Their bytes have changed since the latest job read them, or their record is unreadable.
    """
    known = records()
    read: dict[str, tuple[float, str]] = {}  # by name: time of the last reading, and checksum
    for record in filter(None, known.values()):
        for name, content in record.read.items():
            made = known.get(name)
            if made and made.end <= record.start > read.get(name, (0.0, ""))[0]:
                read[name] = (record.start, content)
    wrong = {}
    for name in filter(os.path.exists, (*plan.files.all(), *plan.files.extra())):
        if name not in known:
            continue
        made, content = known[name], checksum(name)
        if made is None:
            wrong[name] = "the record of its making cannot be read"
        elif name in read and content != read[name][1]:
            wrong[name] = "it is not what later jobs have read"
        elif made.seal not in (None, content):
            wrong[name] = "it is not what was made"
    return wrong


def seal_at_once() -> None:
    """Let Snakemake write the checksum of an output into its record, once its job has ended."""
    seal_records(checksum)


def seal(outputs: Iterable[str]) -> None:
    """Add the checksum of complete outputs to records that lack it.

    These are records by another version of Snakemake, or from before `seal_at_once`.
    """
    for output in outputs:
        with contextlib.suppress(
            OSError, ValueError, RafsError
        ):  # a full disk is reported elsewhere
            if Path(output).is_file() and not about_one(INCOMPLETE, output).exists():
                seal_record(output, checksum)


def checksum(name: str) -> str:
    """Return the checksum of a file as Snakemake's records give it."""
    try:
        return f"sha256:{sha256(name)}"
    except OSError:
        return "unreadable"


def unrecorded(plan: Plan) -> list[str]:
    """Return the existing outputs that have no record."""
    known = (*plan.files.all(), *plan.files.extra())
    there = [name for name in known if Path(name).exists()]
    return sorted(set(there) - recorded()) if there else []


def mark_incomplete(outputs: Iterable[str]) -> None:
    """Let Snakemake make these outputs again, as it does after it was interrupted."""
    for output in outputs:
        write_json(about_one(INCOMPLETE, output), MARK)
