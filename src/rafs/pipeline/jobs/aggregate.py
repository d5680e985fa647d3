"""Gather the scores of an experiment: one row per run, runs without scores included.

If the spec has `partial`, some runs were not requested; its value is the cost of all runs.

Thousands of files do not fit on a command line, so this job computes the names of its inputs with
`gathered_run`, which the rule uses as well.
"""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rafs import paths
from rafs.errors import DamagedFileError
from rafs.evaluation import NOT_RUN, recalibration
from rafs.evaluation.metrics import PARTS
from rafs.files import atomic, read_json, write_csv
from rafs.pipeline.jobs import named
from rafs.reporting.seeds import compressed

if TYPE_CHECKING:
    from rafs.pipeline.job_specs import AggregateSpec, Row

TUNED = ("experiment", "method", "dataset", "seed", "trial", "name", "value", "low", "high")
SIZES = ("n_train", "n_test", "n_inside")
HELD_OUT = ("held_rmse", "held_sharpness", "held_coverage_95")


class RunKey(NamedTuple):
    """The key of a run: the first columns of every table."""

    experiment: str
    method: str
    dataset: str
    seed: int


class GatheredRun(NamedTuple):
    """The files of a run that are gathered."""

    metrics: str
    cost: str
    best: str


class AggregateOutputs(NamedTuple):
    """The outputs: tables with a row per run, per tuned value, or per run and recalibration."""

    scores: str
    costs: str
    tuned: str
    recalibrated: str
    seeds: str  # the scores again, compactly


def gathered_run(experiment: str, method: str, dataset: str, seed: int) -> GatheredRun:
    """Return the files of a run."""
    key = {"experiment": experiment, "method": method, "dataset": dataset, "seed": seed}
    templates = (paths.METRICS, paths.COST, paths.BEST)
    return GatheredRun(*(template.format(**key) for template in templates))


def run(spec: "AggregateSpec", inputs: Sequence[str], outputs: Sequence[str]) -> None:
    """Write scores, recalibrated scores, costs and tuned values."""
    made = named(AggregateOutputs, outputs)
    keys = [
        RunKey(spec["experiment"], method, dataset, seed)
        for dataset in spec["datasets"]
        for method in spec["methods"]
        if [method, dataset] not in spec.get("left_out", [])
        for seed in spec.get("fewer", {}).get(dataset, spec["seeds"])
    ]
    rows = [row(spec, key) for key in keys]
    write_csv(made.scores, rows)
    with atomic(made.seeds) as file:
        file.write(compressed(rows))
    recalibrated = [found for key, run in zip(keys, rows, strict=True) for found in ways(key, run)]
    write_csv(made.recalibrated, recalibrated)
    write_csv(made.costs, [cost(key) for key in keys])
    tuned = [found for key in keys for found in tuned_values(spec, key)]
    write_csv(made.tuned, tuned, TUNED)


def row(spec: "AggregateSpec", key: RunKey) -> "Row":
    """Return the row of a run; one without files has failed, unless only parts were requested."""
    sweep = next(iter(spec["sweep"].get(key.method, {}).items()), ("", ""))
    result: Row = {
        **key._asdict(),
        "base": _base(key.method),
        "sweep_name": sweep[0].rpartition(".")[2],
        "sweep_value": sweep[1],
        "category": spec["categories"][key.dataset],
    }
    path = Path(gathered_run(*key).metrics)
    if not path.exists() and "partial" in spec:
        return {**result, "status": NOT_RUN, "message": spec["partial"]}
    if not path.exists():
        return {**result, "status": "failed", "message": f"no {path}"}
    record = read_json(path)
    try:
        result |= {"status": record["status"], "message": record["message"] or ""}
        result["members"] = record.get("members")
        result |= {name: record.get(name) for name in SIZES}
        for prefix, part in PARTS.items():
            found = record[part] or {}
            result |= {f"{prefix}{name}": finite(value) for name, value in found.items()}
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise DamagedFileError(
            f"{path} is not a metrics file of this project ({error!r}); delete it and run again"
        ) from error
    return result


def ways(key: RunKey, run: "Row") -> Iterator["Row"]:
    """Yield the recalibrated scores of a run, a row per kind; `run` is its row of scores."""
    path = Path(gathered_run(*key).metrics)
    record = read_json(path) if path.exists() else {}
    found = record.get("recalibrated") or {"status": run["status"]}
    for way in recalibration.WAYS:
        scored = found.get("ways", {}).get(way, {})
        yield {
            **key._asdict(), "category": run["category"], "status": found["status"], "way": way,
            "held_out_rows": found.get("held_out_rows"), "factor": scored.get("factor"),
            **{
                f"{prefix}{name}": scored.get(part, {}).get(name)
                for prefix, part in PARTS.items()
                for name in recalibration.SCORES
            },
            **{name: found.get(name) if way == "raw" else None for name in HELD_OUT},
        }  # fmt: skip


def finite(value: float) -> float:
    """Return a score; a score that is not a finite number means a damaged file."""
    if not math.isfinite(value):
        raise ValueError(f"{value} is no score")
    return value


def _base(method: str) -> str:
    """Return a method without the swept value."""
    return method.partition("@")[0]


def cost(key: RunKey) -> "Row":
    """Return the cost of a run, separate from its scores, whose bytes are reproducible."""
    path = Path(gathered_run(*key).cost)
    return {**key._asdict(), **(read_json(path) if path.exists() else {})}


def tuned_values(spec: "AggregateSpec", key: RunKey) -> Iterator["Row"]:
    """Yield the tuned values of a run with the ends of their ranges, if it was tuned itself."""
    path = Path(gathered_run(*key).best)
    if not (spec["space"] and path.exists()):
        return
    best = read_json(path)
    for name, value in best["values"].items():
        low, high = spec["space"].get(_base(key.method), {}).get(name, ("", ""))
        yield {
            **key._asdict(), "trial": best.get("trial"), "name": name, "value": value,
            "low": low, "high": high,
        }  # fmt: skip
