"""Claim 25: random activations on every ensemble."""

from dataclasses import replace

import pandas as pd

from rafs.evaluation import statistics
from rafs.methods import with_random_activations
from rafs.reporting import labels
from rafs.reporting.judgement.differences import NATS, lower, over_datasets, untestable
from rafs.reporting.judgement.paper_rule import count_apart
from rafs.reporting.judgement.results import Results, not_run
from rafs.reporting.judgement.verdicts import (
    CONTRADICTED,
    NOT_SHOWN,
    SHOWN,
    Claim,
    Part,
    Parts,
    Rule,
)

MIXED = {name: with_random_activations(name) for name in sorted(labels.rivals("rafs"))}


def by_paper(results: Results) -> Parts:
    """Count the datasets on which the intervals with and without do not overlap."""
    frame, parts = _runs(results), []
    for base, mixed in MIXED.items():
        count = count_apart(frame, mixed, base)
        total = sum(count.values())
        if not total:
            parts.append(untestable(_name(base), _why(frame, mixed)))
            continue
        outcome = SHOWN if count["lower"] > count["higher"] else NOT_SHOWN
        if count["higher"] > total / 2:
            outcome = CONTRADICTED
        detail = f"lower on {count['lower']} and higher on {count['higher']} of {total} datasets"
        parts.append(Part(_name(base), outcome, detail, count))
    return parts


def by_tests(results: Results) -> Parts:
    """Test the differences over datasets, corrected over the methods."""
    frame = _runs(results)
    found = {
        base: difference
        for base, mixed in MIXED.items()
        for difference in over_datasets(frame, NATS, mixed, [base])
    }
    corrected = statistics.holm([difference.p for difference in found.values()])
    tested = {
        base: replace(difference, p=float(p))
        for (base, difference), p in zip(found.items(), corrected, strict=True)
    }
    return [
        lower(_name(base), tested.get(base), "" if base in tested else _why(frame, mixed))
        for base, mixed in MIXED.items()
    ]


def _runs(results: Results) -> pd.DataFrame:
    """Return the runs with and without random activations on the datasets of the paper."""
    mixed = results.runs("rafs_on", MIXED.values(), labels.paper_datasets())
    return pd.concat([frame for frame in (results.main, mixed) if len(frame)] or [mixed])


def _why(frame: pd.DataFrame, mixed: str) -> str:
    if mixed not in set(frame["method"]):
        return not_run("main" if mixed == "rafs" else "rafs_on")
    return "no dataset has enough seeds of both"


def _name(base: str) -> str:
    return f"improves {labels.method(base)}"


CLAIM = Claim(
    number=25,
    section="Ablation",
    statement="RAFs can be applied to any ensemble technique, and increases its performance.",
    paper=Rule(
        "For each of the five methods the interval of NLL with random activations lies below that "
        "without on more datasets than above; contradicted if it lies above on most.",
        by_paper,
    ),
    ours=Rule(
        "For each of the five methods NLL is lower with random activations than without: "
        "signed-rank test over datasets, corrected over the methods, by more than the margin.",
        by_tests,
    ),
    reads=("main", "rafs_on"),
)
