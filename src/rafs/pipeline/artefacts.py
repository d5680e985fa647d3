"""The files of the workflow: what each job reads, what each target needs, and all of them."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from rafs import paths
from rafs.config.models import DESCRIBED, ShownEntry
from rafs.config.parameters import Params
from rafs.datasets import quirks
from rafs.experiments import Experiments, Run
from rafs.pipeline.jobs.aggregate import gathered_run
from rafs.pipeline.memory import once
from rafs.pipeline.sources import Sources
from rafs.reporting import catalogue

PER_RUN = (*paths.TRAINED, paths.METRICS)
PER_EXPERIMENT = {
    "scores": paths.SCORES, "costs": paths.COSTS, "tuned": paths.TUNED,
    "recalibrated": paths.RECALIBRATED, "seeds": paths.SEEDS,
}  # fmt: skip


class Artefacts:
    """The files of the workflow."""

    def __init__(self, params: Params, experiments: Experiments, sources: Sources) -> None:
        self.experiments = experiments
        self.sources = sources
        self.shown: dict[str, dict[str, ShownEntry]] = {
            "tables": params.tables,
            "figures": params.figures,
        }

    # --- inputs of runs -------------------------------------------------------------------------

    def sample(self, dataset: str, seed: int, protocol: str = DESCRIBED) -> str:
        """Return the file of a dataset sampled for a seed."""
        return paths.DATA.format(
            protocol=quirks.of_data(protocol, dataset), dataset=dataset, seed=seed
        )

    def data_of(self, run: Run) -> str:
        """Return the file with the data of a run."""
        protocol = self.experiments[run.experiment].protocol(run.method)
        return self.sample(run.dataset, run.seed, protocol)

    def best_of(self, run: Run) -> list[str]:
        """Return the file with the tuned values of a run, if it uses those of another run."""
        source = self.experiments[run.experiment].tuning
        if source is None or source == run.experiment:
            return []
        return [Run(source, run.base, run.dataset, run.seed).path(paths.BEST)]

    @once
    def gathered(self, experiment: str, asked: frozenset[str] | None = frozenset()) -> list[Run]:
        """Return the runs whose scores are gathered: all, unless only parts are requested.

        If only parts are requested, these are the runs of the parts and all other existing runs. A
        job on a node of a cluster does not know the request (None); all runs that it needs exist.
        """
        runs, every = self.experiments[experiment].runs, self.experiments
        if experiment in every.default or (asked is not None and every.whole(experiment, asked)):
            return runs
        wanted = every.requested(experiment, asked or ())
        return [run for run in runs if run in wanted or Path(run.path(paths.PREDICTIONS)).exists()]

    def gathered_files(self, experiment: str, asked: frozenset[str] | None) -> list[str]:
        """Return the files of these runs that are gathered."""
        runs = self.gathered(experiment, asked)
        return [file for run in runs for file in gathered_run(**vars(run))]

    # --- inputs and files of reports -------------------------------------------------------------

    @once
    def shown_inputs(self, kind: str, name: str) -> list[str]:
        """Return the files that a table or a figure declares to read."""
        options = self.shown[kind][name]
        shown = catalogue.declaration(kind, name)
        experiments, chosen = options.experiments, options.datasets or shown.datasets
        runs = [
            run
            for run in self.experiments.runs_of(experiments)
            if (not chosen or run.dataset in chosen) and options.seed in (None, run.seed)
        ]
        files = {
            part: [template.format(experiment=experiment) for experiment in experiments]
            for part, template in PER_EXPERIMENT.items()
        }
        files["predictions"] = [run.path(paths.PREDICTIONS) for run in runs]
        files["data"] = [self.data_of(run) for run in runs]
        if not experiments:
            files["data"] = [self.sample(dataset, options.seed or 0) for dataset in chosen]
        listed = self.sources.catalogued()
        unknown = [name for name in listed if not self.sources.described[name].train]
        files["sources"] = [paths.FETCHED.format(dataset=name) for name in unknown]
        return list(dict.fromkeys(file for part in shown.reads for file in files[part]))

    def _entries(self) -> Iterator[tuple[str, str, ShownEntry]]:
        """Yield kind, name and options of every table and figure."""
        for kind, entries in self.shown.items():
            yield from ((kind, name, options) for name, options in entries.items())

    def shown_files(self, kind: str, name: str) -> list[str]:
        """Return the files of a table or a figure."""
        if kind == "tables":
            formats = [paths.TABLE.format(table=name, format=f) for f in paths.TABLE_FORMATS]
            return [*formats, self._on_page(kind, name)]
        return [paths.FIGURE.format(figure=name, format=f) for f in paths.FIGURE_FORMATS]

    def shown_names(self, kind: str) -> list[str]:
        """Return the tables or figures that need no experiment that is run by name only."""
        return [
            name
            for name, options in self.shown[kind].items()
            if not set(options.experiments) & set(self.experiments.extra)
        ]

    def _all_shown(self) -> list[str]:
        """Return the files of all tables and figures that need no experiment run by name only."""
        return [
            file
            for kind in ("tables", "figures")
            for name in self.shown_names(kind)
            for file in self.shown_files(kind, name)
        ]

    def claims_outputs(self) -> list[str]:
        """Return the verdicts, and the files of their table."""
        return [paths.CLAIMS, *(paths.CLAIMS_TABLE.format(format=f) for f in paths.TABLE_FORMATS)]

    def scores(self) -> list[str]:
        """Return the scores of all experiments."""
        return [paths.SCORES.format(experiment=name) for name in self.experiments.default]

    def claims_inputs(self) -> list[str]:
        """Return all scores, and the predictions that the claims about confidence read."""
        chosen = catalogue.claimed_predictions()
        headline = self.experiments[self.experiments.headline]
        runs = [run for run in headline.runs if run.dataset in chosen]
        found = [(run.path(paths.PREDICTIONS), self.data_of(run)) for run in runs]
        return [*self.scores(), *dict.fromkeys(file for pair in found for file in pair)]

    def page_inputs(self) -> list[str]:
        """Return everything that the page shows."""
        fetched = [paths.FETCHED.format(dataset=dataset) for dataset in self.sources.used()]
        tuned = [paths.TUNED.format(experiment=name) for name in self.experiments.default]
        judged = [*self.claims_outputs(), paths.SUMMARY]
        return [*self.scores(), *tuned, *self._all_shown(), *judged, *fetched]

    def seen(self) -> list[str]:
        """Return the experiments run by name only that have scores."""
        files = {name: paths.SCORES.format(experiment=name) for name in self.experiments.extra}
        return [name for name, file in files.items() if Path(file).exists()]

    def page_shown(self, kind: str) -> list[str]:
        """Return the tables or figures on the page.

        Those of experiments run by name only are shown if their files exist.
        """
        lacking = set(self.experiments.extra) - set(self.seen())
        return [
            name
            for name, options in self.shown[kind].items()
            if not set(options.experiments) & set(self.experiments.extra)
            or (not set(options.experiments) & lacking and Path(self._on_page(kind, name)).exists())
        ]

    def _on_page(self, kind: str, name: str) -> str:
        """Return the file that the page reads of a table or a figure."""
        if kind == "tables":
            return paths.BUILT_TABLE.format(table=name)
        return paths.FIGURE.format(figure=name, format="svg")

    def page_made_by_name(self) -> list[str]:
        """Return the files of the shown tables and figures of experiments run by name only."""
        return [
            self._on_page(kind, name)
            for kind in self.shown
            for name in self.page_shown(kind)
            if name not in self.shown_names(kind)
        ]

    def page_extras(self) -> list[str]:
        """Return the existing files of experiments run by name only that the page shows.

        They are not inputs, because inputs would make these experiments run.
        """
        scores = [paths.SCORES.format(experiment=name) for name in self.seen()]
        return [*scores, *self.page_made_by_name()]

    # --- all files, and targets -----------------------------------------------------------------

    @once
    def all(self) -> list[str]:
        """Return every file of the reproduction, so that none can be forgotten or left stale."""
        made = [*self._results(self.experiments.default), *self.page_inputs()]
        return list(dict.fromkeys([*made, paths.PLOT_SCORES, paths.PAGE, paths.COMPLETE]))

    def extra(self) -> list[str]:
        """Return the files of the experiments run by name only, without those of `all`."""
        fetched = [paths.FETCHED.format(dataset=name) for name in self.sources.used(extra=True)]
        shown = [f for kind, name, _ in self._entries() for f in self.shown_files(kind, name)]
        known = set(self.all())
        made = dict.fromkeys([*fetched, *self._results(self.experiments.extra), *shown])
        return [name for name in made if name not in known]

    def _results(self, experiments: Iterable[str]) -> list[str]:
        """Return the scores of experiments and all files that they are made from."""
        names = list(experiments)
        samples = self.experiments.samples(names)
        return [
            *(self.sample(dataset, seed, protocol) for protocol, dataset, seed in samples),
            *(run.path(each) for run in self.experiments.runs_of(names) for each in PER_RUN),
            *(each.format(experiment=name) for name in names for each in PER_EXPERIMENT.values()),
        ]

    @once
    def targets(self) -> dict[str, list[str]]:
        """Return the targets by name: experiments, tables and figures."""
        shown = {
            f"{kind.removesuffix('s')}_{name}": self.shown_files(kind, name)
            for kind, name, _ in self._entries()
        }
        named = {
            name: list(dict.fromkeys(file for part in parts for file in self._reported(part)))
            for name, parts in self.experiments.named.items()
        }
        groups = {
            name: self._reported(group.experiment)
            for name, group in self.experiments.groups.items()
        }
        return named | groups | shown

    def _reported(self, experiment: str) -> list[str]:
        """Return the scores of one experiment, and the tables and figures made of it alone.

        For an experiment that is run by name only, also those that use further experiments.
        """
        shown = [
            file
            for kind, name, options in self._entries()
            if options.experiments == (experiment,)
            or (experiment in self.experiments.extra and experiment in options.experiments)
            for file in self.shown_files(kind, name)
        ]
        return [paths.SCORES.format(experiment=experiment), *shown]
