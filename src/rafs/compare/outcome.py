"""The outcome of a comparison: a row per method, and the format of its numbers."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from rafs.compare.conformal import PREFIX
from rafs.evaluation import metrics, statistics
from rafs.reporting import labels

SHOWN = (
    *(metric.name for metric in metrics.shown(metrics.COMPARE)),
    f"{PREFIX}coverage_95", "interval_score_95", f"{PREFIX}interval_score_95", "cpu_seconds",
)  # fmt: skip
MORE = ("nll", "width_95", f"{PREFIX}width_95")  # in files; methods are ordered by their NLL
SCORES = (*MORE, *SHOWN)
LOST = ("diverged", "failed")  # states of a run without scores


def summary(frame: pd.DataFrame, names: Sequence[str] = SCORES) -> list[dict[str, Any]]:
    """Return a row per method, best first: medians, their 95 % intervals, and means.

    Runs that diverged or failed are left out of means. In medians, by which methods are ordered,
    they count as worse than any score. If the median itself is such a run, methods with fewer of
    them come first.
    """
    rows = []
    for method, part in frame.groupby("method", sort=False):
        row: dict[str, Any] = {"method": method, "label": label(str(method), frame["method"])}
        row |= {"runs": len(part), **{word: int(part["status"].eq(word).sum()) for word in LOST}}
        row["messages"] = messages(part)
        for name in names:
            found = vars(statistics.summarise(statistics.values(part, name)))
            kept = {key: found[key] for key in ("mean", "low", "high", "median")}
            row[name] = {k: value if math.isfinite(value) else None for k, value in kept.items()}
        rows.append(row)
    return sorted(rows, key=_place)


def lost(row: Mapping[str, Any]) -> int:
    """Return how many runs of a method have no scores."""
    return sum(row[word] for word in LOST)


def losses(row: Mapping[str, Any]) -> str:
    """Say how many runs of a method have no scores, and why: '1 of 10 diverged'."""
    return ", ".join(f"{row[word]} of {row['runs']} {word}" for word in LOST if row[word])


def messages(part: pd.DataFrame) -> list[str]:
    """Return the messages about the runs of a method, each once."""
    said: Iterable[str] = part.get("message", [])
    return list(dict.fromkeys(message for message in said if message))


def label(method: str, others: Iterable[str]) -> str:
    """Return the label of a method: of a class its name, or its path if two have the same name."""
    short = method.rpartition(".")[2]
    same = {name for name in others if name.rpartition(".")[2] == short}
    return short if "." in method and len(same) == 1 else labels.method(method)


def equals(frame: pd.DataFrame, best: str) -> list[str]:
    """Return the methods whose NLL is not significantly higher than that of the best.

    The splits of one table overlap, so the test is Nadeau and Bengio's corrected t-test, with
    Holm's correction over the rivals. Methods without any score are excluded.
    """
    scored = frame[frame["method"].isin(frame.loc[frame["status"].eq("ok"), "method"])]
    found = statistics.duels(scored, "nll", best)
    if found.empty:
        return []
    return [str(rival) for rival in found.loc[found["outcome"] != "win", "rival"]]


def _place(row: Mapping[str, Any]) -> tuple[float, int, float]:
    """Return the sort key of a method: its median NLL, the number of lost runs, its mean NLL."""
    median, mean = row["nll"]["median"], row["nll"]["mean"]
    return (
        math.inf if median is None else median,
        lost(row),
        math.inf if mean is None else mean,
    )


def text(row: Mapping[str, Any], name: str, decimals: int | None = 2) -> str:
    """Show a median with its interval, in plain characters."""
    from rafs.reporting.table import number

    value = row[name]
    if value["mean"] is None:
        all_lost = lost(row) == row["runs"]
        return "–" if not all_lost else "failed" if row["failed"] else "diverged"
    shown = number(math.inf if value["median"] is None else value["median"], decimals)
    if value["low"] is None or name == "cpu_seconds":
        return shown
    high = math.inf if value["high"] is None else value["high"]
    return f"{shown} [{number(value['low'], decimals)}, {number(high, decimals)}]"


def decimals(rows: Sequence[Mapping[str, Any]], name: str) -> int | None:
    """Limit a column to two decimals, unless a median would lose its digits (None: no limit)."""
    medians = (row[name]["median"] for row in rows)
    return None if any(0 < abs(value) < 0.1 for value in medians if value is not None) else 2
