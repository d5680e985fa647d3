"""The scores of every run in one small file per experiment: reports/seeds/main.csv.gz."""

import csv
import gzip
import io
from collections.abc import Mapping, Sequence
from typing import Any

from rafs.evaluation import metrics

DIGITS = 5  # significant digits; seeds differ by far more
COLUMNS = (
    "experiment", "method", "dataset", "seed", "status", "category", "n_train", "n_test",
    "n_inside", "members",
)  # fmt: skip


def compressed(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return the scores of runs as gzip-compressed CSV; equal scores give equal bytes.

    Every run has a row, with empty metrics if it has no scores. The metrics are those that reports
    show; results/ also has the others.
    """
    named = dict.fromkeys(name for row in rows for name in row)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [*COLUMNS, *(name for name in named if _is_shown(name))]
    writer.writerow(names)
    writer.writerows([_rounded(row.get(name, "")) for name in names] for row in rows)
    return gzip.compress(text.getvalue().encode(), compresslevel=9, mtime=0)


def _is_shown(column: str) -> bool:
    metric = metrics.find(column)
    return metric is not None and bool(metric.shown)


def _rounded(value: Any) -> Any:
    return f"{value:.{DIGITS}g}" if isinstance(value, float) else value
