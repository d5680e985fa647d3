"""What keeps a workflow run honest: six guards against stale results, and a helpful frame.

1. An output without a provenance record is not trusted: what the repository itself carries
   (`reports/`) is made again, for anything else the run stops with advice.
2. Every artefact is named in `rule all` (`Plan.artefacts`), so that a deleted one is made again.
3. The hash of a job's code is part of its parameters (`rafs.provenance`).
4. One run per directory, by a lock that the kernel drops with its holder, however that ends.
5. DVC is told of results only after a complete, successful run of everything.
6. An output whose bytes are not those that later jobs have read is damaged, and is made again.

A run also repeats the failed jobs of the run before, starts the warm parent of short jobs, and ends
with a summary.
"""

import atexit
import contextlib
import fcntl
import filecmp
import gc
import hashlib
import heapq
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NoReturn

from rafs import client, paths, warm
from rafs.errors import DamagedFileError, DataError, RafsError
from rafs.experiments import Plan
from rafs.files import read_json, sha256, write_json
from rafs.jobs.failed import failures, holds, notes, outputs
from rafs.params import Params, load

METADATA = Path(".snakemake/metadata")  # one record per output that was made
INCOMPLETE = Path(".snakemake/incomplete")  # one mark per output that is being made
LOCK = Path(".snakemake/rafs.lock")
IN_USE = "this directory is in use by {}; wait for it or stop it"
STAGE = "reproduce"
FOLDERS = ("results", "data/processed", "reports", "logs")  # where jobs write
QUICKENED = "9.27"  # the version of Snakemake that look_once and schedule_simply are made for
NAME_LENGTH = 254  # Snakemake splits longer names of records into directories


def parameters(root: Path, edition: str | None) -> Params:
    """Return the checked parameters, or stop with the sentence that says what is wrong."""
    try:
        return load(root / paths.PARAMS, edition)
    except RafsError as error:
        stop(str(error), error.exit_code)


def say(message: str) -> None:
    """Write a line for people; that nobody listens any more is no reason to stop."""
    with contextlib.suppress(OSError):
        print(f"rafs: {message}", file=sys.stderr, flush=True)


def stop(message: str, code: int = 1) -> NoReturn:
    """End the process at once with a sentence; Snakemake would wrap it in a traceback."""
    sys.stdout.flush()
    say(message)
    os._exit(code)


def about(top: Path) -> Iterator[tuple[str, Path]]:
    """Yield the outputs that Snakemake keeps a file about in a folder, and these files."""
    for folder, _, names in os.walk(top):
        before = [part.removeprefix("@") for part in Path(folder).relative_to(top).parts]
        for name in names:
            with contextlib.suppress(ValueError):
                output = urlsafe_b64decode("".join([*before, name])).decode(errors="replace")
                yield output, Path(folder, name)


def recorded() -> set[str]:
    """Return the outputs of which Snakemake knows how they were made, or that they are not done.

    Snakemake writes the record of an output before it takes the mark away, so whoever looks for
    marks first misses none.
    """
    return {output for top in (INCOMPLETE, METADATA) for output, _ in about(top)}


def records() -> dict[str, dict[str, Any] | None]:
    """Return Snakemake's record of every output that is complete; None for a damaged record."""
    begun = {output for output, _ in about(INCOMPLETE)}
    return {output: _record(file) for output, file in about(METADATA) if output not in begun}


def _record(file: Path) -> dict[str, Any] | None:
    try:
        record: dict[str, Any] = json.loads(file.read_bytes())
        return {
            "start": float(record["starttime"]), "end": float(record["endtime"]),
            "params": list(record.get("params") or ()), "input": list(record.get("input") or ()),
            "read": dict(record.get("input_checksums") or {}),
        }  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError):
        return None


def damaged(plan: Plan) -> dict[str, str]:
    """Return the outputs that have to be made again, and why.

    These are not what they were when the latest job read them, or nobody can read their record.
    """
    known = records()
    read: dict[str, tuple[float, str]] = {}  # by name: when it was last read, and its checksum
    for record in filter(None, known.values()):
        for name, content in record["read"].items():
            made = known.get(name)
            if made and made["end"] <= record["start"] > read.get(name, (0.0, ""))[0]:
                read[name] = (record["start"], content)
    wrong = {}
    for name in filter(os.path.exists, (*plan.artefacts(), *plan.extra_artefacts())):
        if name in known and known[name] is None:
            wrong[name] = "the record of its making cannot be read"
        elif name in read and checksum(name) != read[name][1]:
            wrong[name] = "it is not what later jobs have read"
    return wrong


def checksum(name: str) -> str:
    """Return the checksum of a file as Snakemake's records give it."""
    try:
        return f"sha256:{sha256(name)}"
    except OSError:
        return "unreadable"


def unrecorded(plan: Plan) -> list[str]:
    """Return the outputs that are there without a record of how they were made."""
    known = (*plan.artefacts(), *plan.extra_artefacts())
    there = [name for name in known if Path(name).exists()]
    return sorted(set(there) - recorded()) if there else []


def mark_incomplete(outputs: Iterable[str]) -> None:
    """Let Snakemake make these outputs again, as it does after it was interrupted."""
    for output in outputs:
        name = urlsafe_b64encode(output.encode()).decode()
        parts = [name[i : i + NAME_LENGTH] for i in range(0, len(name), NAME_LENGTH)]
        folders = [f"@{part}" for part in parts[:-1]]
        write_json(INCOMPLETE.joinpath(*folders, parts[-1]), {"external_jobid": None})


def held_by() -> str:
    """Return who holds the lock of this directory, or nothing; IN_USE says it in a sentence."""
    with contextlib.suppress(FileNotFoundError), LOCK.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return file.read().strip() or "another process"
    return ""


def source(dataset: str) -> dict[str, Any]:
    """Return the record of a real dataset's file; nothing if there is none that can be read."""
    try:
        record = read_json(paths.FETCHED.format(dataset=dataset))
    except DamagedFileError:
        return {}
    return record if isinstance(record, dict) else {}


def at_hand(plan: Plan, dataset: str) -> bool:
    """Whether the file of a dataset can be had without a network."""
    if dataset in plan.own:
        return Path(plan.own_file(dataset)).exists()
    from rafs.datasets.fetch import available

    return available(dataset)[0]


def own_fault(plan: Plan) -> RafsError | None:
    """Return what an own table that is used here would be refused for; a download may come."""
    for dataset in plan.real(extra=True):
        if dataset in plan.own and (plan.own_files(dataset) or at_hand(plan, dataset)):
            from rafs.datasets import tabular

            try:
                tabular.read(plan.own[dataset], plan.own_file(dataset))
            except RafsError as error:
                return DataError(f"{paths.PARAMS}: datasets.{dataset}: {error}")
    return None


def unwritable(folders: Iterable[str] = FOLDERS) -> str:
    """Say which folder nothing can be written to, and why; nothing if all is well."""
    for folder in folders:
        there = next(path for path in (Path(folder), *Path(folder).parents) if path.is_dir())
        try:
            with tempfile.TemporaryFile(dir=there) as file:
                file.write(bytes(2**16))
        except OSError as error:
            return f"{folder} cannot be written to: {error.strerror}"
    return ""


def sweep() -> None:
    """Remove files that killed jobs had not finished: DVC and git would take them for results."""
    for folder in FOLDERS:
        for file in Path(folder).rglob(".*.tmp"):
            if re.fullmatch(r"\..+\.[a-z0-9_]{8}\.tmp", file.name):  # see rafs.files.atomic
                file.unlink(missing_ok=True)


def quicken() -> None:
    """Make Snakemake fast with thousands of jobs, if it is one whose inner workings are known."""
    from snakemake import __version__ as version

    if version.split(".")[:2] == QUICKENED.split("."):
        look_once()
        schedule_simply()


def look_once() -> None:
    """Keep Snakemake from looking at the same jobs and files again and again.

    All runs follow from one look at what is tuned, and that follows from all data. Snakemake 9 goes
    from every dataset that is to be drawn through all runs that follow from it, though it has seen
    them, and for every run through all that its tuning was made from: the square of all there is.
    And Python looks for garbage in a graph that has none, a fifth of the time that it takes.
    """
    from snakemake.dag import DAG
    from snakemake.iocontainers import InputFiles

    look, follow = DAG.update_needrun, DAG.bfs

    async def look_at_all(dag: Any, *arguments: Any, **options: Any) -> None:
        seen: set[Any] = set()

        def follow_to_new(direction: Any, *jobs: Any) -> Iterator[Any]:
            for job in follow(dag, direction, *jobs, stop=seen.__contains__):
                seen.add(job)
                yield job

        dag.bfs = follow_to_new
        try:
            await look(dag, *arguments, **options)
        finally:
            del dag.bfs

    def contains(files: Any, file: object) -> bool:
        size, known = vars(files).get("_known", (0, frozenset()))
        if size != len(files):
            size, known = files._known = len(files), frozenset(files)
        return file in known

    DAG.update_needrun = look_at_all
    InputFiles.__contains__ = contains
    gc.set_threshold(100_000, 50, 100)


def schedule_simply() -> None:
    """Let the choice of the next job cost the same however many there are.

    For its limit of jobs per second Snakemake 9 starts, at every look at the ready jobs, a timer
    for another look: their number grows with every job, and after some hundreds they are all it
    does. At every look it also lists all jobs that remain, for the sake of temporary files, and
    compares every input of `all` with the outputs of every job, for the sake of pipes; there are
    neither. And of very many ready jobs it looks at some by chance, where the most urgent are
    wanted.
    """
    from snakemake.jobs import Job
    from snakemake.scheduling.job_scheduler import JobScheduler

    all_remaining = JobScheduler.remaining_jobs.fget

    def urgent(scheduler: Any) -> list[Any]:
        dag = scheduler.workflow.dag
        most = max(scheduler.subsample or sys.maxsize, scheduler.workflow.cores or 1)
        return heapq.nlargest(most, dag.ready_jobs, key=dag.priority)

    def remaining(scheduler: Any) -> list[Any]:  # at the end it is asked whether there are any
        return [] if scheduler.workflow.dag.ready_jobs else all_remaining(scheduler)

    JobScheduler.open_jobs = property(urgent)
    JobScheduler.remaining_jobs = property(remaining)
    JobScheduler.job_rate_limiter = property(lambda scheduler: None, lambda scheduler, limit: None)
    Job.is_pipe_or_service_input = lambda job, path: False


class Guard:
    """The frame around one invocation of Snakemake."""

    def __init__(self, workflow: Any, plan: Plan, root: Path) -> None:
        self.workflow = workflow
        self.plan = plan
        self.root = root
        self.lock: IO[str] | None = None
        self.started = 0
        self.warm: subprocess.Popen[bytes] | None = None
        self.display: Any = None
        self.reconsidered: set[str] = set()
        self.damaged: dict[str, str] = {}

    # --- before the jobs are worked out -----------------------------------------------------------

    def on_parse(self) -> None:
        """Look at what is there; in the main process only, as cluster jobs parse the file too."""
        quicken()
        if self.workflow.remote_exec:  # on a node of a cluster, where hooks are not called
            self.start_warm()
            atexit.register(self.stop_warm)
        if not self.workflow.is_main_process:
            return
        if problem := unwritable([".snakemake"]):
            stop(f"{problem}; Snakemake needs it even to look")
        self.refuse_own_data()
        carried = self.refuse_unrecorded()
        if not held_by():
            mark_incomplete(carried)
            self.repeat_failures()
            self.repeat_damaged()
            self.look_again()
        self.say_missing()

    def refuse_own_data(self) -> None:
        """Stop with a sentence if an own table that is used here cannot be."""
        if fault := own_fault(self.plan):
            stop(str(fault), fault.exit_code)

    def refuse_unrecorded(self) -> list[str]:
        """Stop if an output is there whose making is not on record (guard 1).

        A clone brings the reports of an earlier run; these are returned, to be made again.
        """
        unknown = unrecorded(self.plan)
        carried = [name for name in unknown if Path(name).is_relative_to(paths.REPORTS)]
        strays = [name for name in unknown if name not in carried]
        if strays:
            stop(
                f"{len(strays)} outputs have no provenance record, for instance {strays[0]}: "
                "nobody knows what they were made from. Get the records with `dvc checkout`, or "
                "delete these files to make them again (`rafs clean --unrecorded` does)."
            )
        if carried:
            say(f"{len(carried)} reports came without their records and will be made again")
        return carried

    def repeat_failures(self) -> None:
        """Let failed jobs be tried again: what stands in for their outputs is not complete."""
        for note in failures():
            mark_incomplete(map(str, outputs(note)))

    def repeat_damaged(self) -> None:
        """Let outputs be made again whose bytes have changed since they were read (guard 6)."""
        self.damaged = damaged(self.plan)
        mark_incomplete(self.damaged)
        for name, why in list(self.damaged.items())[:20]:
            say(f"{name} is damaged: {why}; it will be made again")
        if len(self.damaged) > 20:
            say(f"and {len(self.damaged) - 20} more")

    def look_again(self) -> None:
        """Look again for a real dataset that was missing if it is to be had now."""
        records = [paths.FETCHED.format(dataset=dataset) for dataset, _ in self.missing()
                   if at_hand(self.plan, dataset)]  # fmt: skip
        mark_incomplete(records)

    def missing(self) -> list[tuple[str, str]]:
        """Return the real datasets that could not be had, and why."""
        found = ((dataset, source(dataset)) for dataset in self.plan.real(extra=True))
        return [
            (dataset, record.get("message", ""))
            for dataset, record in found
            if record.get("status") == "missing"
        ]

    def say_missing(self) -> None:
        """Say which real datasets are missing, or may turn out to be."""
        away = [
            dataset
            for dataset in self.plan.real()
            if not Path(paths.FETCHED.format(dataset=dataset)).exists()
            and not at_hand(self.plan, dataset)
        ]
        if away:
            say(f"not on this machine, so their sources will be tried: {', '.join(away)}")
        for dataset, message in self.missing():
            say(f"{dataset} is missing and its runs with it: {message}")

    def reconsider(self, experiment: str) -> None:
        """Forget why jobs were to run while it was open what training would start from.

        When tuning is done Snakemake looks again at what is to be trained, but a job that follows
        keeps the reason it was given before, though nothing that it needs runs any more.
        """
        if experiment in self.reconsidered:
            return
        self.reconsidered.add(experiment)
        dag = self.workflow.dag
        tuned = [
            job
            for job in dag.jobs
            if job.rule.name == "tuned" and job.wildcards.experiment == experiment
        ]
        for job in dag.bfs(dag.depending, *tuned):
            if job not in tuned:
                dag.reason(job).updated_input_run.clear()

    # --- around the jobs --------------------------------------------------------------------------

    def on_start(self) -> None:
        """Take the lock (guard 4), start the warm parent, and show how far the jobs are."""
        if problem := unwritable() or self.forbidden():
            stop(f"{problem}; nothing was started")
        LOCK.parent.mkdir(exist_ok=True)
        self.lock = LOCK.open("a+")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            stop(IN_USE.format(held_by()))
        self.lock.truncate(0)
        self.lock.write(f"process {os.getpid()} on {os.uname().nodename}")
        self.lock.flush()
        self.started = os.fstat(self.lock.fileno()).st_mtime_ns  # by the clock of the file system
        for shown in (paths.TABLE, paths.FIGURE):  # DVC asks for these folders, empty or not
            Path(shown).parent.mkdir(parents=True, exist_ok=True)
        sweep()
        if self.workflow.local_exec:
            self.start_warm()
        for name, cost in self.asked().items():
            if cost:
                say(f"experiment {name} costs {cost}")
        from rafs.progress import Display

        self.display = Display()
        self.display.start()

    def start_warm(self) -> None:
        """Start the warm parent of the jobs on this machine."""
        os.environ[client.OWNER] = str(os.getpid())
        os.environ.pop(client.ADDRESS, None)
        if os.environ.get("RAFS_NO_WARM") != "1":
            try:
                self.warm = warm.start()
            except OSError as error:  # such as a name of TMPDIR too long for a socket
                say(f"jobs start on their own, and slower: no warm parent ({error})")

    def stop_warm(self) -> None:
        """Stop the warm parent, if there is one."""
        if self.warm is not None:
            warm.stop(self.warm)
            self.warm = None

    def forbidden(self) -> str:
        """Say which folder of an output cannot be written to: Snakemake would end at the first."""
        for folder in dict.fromkeys(Path(name).parent for name in self.plan.artefacts()):
            if folder.is_dir() and not os.access(folder, os.W_OK):
                return f"{folder} cannot be written to: it is forbidden"
        return ""

    def on_end(self, log: str | list[str], *, success: bool) -> None:
        """Stop the warm parent, sum up, and tell DVC (guard 5), or that a job failed."""
        self.display.stop()
        self.stop_warm()
        for note in notes():
            if not holds(note):  # the job was repeated and has succeeded
                note.unlink()
        failed = self.failed()
        self.summary(log[-1] if isinstance(log, list) else str(log), failed, success=success)
        if success and self.damaged:
            self.repair_cache()
        if success and failed:
            say(f"{len(failed)} jobs failed; run it again to repeat just those")
            sys.exit(1)
        if success and self.complete() and not os.environ.get("DVC_STAGE"):
            self.commit()

    def failed(self) -> list[Path]:
        """Return the notes of failed jobs among those that this run was asked for."""
        asked = {str(file) for job in self.workflow.dag.jobs for file in job.output}
        return [note for note in failures() if str(outputs(note)[0]) in asked]

    def targets(self) -> frozenset[str] | None:
        """Return what this run was asked for; None in a job that was sent elsewhere."""
        if not self.workflow.is_main_process:
            return None
        return frozenset(self.workflow.dag_settings.targets)

    def asked(self) -> dict[str, str]:
        """Return the experiments outside `all`, and parts of them, that this run was asked for.

        Each with what it costs.
        """
        entries = self.plan.params["experiments"]
        targets = set(self.workflow.dag_settings.targets)
        for name in targets & set(entries):
            targets |= set(entries[name].get("also", []))
        costs = {name: entries[name].get("cost", "") for name in self.plan.extra}
        costs |= {name: part.cost for name, part in self.plan.parts.items()}
        return {name: cost for name, cost in costs.items() if name in targets}

    def repair_cache(self) -> None:
        """Take damaged copies of what was made again out of DVC's cache, which would trust them."""
        if not (Path(".dvc").is_dir() and shutil.which("dvc")):
            return
        asked = subprocess.run(["dvc", "cache", "dir"], check=False, capture_output=True, text=True)
        for name in self.damaged:
            if asked.returncode == 0 and Path(name).is_file():
                good = hashlib.md5(Path(name).read_bytes(), usedforsecurity=False).hexdigest()
                copy = Path(asked.stdout.strip(), "files", "md5", good[:2], good[2:])
                if copy.is_file() and not filecmp.cmp(copy, name, shallow=False):
                    copy.unlink()
                    say(f"DVC's copy of {name} was damaged and is replaced")

    def complete(self) -> bool:
        """Tell whether everything that params.yaml asks for was made, without restriction."""
        from snakemake.settings.types import RerunTrigger

        asked = self.workflow.dag_settings
        restrictions = (
            set(asked.targets) - {"all"}, asked.until, asked.omit_from, asked.batch,
            set(RerunTrigger.all()) - set(asked.rerun_triggers), self.workflow.touch,
            self.workflow.execution_settings.ignore_incomplete, self.workflow.config.get("edition"),
        )  # fmt: skip
        return not any(restrictions) and Path(paths.COMPLETE).exists()

    def commit(self) -> None:
        """Let DVC take note of the results."""
        if not Path("dvc.yaml").exists():
            return
        if not (Path(".git").exists() and Path(".dvc").is_dir()):
            say("no git repository with DVC here, so DVC was not told")
            return
        if not shutil.which("dvc"):
            say("DVC is not installed, so it was not told; `dvc repro` will look again")
            return
        done = subprocess.run(["dvc", "commit", "-f", "-q", STAGE], check=False)
        if done.returncode:
            say("`dvc commit` failed; `dvc repro` will look again")

    def summary(self, log: str, failed: list[Path], *, success: bool) -> None:
        """Say what ran, how many runs there are, what failed and where its log is."""
        targets = {"all", *self.plan.targets()}
        ran = self.display.finished
        what = ", ".join(f"{count} {rule}" for rule, count in ran.items() if rule not in targets)
        lines = [f"ran: {what or 'nothing'}", self.count_runs()]
        lines += [f"failed: {note.read_text()}" for note in failed[:20]]
        lines += [f"and {len(failed) - 20} more" for _ in failed[20:21]]
        lines += [f"failed: {rule} ({known})" for rule, known in self.display.failed[:20]]
        lines += [f"missing: {dataset}: {message}" for dataset, message in self.missing()]
        if not success:
            lines += filter(None, [unwritable()])
            lines.append(f"not complete; Snakemake's log: {log}")
        for line in lines:
            say(line)

    def count_runs(self) -> str:
        """Say how many runs of the default, and of what was asked for beside it, there are."""
        names, parts = self.asked(), self.plan.parts
        among = {parts[name].experiment if name in parts else name for name in names}
        more = (run for name in among for run in self.plan.gathered(name, frozenset(names)))
        runs = [*self.plan.all_runs, *more]
        lost = {str(file) for note in failures() for file in outputs(note)}
        files = {run.path(paths.PREDICTIONS) for run in runs} - lost
        there = [Path(file).stat().st_mtime_ns for file in files if Path(file).exists()]
        new = sum(stamp >= self.started for stamp in there)
        return f"runs: {len(there)} of {len(runs)} are there, {new} of them new"
