"""`rafs score`: score a file of predictions, and print the lines that add it to params.yaml."""

import argparse
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from rafs import compare, methods
from rafs.cli.results import (
    CORRECTED,
    CORRECTION,
    refuse_folder,
    screen,
    show,
    verdict,
    write_scores,
)
from rafs.errors import ParameterError
from rafs.evaluation import metrics, prediction_scores
from rafs.evaluation.predicted import Predicted, read
from rafs.files import write_json
from rafs.reporting import labels

SHOWN = tuple(metric.name for metric in metrics.shown(metrics.HEADLINE))
HEADS = {"nll": "NLL (with ½ ln 2π)"}
INDEPENDENT = (
    f"NLL, signed-rank test, {CORRECTION}; it takes splits as independent: a column n_train makes "
    "it the Nadeau-Bengio test for splits of one table"
)


def run(options: argparse.Namespace) -> int:
    """Score the file, print the scores, and write them if requested."""
    if Path(options.file).is_dir():
        raise ParameterError(f"{options.file} is a directory; name a file")
    if options.out:
        refuse_folder(Path(options.out))
    found = read(options.file, options.group or "group")
    frame = prediction_scores.table(found, options.file)
    names = ("nll", *SHOWN, *([prediction_scores.PINBALL] if found.levels else []))
    names = tuple(dict.fromkeys(names))
    result = {
        "file": options.file,
        "tables": list(tables(frame, names)),
        "remarks": prediction_scores.remarks(found),
        "params": params(found, options.file),
    }
    if options.out:
        write_scores(Path(options.out) / "scores.csv", frame)
        write_json(Path(options.out) / "scores.json", result)
    if options.json:
        print(json.dumps(result, indent=1))
    else:
        report(result, names)
    return 0


def tables(frame: pd.DataFrame, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield a table per dataset and group of rows: its methods, best first, and the tests."""
    for (dataset, group), part in frame.groupby(["dataset", "group"], sort=False):
        raw = part[part["way"] == "raw"]
        splits, rows = int(raw["seed"].nunique()), []
        for way, runs in part.groupby("way", sort=False):
            found = compare.summary(runs, names)
            rows += [{**row, "way": way, "label": _label(row, str(way), splits)} for row in found]
        yield {
            "dataset": str(dataset),
            "group": group,
            "test_rows": int(raw["n_test"].median()) if not group else None,
            "splits": splits,
            "methods": rows,
            **_tested(raw, str(rows[0]["method"])),
        }


def _label(row: Mapping[str, Any], way: str, splits: int) -> str:
    name = labels.method(row["method"])
    name = name if way == "raw" else f"{name}, {way}"
    return name if row["runs"] == splits else f"{name} ({row['runs']} of {splits} splits)"


def _tested(raw: pd.DataFrame, best: str) -> dict[str, Any]:
    """Return the test of the best method against the others, if one is possible."""
    if raw["method"].nunique() < 2 or raw["seed"].nunique() < 2:
        return {}
    return {
        "test": CORRECTED if "category" in raw else INDEPENDENT,
        "not_significantly_different": compare.equals(raw, best),
    }


def params(found: Predicted, file: str) -> list[str]:
    """Return the lines of params.yaml that define methods from a file that names its runs."""
    if not {"dataset", "split"} <= set(found.keys):
        return []
    several = "method" in found.keys
    given = [str(m) for m in found.keys["method"].unique()] if several else [Path(file).stem]
    entries: dict[str, dict[str, str]] = {}
    for method in given:
        chosen = {"method": method} if several else {}
        entries[_name(method, entries)] = {"predictions": file, **chosen}
    return [
        f"  {yaml.safe_dump({name: entry}, default_flow_style=True, sort_keys=False, width=10**6)}"
        .strip()[1:-1]
        for name, entry in entries.items()
    ]  # fmt: skip


def _name(method: str, taken: Collection[str]) -> str:
    """Return an unused name for a method in params.yaml."""
    name = compare.slug(method)
    name = f"{name}_given" if name in methods.names() else name
    numbered = (f"{name}_{number}" for number in count(2))
    return next(each for each in chain([name], numbered) if each not in taken)


def report(result: Mapping[str, Any], names: Sequence[str]) -> None:
    """Print a table per dataset and group, and the lines of params.yaml."""
    console, heads = screen(), [HEADS.get(name) or labels.metric(name) for name in names]
    for found in result["tables"]:
        rows = found["methods"]
        lines = [[row["label"], *(_cell(row, name, rows) for name in names)] for row in rows]
        show(console, heading(found), heads, lines)
        if "test" in found:
            equal = [labels.method(name) for name in found["not_significantly_different"]]
            console.print(verdict(rows[0]["label"], equal, found["test"]))
    for remark in result["remarks"]:
        console.print(remark, markup=False)
    if result["params"]:
        console.print("to add it to the tables of the benchmark, write into params.yaml")
        console.print("methods:")
        for line in result["params"]:
            console.print(f"  {line}", markup=False)
        console.print("and name it in the methods of an experiment")


def _cell(row: Mapping[str, Any], name: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Show a median with its interval; a recalibrated interval has no density to score."""
    return (
        "" if row[name]["median"] is None else compare.text(row, name, compare.decimals(rows, name))
    )


def heading(found: Mapping[str, Any]) -> str:
    """Return the heading of a table."""
    place = f"{found['dataset']}, {found['group']}" if found["group"] else found["dataset"]
    size = f", {found['test_rows']} test rows" if found["test_rows"] else ""
    if found["splits"] == 1:
        return f"{place}{size}"
    return (
        f"{place}{size}; median and, from six splits on, its 95 % interval over "
        f"{found['splits']} splits"
    )
