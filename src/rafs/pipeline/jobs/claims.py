"""Judge the claims of the paper; write claims.json and a table."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from rafs.files import write_json
from rafs.pipeline.jobs import named
from rafs.reporting.claims import as_json, judge
from rafs.reporting.inputs import Inputs
from rafs.reporting.judgement.table import table
from rafs.reporting.table_files import write

if TYPE_CHECKING:
    from rafs.pipeline.job_specs import ClaimsSpec


class ClaimsOutputs(NamedTuple):
    """The outputs: the verdicts, and a table of them in every format."""

    verdicts: str
    csv: str
    markdown: str
    latex: str


def run(spec: "ClaimsSpec", inputs: Sequence[str], outputs: Sequence[str]) -> None:
    """Write the verdicts, computed only from the results of the experiments in the spec."""
    made = named(ClaimsOutputs, outputs)
    claims = judge(Inputs(files=inputs, experiments=spec["experiments"]))
    write_json(made.verdicts, as_json(claims))
    for file in (made.csv, made.markdown, made.latex):
        write(table(claims), file)
