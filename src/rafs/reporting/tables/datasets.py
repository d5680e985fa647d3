"""The catalogue: where every dataset comes from, and under which terms."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from rafs import datasets
from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.tables.table import NONE, Row, Table, number, sections


def build(inputs: Inputs, options: Mapping[str, Any]) -> Table:
    """Build the table; options: `datasets`, `overrides` by dataset, `own`: what people brought."""
    overrides = options.get("overrides", {})
    specs = {
        name: replace(datasets.spec(name), **overrides.get(name, {}))
        for name in options.get("datasets", datasets.names())
    }
    records = [
        {
            "dataset": name,
            "title": spec.title,
            "category": spec.category,
            "features": spec.dimension,
            "train": spec.train,
            "test": spec.test,
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
        sizes = [str(spec.dimension), f"{spec.train} + {spec.test}"]
        shown = [labels.category(spec.category), *sizes, spec.target + unit, noise]
        source = spec.citation if spec.synthetic else f"{spec.source}: {spec.citation}"
        rows.append([spec.title, *shown, source or NONE, spec.licence or NONE])
    rows += [None] if own else []
    for name, record in own.items():
        noise = "unknown" if record.get("noise") is None else number(record["noise"])
        sizes = [str(len(record.get("features", ()))), NONE]
        shown = [labels.category("own"), *sizes, record.get("target") or NONE, noise]
        rows.append([name, *shown, NONE, NONE])
    return Table(
        caption="The datasets. Points are training and test points; noise is the standard "
        "deviation of what is added to the target of generated data, in its units.",
        frame=pd.DataFrame(records),
        head=["Dataset", "Category", "Features", "Points", "Target", "Noise", "Source", "Licence"],
        rows=rows,
        align="llcclcpp",
    )
