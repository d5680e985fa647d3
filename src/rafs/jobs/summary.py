"""Sum the results up for DVC: a small metrics file, and one row per method and dataset to plot."""

from typing import Any

from rafs import paths
from rafs.files import write_json, write_text
from rafs.reporting.inputs import Inputs
from rafs.reporting.summary import summarise

METRICS = ("nll", "rmse", "crps", "coverage_95")


def run(spec: dict[str, Any]) -> None:
    """Write both, for the experiment that the headline is taken from."""
    inputs = Inputs()
    write_json(paths.SUMMARY, summarise(inputs, experiment=spec["headline"]))
    write_text(paths.PLOT_SCORES, medians(inputs, spec["headline"]))


def medians(inputs: Inputs, experiment: str) -> str:
    """Return the median over seeds of the main metrics as CSV."""
    frame = inputs.scores(experiment)
    good = frame[frame["status"] == "ok"]
    groups = good.groupby(["dataset", "method"], sort=False)
    present = [name for name in METRICS if name in good]
    text: str = groups[present].median().reset_index().to_csv(index=False, lineterminator="\n")
    return text
