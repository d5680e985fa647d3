"""Sum the results up for DVC: a small metrics file, and one row per method and dataset to plot."""

from typing import Any

from rafs import paths
from rafs.files import write_json, write_text
from rafs.reporting.inputs import Inputs
from rafs.reporting.summary import plot_scores, summarise


def run(spec: dict[str, Any]) -> None:
    """Write both, for the experiment that the headline is taken from."""
    inputs = Inputs(experiments=spec["experiments"])
    write_json(paths.SUMMARY, summarise(inputs, experiment=spec["headline"]))
    medians = plot_scores(inputs, spec["headline"])
    write_text(paths.PLOT_SCORES, medians.to_csv(index=False, lineterminator="\n"))
