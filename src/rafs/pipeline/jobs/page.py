"""Make the report page."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import yaml

from rafs import paths
from rafs.files import read_json, write_text
from rafs.pipeline.jobs import only
from rafs.pipeline.origin import origin
from rafs.reporting.inputs import Inputs
from rafs.reporting.page import build
from rafs.reporting.table_files import read

if TYPE_CHECKING:
    from rafs.pipeline.job_specs import PageSpec


def run(spec: "PageSpec", inputs: Sequence[str], outputs: Sequence[str]) -> None:
    """Write the page from the scores, the tables, the figures and the verdicts."""
    results = Inputs(files=inputs, experiments=spec["experiments"])
    figures = {
        name: results.path(paths.FIGURE, figure=name, format="svg").read_bytes()
        for name in spec["figures"]
    }
    tables = {name: read(results.path(paths.BUILT_TABLE, table=name)) for name in spec["tables"]}
    text = build(
        results,
        experiments=spec["experiments"],
        compared=spec["compared"],
        figures=figures,
        beside_answer=spec["beside_answer"],
        tables=tables,
        claims=read_json(results.path(paths.CLAIMS))["claims"],
        params=yaml.safe_dump(spec["params"], sort_keys=False, allow_unicode=True),
        versions=spec["versions"],
        origin=origin(),
    )
    write_text(only(outputs), text)
