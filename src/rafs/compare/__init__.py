"""All methods on one table in one line: `rafs compare data.csv --target y`.

The protocol is that of the benchmark: every method is tuned with the same effort on a split of its
own, and then trained and scored on other splits, one per seed. A dataset of the workflow with the
same table, name and parameters gives the same numbers, bit for bit.
"""

import math
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from rafs import methods, metrics, statistics
from rafs.datasets import own, tabular
from rafs.errors import DivergedError, ParameterError
from rafs.jobs import train, tune
from rafs.reporting import labels
from rafs.storage import Dataset

EXPERIMENT = "compare"
TUNING_SEED = 1000000
HOLDOUT = 0.2
NOISE = {"log_uniform": [0.03, 1.0]}
TRAINING = {"batch_size": 200, "optimiser": "adam", "dtype": "float32"}
# What params.yaml sets besides the methods' own defaults, and what it tunes (a test compares them).
FIXED: dict[str, dict[str, Any]] = {
    "de": {"activation": "erf"},
    "hde": {"copies": 3},
    "ntkgp": {"activation": "erf", "learning_rate": 0.03},
}
SEARCH: dict[str, Any] = {
    "prior.weight": {"log_uniform": [0.2, 5.0]},
    "prior.output": {"log_uniform": [0.3, 3.0]},
}
MORE: dict[str, dict[str, Any]] = {"rp": {"beta": {"log_uniform": [0.3, 10.0]}}}
SCORES = ("nll", "nll_paper", "rmse", "coverage_95", "cpu_seconds")


@dataclass(frozen=True)
class Plan:
    """What is compared, and how; `params` are checked parameters to use instead of the defaults.

    Seeds, trials and steps are as they stand here, whatever `params` say.
    """

    name: str
    entry: Mapping[str, Any]
    methods: tuple[str, ...]
    seeds: tuple[int, ...] = tuple(range(5))
    trials: int = 12
    steps: int = 1000
    device: str = "auto"
    params: Mapping[str, Any] | None = field(default=None, repr=False)

    def fixed(self, method: str) -> dict[str, Any]:
        """Return the settings that a method starts from."""
        if self.params is None:
            return methods.get(method).resolve(FIXED.get(method.removesuffix("+rafs"), {}))
        from rafs.params import fixed

        return methods.get(method).resolve(
            self.params["ensemble"], fixed(dict(self.params), method)
        )

    def search(self, method: str) -> dict[str, Any]:
        """Return what is tuned of a method; the noise too, where it is not given."""
        if self.params is not None:
            from rafs.params import search

            found, noise = search(dict(self.params), method), self.params["tuning"]["noise"]
        else:
            rate = self.fixed(method)["learning_rate"]
            rates = {"learning_rate": {"log_uniform": [rate / 10, rate * 10]}}
            found = {**rates, **SEARCH, **MORE.get(method.removesuffix("+rafs"), {})}
            noise = NOISE
        return found if "noise" in self.entry else {**found, "noise": noise}

    @cached_property
    def training(self) -> dict[str, Any]:
        """How every network is trained."""
        given = TRAINING if self.params is None else self.params["training"]
        return {**given, "steps": self.steps, "device": self.device}

    @property
    def tuning(self) -> dict[str, Any]:
        """How every method is tuned."""
        given = {} if self.params is None else dict(self.params["tuning"])
        given.pop("noise", None)
        return {"holdout": HOLDOUT, "seed": TUNING_SEED, **given, "trials": self.trials}

    @property
    def jobs(self) -> int:
        """How many there are: one tuning per method, and one training per method and seed."""
        return len(self.methods) * (1 + len(self.seeds))


def plan(file: str, options: Mapping[str, Any]) -> Plan:
    """Return what a command line asks for, or say what is wrong with it."""
    path = Path(file)
    kind = "parquet" if path.suffix in (".parquet", ".pq") else "csv"
    entry = {key: options[key] for key in ("target", "features", "categorical", "split", "noise")}
    entry = {kind: file, **{key: value for key, value in entry.items() if value is not None}}
    chosen = tuple(options.get("methods") or methods.REGISTRY)
    for method in chosen:
        methods.module_of(method)  # a misspelt name is told before anything runs
    asked = {name: options[name] for name in ("seeds", "trials", "steps")}
    asked = {name: value for name, value in asked.items() if value is not None}
    for name, value in asked.items():
        if value < 1:
            raise ParameterError(f"--{name} must be at least 1, not {value}")
    if not 0 < entry.get("split", 0.2) < 1:
        raise ParameterError(f"--split is the share of test rows, not {entry['split']}")
    if entry.get("noise", 1) <= 0:
        raise ParameterError(f"--noise is a standard deviation, not {entry['noise']}")
    own.check(path.stem, entry)
    made = Plan(name_of(path), entry, tuple(dict.fromkeys(chosen)))
    if options.get("params"):
        made = replace(made, **of_file(options["params"]))
    if "seeds" in asked:
        asked["seeds"] = tuple(range(asked["seeds"]))
    return replace(made, **asked)


def of_file(path: str) -> dict[str, Any]:
    """Return what a file of parameters says about a comparison."""
    from rafs.params import load, seeds

    params = load(path)
    return {
        "params": params,
        "seeds": tuple(seeds(params["seeds"])),
        "trials": params["tuning"]["trials"],
        "steps": params["training"].get("steps", Plan.steps),
        "device": params["device"],
    }


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

    def __init__(self, plan: Plan, table: tabular.Table) -> None:
        from threadpoolctl import threadpool_limits

        threadpool_limits(1)
        self.plan, self.table = plan, table

    def data(self, seed: int) -> Dataset:
        """Split the table for a seed."""
        source = own.location(self.plan.entry)
        return tabular.draw(self.plan.name, self.plan.entry, self.table, seed, source)

    def tune(self, method: str) -> dict[str, Any]:
        """Return the tuned values of a method."""
        plan = self.plan
        spec = {
            **plan.tuning,
            "method": method,
            "dataset": plan.name,
            "search": plan.search(method),
            "settings": plan.fixed(method),
            "training": plan.training,
        }
        data = self.data(spec["seed"])
        return tune.choose(tune.tune(spec, data.x_train, data.y_train, data.noise))

    def run(self, method: str, best: dict[str, Any], seed: int) -> dict[str, Any]:
        """Train and score a method on the split of one seed."""
        from rafs.warm import load_compiled_code

        load_compiled_code(method)  # what is compiled once is nobody's training time
        plan, data = self.plan, self.data(seed)
        spec = {"seed": seed, "dataset": plan.name, "base": method, "training": plan.training}
        settings = methods.get(method).resolve(plan.fixed(method), train.tuned(best))
        row: dict[str, Any] = {
            "experiment": EXPERIMENT, "method": method, "dataset": plan.name, "seed": seed,
            "status": "ok", "message": "",
        }  # fmt: skip
        begun = time.process_time()
        try:
            (found,) = train.fit_predict([train.inputs(spec, settings, best, data)])
            if isinstance(found, DivergedError):
                raise found
            cost = time.process_time() - begun
            row |= metrics.evaluate(data.y_test, found.mean, found.variance)["metrics"] or {}
        except (DivergedError, ParameterError) as error:
            return {**row, "status": "diverged", "message": str(error)}
        return {**row, "cpu_seconds": cost}


_worker: Worker | None = None


def _start(plan: Plan, table: tabular.Table, owner: int) -> None:
    """Begin a worker process, which ends with its owner however that ends."""
    from rafs import warm

    global _worker
    warm.end_with(os.pidfd_open(owner))
    _worker = Worker(plan, table)


def _tune(method: str) -> dict[str, Any]:
    assert _worker is not None
    return _worker.tune(method)


def _run(method: str, best: dict[str, Any], seed: int) -> dict[str, Any]:
    assert _worker is not None
    return _worker.run(method, best, seed)


def results(plan: Plan, table: tabular.Table, cores: int) -> Iterator[dict[str, Any] | str]:
    """Yield a word when a method is tuned and a row when a run is done, as they come."""
    if cores == 1:
        worker = Worker(plan, table)
        for method in plan.methods:
            best = worker.tune(method)
            yield method
            for seed in plan.seeds:
                yield worker.run(method, best, seed)
        return
    context = multiprocessing.get_context("forkserver")
    pool = ProcessPoolExecutor(min(cores, plan.jobs), context, _start, (plan, table, os.getpid()))
    try:
        tuning: dict[Future[Any], str] = {pool.submit(_tune, m): m for m in plan.methods}
        waiting: set[Future[Any]] = set(tuning)
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for job in done:
                if job in tuning:
                    method = tuning[job]
                    waiting |= {
                        pool.submit(_run, method, job.result(), seed) for seed in plan.seeds
                    }
                    yield method
                else:
                    yield job.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def run(
    plan: Plan, table: tabular.Table, cores: int | None = None, tell: Callable[[str], Any] = str
) -> pd.DataFrame:
    """Return one row per run, in the order of the methods; `tell` hears of every job that ends."""
    rows = []
    cores = cores or len(os.sched_getaffinity(0))
    for result in results(plan, table, cores):
        if isinstance(result, str):
            tell(f"{labels.method(result)} tuned")
        else:
            tell(f"{labels.method(result['method'])}, seed {result['seed']}")
            rows.append(result)
    frame = pd.DataFrame(rows)
    order = {method: place for place, method in enumerate(plan.methods)}
    keys = ["method", "seed"]
    return frame.sort_values(keys, key=lambda c: c.map(order) if c.name == "method" else c)


# --- what came out ------------------------------------------------------------------------------


def summary(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a row per method, best first: means, their 95 % intervals, and medians.

    A diverged run has no part in means. It is worse than any score in medians, by which the methods
    are ordered; where a median diverged, the methods with fewer such runs come first.
    """
    rows = []
    for method, part in frame.groupby("method", sort=False):
        row: dict[str, Any] = {"method": method, "label": labels.method(str(method))}
        row |= {"runs": len(part), "diverged": int((part["status"] != "ok").sum())}
        for name in SCORES:
            found = vars(statistics.summarise(statistics.values(part, name)))
            kept = {key: found[key] for key in ("mean", "low", "high", "median")}
            row[name] = {k: value if math.isfinite(value) else None for k, value in kept.items()}
        rows.append(row)
    return sorted(rows, key=_place)


def _place(row: Mapping[str, Any]) -> tuple[float, int, float]:
    """Return what a method is ordered by: its median NLL, how many runs it lost, its mean NLL."""
    median, mean = row["nll"]["median"], row["nll"]["mean"]
    return (
        math.inf if median is None else median,
        row["diverged"],
        math.inf if mean is None else mean,
    )


def text(row: Mapping[str, Any], name: str, decimals: int = 2) -> str:
    """Show a mean with half the width of its interval, in plain characters."""
    from rafs.reporting.tables.table import number

    value = row[name]
    if value["mean"] is None:
        return "diverged"
    shown = number(value["mean"], decimals)
    if value["low"] is None or name == "cpu_seconds":
        return shown
    return f"{shown} ± {number((value['high'] - value['low']) / 2, decimals)}"


def decimals(rows: Sequence[Mapping[str, Any]], name: str) -> int:
    """Return how many decimals a column needs."""
    from rafs.reporting.tables.table import decimals_for

    return decimals_for([row[name]["mean"] for row in rows if row[name]["mean"] is not None])
