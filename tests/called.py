"""Jobs as the rules call them: what they depend on, what they read and what they write."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from rafs import paths
from rafs.config.models import DESCRIBED
from rafs.experiments import Run
from rafs.pipeline.jobs.train import TrainingJob
from rafs.pipeline.plan import Plan

MADE = (paths.PREDICTIONS, paths.RECORD, paths.TRIALS, paths.BEST, paths.COST, paths.HELD_OUT)
GATHERED = (paths.SCORES, paths.COSTS, paths.TUNED, paths.RECALIBRATED, paths.SEEDS)


@dataclass(frozen=True)
class Called:
    """A job with its spec and its files."""

    name: str
    spec: str
    inputs: list[str]
    outputs: list[str]

    def changed(self, **spec: Any) -> "Called":
        """Return the job with another spec."""
        return replace(self, spec=json.dumps(json.loads(self.spec) | spec))

    @property
    def given(self) -> tuple[dict[str, Any], list[str], list[str]]:
        """What the function of the job is given."""
        return json.loads(self.spec), self.inputs, self.outputs

    def run(self) -> None:
        """Do it."""
        import_module(f"rafs.pipeline.jobs.{self.name}").run(*self.given)

    def arguments(self, *more: str, name: str = "") -> list[str]:
        """Return its command line, perhaps of the job that stands in for it."""
        files = ["--input", *self.inputs, "--output", *self.outputs]
        return ["job", name or self.name, *more, "--spec", self.spec, *files]

    def failed(self, log: str) -> list[str]:
        """Return the command line of what stands in for it."""
        return self.arguments("--of", self.name, "--log", log, name="failed")


def data(plan: Plan, dataset: str, seed: int, protocol: str = DESCRIBED) -> Called:
    sources = plan.sources
    inputs = [*sources.records(dataset, protocol), *sources.tables(dataset, protocol)]
    spec = plan.specs.data(protocol, dataset, seed)
    return Called("data", spec, inputs, [plan.files.sample(dataset, seed, protocol)])


def train(plan: Plan, run: Run) -> Called:
    inputs = [plan.files.data_of(run), *plan.files.best_of(run)]
    return Called("train", plan.specs.train(run), inputs, [run.path(name) for name in MADE])


def training(called: Called) -> TrainingJob:
    return TrainingJob.of(*called.given)


def score(plan: Plan, *runs: Run) -> Called:
    files = (paths.PREDICTIONS, paths.RECORD, paths.HELD_OUT)
    read = [run.path(name) for name in files for run in runs]
    inputs = [*read, *(plan.files.data_of(run) for run in runs)]
    return Called(
        "score", plan.specs.score(runs), inputs, [run.path(paths.METRICS) for run in runs]
    )


def aggregate(plan: Plan, experiment: str) -> Called:
    outputs = [template.format(experiment=experiment) for template in GATHERED]
    return Called("aggregate", plan.specs.aggregate(experiment), [], outputs)


def shown(plan: Plan, kind: str, name: str) -> Called:
    files = plan.files
    spec = plan.specs.shown(kind, name)
    return Called(kind, spec, files.shown_inputs(kind, name), files.shown_files(kind, name))


def claims(plan: Plan) -> Called:
    files = plan.files
    return Called("claims", plan.specs.claims(), files.claims_inputs(), files.claims_outputs())


def summary(plan: Plan) -> Called:
    outputs = [paths.SUMMARY, paths.PLOT_SCORES]
    return Called("summary", plan.specs.summary(), plan.files.scores(), outputs)


def page(plan: Plan) -> Called:
    inputs = [*plan.files.page_inputs(), *plan.files.page_extras()]
    return Called("page", plan.specs.page(), inputs, [paths.PAGE])


def verify(plan: Plan) -> Called:
    return Called("verify", plan.specs.verify(), plan.files.scores(), [paths.COMPLETE])


def everything(plan: Plan) -> Iterator[Called]:
    """Yield every job of a plan without real data, each after those that it needs."""
    experiments = plan.experiments
    for protocol, dataset, seed in experiments.samples(experiments.default):
        yield data(plan, dataset, seed, protocol)
    takes_values = {name: experiments[name].tuning not in (None, name) for name in experiments}
    for run in sorted(experiments.runs, key=lambda run: takes_values[run.experiment]):
        yield train(plan, run)
    for run in experiments.runs:
        runs = experiments[run.experiment].cell(run.method, run.dataset)
        if run == runs[0]:
            yield score(plan, *runs)
    for experiment in experiments.default:
        yield aggregate(plan, experiment)
    for kind in ("tables", "figures"):
        for name in plan.files.shown_names(kind):
            yield shown(plan, kind, name)
    yield from (claims(plan), summary(plan), page(plan), verify(plan))
