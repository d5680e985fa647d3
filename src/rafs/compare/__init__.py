"""All methods on one table in one line: `rafs compare data.csv --target y`.

The protocol is that of the benchmark: on each of several splits every method is tuned with the
same effort on the training rows, trained, and scored on the test rows. A dataset of the workflow
with the same table, name and parameters gives the same numbers, bit for bit.
"""

import math
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from rafs import methods
from rafs.config import Params, load
from rafs.config.parameters import listed
from rafs.datasets import tabular, user
from rafs.datasets.core import USER
from rafs.errors import DivergedError, ParameterError
from rafs.evaluation import metrics, statistics
from rafs.methods import runs
from rafs.reporting import labels
from rafs.storage import Dataset

EXPERIMENT = "compare"
SHIPPED = Path(__file__).with_name("params.yaml")  # the benchmark's, put here by setup.py
DEFAULTS = SHIPPED if SHIPPED.exists() else Path(__file__).parents[3] / SHIPPED.name  # in a clone
SHOWN = (*(metric.name for metric in metrics.shown(metrics.COMPARE)), "cpu_seconds")
SCORES = ("nll", *SHOWN)  # methods are ordered by their NLL


@dataclass(frozen=True)
class Comparison:
    """What is compared, and how: the parameters of the benchmark, or of another params.yaml.

    Seeds, trials, steps and device are as they stand here, whatever `params` say.
    """

    name: str
    entry: Mapping[str, Any]
    methods: tuple[str, ...]
    params: Params = field(repr=False)
    seeds: tuple[int, ...]
    trials: int
    steps: int | None  # None: the default of the engine, or as many epochs as `params` say
    device: str

    def fixed(self, method: str) -> dict[str, Any]:
        """Return the settings that a method starts from."""
        shared = self.params.ensemble.written()
        return methods.get(method).resolve(shared, self.params.fixed(method))

    def search(self, method: str) -> dict[str, Any]:
        """Return what is tuned of a method."""
        return {name: space.written() for name, space in self.params.search(method).items()}

    @cached_property
    def training(self) -> dict[str, Any]:
        """How every network is trained."""
        steps = {} if self.steps is None else {"steps": self.steps}
        return {**self.params.training.written(), **steps, "device": self.device}

    def tuning(self, method: str) -> dict[str, Any]:
        """Return how a method is tuned in every run."""
        given = self.params.tuning.written()
        keep = min(given["keep"], self.trials)
        return {"space": self.search(method), **given, "trials": self.trials, "keep": keep}

    @property
    def jobs(self) -> int:
        """How many there are: one per method and seed."""
        return len(self.methods) * len(self.seeds)


def plan(file: str, options: Mapping[str, Any]) -> Comparison:
    """Return what a command line asks for, or say what is wrong with it."""
    path = Path(file)
    kind = "parquet" if path.suffix in (".parquet", ".pq") else "csv"
    entry = {key: options[key] for key in ("target", "features", "categorical", "split", "noise")}
    entry = {kind: file, **{key: value for key, value in entry.items() if value is not None}}
    chosen = tuple(options.get("methods") or methods.plain())
    for method in chosen:
        methods.module_of(method)  # a misspelt name is told before anything runs
        if method in methods.references():
            raise ParameterError(f"--methods: {method} is no ensemble, and has nothing to tune")
    if options.get("random_activations"):
        chosen += tuple(methods.with_random_activations(method) for method in chosen)
    asked = {name: options[name] for name in ("seeds", "trials", "steps")}
    asked = {name: value for name, value in asked.items() if value is not None}
    for name, value in asked.items():
        if value < 1:
            raise ParameterError(f"--{name} must be at least 1, not {value}")
    if not 0 < entry.get("split", 0.2) < 1:
        raise ParameterError(f"--split is the share of test rows, not {entry['split']}")
    if entry.get("noise", 1) <= 0:
        raise ParameterError(f"--noise is a standard deviation, not {entry['noise']}")
    user.check(path.stem, entry)
    if "seeds" in asked:
        asked["seeds"] = tuple(range(asked["seeds"]))
    made = comparison(name_of(path), entry, chosen, options.get("params") or DEFAULTS)
    return replace(made, **asked)


def comparison(
    name: str, entry: Mapping[str, Any], chosen: Iterable[str], file: Path | str = DEFAULTS
) -> Comparison:
    """Return the comparison of some methods with the parameters of a file."""
    params = load(file)
    return Comparison(
        name,
        entry,
        tuple(dict.fromkeys(chosen)),
        params,
        tuple(listed(params.seeds)),
        params.tuning.trials,
        params.training.steps,
        params.device,
    )


def name_of(path: Path) -> str:
    """Return the name of a dataset for a file.

    >>> name_of(Path("My data (2).csv"))
    'my_data__2_'
    """
    return "".join(c if c.isalnum() and c.isascii() else "_" for c in path.stem.lower())


# --- the jobs, each in a process that knows the table --------------------------------------------


class Worker:
    """One process's plan and table.

    It works with one thread, as a job of the workflow does: sums in another order end in other
    digits.
    """

    def __init__(self, plan: Comparison, table: tabular.Table) -> None:
        from threadpoolctl import threadpool_limits

        threadpool_limits(1)
        self.plan, self.table = plan, table

    def data(self, seed: int) -> Dataset:
        """Split the table for a seed."""
        source = user.location(self.plan.entry)
        return tabular.draw(self.plan.name, self.plan.entry, self.table, seed, source)

    def run(self, method: str, seed: int) -> dict[str, Any]:
        """Tune, train and score a method on the split of one seed."""
        runs.load_compiled_code(method)  # what is compiled once is nobody's training time
        plan = self.plan
        spec = {
            "base": method, "dataset": plan.name, "seed": seed, "settings": plan.fixed(method),
            "sweep": {}, "training": plan.training, "tuning": plan.tuning(method),
        }  # fmt: skip
        data = self.data(seed)
        run = runs.BenchmarkRun(spec, data, runs.UNTUNED)
        row: dict[str, Any] = {
            "experiment": EXPERIMENT, "method": method, "dataset": plan.name, "seed": seed,
            "category": USER, "n_train": len(data.y_train), "n_test": len(data.y_test),
            "status": "ok", "message": "",
        }  # fmt: skip
        begun = time.process_time()
        try:
            runs.tune([run])
            (found,) = runs.fit_predict([runs.prepare(run)])
            if isinstance(found, DivergedError):
                raise found
            cost = time.process_time() - begun
            predicted = found.prediction
            scores = metrics.evaluate(data.y_test, predicted.mean, predicted.variance)["metrics"]
            row |= scores or {}
        except (DivergedError, ParameterError) as error:
            return {**row, "status": "diverged", "message": str(error)}
        return {**row, "cpu_seconds": cost}


_worker: Worker | None = None


def _start(plan: Comparison, table: tabular.Table) -> None:
    """Begin a worker process, which ends with its parent however that ends."""
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
    """Yield a row when a run is done, as they come."""
    wanted = [(method, seed) for seed in plan.seeds for method in plan.methods]
    if cores == 1:
        worker = Worker(plan, table)
        yield from (worker.run(method, seed) for method, seed in wanted)
        return
    context = multiprocessing.get_context("forkserver")
    pool = ProcessPoolExecutor(min(cores, plan.jobs), context, _start, (plan, table))
    try:
        for job in as_completed([pool.submit(_run, *run) for run in wanted]):
            yield job.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def run(
    plan: Comparison,
    table: tabular.Table,
    cores: int | None = None,
    tell: Callable[[str], Any] = str,
) -> pd.DataFrame:
    """Return one row per run, in the order of the methods; `tell` hears of every job that ends."""
    rows = []
    cores = cores or len(os.sched_getaffinity(0))
    for result in results(plan, table, cores):
        tell(f"{labels.method(result['method'])}, seed {result['seed']}")
        rows.append(result)
    frame = pd.DataFrame(rows)
    order = {method: place for place, method in enumerate(plan.methods)}
    keys = ["method", "seed"]
    return frame.sort_values(keys, key=lambda c: c.map(order) if c.name == "method" else c)


# --- what came out ------------------------------------------------------------------------------


def summary(frame: pd.DataFrame, names: Sequence[str] = SCORES) -> list[dict[str, Any]]:
    """Return a row per method, best first: medians, their 95 % intervals, and means.

    A diverged run has no part in means. It is worse than any score in medians, by which the methods
    are ordered; where a median diverged, the methods with fewer such runs come first.
    """
    rows = []
    for method, part in frame.groupby("method", sort=False):
        row: dict[str, Any] = {"method": method, "label": labels.method(str(method))}
        row |= {"runs": len(part), "diverged": int((part["status"] != "ok").sum())}
        for name in names:
            found = vars(statistics.summarise(statistics.values(part, name)))
            kept = {key: found[key] for key in ("mean", "low", "high", "median")}
            row[name] = {k: value if math.isfinite(value) else None for k, value in kept.items()}
        rows.append(row)
    return sorted(rows, key=_place)


def equals(frame: pd.DataFrame, best: str) -> list[str]:
    """Return the methods whose NLL is not significantly higher than that of the best.

    The splits of one table overlap: Nadeau and Bengio's corrected t-test, Holm's correction over
    the rivals.
    """
    found = statistics.duels(frame, "nll", best)
    if found.empty:
        return []
    return [str(rival) for rival in found.loc[found["outcome"] != "win", "rival"]]


def _place(row: Mapping[str, Any]) -> tuple[float, int, float]:
    """Return what a method is ordered by: its median NLL, how many runs it lost, its mean NLL."""
    median, mean = row["nll"]["median"], row["nll"]["mean"]
    return (
        math.inf if median is None else median,
        row["diverged"],
        math.inf if mean is None else mean,
    )


def text(row: Mapping[str, Any], name: str, decimals: int | None = 2) -> str:
    """Show a median with its interval, in plain characters."""
    from rafs.reporting.table import number

    value = row[name]
    if value["mean"] is None:
        return "diverged"
    shown = number(math.inf if value["median"] is None else value["median"], decimals)
    if value["low"] is None or name == "cpu_seconds":
        return shown
    high = math.inf if value["high"] is None else value["high"]
    return f"{shown} [{number(value['low'], decimals)}, {number(high, decimals)}]"


def decimals(rows: Sequence[Mapping[str, Any]], name: str) -> int | None:
    """Limit a column to two decimals, unless a median would lose its digits (None: no limit)."""
    medians = (row[name]["median"] for row in rows)
    return None if any(0 < abs(value) < 0.1 for value in medians if value is not None) else 2
