"""Hooks around a Snakemake run: six checks against stale results.

1. An output without a provenance record is not trusted: reports that come with the repository
   (`reports/`) are made again; for any other output the run stops with advice.
2. Every artefact is an input of `rule all` (`Plan.files.all`), so that a deleted one is made again.
3. The hash of a job's code is part of its parameters (`rafs.pipeline.provenance`).
4. One run per directory, by a lock that the kernel releases when its holder ends.
5. Results are committed to DVC only after a complete, successful run of everything.
6. An output is considered damaged, and made again, if its checksum differs from that in the records
   of later jobs or in its own record.

A run also repeats the failed jobs of the previous run, starts the fork server, and ends with a
summary.
"""

import atexit
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

from rafs import paths
from rafs.errors import RafsError
from rafs.files import unwritable
from rafs.pipeline import dvc, leftovers, lock, packs, snakemake_compat, surroundings
from rafs.pipeline.failures import failures, holds, notes, stand_ins
from rafs.pipeline.forkserver import client, ownership, server
from rafs.pipeline.loading import Params, load
from rafs.pipeline.messages import say, stop
from rafs.pipeline.plan import Plan
from rafs.pipeline.records import damaged, mark_incomplete, seal, seal_at_once, unrecorded
from rafs.pipeline.snakemake_compat import METADATA, Invocation
from rafs.pipeline.sources import at_hand, data_fault, source

FOLDERS = ("results", "data/processed", "reports", "logs")  # where jobs write


def parameters(root: Path, edition: str | None) -> Params:
    """Return the checked parameters, or stop with an error message."""
    try:
        return load(root / paths.PARAMS, edition)
    except RafsError as error:
        stop(str(error), error.exit_code)


def sweep() -> None:
    """Remove unfinished files of killed jobs: DVC and git would track them as results."""
    for folder in (*FOLDERS, METADATA):
        for file in Path(folder).rglob(".*.tmp"):
            if re.fullmatch(r"\..+\.[a-z0-9_]{8}\.tmp", file.name):  # see rafs.files.atomic
                file.unlink(missing_ok=True)


class Guard:
    """The hooks around one invocation of Snakemake."""

    def __init__(self, workflow: Any, plan: Plan, root: Path, edition: str | None = None) -> None:
        self.invocation = Invocation(workflow)
        self.edition = edition
        self.plan = plan
        self.root = root
        self.lock: IO[str] | None = None
        self.started = 0
        self.server: subprocess.Popen[bytes] | None = None
        self.display: Any = None
        self.damaged: dict[str, str] = {}

    # --- before Snakemake builds the graph ------------------------------------------------------

    def on_parse(self) -> None:
        """Check existing files, in the main process only: cluster jobs parse the file too."""
        from snakemake.logging import logger

        surroundings.go_on_unheard(logger.handlers)
        if problem := surroundings.fault(self.root):
            stop(f"{problem}; nothing was started")
        snakemake_compat.patch_scheduler()
        if self.invocation.on_node:
            ownership.join_run()
            self.start_server()
            atexit.register(self.stop_server)
        if not self.invocation.is_main:
            return
        for name in (ownership.OWNER, ownership.RUN):  # of a workflow that started this one
            os.environ.pop(name, None)
        seal_at_once()
        if problem := unwritable([paths.SNAKEMAKE]):
            stop(f"{problem}; Snakemake needs it even to look")
        leftovers.sweep()
        leftovers.note(self.invocation.temporary())
        self.refuse_data()
        self.unpack()
        carried = self.refuse_unrecorded()
        if not lock.held_by():
            mark_incomplete(carried)
            self.repeat_failures()
            self.repeat_damaged()
            self.look_again()
        self.say_missing()

    def refuse_data(self) -> None:
        """Stop if a data file that this run needs is unusable."""
        if fault := data_fault(self.plan.sources):
            stop(str(fault), fault.exit_code)

    def unpack(self) -> None:
        """Unpack the results that DVC has restored since the last run."""
        if lock.held_by():
            return
        try:
            taken = packs.unpack()
        except RafsError as error:
            stop(str(error), error.exit_code)
        if taken:
            say(f"{taken} archives of results that DVC has restored are unpacked")

    def refuse_unrecorded(self) -> list[str]:
        """Stop if an existing output has no provenance record (check 1).

        A clone contains the reports of an earlier run; these are returned, to be made again.
        """
        unknown = unrecorded(self.plan)
        carried = [name for name in unknown if Path(name).is_relative_to(paths.REPORTS)]
        strays = [name for name in unknown if name not in carried]
        if strays:
            stop(
                f"{len(strays)} outputs have no provenance record, for instance {strays[0]}: "
                "what they were made from is unknown. Get the records with `rafs unpack`, or "
                "delete these files to make them again (`rafs clean --unrecorded` does)."
            )
        if carried:
            say(f"{len(carried)} reports came without their records and will be made again")
        return carried

    def repeat_failures(self) -> None:
        """Retry failed jobs: mark their stand-in outputs as incomplete."""
        for note in failures():
            mark_incomplete(map(str, stand_ins(note)))

    def repeat_damaged(self) -> None:
        """Make outputs again whose bytes have changed since they were made (check 6)."""
        self.damaged = damaged(self.plan)
        mark_incomplete(self.damaged)
        for name, why in list(self.damaged.items())[:20]:
            say(f"{name} is damaged: {why}; it will be made again")
        if len(self.damaged) > 20:
            say(f"and {len(self.damaged) - 20} more")

    def look_again(self) -> None:
        """Retry missing datasets that have become available."""
        records = [paths.FETCHED.format(dataset=dataset) for dataset, _ in self.missing()
                   if at_hand(self.plan.sources, dataset)]  # fmt: skip
        mark_incomplete(records)

    def missing(self) -> list[tuple[str, str]]:
        """Return the datasets that are unavailable, and why."""
        found = ((dataset, source(dataset)) for dataset in self.plan.sources.used(extra=True))
        return [(dataset, record.message) for dataset, record in found if record.missing]

    def say_missing(self) -> None:
        """Name the datasets that are missing, and those that have to be fetched."""
        away = [
            dataset
            for dataset in self.plan.sources.used()
            if not Path(paths.FETCHED.format(dataset=dataset)).exists()
            and not at_hand(self.plan.sources, dataset)
        ]
        if away:
            say(f"not on this machine, so their sources will be tried: {', '.join(away)}")
        for dataset, message in self.missing():
            say(f"{dataset} is missing and its runs with it: {message}")
            say(f"to try its sources again, delete {paths.FETCHED.format(dataset=dataset)}")

    # --- around the jobs --------------------------------------------------------------------------

    def on_start(self) -> None:
        """Take the lock (check 4), start the fork server, and show progress."""
        if problem := unwritable(FOLDERS) or self.forbidden():
            stop(f"{problem}; nothing was started")
        self.lock = lock.take()
        if self.lock is None:
            stop(lock.IN_USE.format(lock.held_by()))
        try:
            ownership.begin_run()
        except RafsError as error:
            stop(str(error))
        self.started = os.fstat(self.lock.fileno()).st_mtime_ns  # by the clock of the file system
        for shown in (paths.TABLE, paths.FIGURE):  # DVC requires these folders, even if empty
            Path(shown).parent.mkdir(parents=True, exist_ok=True)
        sweep()
        if self.invocation.runs_jobs_here:
            self.start_server()
        for name, cost in self.asked().items():
            if cost:
                say(f"experiment {name} costs {cost}")
            if name in self.plan.experiments:
                self.say_left_out(name)
        from rafs.pipeline.progress import Display

        self.display = Display()
        self.display.start()

    def say_left_out(self, name: str) -> None:
        """Name the runs that are left out because their source has no tuned values for them."""
        experiment = self.plan.experiments[name]
        seeds = [f"seed {seed}" for seed in experiment.seeds_left_out]
        if lost := [*experiment.left_out, *seeds]:
            source = experiment.tuning
            say(f"experiment {name} leaves out {', '.join(lost)}: {source} does not tune it")

    def start_server(self) -> None:
        """Start the fork server of the jobs on this machine."""
        os.environ[ownership.OWNER] = ownership.identity(os.getpid())
        os.environ.pop(client.ADDRESS, None)
        if os.environ.get("RAFS_NO_FORK_SERVER") != "1":
            place = server.folder()
            try:
                if self.invocation.is_main:  # in advance: a kill may come at any time
                    leftovers.note([str(place)])
                self.server = server.start(place, self.invocation.cores)
            except OSError as error:  # such as a TMPDIR that is too long for a socket
                say(f"jobs start on their own, and slower: no fork server ({error})")

    def stop_server(self) -> None:
        """Stop the fork server, if there is one."""
        if self.server is not None:
            server.stop(self.server)
            self.server = None

    def forbidden(self) -> str:
        """Return which folder of an output cannot be written to, or nothing."""
        for folder in dict.fromkeys(Path(name).parent for name in self.plan.files.all()):
            if folder.is_dir() and not os.access(folder, os.W_OK):
                return f"{folder} cannot be written to: it is forbidden"
        return ""

    def on_end(self, log: str | list[str], *, success: bool) -> None:
        """Stop the fork server, print the summary, and commit to DVC (check 5)."""
        self.display.stop()
        self.stop_server()
        for note in notes():
            if not holds(note):  # the job was repeated and succeeded
                note.unlink()
        seal(self.unread())
        failed = self.failed()
        self.summary(log[-1] if isinstance(log, list) else str(log), failed, success=success)
        if success and self.damaged:
            dvc.repair_cache(self.damaged)
        if success and failed:
            say(f"{len(failed)} jobs failed; run it again to repeat just those")
            sys.exit(1)
        if success and self.complete() and not os.environ.get("DVC_STAGE"):
            dvc.commit()

    def failed(self) -> list[Path]:
        """Return the notes of failed jobs among the jobs of this run."""
        asked = {str(file) for job in self.invocation.jobs for file in job.output}
        return [note for note in failures() if str(stand_ins(note)[0]) in asked]

    def targets(self) -> frozenset[str] | None:
        """Return the targets of this run; None in a job on a node of a cluster."""
        if not self.invocation.is_main:
            return None
        return self.invocation.targets

    def asked(self) -> dict[str, str]:
        """Return the requested experiments outside `all`, and parts of them, with their costs."""
        entries = self.plan.params.experiments
        targets = set(self.invocation.targets)
        for name in targets & set(self.plan.experiments.named):
            targets |= set(self.plan.experiments.named[name])
        costs = {name: entries[name].cost for name in self.plan.experiments.extra}
        costs |= {name: part.cost for name, part in self.plan.experiments.groups.items()}
        return {name: cost for name, cost in costs.items() if name in targets}

    def unread(self) -> list[str]:
        """Return the outputs that no job of this run reads; only their own record has a checksum.

        Rules without outputs, such as `all`, leave no record.
        """
        jobs = [job for job in self.invocation.jobs if job.output]
        read = {str(file) for job in jobs for file in job.input}
        return [str(file) for job in jobs for file in job.output if str(file) not in read]

    def complete(self) -> bool:
        """Tell whether this run made everything that params.yaml defines, without restrictions."""
        whole = not (self.edition or self.invocation.is_restricted)
        return whole and Path(paths.COMPLETE).exists()

    def summary(self, log: str, failed: list[Path], *, success: bool) -> None:
        """Print what ran, how many runs exist, which jobs failed and where their logs are."""
        targets = {"all", *self.plan.files.targets()}
        ran = self.display.finished
        what = ", ".join(f"{count} {rule}" for rule, count in ran.items() if rule not in targets)
        lines = [f"ran: {what or 'nothing'}", self.count_runs()]
        lines += [f"failed: {note.read_text()}" for note in failed[:20]]
        lines += [f"and {len(failed) - 20} more" for _ in failed[20:21]]
        lines += [f"failed: {rule} ({known})" for rule, known in self.display.failed[:20]]
        lines += [f"missing: {dataset}: {message}" for dataset, message in self.missing()]
        if not success:
            lines += filter(None, [unwritable(FOLDERS)])
            lines.append(f"not complete; Snakemake's log: {log}")
        for line in lines:
            say(line)

    def count_runs(self) -> str:
        """Return how many runs of the default and of the requested experiments exist."""
        names, parts = self.asked(), self.plan.experiments.groups
        among = {parts[name].experiment if name in parts else name for name in names}
        more = (run for name in among for run in self.plan.files.gathered(name, frozenset(names)))
        runs = [*self.plan.experiments.runs, *more]
        lost = {str(file) for note in failures() for file in stand_ins(note)}
        files = {run.path(paths.PREDICTIONS) for run in runs} - lost
        there = [Path(file).stat().st_mtime_ns for file in files if Path(file).exists()]
        new = sum(stamp >= self.started for stamp in there)
        return f"runs: {len(there)} of {len(runs)} are there, {new} of them new"
