"""The claims of the paper, and the verdict on each by the paper's rule and by our tests."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from rafs.files import canonical_json
from rafs.reporting.claims import HOLDS, WORDS, Judged
from rafs.reporting.judgement.verdicts import Verdict, as_dict
from rafs.reporting.numbers import NONE
from rafs.reporting.table import Cell, ReportTable


def table(judged: Sequence[Judged]) -> ReportTable:
    """Return judged claims as a table."""
    return ReportTable(
        caption="The claims of the paper and the verdicts on them: by the paper's own rule on its "
        "printed ranks and on our runs, and by our tests. The rules, and the reasons for every "
        "verdict, are in claims.json and in the CSV file.",
        frame=pd.DataFrame(_record(one) for one in judged),
        head=[
            "No.",
            "Claim",
            "Printed ranks",
            "Paper's rule, our runs",
            "Our tests",
            "Because (our tests)",
        ],
        rows=[
            [
                str(one.claim.number),
                one.claim.statement,
                *map(_cell, (one.printed, one.paper, one.ours)),
                one.ours.reason,
            ]
            for one in judged
        ],
        notes=[f"“{word}”: {meaning}" for word, meaning in WORDS.items()],
        align="lplllp",
    )


def _cell(verdict: Verdict | None) -> Cell:
    """Return a verdict, bold where the claim holds."""
    return Cell(NONE) if verdict is None else Cell(verdict.text, verdict.kind == HOLDS)


def _record(one: Judged) -> dict[str, Any]:
    """Return a row of the CSV file."""
    found = {"printed": one.printed, "paper": one.paper, "ours": one.ours}
    record: dict[str, Any] = {
        "number": one.claim.number,
        "section": one.claim.section,
        "claim": one.claim.statement,
    }
    for name, verdict in found.items():
        record[f"{name}_verdict"] = verdict.text if verdict else ""
        record[f"{name}_reason"] = verdict.reason if verdict else ""
    return {
        **record,
        "paper_rule": one.paper.rule,
        "ours_rule": one.ours.rule,
        "numbers": canonical_json(as_dict(one.ours)["parts"]),
    }
