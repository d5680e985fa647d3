"""Snakemake's Slurm executor with short jobs in packs: `executor: slurm-packed`.

A Slurm job costs seconds, and so does the Snakemake process in it; many runs of this project take
less. Jobs of one rule that become ready within a few seconds are therefore submitted together, up
to `pack_seconds` of expected work (the resource `seconds` of the rules). One Snakemake process in
the Slurm job runs them with a fork server (`rafs.pipeline.forkserver`), as on a laptop. For the
main process they remain single jobs, each with its own files, log, retries and failure. A long job
has a pack of its own.

Jobs that request a GPU (the resource `gres`) run `gpu_batch` at a time, and the fork server trains
jobs that arrive together as one batch.

A pack is a `GroupJob` of Snakemake. Its resources are set here, as a group has no setting for how
many of its jobs run at a time. `GroupJob` is no public interface: written for Snakemake 9.27 and
the Slurm plugin 2.8. Upstream: snakemake-executor-plugin-slurm#115 and #458 ask for packs.
"""

import math
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from snakemake.iocontainers import ResourceList
from snakemake.jobs import GroupJob
from snakemake_executor_plugin_slurm import Executor as SlurmExecutor
from snakemake_executor_plugin_slurm import ExecutorSettings as SlurmSettings
from snakemake_executor_plugin_slurm import common_settings
from snakemake_interface_executor_plugins.executors.base import SubmittedJobInfo
from snakemake_interface_executor_plugins.jobs import JobExecutorInterface

from rafs.pipeline.failures import note_of

__all__ = ["Executor", "ExecutorSettings", "common_settings"]

START = 60  # seconds that a pack has for starting Python and Snakemake


def _whole(default: int, explanation: str) -> Any:
    return field(default=default, metadata={"help": explanation, "type": int})


@dataclass
class ExecutorSettings(SlurmSettings):
    """The settings of the Slurm executor, and how jobs are packed."""

    pack_seconds: int = _whole(900, "expected seconds of work up to which jobs share a Slurm job")
    pack_jobs: int = _whole(200, "how many jobs may share a Slurm job (1: none do)")
    pack_cores: int = _whole(1, "cores of a Slurm job, each for one job at a time")
    pack_wait: int = _whole(5, "seconds that a job waits for others to share a Slurm job with")
    gpu_batch: int = _whole(8, "jobs that share a GPU at a time, trained as one batch")


class Pack(GroupJob):
    """Jobs that share a Slurm job, and their total resources."""

    def __init__(self, jobs: Sequence[Any], settings: ExecutorSettings) -> None:
        first = jobs[0]
        super().__init__(first.rule.name, frozenset(jobs), first.dag.workflow.global_resources)
        self.finalize()
        asked = dict(first.resources.items())
        self.gpu = bool(asked.get("gres"))
        self.lanes = min(settings.gpu_batch if self.gpu else settings.pack_cores, len(jobs))
        minutes = sum(seconds(job) for job in jobs) / 60
        longest = max(job.resources.get("runtime", 0) for job in jobs)
        together = self.lanes if not self.gpu else 1  # on one GPU, at least the memory is shared
        self._resources = {
            **{name: value for name, value in asked.items() if not isinstance(value, type(None))},
            "_cores": self.lanes,
            "cpus_per_task": 1 if self.gpu else self.lanes,
            "mem_mb": together * max(job.resources.get("mem_mb", 0) for job in jobs),
            "runtime": math.ceil(longest + minutes + START / 60),
            "_nodes": 1,
        }

    @property
    def rule(self) -> Any:
        """The rule of all members."""
        return next(iter(self.jobs)).rule

    @property
    def attempt(self) -> int:
        """The number of attempts of the jobs."""
        return max(job.attempt for job in self.jobs)

    @property
    def resources(self) -> ResourceList:
        """The resources requested from Slurm."""
        return ResourceList(fromdict=self._resources)


def seconds(job: Any) -> float:
    """Return how long a job is expected to take."""
    return float(job.resources.get("seconds", 1))


def packs(jobs: Sequence[Any], most_seconds: float, most_jobs: int) -> Iterator[list[Any]]:
    """Divide jobs into packs of one rule and attempt, in order, up to a total of seconds."""
    alike: dict[tuple[Any, ...], list[Any]] = {}
    for job in jobs:
        kind = (job.rule.name, job.attempt, job.resources.get("gres"))
        alike.setdefault(kind, []).append(job)
    for same in alike.values():
        pack: list[Any] = []
        total = 0.0
        for job in same:
            if pack and (total + seconds(job) > most_seconds or len(pack) >= most_jobs):
                yield pack
                pack, total = [], 0.0
            pack.append(job)
            total += seconds(job)
        if pack:
            yield pack


class Executor(SlurmExecutor):
    """Submits packs; everything else is done by the Slurm executor."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._gate = threading.Lock()
        self._waiting: list[Any] = []
        self._timer: threading.Timer | None = None
        super().__init__(*arguments, **options)

    def run_jobs(self, jobs: list[JobExecutorInterface]) -> None:
        """Collect ready jobs, and submit them after a delay in which others can join."""
        with self._gate:
            self._waiting += jobs
            if self._timer is None:
                wait = self.workflow.executor_settings.pack_wait
                self._timer = threading.Timer(wait, self.submit_waiting)
                self._timer.daemon = True
                self._timer.start()

    def submit_waiting(self) -> None:
        """Submit all waiting jobs, in packs."""
        with self._gate:
            jobs, self._waiting, self._timer = self._waiting, [], None
        settings = self.workflow.executor_settings
        for members in packs(jobs, settings.pack_seconds, settings.pack_jobs):
            for file in (file for member in members for file in member.output):
                Path(file).unlink(missing_ok=True)
            super().run_jobs([Pack(members, settings)])

    def cancel(self) -> None:
        """Stop submitting, and cancel submitted jobs."""
        with self._gate:
            self._waiting = []
        super().cancel()

    def run_job_pre(self, job: JobExecutorInterface) -> None:
        """Report every member of a pack as a job of its own."""
        for member in _members(job):
            super().run_job_pre(member)

    def report_job_submission(self, job_info: SubmittedJobInfo, *args: Any, **kwargs: Any) -> None:
        """Watch every member of a pack as a job of its own."""
        for each in _each(job_info):
            super().report_job_submission(each, *args, **kwargs)

    def report_job_error(self, job_info: SubmittedJobInfo, *args: Any, **kwargs: Any) -> None:
        """Report the members of a pack as failed one by one, except finished ones.

        Outputs of a job are removed before it runs and appear when it is complete: if all of them
        exist, the job was not the cause of the failure. Stand-ins for a job that was ended with the
        pack (`rafs.pipeline.jobs.failed`) do not count, and their notes are deleted, because the
        job is tried again.
        """
        for each in _each(job_info):
            notes = [note for note in _notes(each.job) if note.exists()]
            for note in notes:
                note.unlink()
            if not notes and all(Path(file).exists() for file in each.job.output):
                self.report_job_success(each)
            else:
                super().report_job_error(each, *args, **kwargs)

    def get_account_arg(self, job: JobExecutorInterface) -> Iterator[str]:
        """Return the given account (the resource `slurm_account`), without guessing one."""
        return super().get_account_arg(job) if job.resources.get("slurm_account") else iter([""])

    def get_job_exec_prefix(self, job: JobExecutorInterface) -> str:
        """Tell the fork server how many runs it trains at a time."""
        before: str = super().get_job_exec_prefix(job)
        batch = f"export RAFS_BATCH={job.lanes}" if job.gpu else ""
        return " && ".join(filter(None, [before, batch]))

    def get_job_args(self, job: JobExecutorInterface) -> str:
        """Run as many members at a time as there are cores."""
        return f"{super().get_job_args(job)} --cores {job.lanes}"

    def additional_general_args(self) -> str:
        """Run the members in one process, without starting Snakemake again for each."""
        return "--executor local --keep-going --quiet all"


def _members(job: Any) -> list[Any]:
    return sorted(job.jobs, key=lambda member: member.jobid) if isinstance(job, Pack) else [job]


def _notes(job: Any) -> set[Path]:
    """Return the paths of possible notes about stand-ins for a job."""
    return {note_of(job.rule.name, file) for file in job.output}


def _each(info: SubmittedJobInfo) -> list[SubmittedJobInfo]:
    return [
        SubmittedJobInfo(member, external_jobid=info.external_jobid, aux=info.aux)
        for member in _members(info.job)
    ]
