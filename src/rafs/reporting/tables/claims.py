"""The twelve claims of the paper and the verdict on each."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from rafs.files import canonical_json
from rafs.reporting.claims import HOLDS, WORDS, Claim, judge
from rafs.reporting.inputs import Inputs
from rafs.reporting.tables.table import Cell, Table


def build(inputs: Inputs, options: Mapping[str, Any]) -> Table:
    """Build the table from all experiments that were run; it has no options."""
    return table(judge(inputs))


def table(claims: Sequence[Claim]) -> Table:
    """Return judged claims as a table."""
    return Table(
        caption="The claims of the paper and what our runs say of them. The rules are in "
        "claims.json and in the CSV file.",
        frame=pd.DataFrame(
            {
                "number": claim.number,
                "claim": claim.claim,
                "rule": claim.rule,
                "verdict": claim.verdict,
                "reason": claim.reason,
                "numbers": canonical_json(claim.numbers),
            }
            for claim in claims
        ),
        head=["No.", "Claim", "Verdict", "Because"],
        rows=[
            [str(c.number), c.claim, Cell(c.verdict, c.verdict == HOLDS), c.reason] for c in claims
        ],
        notes=[f"“{word}”: {meaning}" for word, meaning in WORDS.items()],
        align="lplp",
    )
