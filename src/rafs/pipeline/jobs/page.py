"""Put everything on one page."""

from importlib import import_module
from pathlib import Path
from typing import Any

import yaml

from rafs import paths
from rafs.files import read_json, write_text
from rafs.pipeline.origin import origin
from rafs.reporting.inputs import Inputs
from rafs.reporting.page import build


def run(spec: dict[str, Any]) -> None:
    """Write the page from the scores, the figures and the verdicts."""
    inputs, params = Inputs(), spec["params"]
    figures = {
        name: Path(paths.FIGURE.format(figure=name, format="svg")).read_bytes()
        for name in spec["figures"]
    }
    tables = {
        name: import_module(f"rafs.reporting.tables.{name}").build(inputs, params["tables"][name])
        for name in spec["tables"]
    }
    text = build(
        inputs,
        experiments=spec["experiments"],
        compared=spec["compared"],
        figures=figures,
        beside_answer=spec["beside_answer"],
        tables=tables,
        claims=read_json(paths.CLAIMS)["claims"],
        params=yaml.safe_dump(params, sort_keys=False, allow_unicode=True),
        versions=spec["versions"],
        origin=origin(),
    )
    write_text(paths.PAGE, text)
