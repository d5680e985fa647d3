"""Everything that depends on internals of Snakemake, DVC or argparse.

Each entry documents its reason, the upstream issue, and the version that it was written for.
Patches of the scheduler apply to that version only; any other version runs the same jobs, more
slowly and in another order. `benchmarks/patches.py` measures what the patches save.
"""

import argparse
import contextlib
import hashlib
import heapq
import json
import logging
import os
import re
import sys
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from rafs import paths
from rafs.files import write_json

KNOWN = "9.27"  # the version of Snakemake that is patched here
NAME_LENGTH = 254  # Snakemake splits longer names of records into directories


def patch_scheduler() -> None:
    """Patch Snakemake's choice of jobs, if its version is the supported one."""
    if _known_version():
        for patch in PATCHES:
            patch()


def _known_version() -> bool:
    from snakemake import __version__ as version

    return version.split(".")[:2] == KNOWN.split(".")


def choose_urgent() -> None:
    """Consider the ready jobs of the highest priority.

    Reason: if there are more ready jobs than `scheduler-subsample`, Snakemake considers a random
    sample, so that the main experiment would not come first. This changes the order, not the speed.
    Upstream: none known.
    """
    from snakemake.scheduling.job_scheduler import JobScheduler

    def urgent(scheduler: Any) -> list[Any]:
        dag = scheduler.workflow.dag
        most = max(scheduler.subsample or sys.maxsize, scheduler.workflow.cores or 1)
        return heapq.nlargest(most, dag.ready_jobs, key=dag.priority)

    JobScheduler.open_jobs = property(urgent)


def limit_no_rate() -> None:
    """Remove the limit of jobs per second.

    Reason: at every choice that starts no job, Snakemake starts another timer, each of which leads
    to the next. Their number grows with every job. Measured with 600 short runs: 71 CPU seconds
    with this patch, 112 without. Upstream: snakemake#2967.
    """
    from snakemake.scheduling.job_scheduler import JobScheduler

    JobScheduler.job_rate_limiter = property(lambda scheduler: None, lambda scheduler, limit: None)


PATCHES = (choose_urgent, limit_no_rate)

METADATA = Path(paths.SNAKEMAKE, "metadata")  # one record per output that was made
INCOMPLETE = Path(paths.SNAKEMAKE, "incomplete")  # one mark per unfinished output
MARK = {"external_jobid": None}  # the content of a mark
SEAL = "rafs_checksum"  # key added to the record of an output: its checksum when it was made


@dataclass(frozen=True)
class OutputRecord:
    """Snakemake's record of an output."""

    start: float  # of its job, in seconds since 1970
    end: float
    params: list[str]
    input: list[str]
    read: dict[str, str]  # checksums of the inputs, by name
    seal: str | None  # checksum of the output when it was made

    @classmethod
    def of(cls, file: Path) -> "OutputRecord | None":
        """Read a record; None if it is damaged. Keys of Snakemake 8 and 9, see `about`."""
        try:
            record = json.loads(file.read_bytes())
            return cls(
                start=float(record["starttime"]),
                end=float(record["endtime"]),
                params=list(record.get("params") or ()),
                input=list(record.get("input") or ()),
                read=dict(record.get("input_checksums") or {}),
                seal=record.get(SEAL),
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def has_param(self, value: str) -> bool:
        """Tell whether a parameter of the job had a value; Snakemake records its `repr`."""
        return repr(value) in self.params

    def fits(self, spec: str, checksum: Callable[[str], str]) -> bool:
        """Tell whether a job with this spec would read the same bytes."""
        same = (checksum(name) == content for name, content in self.read.items())
        return self.has_param(spec) and all(same)


def about(top: Path) -> Iterator[tuple[str, Path]]:
    """Yield (output, record file) for every record in one of Snakemake's directories.

    Reason: Snakemake can read the record of one output at a time, in a running workflow only.
    Layout of Snakemake 8 and 9: the file's name is the output's in base64, and parts of a long name
    are directories that begin with @. Upstream: no issue asks for an interface; #663 made
    the layout.
    """
    for folder, _, names in os.walk(top):
        before = [part.removeprefix("@") for part in Path(folder).relative_to(top).parts]
        for name in names:
            with contextlib.suppress(ValueError):
                output = urlsafe_b64decode("".join([*before, name])).decode(errors="replace")
                yield output, Path(folder, name)


def about_one(top: Path, output: str) -> Path:
    """Return the record file of an output in one of Snakemake's directories; see `about`."""
    name = urlsafe_b64encode(output.encode()).decode()
    parts = [name[i : i + NAME_LENGTH] for i in range(0, len(name), NAME_LENGTH)]
    return top.joinpath(*(f"@{part}" for part in parts[:-1]), parts[-1])


def seal_records(checksum: Callable[[str], str]) -> None:
    """Let Snakemake write the checksum of an output into its record, under SEAL.

    Reason: a record has checksums of the job's inputs but not of its outputs, so the checksum of an
    output is known only once another job has read it. Snakemake writes a record before it removes
    the mark that the output is incomplete, so every complete output has the entry. With another
    version of Snakemake, `records.seal` adds it at the end of a run. Upstream: none known.
    """
    if not _known_version():
        return
    from snakemake.persistence.file import FilePersistence

    def write_record(self: Any, output: str, record: Any) -> None:
        self._io_write(
            self._metadata_path, {**dict(record.items()), SEAL: checksum(output)}, output
        )

    FilePersistence._write_record = write_record


def seal_record(output: str, checksum: Callable[[str], str]) -> None:
    """Add the checksum of an output to its record if it has none; see `seal_records`."""
    file = about_one(METADATA, output)
    record = json.loads(file.read_bytes())
    if isinstance(record, dict) and SEAL not in record:
        write_json(file, {**record, SEAL: checksum(output)})


class Invocation:
    """One invocation of Snakemake: its targets, and where it runs.

    Reason: a Snakefile gets these values from the object `workflow`, whose attributes are not
    documented. Attributes of Snakemake 9. Upstream: none known.
    """

    def __init__(self, workflow: Any) -> None:
        self._workflow = workflow

    @property
    def on_node(self) -> bool:
        """Whether this is a job on a node of a cluster, where hooks are not called."""
        return bool(self._workflow.remote_exec)

    @property
    def is_main(self) -> bool:
        """Whether this is the process that the user started."""
        return bool(self._workflow.is_main_process)

    @property
    def runs_jobs_here(self) -> bool:
        """Whether jobs run on this machine."""
        return bool(self._workflow.local_exec)

    @property
    def cores(self) -> int:
        """The number of cores that jobs may use here."""
        return self._workflow.resource_settings.cores or 1

    @property
    def targets(self) -> frozenset[str]:
        """The rules and files on the command line; only the main process has them."""
        return frozenset(self._workflow.dag_settings.targets)

    @property
    def jobs(self) -> list[Any]:
        """All jobs of the graph, with `input` and `output`."""
        return list(self._workflow.dag.jobs)

    @property
    def is_restricted(self) -> bool:
        """Whether options prevent it from making everything that is out of date."""
        from snakemake.settings.types import RerunTrigger

        asked = self._workflow.dag_settings
        return any((
            self.targets - {"all"}, asked.until, asked.omit_from, asked.batch,
            set(RerunTrigger.all()) - set(asked.rerun_triggers), self._workflow.touch,
            self._workflow.execution_settings.ignore_incomplete,
        ))  # fmt: skip

    def temporary(self) -> list[str]:
        """Return its temporary directories; none if the attributes do not exist.

        A killed Snakemake leaves them behind; the next run removes them (`leftovers`).
        """
        own = getattr(self._workflow, "_snakemake_tmp_dir", None)
        cache = getattr(getattr(self._workflow, "sourcecache", None), "runtime_cache", None)
        return [folder.name for folder in (own, cache) if folder is not None]


TEMPORARY = "snakemake"  # prefix of such a directory's name
RUNTIME_CACHE = "snakemake-runtime-cache"  # the parent of the other one


def screen_handlers(logger: Any) -> list[Any]:
    """Return the handlers that write Snakemake's own lines to the screen.

    Reason: `progress` shows counts in their place. They are identified by their name in Snakemake
    9; under another name, both are shown. Upstream: none known.
    """
    return [handler for handler in logger.handlers if handler.name == "DefaultStreamHandler"]


@dataclass(frozen=True)
class JobEvent:
    """A job that Snakemake reports as finished or failed."""

    number: Any  # None for an event without one
    rule: str
    log: str = "no log"
    message: str = ""  # of the executor, such as the state that Slurm reports


def finished_job(record: logging.LogRecord) -> JobEvent:
    """Return the job of an event JOB_FINISHED.

    Reason: in Snakemake 9 the event has only the number of the job; its text ends in "(Rule:
    name)". A missing rule becomes `?`. Upstream: none known.
    """
    found = re.search(r"\(Rule: (\w+)\)", record.getMessage())
    return JobEvent(vars(record).get("job_id"), found[1] if found else "?")


def failed_job(record: logging.LogRecord) -> JobEvent:
    """Return the job of an event JOB_ERROR: fields of Snakemake 9. Upstream: none known."""
    event = vars(record)
    log = next(iter(event.get("log") or ["no log"]))
    message = " ".join(str(event.get("rule_msg") or "").split())
    return JobEvent(event.get("jobid"), event["rule_name"], log, message)


def dvc_copy(cache: Path, file: Path) -> Path:
    """Return where DVC 3 keeps a copy of a file in its cache: by the MD5 of the bytes.

    Reason: DVC does not verify a copy that it already has, so a damaged one remains
    (treeverse/dvc#5978, #549). `dvc` has no command to repair it.
    """
    name = hashlib.md5(file.read_bytes(), usedforsecurity=False).hexdigest()
    return cache / "files" / "md5" / name[:2] / name[2:]


Subcommands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""What `add_subparsers` returns; argparse has no public name for it (Python 3.11 to 3.13)."""


def parser_actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """Return the arguments of a parser; argparse has no public interface (Python 3.11 to 3.13)."""
    return parser._actions


def subparsers(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parser of every command; see `parser_actions`."""
    actions = parser_actions(parser)
    (found,) = (action for action in actions if isinstance(action, argparse._SubParsersAction))
    return dict(found.choices)
