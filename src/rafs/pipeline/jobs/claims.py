"""Judge the claims of the paper: claims.json, and the same as a table."""

from typing import Any

from rafs import paths
from rafs.files import write_json
from rafs.reporting.claims import as_json, judge
from rafs.reporting.inputs import Inputs
from rafs.reporting.judgement.table import table
from rafs.reporting.table_files import write


def run(spec: dict[str, Any]) -> None:
    """Write the verdicts, computed from the results of the spec's experiments and nothing else."""
    claims = judge(Inputs(experiments=spec["experiments"]))
    write_json(paths.CLAIMS, as_json(claims))
    for form in paths.TABLE_FORMATS:
        write(table(claims), paths.TABLE.format(table="claims", format=form))
