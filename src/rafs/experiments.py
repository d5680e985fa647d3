"""Experiments are data: from params.yaml to the runs, and to what each job depends on.

A run is (experiment, method, dataset, seed). A job's `spec` is one canonical JSON text with all
that its result depends on apart from its input files: resolved settings, and the hash of its code.
The workflow hands this very text to the job, so that what triggers a job is what the job uses.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from rafs import __version__, datasets, methods, paths, provenance
from rafs.errors import ParameterError
from rafs.files import canonical_json
from rafs.params import Params, dataset_names, fixed, search, seeds

PROTOCOL = "described"


@dataclass(frozen=True)
class Run:
    """One training job. `method` is as in its path: a swept run is `rafs@size=3`."""

    experiment: str
    method: str
    dataset: str
    seed: int

    @property
    def base(self) -> str:
        """The method without the swept value."""
        return self.method.partition("@")[0]

    def path(self, template: str) -> str:
        """Fill one of the templates of `rafs.paths`."""
        return template.format(
            experiment=self.experiment, method=self.method, dataset=self.dataset, seed=self.seed
        )


class Plan:
    """What has to be done for a set of parameters."""

    def __init__(self, params: Params, root: Path | str = ".") -> None:
        self.params = params
        self.lock = Path(root) / paths.LOCK
        self._codes: dict[tuple[str, ...], str] = {}

    # --- what there is --------------------------------------------------------------------------

    @property
    def experiments(self) -> list[str]:
        """All experiments, in the order of the file."""
        return list(self.params["experiments"])

    @cache  # noqa: B019 (a plan lives as long as the process)
    def datasets(self, experiment: str) -> list[str]:
        """Datasets of an experiment, in the order of the paper."""
        return dataset_names(self.params["experiments"][experiment]["datasets"])

    @cache  # noqa: B019 (a plan lives as long as the process)
    def seeds(self, experiment: str) -> list[int]:
        """Seeds of an experiment."""
        return seeds(self.params["experiments"][experiment].get("seeds", self.params["seeds"]))

    def tuning(self, experiment: str) -> str:
        """Return the experiment whose tuned values are used."""
        source: str = self.params["experiments"][experiment].get("tuning", experiment)
        return source

    @cache  # noqa: B019 (a plan lives as long as the process)
    def variants(self, experiment: str) -> dict[str, dict[str, Any]]:
        """Return the methods of an experiment, swept ones once per value, with that value."""
        entry = self.params["experiments"][experiment]
        if "sweep" not in entry:
            return {method: {} for method in entry["methods"]}
        ((key, values),) = entry["sweep"].items()
        short = key.rpartition(".")[2]
        return {
            f"{method}@{short}={value}": {key: value}
            for method in entry["methods"]
            for value in values
        }

    @cache  # noqa: B019 (a plan lives as long as the process)
    def runs(self, experiment: str) -> list[Run]:
        """Return all runs of an experiment."""
        return [
            Run(experiment, method, dataset, seed)
            for dataset in self.datasets(experiment)
            for method in self.variants(experiment)
            for seed in self.seeds(experiment)
        ]

    @cached_property
    def all_runs(self) -> list[Run]:
        """Return the runs of all experiments."""
        return [run for experiment in self.experiments for run in self.runs(experiment)]

    def tuned(self) -> Iterator[tuple[str, str, str]]:
        """Yield (experiment, method, dataset) of every tuning job."""
        for experiment in self.experiments:
            if self.tuning(experiment) == experiment:
                for dataset in self.datasets(experiment):
                    for method in self.params["experiments"][experiment]["methods"]:
                        yield experiment, method, dataset

    def real(self) -> list[str]:
        """Return the real datasets in use."""
        used = {dataset for name in self.experiments for dataset in self.datasets(name)}
        return [d for d in datasets.names() if d in used and not datasets.spec(d).synthetic]

    @property
    def headline(self) -> str:
        """The experiment that answers which method is best: main, or else the first."""
        return "main" if "main" in self.experiments else self.experiments[0]

    @property
    def alongside(self) -> list[str]:
        """Experiments on the headline's datasets whose methods can stand beside its own."""
        common = self.datasets(self.headline)
        return [
            name
            for name in self.experiments
            if self.datasets(name) == common and "sweep" not in self.params["experiments"][name]
        ]

    # --- which files belong together ------------------------------------------------------------

    def sources(self, dataset: str) -> list[str]:
        """Return the record of a real dataset's file; a synthetic one has no file."""
        synthetic = datasets.spec(dataset).synthetic
        return [] if synthetic else [paths.FETCHED.format(dataset=dataset)]

    def drawn(self, dataset: str, seed: int) -> str:
        """Return the file of a dataset drawn for a seed."""
        return paths.DATA.format(protocol=PROTOCOL, dataset=dataset, seed=seed)

    def tuning_data(self, dataset: str) -> str:
        """Return the file that a dataset is tuned on."""
        return self.drawn(dataset, self.params["tuning"]["seed"])

    @cache  # noqa: B019 (a plan lives as long as the process)
    def before_training(self, experiment: str) -> list[str]:
        """Return all data and tuned values that runs with this experiment's tuning start from."""
        users = [name for name in self.experiments if self.tuning(name) == experiment]
        drawn = {
            self.drawn(dataset, seed): None
            for name in users
            for dataset in self.datasets(name)
            for seed in self.seeds(name)
        }
        best = [
            paths.BEST.format(experiment=experiment, method=method, dataset=dataset)
            for source, method, dataset in self.tuned()
            if source == experiment
        ]
        return [*best, *drawn]

    def training_inputs(self, run: Run) -> dict[str, str]:
        """Return the data and the tuned values of a run."""
        best = paths.BEST.format(
            experiment=self.tuning(run.experiment), method=run.base, dataset=run.dataset
        )
        return {"data": self.drawn(run.dataset, run.seed), "best": best}

    @cache  # noqa: B019 (a plan lives as long as the process)
    def shown_inputs(self, kind: str, name: str) -> list[str]:
        """Return what a table or figure is made of; one that names datasets reads predictions."""
        options = self.params[kind][name]
        found = [
            template.format(experiment=experiment)
            for experiment in options["experiments"]
            for template in (paths.SCORES, paths.COSTS)
        ]
        if kind == "tables":
            return found
        chosen = options.get("datasets", [])
        for experiment in options["experiments"]:
            for run in self.runs(experiment):
                if run.dataset in chosen and run.seed == options.get("seed", run.seed):
                    found += [run.path(paths.PREDICTIONS), self.drawn(run.dataset, run.seed)]
        if not options["experiments"]:
            found += [self.drawn(dataset, options.get("seed", 0)) for dataset in chosen]
        return list(dict.fromkeys(found))

    def shown_files(self, kind: str, name: str) -> list[str]:
        """Return the files of a table or a figure."""
        if kind == "tables":
            return [paths.TABLE.format(table=name, format=f) for f in paths.TABLE_FORMATS]
        return [paths.FIGURE.format(figure=name, format=f) for f in paths.FIGURE_FORMATS]

    def all_shown(self) -> list[str]:
        """Return the files of all tables and figures."""
        return [
            file
            for kind in ("tables", "figures")
            for name in (*self.params[kind], *(["claims"] if kind == "tables" else []))
            for file in self.shown_files(kind, name)
        ]

    def all_scores(self) -> list[str]:
        """Return the scores of all experiments."""
        return [paths.SCORES.format(experiment=experiment) for experiment in self.experiments]

    def claims_inputs(self) -> list[str]:
        """Return all scores, and the predictions that claims about confidence are judged by."""
        chosen = ("friedman", "abalone")
        runs = [run for run in self.runs(self.headline) if run.dataset in chosen]
        found = [(run.path(paths.PREDICTIONS), self.drawn(run.dataset, run.seed)) for run in runs]
        return [*self.all_scores(), *dict.fromkeys(file for pair in found for file in pair)]

    def page_inputs(self) -> list[str]:
        """Return everything that the page shows."""
        fetched = [paths.FETCHED.format(dataset=dataset) for dataset in self.real()]
        return [*self.all_scores(), *self.all_shown(), paths.CLAIMS, paths.SUMMARY, *fetched]

    @cache  # noqa: B019 (a plan lives as long as the process)
    def before_verify(self) -> list[str]:
        """Return all files but the last."""
        drawn = {self.drawn(run.dataset, run.seed): None for run in self.all_runs}
        drawn |= {self.tuning_data(dataset): None for _, _, dataset in self.tuned()}
        templates = (paths.PREDICTIONS, paths.RECORD, paths.COST, paths.METRICS)
        return [
            *drawn,
            *(
                template.format(experiment=experiment, method=method, dataset=dataset)
                for experiment, method, dataset in self.tuned()
                for template in (paths.BEST, paths.TRIALS)
            ),
            *(run.path(template) for run in self.all_runs for template in templates),
            *(paths.COSTS.format(experiment=experiment) for experiment in self.experiments),
            *self.page_inputs(),
            paths.PLOT_SCORES,
            paths.PAGE,
        ]

    def artefacts(self) -> list[str]:
        """Return every file of the reproduction, so that none can be forgotten or left stale."""
        return [*self.before_verify(), paths.COMPLETE]

    @cache  # noqa: B019 (a plan lives as long as the process)
    def targets(self) -> dict[str, list[str]]:
        """Return the parts that can be asked for by name: experiments, tables and figures."""
        shown = {
            f"{kind.removesuffix('s')}_{name}": self.shown_files(kind, name)
            for kind in ("tables", "figures")
            for name in self.params[kind]
        }
        return {name: self._experiment_artefacts(name) for name in self.experiments} | shown

    def _experiment_artefacts(self, experiment: str) -> list[str]:
        """Return the files of one experiment, and the tables and figures made of it alone."""
        shown = [
            file
            for kind in ("tables", "figures")
            for name, options in self.params[kind].items()
            if options["experiments"] == [experiment]
            for file in self.shown_files(kind, name)
        ]
        return [paths.SCORES.format(experiment=experiment), *shown]

    # --- what each job depends on ---------------------------------------------------------------

    def _spec(self, roots: list[str], **content: Any) -> str:
        key = tuple(roots)
        if key not in self._codes:
            self._codes[key] = provenance.code_hash(roots, self.lock)
        return canonical_json({**content, "code": self._codes[key]})

    @cache  # noqa: B019 (a plan lives as long as the process)
    def fetch(self, dataset: str) -> str:
        """Spec of getting a real dataset's file."""
        return self._spec(["rafs.jobs.fetch"], dataset=dataset, strict=self.params["strict"])

    @cache  # noqa: B019 (a plan lives as long as the process)
    def data(self, protocol: str, dataset: str, seed: int) -> str:
        """Spec of drawing a dataset."""
        return self._spec(
            ["rafs.jobs.data", datasets.family(dataset)],
            protocol=protocol,
            dataset=dataset,
            seed=int(seed),
            overrides=self.params["datasets"].get(dataset, {}),
        )

    @cache  # noqa: B019 (a plan lives as long as the process)
    def tune(self, experiment: str, method: str, dataset: str) -> str:
        """Spec of tuning a method on a dataset."""
        tuning = self.params["tuning"]
        space = search(self.params, method)
        if not datasets.spec(dataset).synthetic:
            space["noise"] = tuning["noise"]
        return self._spec(
            ["rafs.jobs.tune", methods.module_of(method)],
            experiment=experiment,
            method=method,
            dataset=dataset,
            seed=tuning["seed"],
            trials=tuning["trials"],
            holdout=tuning["holdout"],
            search=space,
            settings=self._settings(experiment, method, method),
            training=self._training(experiment),
        )

    @cache  # noqa: B019 (a plan lives as long as the process)
    def train(self, run: Run) -> str:
        """Spec of one run."""
        variants = self.variants(run.experiment)
        if run.method not in variants:
            raise ParameterError(f"experiment {run.experiment!r} has no method {run.method!r}")
        return self._spec(
            ["rafs.jobs.train", methods.module_of(run.base)],
            experiment=run.experiment,
            method=run.method,
            base=run.base,
            dataset=run.dataset,
            seed=run.seed,
            tuning=self.tuning(run.experiment),
            protocol=PROTOCOL,
            settings=self._settings(run.experiment, run.base, run.method),
            sweep=variants[run.method],
            training=self._training(run.experiment),
        )

    @cache  # noqa: B019 (a plan lives as long as the process)
    def score(self, run: Run) -> str:
        """Spec of scoring one run."""
        return self._spec(
            ["rafs.jobs.score"],
            experiment=run.experiment,
            method=run.method,
            dataset=run.dataset,
            seed=run.seed,
            protocol=PROTOCOL,
        )

    @cache  # noqa: B019 (a plan lives as long as the process)
    def aggregate(self, experiment: str) -> str:
        """Spec of the table of all scores of an experiment."""
        return self._spec(
            ["rafs.jobs.aggregate"],
            experiment=experiment,
            methods=list(self.variants(experiment)),
            sweep={name: value for name, value in self.variants(experiment).items() if value},
            datasets=self.datasets(experiment),
            seeds=self.seeds(experiment),
        )

    def shown(self, kind: str, name: str) -> str:
        """Spec of a table or a figure (kind: "tables" or "figures")."""
        options = dict(self.params[kind][name])
        if name == "sizes":
            options["overrides"] = self.params["datasets"]
        return self._spec(
            [f"rafs.jobs.{kind}", f"rafs.reporting.{kind}.{name}"], name=name, options=options
        )

    def claims(self) -> str:
        """Spec of the verdicts on the paper's claims."""
        return self._spec(["rafs.jobs.claims"], experiments=self.experiments)

    def summary(self) -> str:
        """Spec of the small metrics file that DVC compares."""
        return self._spec(["rafs.jobs.summary"], headline=self.headline)

    def page(self) -> str:
        """Spec of the report page."""
        tables = [f"rafs.reporting.tables.{name}" for name in self.params["tables"]]
        wanted = ("numba", "numpy", "pandas", "scipy", "torch")
        pins = provenance.pins(self.lock)
        return self._spec(
            ["rafs.jobs.page", *tables],
            params=self.params,
            compared=[self.headline, *(e for e in self.alongside if e != self.headline)],
            versions={"rafs": __version__, **{name: pins.get(name, "?") for name in wanted}},
        )

    def verify(self) -> str:
        """Spec of the final check that no job failed."""
        return self._spec(["rafs.jobs.verify"], runs=len(self.all_runs))

    @cache  # noqa: B019 (a plan lives as long as the process)
    def _settings(self, experiment: str, method: str, variant: str) -> dict[str, Any]:
        swept = self.variants(experiment).get(variant, {})
        entry = self.params["experiments"][experiment]
        return methods.get(method).resolve(
            self.params["ensemble"], fixed(self.params, method), entry.get("ensemble", {}), swept
        )

    def _training(self, experiment: str) -> dict[str, Any]:
        entry = self.params["experiments"][experiment]
        return {
            **self.params["training"],
            **entry.get("training", {}),
            "device": self.params["device"],
        }
