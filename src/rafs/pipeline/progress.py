"""Progress of a run of the workflow: a live bar on a terminal, a line every 30 s elsewhere.

Snakemake logs several lines per job, tens of thousands for the whole reproduction; they stay in its
log file. They are replaced by counts: jobs done, time passed, time left.
`snakemake-logger-plugin-rich` estimates no time, and shows no progress where there is no terminal.
"""

import contextlib
import logging
import sys
import time
from collections import Counter
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from snakemake.logging import logger
from snakemake_interface_logger_plugins.common import LogEvent

from rafs.pipeline.messages import is_live
from rafs.pipeline.snakemake_compat import failed_job, finished_job, screen_handlers

MOST = 400  # characters of the reason for a failure
PAUSE = 30.0  # seconds between two lines without a terminal


class Display(logging.Handler):
    """Counts the jobs that Snakemake reports, and shows the counts instead of its own lines."""

    def __init__(self) -> None:
        super().__init__()
        self.finished: Counter[str] = Counter()  # by rule
        self.failures: dict[Any, tuple[str, str]] = {}  # by job: its rule, and the reason
        self.started = self.said = time.monotonic()
        self.bar = Progress(
            TextColumn("rafs"), BarColumn(), MofNCompleteColumn(), TextColumn("jobs,"),
            TimeElapsedColumn(), TextColumn("passed,"), TimeRemainingColumn(), TextColumn("left"),
            console=Console(stderr=True), transient=True,
        )  # fmt: skip
        self.task = self.bar.add_task("jobs", total=None)
        self.live = is_live(self.bar.console)

    @property
    def failed(self) -> list[tuple[str, str]]:
        """Rule of every job that finally failed, with its log and the message of the cluster."""
        return list(self.failures.values())

    def start(self) -> None:
        """Replace Snakemake's lines on the screen; its warnings stay."""
        for handler in screen_handlers(logger):
            handler.addFilter(lambda record: record.levelno >= logging.WARNING)
        logger.addHandler(self)
        if self.live:
            self.bar.start()

    def stop(self) -> None:
        """Stop the display."""
        logger.removeHandler(self)
        if self.live:
            self.bar.stop()

    def emit(self, record: logging.LogRecord) -> None:
        """Handle one event; ignore a closed stderr."""
        with contextlib.suppress(OSError):
            self._note(record)

    def _note(self, record: logging.LogRecord) -> None:
        event, detail = getattr(record, "event", None), vars(record)
        if event == LogEvent.JOB_FINISHED:
            job = finished_job(record)
            self.finished["score" if job.rule.startswith("score_") else job.rule] += 1
            self.failures.pop(job.number, None)  # it failed before, and was retried
        elif event == LogEvent.JOB_ERROR:
            self._fail(record)
        elif event == LogEvent.PROGRESS:
            self._show(detail["done"], detail["total"])

    def _fail(self, record: logging.LogRecord) -> None:
        job = failed_job(record)
        known = f"see {job.log} {job.message}".strip()[:MOST]
        self.failures[job.number] = job.rule, known
        self.bar.console.print(f"rafs: {job.rule} failed: {known}", style="red", markup=False)

    def _show(self, done: int, total: int) -> None:
        self.bar.update(self.task, completed=done, total=total)
        now = time.monotonic()
        if not self.live and (now - self.said >= PAUSE or done == total):
            self.said = now
            passed = now - self.started
            left = passed / done * (total - done)
            print(
                f"rafs: {done} of {total} jobs, {clock(passed)} passed, about {clock(left)} left",
                file=sys.stderr,
                flush=True,
            )


def clock(seconds: float) -> str:
    """Write a duration.

    >>> clock(59.7), clock(3725)
    ('1:00', '1:02:05')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
