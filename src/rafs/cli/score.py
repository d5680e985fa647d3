"""`rafs score`: score a file of predictions, and print the lines that add it to params.yaml."""

import argparse
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from rich.console import Console
from rich.table import Table

from rafs import compare, methods
from rafs.cli.compare import clean
from rafs.errors import ParameterError
from rafs.evaluation import metrics, prediction_scores, statistics
from rafs.evaluation.predicted import Predicted, read
from rafs.files import unwritable, write_csv, write_json
from rafs.reporting import labels

SHOWN = tuple(metric.name for metric in metrics.shown(metrics.HEADLINE))
HEADS = {"nll": "NLL (with ½ ln 2π)"}
CORRECTION = f"Holm-corrected, p < {statistics.ALPHA:g}"
CORRECTED = f"NLL, Nadeau-Bengio corrected t-test, {CORRECTION}"
INDEPENDENT = (
    f"NLL, signed-rank test, {CORRECTION}; it takes splits as independent: a column n_train makes "
    "it the Nadeau-Bengio test for splits of one table"
)


def run(options: argparse.Namespace) -> int:
    """Score the file, print the scores, and write them if requested."""
    if Path(options.file).is_dir():
        raise ParameterError(f"{options.file} is a directory; name a file")
    if options.out and Path(options.out).is_file():
        raise ParameterError(f"--out {options.out} is a file; name a directory")
    if options.out and (problem := unwritable([options.out])):
        raise ParameterError(f"--out: {problem}")
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
        write_csv(Path(options.out) / "scores.csv", [clean(r) for r in frame.to_dict("records")])
        write_json(Path(options.out) / "scores.json", result)
    if options.json:
        print(json.dumps(result, indent=1))
    else:
        show(result, names)
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


def show(result: Mapping[str, Any], names: Sequence[str]) -> None:
    """Print a table per dataset and group, one line per method at any terminal width."""
    console = Console(highlight=False, soft_wrap=True)
    for found in result["tables"]:
        rows = found["methods"]
        table = Table(box=None, pad_edge=False)
        table.add_column("method")
        for name in names:
            table.add_column(HEADS.get(name) or labels.metric(name), justify="right")
        for row in rows:
            table.add_row(row["label"], *(_cell(row, name, rows) for name in names))
        console.width = max(console.width, Console(width=1000).measure(table).maximum)
        console.print(heading(found))
        console.print(table)
        if "test" in found:
            console.print(verdict(found))
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


def verdict(found: Mapping[str, Any]) -> str:
    """Return a sentence on which methods are not significantly different from the best."""
    best = found["methods"][0]["label"]
    equal = [labels.method(name) for name in found["not_significantly_different"]]
    if not equal:
        return f"{best} is significantly better than every other method ({found['test']})"
    return f"not significantly different from {best}: {', '.join(equal)} ({found['test']})"
