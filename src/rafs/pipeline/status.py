"""`rafs status`: jobs done, running, failed, stale or without data, and the remaining time.

It runs nothing and does not call Snakemake. A job is stale if its `spec` or an input differs from
Snakemake's record of its output, or if a job that it needs is not up to date. A job without data
belongs to a dataset that is unavailable: its outputs exist and say so, but contain no results.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import TypedDict

from rafs import paths
from rafs.experiments import Run
from rafs.pipeline.failures import failures, stand_ins
from rafs.pipeline.lock import held_by
from rafs.pipeline.plan import Plan
from rafs.pipeline.records import checksum, records
from rafs.pipeline.snakemake_compat import INCOMPLETE, about
from rafs.pipeline.sources import at_hand, source

NO_DATA = "without data"
STATES = ("done", NO_DATA, "running", "failed", "stale", "to do")
SETTLED = ("done", NO_DATA)  # states with nothing to do
KINDS = ("data", "training", "scoring", "reports")

_checksum = cache(checksum)  # once per file: all jobs that read it are compared with the same


@dataclass(frozen=True)
class Job:
    """A job of the plan: its kind, its first output, its spec, and its subject."""

    kind: str
    output: str
    spec: str
    method: str = ""
    dataset: str = ""
    more: tuple[str, ...] = ()  # outputs that can fail, or be lost, without the first


def jobs(plan: Plan) -> Iterator[Job]:
    """Yield every job, each after those that it needs."""
    experiments, files, specs = plan.experiments, plan.files, plan.specs
    for dataset in plan.sources.used():
        output = paths.FETCHED.format(dataset=dataset)
        yield Job("data", output, specs.fetch(dataset), dataset=dataset)
    for protocol, dataset, seed in experiments.samples(experiments.default):
        spec = specs.data(protocol, dataset, seed)
        yield Job("data", files.sample(dataset, seed, protocol), spec, dataset=dataset)
    takes_values = {
        name: experiments[name].tuning not in (None, name) for name in experiments.default
    }
    for run in sorted(experiments.runs, key=lambda run: takes_values[run.experiment]):
        yield _of(run, "training", paths.PREDICTIONS, specs.train(run))
    for run in experiments.runs:
        runs = experiments[run.experiment].cell(run.method, run.dataset)
        if run == runs[0]:
            more = tuple(other.path(paths.METRICS) for other in runs[1:])
            yield _of(run, "scoring", paths.METRICS, specs.score(runs), more)
    for experiment in experiments.default:
        output = paths.SCORES.format(experiment=experiment)
        yield Job("reports", output, specs.aggregate(experiment))
    for kind in ("tables", "figures"):
        for name in files.shown_names(kind):
            yield Job("reports", files.shown_files(kind, name)[0], specs.shown(kind, name))
    yield Job("reports", paths.CLAIMS, specs.claims())
    yield Job("reports", paths.SUMMARY, specs.summary())
    yield Job("reports", paths.PAGE, specs.page())
    yield Job("reports", paths.COMPLETE, specs.verify())


def _of(run: Run, kind: str, template: str, spec: str, more: tuple[str, ...] = ()) -> Job:
    return Job(kind, run.path(template), spec, run.base, run.dataset, more)


class StatusReport(TypedDict):
    """The state of all jobs, for a script."""

    jobs: dict[str, dict[str, int]]  # numbers, by kind and state
    complete: bool
    running: str | None  # who holds the lock
    failed: list[dict[str, str]]
    stale: list[str]
    missing: list[dict[str, str]]
    seconds_left: float | None
    cores: int


class Status:
    """The state of every job of a plan, according to the working directory."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.holder = held_by()
        self.records = records()
        self.open = {name for name, _ in about(INCOMPLETE)}
        known = {*plan.files.all(), *plan.files.extra()}
        about_notes = ((str(output), note) for note in failures() for output in stand_ins(note))
        self.notes = {output: note for output, note in about_notes if output in known}
        self.unavailable = {
            paths.FETCHED.format(dataset=dataset): at_hand(plan.sources, dataset)
            for dataset in plan.sources.used()
            if source(dataset).missing
        }  # by record: whether the dataset can be had now
        self.jobs = list(jobs(plan))
        self.states: dict[str, str] = {}
        for job in self.jobs:
            self.states[job.output] = self._state(job)

    def _state(self, job: Job) -> str:
        files = (job.output, *job.more)
        if not self.notes.keys().isdisjoint(files):
            return "failed"
        if not self.open.isdisjoint(files):
            return "running" if self.holder else "to do"
        record = self.records.get(job.output)
        if record is None or not all(Path(output).exists() for output in files):
            return "to do"
        unsettled = (
            name
            for name in record.input
            if self.states.get(name, "done") not in (*SETTLED, "failed")
        )
        if any(unsettled) or not record.fits(job.spec, _checksum):
            return "stale"
        if job.output in self.unavailable:
            return "to do" if self.unavailable[job.output] else NO_DATA
        lost = any(self.states.get(name) == NO_DATA for name in record.input)
        return NO_DATA if lost and job.kind != "reports" else "done"

    def counts(self) -> dict[str, dict[str, int]]:
        """Return the number of jobs by kind and state."""
        found = Counter((job.kind, self.states[job.output]) for job in self.jobs)
        return {kind: {state: found[kind, state] for state in STATES} for kind in KINDS}

    def missing(self) -> list[dict[str, str]]:
        """Return the datasets that are unavailable, or not on this machine yet."""
        result = []
        for dataset in self.plan.sources.used():
            record = source(dataset)
            if record.missing:
                result.append({"dataset": dataset, "message": record.message})
            elif not record.status and not at_hand(self.plan.sources, dataset):
                result.append({"dataset": dataset, "message": "not on this machine; to be fetched"})
        return result

    def seconds_left(self, cores: int) -> float | None:
        """Return the estimated remaining time, from similar jobs; None if nothing has run."""
        took: dict[tuple[str, ...], list[float]] = defaultdict(list)
        for job in self.jobs:
            record = self.records.get(job.output)
            if record and self.states[job.output] not in ("failed", NO_DATA):
                for key in _likeness(job):
                    took[key].append(record.end - record.start)
        total = 0.0
        for job in self.jobs:
            if self.states[job.output] in SETTLED:
                continue
            known = [took[key] for key in _likeness(job) if took[key]]
            if not known and job.kind == "training":
                return None
            total += fmean(known[0]) if known else 0.0
        return total / cores

    def as_dict(self, cores: int) -> StatusReport:
        """Return the whole status, for a script."""
        rest = [job.output for job in self.jobs if self.states[job.output] == "stale"]
        return {
            "jobs": self.counts(),
            "complete": all(state == "done" for state in self.states.values()),
            "running": self.holder or None,
            "failed": [
                {"output": str(stand_ins(note)[0]), "message": note.read_text()}
                for note in dict.fromkeys(self.notes.values())
            ],
            "stale": rest,
            "missing": self.missing(),
            "seconds_left": self.seconds_left(cores),
            "cores": cores,
        }


def _likeness(job: Job) -> tuple[tuple[str, ...], ...]:
    """Return keys that a job shares with similar jobs, the most specific first."""
    return (job.kind, job.method, job.dataset), (job.kind, job.method), (job.kind,)


def _without_data(jobs: dict[str, dict[str, int]]) -> int:
    """Return how many runs have no data if nothing else is left to do; 0 if something is."""
    left = sum(n for counts in jobs.values() for state, n in counts.items() if state not in SETTLED)
    return 0 if left else jobs["training"][NO_DATA]


def show(found: StatusReport) -> None:
    """Print the status as a table."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from rafs.pipeline.progress import clock

    console = Console(highlight=False, soft_wrap=True)
    colours = {
        "done": "green",
        NO_DATA: "yellow",
        "running": "cyan",
        "failed": "red",
        "stale": "yellow",
    }
    table = Table(box=None, pad_edge=False)
    table.add_column("jobs")
    for state in STATES:
        table.add_column(state, justify="right")
    for kind, counts in found["jobs"].items():
        cells = [
            f"[{colours.get(state, 'default')}]{n}[/]" if n else "–" for state, n in counts.items()
        ]
        table.add_row(kind, *cells)
    console.print(table)
    for failure in found["failed"][:10]:
        console.print(f"[red]failed:[/] {escape(failure['message'])}")
    for entry in found["missing"]:
        console.print(f"[yellow]missing:[/] {entry['dataset']}: {escape(entry['message'])}")
    if found["running"]:
        console.print(f"[cyan]running:[/] {escape(found['running'])}")
    if found["complete"]:
        console.print("[green]everything is up to date[/]")
        return
    if lost := _without_data(found["jobs"]):
        console.print(f"[yellow]{lost} runs are without data; all the rest is up to date[/]")
        return
    seconds, cores = found["seconds_left"], found["cores"]
    rest = "not known before some of it has run" if seconds is None else f"about {clock(seconds)}"
    console.print(f"the rest takes {rest}{f' on {cores} cores' if seconds is not None else ''}")
