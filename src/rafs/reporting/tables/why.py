"""What makes random activations work: statements, verdicts, and their reasons."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs.reporting.inputs import Inputs
from rafs.reporting.judgement.verdicts import Part
from rafs.reporting.table import ReportTable, Row, gaps
from rafs.reporting.why.controls import ANCHORED, RAFS, find
from rafs.reporting.why.findings import FINDINGS, judge

TITLE = "Why"
CAPTION = (
    "What makes random activations work: statements of ours, judged by the difference in NLL over "
    "datasets, as the paper's claims are."
)
READS = ("scores",)
SECTION = "why"
COLUMNS = (
    "finding", "statement", "verdict", "kind", "part", "outcome", "detail", "rival", "difference",
    "low", "high", "p",
)  # fmt: skip


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table from the experiments of `why`."""
    judged = judge(inputs)
    records = [
        {
            "finding": finding.name,
            "statement": finding.statement,
            "verdict": verdict.text,
            "kind": verdict.kind,
            "part": part.name,
            "outcome": part.outcome,
            "detail": part.detail,
            **numbers,
        }
        for finding, verdict in judged
        for part in verdict.parts
        for numbers in _numbers(part)
    ]
    rows: list[Row | None] = [
        [finding.statement, verdict.text, verdict.reason] for finding, verdict in judged
    ]
    return ReportTable(
        caption=CAPTION,
        frame=pd.DataFrame(records, columns=list(COLUMNS)),
        head=["Statement", "Verdict", "What decided it"],
        rows=rows,
        notes=[
            *(f"{finding.statement} {finding.rule}" for finding, _ in judged),
            *gaps(controls(inputs)),
        ],
        align="plp",
    )


def controls(inputs: Inputs) -> pd.DataFrame:
    """Return the runs that the findings read: all controls, and RAFs and AE of `main`."""
    runs = find(inputs, *dict.fromkeys(name for each in FINDINGS for name in each.reads))
    return runs[(runs["experiment"] != "main") | runs["method"].isin([RAFS, ANCHORED])]


def _numbers(part: Part) -> list[dict[str, Any]]:
    """Return the effect sizes behind a part: one, or one per rival."""
    if not part.numbers or "difference" in part.numbers:
        return [{"rival": "", **part.numbers}]
    return [{"rival": rival, **found} for rival, found in part.numbers.items()]
