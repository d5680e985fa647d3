"""The catalogue: where every dataset comes from, and under which terms."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs import datasets
from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.tables.table import NONE, Row, Table, number, sections


def build(inputs: Inputs, options: Mapping[str, Any]) -> Table:
    """Build the table; options: `datasets`, and `own`, names of tables that people brought."""
    specs = {name: datasets.spec(name) for name in options.get("datasets", datasets.names())}
    records = [
        {
            "dataset": name,
            "title": spec.title,
            "category": spec.category,
            "features": spec.dimension,
            "target": spec.target,
            "unit": spec.target_unit,
            "noise": spec.noise,
            "source": spec.source,
            "licence": spec.licence,
            "citation": spec.citation,
            "doi": spec.doi,
        }
        for name, spec in specs.items()
    ]
    own = {name: inputs.record(name) or {} for name in options.get("own", [])}
    records += [
        {
            "dataset": name,
            "title": name,
            "category": "own",
            "features": len(record.get("features", ())),
            "target": record.get("target"),
            "noise": record.get("noise"),
            "source": record.get("source"),
        }
        for name, record in own.items()
    ]
    categories = {name: spec.category for name, spec in specs.items()}
    rows: list[Row | None] = []
    for name in sections(list(specs), categories):
        if name is None:
            rows.append(None)
            continue
        spec = specs[name]
        unit = f" ({spec.target_unit})" if spec.target_unit else ""
        noise = "unknown" if spec.noise is None else number(spec.noise)
        shown = [labels.category(spec.category), str(spec.dimension), spec.target + unit, noise]
        rows.append([spec.title, *shown, spec.citation or NONE, spec.licence or NONE])
    rows += [None] if own else []
    for name, record in own.items():
        noise = "unknown" if record.get("noise") is None else number(record["noise"])
        shown = [labels.category("own"), str(len(record.get("features", ())))]
        rows.append([name, *shown, record.get("target") or NONE, noise, NONE, NONE])
    return Table(
        caption="The datasets. Noise is the standard deviation of what is added to the target of "
        "generated data, in its units.",
        frame=pd.DataFrame(records),
        head=["Dataset", "Category", "Features", "Target", "Noise", "Reference", "Licence"],
        rows=rows,
        align="llclcpp",
    )
