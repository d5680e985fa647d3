"""Summarise the results for DVC: a small metrics file, and scores to plot."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from rafs.files import write_json, write_text
from rafs.pipeline.jobs import named
from rafs.reporting.inputs import Inputs
from rafs.reporting.summary import plot_scores, summarise

if TYPE_CHECKING:
    from rafs.pipeline.job_specs import SummarySpec


class SummaryOutputs(NamedTuple):
    """The outputs of the job."""

    metrics: str
    medians: str


def run(spec: "SummarySpec", inputs: Sequence[str], outputs: Sequence[str]) -> None:
    """Write both, for the experiment of the headline."""
    made = named(SummaryOutputs, outputs)
    results = Inputs(files=inputs, experiments=spec["experiments"])
    write_json(made.metrics, summarise(results, spec["headline"]))
    medians = plot_scores(results, spec["headline"])
    write_text(made.medians, medians.to_csv(index=False, lineterminator="\n"))
