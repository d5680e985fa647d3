"""The details of cells: every seed, tuned values, settings, hashes, files and the command.

The page holds it once, as JSON inside a template element, and opens it in a dialog.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import yaml

from rafs import paths
from rafs.errors import DataError
from rafs.evaluation import statistics
from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import rounded
from rafs.reporting.page.elements import Html, tag
from rafs.reporting.page.scores import Scores

FILES = {
    "Scores": paths.SCORES,
    "Tuned values": paths.TUNED,
    "Predictions": paths.PREDICTIONS,
    "Settings, data hash and engine of each run": paths.RECORD,
    "Tuning trials": paths.TRIALS,
}
DIGITS = 12  # of a SHA-256 in the table of seeds
SIGNIFICANT = 5  # digits of a score of one seed
SETTINGS = ("settings", "training", "protocol", "engine", "device")

Tuned = dict[tuple[str, str, str], dict[str, dict[int, float]]]


def stored(inputs: Inputs, rows: pd.DataFrame, cells: Mapping[str, Scores]) -> Html:
    """Return the template element with everything that the dialog shows."""
    methods, datasets = (labels.in_order(rows[key]) for key in ("method", "dataset"))
    tuned = _tuned(inputs, rows)
    texts: dict[str, int] = {}  # each distinct text of settings with its index
    found: dict[str, dict[str, Any]] = {}
    for key, runs in rows.sort_values("seed").groupby(["dataset", "method"], sort=False):
        dataset, method = map(str, key)
        found.setdefault(dataset, {})[method] = {
            **_scored(runs, {m: s for m, f in cells.items() if (s := f.get((dataset, method)))}),
            **_made(inputs, runs, tuned, texts),
        }
    content = {
        "files": FILES,
        "target": paths.METRICS,
        "methods": {name: labels.method(name) for name in methods},
        "datasets": {name: labels.dataset(name) for name in datasets},
        "metrics": {name: labels.metric(name) for name in cells},
        "hashes": {name: digest for name in datasets if (digest := _hash(inputs, name))},
        "settings": list(texts),
        "cells": found,
    }
    return tag("template", json.dumps(content, separators=(",", ":")), id="details")


def _scored(runs: pd.DataFrame, cells: Mapping[str, Any]) -> dict[str, Any]:
    """Return the scores of some runs, metric by metric."""
    return {
        "experiment": str(runs["experiment"].iloc[0]),
        "seeds": [int(seed) for seed in runs["seed"]],
        "status": [str(status) for status in runs["status"]],
        "scores": {metric: _short(runs[metric]) for metric in cells},
        "summary": {metric: _ends(score.summary) for metric, score in cells.items()},
        "words": {metric: score.words for metric, score in cells.items()},
    }


def _made(
    inputs: Inputs, runs: pd.DataFrame, tuned: Tuned, texts: dict[str, int]
) -> dict[str, Any]:
    """Return tuned values, settings and hashes of some runs, as far as their files exist."""
    first = runs.iloc[0]
    place = (str(first["experiment"]), str(first["method"]), str(first["dataset"]))
    seeds = [int(seed) for seed in runs["seed"]]
    records = [inputs.run(*place, seed) or {} for seed in seeds]
    found: dict[str, Any] = {
        "tuned": {
            name: _short([values.get(seed, math.nan) for seed in seeds])
            for name, values in tuned.get(place, {}).items()
        },
        "hashes": {
            "Data": [record.get("data", {}).get("sha256", "")[:DIGITS] for record in records],
            "Predictions": [inputs.digest(*place, seed)[:DIGITS] for seed in seeds],
        },
    }
    if record := next((record for record in records if "settings" in record), None):
        found["settings"] = texts.setdefault(_settings(record), len(texts))
    return found


def _settings(record: Mapping[str, Any]) -> str:
    """Return the settings of a run as YAML; tuned settings are only marked as such."""
    known = json.loads(json.dumps({key: record[key] for key in SETTINGS if key in record}))
    for name in (record.get("tuned") or {}).get("values", {}):
        *parents, leaf = name.split(".")
        part = known["settings"]
        for parent in parents:
            part = part.get(parent, {})
        if leaf in part:
            part[leaf] = "(tuned)"
    return str(yaml.safe_dump(known, sort_keys=False, default_flow_style=None))


def _hash(inputs: Inputs, dataset: str) -> str:
    return str((inputs.record(dataset) or {}).get("sha256") or "")


def _tuned(inputs: Inputs, rows: pd.DataFrame) -> Tuned:
    """Return the tuned values of each seed by experiment, method and dataset, then by name."""
    found: Tuned = {}
    for experiment in dict.fromkeys(rows["experiment"]):
        try:
            frame = inputs.tuned(experiment)
        except DataError:  # an experiment without tuning
            continue
        columns = (frame[key] for key in ("method", "dataset", "name", "seed", "value"))
        for method, dataset, name, seed, value in zip(*columns, strict=True):
            names = found.setdefault((experiment, method, dataset), {})
            names.setdefault(name, {})[int(seed)] = float(value)
    return found


def _ends(summary: statistics.Summary) -> list[float | None]:
    return _short([summary.median, summary.low, summary.high])


def _short(values: Sequence[float] | pd.Series) -> list[float | None]:
    return [rounded(float(value), SIGNIFICANT) for value in values]
