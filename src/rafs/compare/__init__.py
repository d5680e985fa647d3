"""Compare all methods on one table: `rafs compare data.csv --target y`.

The protocol is that of the benchmark: on each of several splits every method is tuned with the
same effort on the training rows, trained, and scored on the test rows. A dataset of the workflow
with the same table, name and parameters gives the same numbers, bit for bit.
"""

import math
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from rafs import datasets, methods
from rafs.compare import conformal, selection
from rafs.compare.conformal import heading, is_conformal
from rafs.compare.outcome import SHOWN, decimals, equals, label, losses, lost, summary, text
from rafs.config import Params, changed, load
from rafs.config.parameters import listed
from rafs.datasets import tabular
from rafs.errors import DivergedError, ParameterError
from rafs.evaluation import metrics
from rafs.methods import runs
from rafs.methods.tuning import Search
from rafs.sampled import Dataset

__all__ = [
    "SHOWN", "Comparison", "decimals", "equals", "heading", "is_conformal", "losses",
    "lost", "name_of", "plan", "run", "slug", "summary", "text",
]  # fmt: skip

EXPERIMENT = "compare"
SHIPPED = Path(__file__).with_name("params.yaml")  # the benchmark's, put here by setup.py
DEFAULTS = SHIPPED if SHIPPED.exists() else Path(__file__).parents[3] / SHIPPED.name  # in a clone


@dataclass(frozen=True)
class Comparison:
    """What is compared, and how: by the parameters of the benchmark, or of another params.yaml."""

    name: str
    entry: Mapping[str, Any]
    methods: tuple[str, ...]
    params: Params = field(repr=False)

    @cached_property
    def described(self) -> datasets.Spec:
        """The description of the table as a dataset."""
        return datasets.describe(self.name, self.entry)

    def fixed(self, method: str) -> dict[str, Any]:
        """Return the settings that a method starts from."""
        given = selection.settings(self.params, method)
        return methods.of(method, given).resolve(*self.params.shared(method), given)

    @cached_property
    def training(self) -> dict[str, Any]:
        """How every network is trained."""
        return {**self.params.training.written(), "device": self.params.device}

    def tuning(self, method: str) -> Search:
        """Return how a method is tuned in every run."""
        return self.params.tuning_of(method, {})

    @property
    def seeds(self) -> list[int]:
        """The seeds of the splits."""
        return listed(self.params.seeds)

    @property
    def jobs(self) -> int:
        """The number of jobs: one per method and seed."""
        return len(self.methods) * len(self.seeds)


def plan(file: str, options: Mapping[str, Any]) -> Comparison:
    """Return the comparison that a command line describes, or raise an error."""
    path = Path(file)
    kind = "parquet" if path.suffix in (".parquet", ".pq") else "csv"
    entry = {key: options[key] for key in ("target", "features", "categorical", "split", "noise")}
    entry = {kind: file, **{key: value for key, value in entry.items() if value is not None}}
    chosen = tuple(options.get("methods") or methods.plain())
    if options.get("random_activations"):
        chosen = selection.with_random_activations(chosen)
    if not 0 < entry.get("split", tabular.SPLIT) < 1:
        raise ParameterError(f"--split is the share of test rows, not {entry['split']}")
    if not 0 <= entry.get("noise", 0) < math.inf:
        raise ParameterError(f"--noise is a standard deviation, not {entry['noise']}")
    datasets.describe(path.stem, entry)  # or say what is wrong with it
    params = with_options(load(options.get("params") or DEFAULTS), options)
    selection.check(params, chosen)
    return Comparison(name_of(path), entry, tuple(dict.fromkeys(chosen)), params)


def with_options(params: Params, options: Mapping[str, Any]) -> Params:
    """Return the parameters with the seeds, trials and steps of a command line."""
    tuning, training = params.tuning, params.training
    try:
        if options["seeds"] is not None:
            params = changed(params, "seeds", options["seeds"])
        if options["trials"] is not None:
            tuning = changed(tuning, "trials", options["trials"])
        if options["steps"] is not None:
            training = changed(training, "steps", options["steps"])
    except ParameterError as error:
        raise ParameterError(f"--{error}") from None
    tuning = tuning.model_copy(update={"keep": min(tuning.keep, tuning.trials)})
    return params.model_copy(update={"tuning": tuning, "training": training})


def name_of(path: Path) -> str:
    """Return the name of a dataset for a file.

    >>> name_of(Path("My data (2).csv"))
    'my_data__2_'
    """
    return slug(path.stem)


def slug(text: str) -> str:
    """Return a name that params.yaml accepts: lower-case letters, digits and _, a letter first.

    >>> slug("net v1.5"), slug("1nn")
    ('net_v1_5', 'x_1nn')
    """
    name = "".join(c if c.isalnum() and c.isascii() else "_" for c in text.lower())
    return name if name[:1].isalpha() else f"x_{name}"


# --- the jobs, each in a process that knows the table --------------------------------------------


class Worker:
    """The comparison and the table in one worker process.

    It uses one thread, like a job of the workflow, because sums in another order differ in the last
    digits.
    """

    def __init__(self, plan: Comparison, table: tabular.Table) -> None:
        from threadpoolctl import threadpool_limits

        threadpool_limits(1)
        self.plan, self.table = plan, table

    def data(self, seed: int) -> Dataset:
        """Split the table for a seed."""
        plan = self.plan
        return tabular.draw(plan.name, plan.entry, self.table, seed, plan.described.source)

    def row(self, method: str, seed: int, data: Dataset) -> dict[str, Any]:
        """Return the first entries of the result of a run."""
        plan = self.plan
        return {
            "experiment": EXPERIMENT, "method": method, "dataset": plan.name, "seed": seed,
            "category": plan.described.category, "n_train": len(data.y_train),
            "n_test": len(data.y_test), "status": "ok", "message": "",
        }  # fmt: skip

    def crashed(self, method: str, seed: int) -> dict[str, Any]:
        """Return the result of a run whose process ended without one."""
        message = f"{method}: its process crashed, or was killed for want of memory"
        return {**self.row(method, seed, self.data(seed)), "status": "failed", "message": message}

    def run(self, method: str, seed: int) -> dict[str, Any]:
        """Tune, train and score a method on the split of one seed."""
        with stdout_to_stderr():
            return self._run(method, seed)

    def _run(self, method: str, seed: int) -> dict[str, Any]:
        plan = self.plan
        spec: dict[str, Any] = {
            "base": method, "dataset": plan.name, "seed": seed, "settings": plan.fixed(method),
            "sweep": {}, "training": plan.training, "tuning": vars(plan.tuning(method)),
        }  # fmt: skip
        data = self.data(seed)
        run = runs.BenchmarkRun(spec, data, runs.UNTUNED)
        row = self.row(method, seed, data)
        try:
            runs.load_compiled_code(method)  # neither this nor an import is training time
            runs.import_code(spec)
            begun = time.process_time()
            runs.tune([run])
            (found,) = runs.fit_predict([runs.prepare(run)])
            if isinstance(found, DivergedError):
                raise found
            cost = time.process_time() - begun
            mean, variance = found.prediction.mean, found.prediction.variance
            row |= metrics.evaluate(data.y_test, mean, variance)["metrics"] or {}
            test = metrics.Predictions(data.y_test, mean, variance)
            row |= conformal.scores(run.held_out, test)
        except (DivergedError, ParameterError) as error:
            status = getattr(error, "status", "diverged")
            return {**row, "status": status, "message": str(error)}
        return {**row, "message": runs.remark(run, found) or "", "cpu_seconds": cost}


@contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """Redirect all output of a model to stderr, so that stdout contains only the results."""
    sys.stdout.flush()
    kept = os.dup(1)
    try:
        os.dup2(2, 1)
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


_worker: Worker | None = None


def _start(plan: Comparison, table: tabular.Table) -> None:
    """Start a worker process that ends with its parent, however the parent ends."""
    global _worker
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _worker = Worker(plan, table)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGKILL)


def _run(method: str, seed: int) -> dict[str, Any]:
    assert _worker is not None
    return _worker.run(method, seed)


def results(plan: Comparison, table: tabular.Table, cores: int) -> Iterator[dict[str, Any]]:
    """Yield a row for every finished run, in the order of completion.

    Classes from outside the package always run in separate processes. After a crash, each
    unfinished run is started alone, so that only the runs that crash are lost.
    """
    wanted = [(method, seed) for seed in plan.seeds for method in plan.methods]
    if cores == 1 and set(plan.methods) <= set(methods.names()):
        worker = Worker(plan, table)
        yield from (worker.run(method, seed) for method, seed in wanted)
        return
    for run in (yield from _in_processes(plan, table, cores, wanted)):
        if (yield from _in_processes(plan, table, 1, [run])):
            yield Worker(plan, table).crashed(*run)


def _in_processes(
    plan: Comparison, table: tabular.Table, cores: int, wanted: Sequence[tuple[str, int]]
) -> Generator[dict[str, Any], None, list[tuple[str, int]]]:
    """Yield rows of finished runs; return the unfinished runs if a process crashes."""
    context = multiprocessing.get_context("forkserver")
    pool = ProcessPoolExecutor(min(cores, len(wanted)), context, _start, (plan, table))
    left = list(wanted)
    try:
        jobs = {pool.submit(_run, *run): run for run in wanted}
        for job in as_completed(jobs):
            yield job.result()
            left.remove(jobs[job])
    except BrokenProcessPool:
        return left
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return []


def run(
    plan: Comparison,
    table: tabular.Table,
    cores: int | None = None,
    tell: Callable[[str], Any] = str,
) -> pd.DataFrame:
    """Return one row per run, in the order of the methods; call `tell` after every job."""
    rows = []
    cores = cores or len(os.sched_getaffinity(0))
    for result in results(plan, table, cores):
        tell(f"{label(result['method'], plan.methods)}, seed {result['seed']}")
        rows.append(result)
    frame = pd.DataFrame(rows)
    order = {method: place for place, method in enumerate(plan.methods)}
    keys = ["method", "seed"]
    return frame.sort_values(keys, key=lambda c: c.map(order) if c.name == "method" else c)
