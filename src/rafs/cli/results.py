"""What `rafs compare` and `rafs score` have in common: where files go, a table, and a verdict."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd
from rich.console import Console
from rich.table import Table

from rafs.errors import ParameterError
from rafs.evaluation.statistics import ALPHA
from rafs.files import unwritable, write_csv

CORRECTION = f"Holm-corrected, p < {ALPHA:g}"
CORRECTED = f"NLL, Nadeau-Bengio corrected t-test, {CORRECTION}"


def refuse_folder(out: Path) -> None:
    """Refuse a folder that no file can be written to."""
    if out.exists() and not out.is_dir():
        raise ParameterError(f"--out {out} is a file; name a directory")
    if problem := unwritable([str(out)]):
        raise ParameterError(f"--out: {problem}")


def write_scores(file: Path, frame: pd.DataFrame) -> None:
    """Write a row per run, without missing values."""
    rows = frame.to_dict("records")
    write_csv(file, [{str(k): value for k, value in row.items() if value == value} for row in rows])


def screen() -> Console:
    """Return the console that results are printed to."""
    return Console(highlight=False, soft_wrap=True)


def show(
    console: Console,
    title: str,
    heads: Iterable[str],
    lines: Sequence[Sequence[str]],
    best: str = "",
) -> None:
    """Print a title and a line per method, whatever the width of the terminal.

    `best` is the style of the first line.
    """
    table = Table(box=None, pad_edge=False)
    table.add_column("method")
    for head in heads:
        table.add_column(head, justify="right")
    for place, cells in enumerate(lines):
        table.add_row(*cells, style="" if place else best)
    console.width = max(console.width, Console(width=1000).measure(table).maximum)
    console.print(title)
    console.print(table)


def verdict(best: str, equal: Sequence[str], test: str) -> str:
    """Say which methods are not significantly different from the best, all by their labels."""
    if not equal:
        return f"{best} is significantly better than every other method ({test})"
    return f"not significantly different from {best}: {', '.join(equal)} ({test})"
