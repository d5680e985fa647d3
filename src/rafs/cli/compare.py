"""`rafs compare`: compare methods on one table; print a table, write a figure and files."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from rafs import compare
from rafs.cli.results import CORRECTED, refuse_folder, screen, show, verdict, write_scores
from rafs.datasets import tabular, user
from rafs.files import write_json
from rafs.pipeline.messages import is_live
from rafs.reporting import style

UNBOUNDED = "–: fewer than 19 training rows were held out, too few for a conformal 95 % interval"


def run(options: argparse.Namespace) -> int:
    """Compare the methods, then print and write the results."""
    plan = compare.plan(options.file, vars(options))
    out = Path(options.out or f"{plan.name}-comparison")
    refuse_folder(out)
    file = Path(options.file)
    if user.is_remote(plan.entry):
        file = tabular.obtain(plan.entry, out / user.file(plan.name, plan.entry).name)
    table = tabular.read(plan.entry, file)
    with progress(plan.jobs) as tell:
        frame = compare.run(plan, table, options.cores, tell)
    rows = compare.summary(frame)
    from rafs.compare import picture

    split = plan.entry.get("split", tabular.SPLIT)
    train, test = tabular.parts(table, split, 0, plan.name, str(file))
    figure = picture.draw(frame, rows, f"{file.name}: {plan.entry['target']}")
    pictures = style.files(out / "comparison")
    style.save(figure, pictures, picture.CAPTION)
    write_scores(out / "scores.csv", frame)
    result = {
        "file": str(options.file),
        "target": plan.entry["target"],
        "features": list(table.features),
        "train": len(train),
        "test": len(test),
        "seeds": len(plan.seeds),
        "methods": rows,
        "not_significantly_different": compare.equals(frame, rows[0]["method"]),
        "files": [str(out / "scores.csv"), str(out / "comparison.json"), *map(str, pictures)],
    }
    write_json(out / "comparison.json", result)
    if options.json:
        print(json.dumps(result, indent=1))
    else:
        report(result, rows)
    return 0 if any(compare.lost(row) < row["runs"] for row in rows) else 1


def report(result: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the table, best first, and what there is to say about it."""
    console, runs = screen(), f"{result['seeds']} split{'s' * (result['seeds'] > 1)}"
    title = (
        f"{result['target']} from {len(result['features'])} features; median and, from six "
        f"splits on, its 95 % interval over {runs} into {result['train']} training and "
        f"{result['test']} test rows; lowest median NLL first"
    )
    show(
        console, title, map(compare.heading, compare.SHOWN), [_line(r, rows) for r in rows], "bold"
    )
    console.print(equality(result, rows))
    if any(compare.lost(row) < row["runs"] and unbounded(row) for row in rows):
        console.print(UNBOUNDED)
    for row in rows:
        for message in remarks(row):
            console.print(message, markup=False)
    console.print(f"picture: {next(f for f in result['files'] if f.endswith('.png'))}")


def _line(row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the line of a method: its label, with what it lost, and its scores."""
    lost = f" ({compare.losses(row)})" if compare.lost(row) else ""
    cells = [compare.text(row, name, compare.decimals(rows, name)) for name in compare.SHOWN]
    return [row["label"] + lost, *cells]


def unbounded(row: Mapping[str, Any]) -> bool:
    """Whether no run of a method has a finite conformal interval."""
    return any(row[name]["mean"] is None for name in compare.SHOWN if compare.is_conformal(name))


def remarks(row: Mapping[str, Any]) -> list[str]:
    """Return the first message about the runs of a method, and the number of further ones."""
    first, *more = row["messages"] or [""]
    rest = f" ({len(more)} more in scores.csv)" if more else ""
    named = first if first.startswith(row["method"]) else f"{row['label']}: {first}"
    return [f"{named}{rest}"] if first else []


def equality(result: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a sentence on which methods are not significantly different from the best."""
    if len(rows) < 2 or result["seeds"] < 2:
        return "differences are tested with several methods on several splits"
    equal = [row["label"] for row in rows if row["method"] in result["not_significantly_different"]]
    return verdict(rows[0]["label"], equal, CORRECTED)


@contextmanager
def progress(total: int) -> Iterator[Callable[[str], None]]:
    """Yield a function to call when jobs end: it shows a bar on a terminal, else prints lines."""
    console = Console(stderr=True)
    if not is_live(console):
        done = 0

        def line(what: str) -> None:
            nonlocal done
            done += 1
            print(f"rafs: {done} of {total}: {what}", file=sys.stderr, flush=True)

        yield line
        return
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("left;"))
    with Progress(
        *columns, TextColumn("{task.description}"), console=console, transient=True
    ) as bar:
        task = bar.add_task("starting", total=total)
        yield lambda what: bar.update(task, advance=1, description=what)
