"""The catalogue: source and licence of every dataset."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from rafs import datasets
from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import NONE, number
from rafs.reporting.table import ReportTable, Row, sections
from rafs.reporting.tables._datasets import listed

TITLE = "Datasets"
CAPTION = (
    "The datasets. Points are training and test points; noise is the standard deviation of what is "
    "added to the target of generated data, in its units. Generated data need no licence: their "
    "formulas and parameters are published. Full references are in the CSV file of this table and "
    "in the documentation."
)
READS = ("sources",)


def build(inputs: Inputs, options: Mapping[str, Any]) -> ReportTable:
    """Build the table; options: `entries` of datasets in params.yaml, `datasets` if not all."""
    specs = listed(options)
    specs = [spec if spec.features else with_features(spec, inputs) for spec in specs]
    known = {spec.name: spec for spec in specs if spec.train}
    categories = {name: spec.category for name, spec in known.items()}
    rows = [_row(known[name]) if name else None for name in sections(list(known), categories)]
    others = [_row(spec) for spec in specs if not spec.train]
    rows += [None, *others] if others else []
    return ReportTable(
        caption=CAPTION,
        frame=pd.DataFrame([_record(spec) for spec in specs]),
        head=["Dataset", "Category", "Features", "Points", "Target", "Noise", "Source", "Licence"],
        rows=rows,
        align="llcclcll",
    )


def with_features(spec: datasets.Spec, inputs: Inputs) -> datasets.Spec:
    """Return a description with the features from the record of the dataset's file."""
    record = inputs.record(spec.name) or {}
    return replace(spec, features=tuple(record.get("features", ())))


def _record(spec: datasets.Spec) -> dict[str, Any]:
    return {
        "dataset": spec.name,
        "title": spec.title,
        "category": spec.category,
        "features": spec.dimension,
        "train": spec.train or None,
        "test": spec.test or None,
        "target": spec.target,
        "unit": spec.target_unit,
        "noise": spec.noise,
        "source": spec.source,
        "licence": spec.licence,
        "citation": spec.citation,
        "doi": spec.doi,
    }


def _row(spec: datasets.Spec) -> Row:
    unit = f" ({spec.target_unit})" if spec.target_unit else ""
    noise = "unknown" if spec.noise is None else number(spec.noise)
    points = f"{spec.train} + {spec.test}" if spec.train else NONE
    shown = [labels.category(spec.category), str(spec.dimension), points, spec.target + unit, noise]
    where = "" if spec.synthetic else spec.source.partition(";")[0]
    source = ": ".join(filter(None, (where, short_reference(spec.citation))))
    return [spec.title, *shown, source or NONE, spec.licence.partition(":")[0] or NONE]


def short_reference(citation: str) -> str:
    """Return the authors and the year of a citation; all of it if it names no year.

    >>> short_reference("He, Lakshminarayanan and Teh (2020), Bayesian deep ensembles, NeurIPS 33")
    'He et al. (2020)'
    >>> short_reference("An and Owen (2001), Quasi-regression"), short_reference("")
    ('An and Owen (2001)', '')
    """
    found = re.match(r"(.+?) \((\d{4})\)", citation or "")
    if not found:
        return citation or ""
    authors = re.split(r", | and ", found[1])
    shown = " and ".join(authors) if len(authors) < 3 else f"{authors[0]} et al."
    return f"{shown} ({found[2]})"
