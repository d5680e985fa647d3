"""Experiments are data: from params.yaml to the runs, and to what each job depends on.

A run is (experiment, method, dataset, seed). A job's `spec` is one canonical JSON text with all
that its result depends on apart from its input files: resolved settings, and the hash of its code.
The workflow hands this very text to the job, so that what triggers a job is what the job uses.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from rafs import __version__, datasets, methods, paths
from rafs.config.checks import SO_FAR
from rafs.config.models import Choice, ExperimentEntry, PartEntry, ShownEntry
from rafs.config.parameters import Params, is_setting, part_of
from rafs.datasets import quirks
from rafs.datasets.core import Entry, Origin
from rafs.errors import ParameterError
from rafs.files import canonical_json, sha256
from rafs.pipeline import provenance
from rafs.pipeline.effort import Effort, effort_of, networks, tuning_trainings
from rafs.reporting import catalogue

DESCRIBED = "described"
UNKNOWN_SHAPE = (20_000, 50)  # training rows and features of a dataset whose file is yet to be read
PER_RUN = (
    paths.PREDICTIONS, paths.RECORD, paths.TRIALS, paths.BEST, paths.COST, paths.METRICS,
)  # fmt: skip
PER_EXPERIMENT = {"scores": paths.SCORES, "costs": paths.COSTS, "tuned": paths.TUNED}


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


@dataclass(frozen=True)
class Part:
    """Some runs of an experiment that is run by name only, to be asked for by a name of theirs."""

    experiment: str
    runs: tuple[Run, ...]
    cost: str


class Plan:
    """What has to be done for a set of parameters."""

    def __init__(self, params: Params, root: Path | str = ".") -> None:
        self.params = params
        self.root = Path(root)
        self.lock = self.root / paths.LOCK
        written = {name: entry.written() for name, entry in params.datasets.items()}
        self.entries = datasets.resolve(written, root)
        self.described = datasets.describe_all(self.entries)
        self._codes: dict[tuple[str, ...], str] = {}

    # --- what there is --------------------------------------------------------------------------

    @property
    def experiments(self) -> list[str]:
        """The experiments of the reproduction, in the order of the file."""
        return [name for name in self.named if name not in self.extra]

    @property
    def named(self) -> list[str]:
        """All experiments, those too that are run by name only (`default: false`)."""
        return list(self.params.experiments)

    @property
    def extra(self) -> list[str]:
        """Experiments that are run by name only."""
        return [name for name, entry in self.params.experiments.items() if not entry.default]

    @cache  # noqa: B019 (a plan lives as long as the process)
    def datasets(self, experiment: str) -> list[str]:
        """Datasets of an experiment, in the order of the paper."""
        names = self.params.dataset_names(self.params.experiments[experiment].datasets)
        return [name for name in names if name not in self.left_out(experiment)]

    @cache  # noqa: B019 (a plan lives as long as the process)
    def seeds(self, experiment: str) -> list[int]:
        """Seeds of an experiment."""
        return self.params.seeds_of(experiment)

    def tuning(self, experiment: str) -> str | None:
        """Return the experiment whose tuned values are used; None if nothing is tuned."""
        return self.params.tuning_source(experiment)

    @cache  # noqa: B019 (a plan lives as long as the process)
    def protocol(self, experiment: str, method: str = "") -> str:
        """Return the protocol of an experiment with the quirks that it, or a variant, adds."""
        entry = self.params.experiments[experiment]
        swept = self.variants(experiment).get(method, {}).get("quirk")
        return "+".join([entry.protocol, *entry.quirks, *([swept] if swept else [])])

    def quirks(self, run: Run) -> tuple[str, ...]:
        """Return the quirks that a run has."""
        return quirks.active(self.protocol(run.experiment, run.method), run.dataset, run.base)

    @cache  # noqa: B019 (a plan lives as long as the process)
    def variants(self, experiment: str) -> dict[str, dict[str, Any]]:
        """Return the methods of an experiment, swept ones once per value, with that value."""
        entry = self.params.experiments[experiment]
        chosen = [method for method in entry.methods if method not in self.left_out(experiment)]
        if not entry.sweep:
            return {method: {} for method in chosen}
        key, values = entry.swept
        short = key.rpartition(".")[2]
        return {f"{method}@{short}={value}": {key: value} for method in chosen for value in values}

    @cache  # noqa: B019 (a plan lives as long as the process)
    def left_out(self, experiment: str) -> list[str]:
        """Return what an experiment that is run by name lacks tuned values for, and so leaves out.

        Methods and datasets that the experiment it takes them from does not have any more.
        """
        return self.params.untuned(experiment) if experiment in self.extra else []

    @cache  # noqa: B019 (a plan lives as long as the process)
    def runs(self, experiment: str) -> list[Run]:
        """Return all runs of an experiment."""
        return [
            Run(experiment, method, dataset, seed)
            for dataset in self.datasets(experiment)
            for method in self.variants(experiment)
            if self._wanted(experiment, method, dataset)
            for seed in self.seeds(experiment)
        ]

    def _wanted(self, experiment: str, method: str, dataset: str) -> bool:
        """Say whether a method is run on a dataset: not on too many rows, nor to no effect."""
        base = method.partition("@")[0]
        swept = self.variants(experiment)[method].get("quirk")
        return self._fits(self.params.experiments[experiment], base, dataset) and (
            swept is None or quirks.QUIRKS[swept].touches(dataset, base)
        )

    def _fits(self, entry: ExperimentEntry | PartEntry, base: str, dataset: str) -> bool:
        """Say whether an entry with `methods` and `largest` has room for a method on a dataset."""
        most = entry.largest.get(base)
        rows = self.described[dataset].train
        chosen = [base] if entry.methods is None else entry.methods
        return base in chosen and (most is None or rows <= most)

    @cached_property
    def parts(self) -> dict[str, Part]:
        """Return the parts of experiments by the names of their targets, as `released_quick`."""
        found = {}
        for experiment in self.extra:
            found[f"{experiment}_{SO_FAR}"] = Part(experiment, (), "")
            for name, entry in self.params.experiments[experiment].parts.items():
                runs = (r for r in self.runs(experiment) if self._fits(entry, r.base, r.dataset))
                found[f"{experiment}_{name}"] = Part(experiment, tuple(runs), entry.cost)
        return found

    @cache  # noqa: B019 (a plan lives as long as the process)
    def gathered(self, experiment: str, asked: frozenset[str] | None = frozenset()) -> list[Run]:
        """Return the runs whose scores are put together: all, unless only parts are asked for.

        Then it is the runs of these parts, and whatever there is of the others. A job that is sent
        elsewhere does not know what was asked for (None): it finds what it needs in its place.
        """
        runs = self.runs(experiment)
        parts = [part for name, part in self.parts.items() if name in (asked or ())]
        wanted = {run for part in parts if part.experiment == experiment for run in part.runs}
        if experiment not in self.extra or (asked is not None and self._whole(experiment, asked)):
            return runs
        return [run for run in runs if run in wanted or Path(run.path(paths.PREDICTIONS)).exists()]

    @cache  # noqa: B019 (a plan lives as long as the process)
    def cell(self, experiment: str, method: str, dataset: str) -> tuple[Run, ...]:
        """Return the runs that one job scores: all seeds of a method on a dataset."""
        return tuple(Run(experiment, method, dataset, seed) for seed in self.seeds(experiment))

    def same_seeds(self) -> dict[tuple[int, ...], list[str]]:
        """Return the experiments by their seeds."""
        found: dict[tuple[int, ...], list[str]] = {}
        for experiment in self.named:
            found.setdefault(tuple(self.seeds(experiment)), []).append(experiment)
        return found

    def _whole(self, experiment: str, asked: frozenset[str]) -> bool:
        """Say whether an experiment is asked for in whole: by its name, or by no name of a part."""
        entries = self.params.experiments
        names = {name for name in entries if experiment in (name, *entries[name].also)}
        parts = {name for name, part in self.parts.items() if part.experiment == experiment}
        return bool(asked & names) or not asked & parts

    @cached_property
    def all_runs(self) -> list[Run]:
        """Return the runs of all experiments."""
        return [run for experiment in self.experiments for run in self.runs(experiment)]

    @cache  # noqa: B019 (a plan lives as long as the process)
    def real(self, extra: bool = False) -> list[str]:
        """Return the real data in use, by the names of their files; of all experiments if asked."""
        used = {
            source
            for name in (self.named if extra else self.experiments)
            for method in self.variants(name)
            for dataset in self.datasets(name)
            for source in self._sources(dataset, self.protocol(name, method))
        }
        return [source for source in self._dataset_of if source in used]

    @cached_property
    def _dataset_of(self) -> dict[str, str]:
        """The dataset of every file, real data first."""
        ordered = sorted(self.described.values(), key=lambda dataset: dataset.synthetic)
        return {source: dataset.name for dataset in ordered for source in dataset.sources}

    def _entry(self, dataset: str) -> Entry:
        return self.entries.get(dataset, {})

    def _sources(self, dataset: str, protocol: str = DESCRIBED) -> tuple[str, ...]:
        return datasets.origins(dataset, protocol, self._entry(dataset))

    def origin(self, source: str) -> Origin:
        """Return where a file comes from."""
        return datasets.origin(source, self._entry(self._dataset_of[source]))

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
            if self.datasets(name) == common and not self.params.experiments[name].sweep
        ]

    # --- which files belong together ------------------------------------------------------------

    def sources(self, dataset: str, protocol: str = DESCRIBED) -> list[str]:
        """Return what a dataset is sampled from: the records of its files, and users' files."""
        names = self._sources(dataset, protocol)
        records = [paths.FETCHED.format(dataset=name) for name in names]
        return records + [file for name in names for file in self.supplied(name)]

    def supplied(self, source: str) -> list[str]:
        """Return the files that the user keeps, and that are inputs of the workflow."""
        return self.origin(source).supplied(source)

    def _catalogued(self) -> list[str]:
        """Return the datasets that tables of datasets list: the catalogue's, and users' in use."""
        return [name for name in self.described if name in datasets.names() or name in self.real()]

    def drawn(self, dataset: str, seed: int, protocol: str = DESCRIBED) -> str:
        """Return the file of a dataset drawn for a seed."""
        return paths.DATA.format(
            protocol=quirks.of_data(protocol, dataset), dataset=dataset, seed=seed
        )

    def drawn_for(self, run: Run) -> str:
        """Return the file with the data of a run."""
        return self.drawn(run.dataset, run.seed, self.protocol(run.experiment, run.method))

    def training_inputs(self, run: Run) -> dict[str, str]:
        """Return the data of a run, and the tuned values if they are those of another run."""
        source = self.tuning(run.experiment)
        if source in (None, run.experiment):
            return {"data": self.drawn_for(run)}
        tuned = Run(str(source), run.base, run.dataset, run.seed)
        return {"data": self.drawn_for(run), "best": tuned.path(paths.BEST)}

    @cache  # noqa: B019 (a plan lives as long as the process)
    def shown_inputs(self, kind: str, name: str) -> list[str]:
        """Return the files that a table or a figure declares to read."""
        options = self._shown(kind)[name]
        shown = catalogue.declaration(kind, name)
        experiments, chosen = options.experiments, options.datasets or shown.datasets
        runs = [
            run
            for experiment in experiments
            for run in self.runs(experiment)
            if run.dataset in chosen and options.seed in (None, run.seed)
        ]
        files = {
            part: [template.format(experiment=experiment) for experiment in experiments]
            for part, template in PER_EXPERIMENT.items()
        }
        files["predictions"] = [run.path(paths.PREDICTIONS) for run in runs]
        files["data"] = [self.drawn_for(run) for run in runs]
        if not experiments:
            files["data"] = [self.drawn(dataset, options.seed or 0) for dataset in chosen]
        unknown = [name for name in self._catalogued() if not self.described[name].train]
        files["sources"] = [paths.FETCHED.format(dataset=name) for name in unknown]
        return list(dict.fromkeys(file for part in shown.reads for file in files[part]))

    def _shown(self, kind: str) -> dict[str, ShownEntry]:
        return self.params.tables if kind == "tables" else self.params.figures

    def shown_files(self, kind: str, name: str) -> list[str]:
        """Return the files of a table or a figure."""
        if kind == "tables":
            return [paths.TABLE.format(table=name, format=f) for f in paths.TABLE_FORMATS]
        return [paths.FIGURE.format(figure=name, format=f) for f in paths.FIGURE_FORMATS]

    def shown_names(self, kind: str) -> list[str]:
        """Return the tables or figures that need no experiment that is run by name only."""
        return [
            name
            for name, options in self._shown(kind).items()
            if not set(options.experiments) & set(self.extra)
        ]

    def all_shown(self) -> list[str]:
        """Return the files of all tables and figures."""
        return [
            file
            for kind in ("tables", "figures")
            for name in (*self.shown_names(kind), *(["claims"] if kind == "tables" else []))
            for file in self.shown_files(kind, name)
        ]

    def all_scores(self) -> list[str]:
        """Return the scores of all experiments."""
        return [paths.SCORES.format(experiment=experiment) for experiment in self.experiments]

    def claims_inputs(self) -> list[str]:
        """Return all scores, and the predictions that claims about confidence are judged by."""
        chosen = catalogue.claimed_predictions()
        runs = [run for run in self.runs(self.headline) if run.dataset in chosen]
        found = [(run.path(paths.PREDICTIONS), self.drawn_for(run)) for run in runs]
        return [*self.all_scores(), *dict.fromkeys(file for pair in found for file in pair)]

    def page_inputs(self) -> list[str]:
        """Return everything that the page shows."""
        fetched = [paths.FETCHED.format(dataset=dataset) for dataset in self.real()]
        return [*self.all_scores(), *self.all_shown(), paths.CLAIMS, paths.SUMMARY, *fetched]

    def draws(self, experiments: list[str]) -> list[tuple[str, str, int]]:
        """Return protocol, dataset and seed of all data that experiments train on."""
        runs = (run for experiment in experiments for run in self.runs(experiment))
        return list({(self.data_protocol(run), run.dataset, run.seed): None for run in runs})

    def _results(self, experiments: list[str]) -> list[str]:
        """Return the files that lead to the scores of experiments, and these."""
        drawn = [self.drawn(dataset, seed, name) for name, dataset, seed in self.draws(experiments)]
        return [
            *drawn,
            *(
                run.path(template)
                for experiment in experiments
                for run in self.runs(experiment)
                for template in PER_RUN
            ),
            *(
                template.format(experiment=experiment)
                for experiment in experiments
                for template in PER_EXPERIMENT.values()
            ),
        ]

    @cache  # noqa: B019 (a plan lives as long as the process)
    def artefacts(self) -> list[str]:
        """Return every file of the reproduction, so that none can be forgotten or left stale."""
        made = [*self._results(self.experiments), *self.page_inputs()]
        return list(dict.fromkeys([*made, paths.PLOT_SCORES, paths.PAGE, paths.COMPLETE]))

    def extra_artefacts(self) -> list[str]:
        """Return the files of the experiments that are run by name only, but for those above."""
        fetched = [paths.FETCHED.format(dataset=dataset) for dataset in self.real(extra=True)]
        shown = [
            file
            for kind in ("tables", "figures")
            for name in self._shown(kind)
            for file in self.shown_files(kind, name)
        ]
        known = set(self.artefacts())
        made = dict.fromkeys([*fetched, *self._results(self.extra), *shown])
        return [name for name in made if name not in known]

    @cache  # noqa: B019 (a plan lives as long as the process)
    def targets(self) -> dict[str, list[str]]:
        """Return the parts that can be asked for by name: experiments, tables and figures."""
        shown = {
            f"{kind.removesuffix('s')}_{name}": self.shown_files(kind, name)
            for kind in ("tables", "figures")
            for name in self._shown(kind)
        }
        named = {
            name: [
                file
                for part in (name, *self.params.experiments[name].also)
                for file in self._experiment_artefacts(part)
            ]
            for name in self.named
        }
        parts = {
            name: self._experiment_artefacts(part.experiment) for name, part in self.parts.items()
        }
        return named | parts | shown

    def _experiment_artefacts(self, experiment: str) -> list[str]:
        """Return the files of one experiment, and the tables and figures made of it alone.

        With an experiment that is run by name only come all that are made of it.
        """
        shown = [
            file
            for kind in ("tables", "figures")
            for name, options in self._shown(kind).items()
            if options.experiments == (experiment,)
            or (experiment in self.extra and experiment in options.experiments)
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
    def fetch(self, source: str) -> str:
        """Spec of getting a file of a dataset."""
        return self._spec(
            ["rafs.pipeline.jobs.fetch", self._module(self._dataset_of[source])],
            dataset=source,
            strict=self.params.strict,
            **self.origin(source).identity(),
            **self._contents([source]),
        )

    def _module(self, dataset: str) -> str:
        return datasets.module_of(dataset, self._entry(dataset))

    def _contents(self, sources: Iterable[str]) -> dict[str, list[str]]:
        """Return the hashes of users' files, for Snakemake ignores an input with an old date."""
        hashes = [content for source in sources for content in self._hashes(source)]
        return {"content": hashes} if hashes else {}

    @cache  # noqa: B019 (a plan lives as long as the process)
    def _hashes(self, source: str) -> list[str]:
        return [sha256(file) for file in self.supplied(source) if Path(file).is_file()]

    @cache  # noqa: B019 (a plan lives as long as the process)
    def data(self, protocol: str, dataset: str, seed: int) -> str:
        """Spec of sampling a dataset."""
        roots = ["rafs.pipeline.jobs.data", self._module(dataset)]
        if protocol != DESCRIBED:
            roots.append("rafs.datasets.released")
        sources = self._sources(dataset, protocol)
        return self._spec(
            roots,
            protocol=protocol,
            dataset=dataset,
            seed=int(seed),
            entry=dict(self._entry(dataset)),
            sources=list(sources),
            **self._contents(sources),
        )

    @cache  # noqa: B019 (a plan lives as long as the process)
    def train(self, run: Run) -> str:
        """Spec of one run."""
        variants = self.variants(run.experiment)
        if run.method not in variants:
            raise ParameterError(f"experiment {run.experiment!r} has no method {run.method!r}")
        swept = variants[run.method]
        return self._spec(
            ["rafs.pipeline.jobs.train", methods.module_of(run.base)],
            experiment=run.experiment,
            method=run.method,
            base=run.base,
            dataset=run.dataset,
            seed=run.seed,
            tuning=self._search(run),
            protocol=self.data_protocol(run),
            settings=self._settings(run.experiment, run.base, run.method, self.quirks(run)),
            sweep={key: value for key, value in swept.items() if is_setting(key)},
            training=self._training(run),
            **({"scaled": False} if "unscaled" in self.quirks(run) else {}),
        )

    def _search(self, run: Run) -> str | dict[str, Any] | None:
        """Return how a run is tuned, the experiment whose tuned values it takes, or None."""
        source = self.tuning(run.experiment)
        if source != run.experiment:
            return source
        space = self.params.search(run.base)
        known = self.described[run.dataset].noise is not None
        if not space and (known or not methods.get(run.base).needs_noise):
            return None
        swept = part_of("tuning", self.variants(run.experiment)[run.method])
        searched = {name: values.written() for name, values in space.items()}
        return {"space": searched, **self.params.tuning.written(), **swept}

    def effort(self, run: Run) -> Effort:
        """Return what a run asks of a machine: tuning, then training."""
        settings = self._settings(run.experiment, run.base, run.method, self.quirks(run))
        how, shape = self._training(run), self._shape(run.dataset)
        trained = float(networks(settings))
        if isinstance(search := self._search(run), dict):
            trained += settings["size"] * tuning_trainings(shape[0], search)
        return effort_of(*shape, settings, how, trained)

    def _shape(self, dataset: str) -> tuple[int, int]:
        """Return training rows and features; a guess where the file is yet to be read."""
        described = self.described[dataset]
        return (described.train, described.dimension) if described.train else UNKNOWN_SHAPE

    @property
    def gres(self) -> str:
        """What jobs that train ask Slurm for beside cores and memory: a GPU, or nothing."""
        return "gpu:1" if self.params.device == "cuda" else ""

    def data_protocol(self, run: Run) -> str:
        """Return the protocol that the data of a run are drawn by."""
        return quirks.of_data(self.protocol(run.experiment, run.method), run.dataset)

    @cache  # noqa: B019 (a plan lives as long as the process)
    def score(self, runs: tuple[Run, ...]) -> str:
        """Spec of scoring the runs of a cell."""
        run = runs[0]
        return self._spec(
            ["rafs.pipeline.jobs.score"],
            experiment=run.experiment,
            method=run.method,
            dataset=run.dataset,
            seeds=[run.seed for run in runs],
            protocol=self.data_protocol(run),
            **({"misaligned": True} if "boston_sorted" in self.quirks(run) else {}),
            **({"interval": True} if "interval_of_means" in self.quirks(run) else {}),
        )

    @cache  # noqa: B019 (a plan lives as long as the process)
    def aggregate(self, experiment: str, asked: frozenset[str] | None = frozenset()) -> str:
        """Spec of the table of all scores of an experiment; `asked` as for `gathered`."""
        names = self.datasets(experiment)
        partial = len(self.gathered(experiment, asked)) < len(self.runs(experiment))
        cost = self.params.experiments[experiment].cost
        left_out = [
            [method, dataset]
            for dataset in names
            for method in self.variants(experiment)
            if not self._wanted(experiment, method, dataset)
        ]
        return self._spec(
            ["rafs.pipeline.jobs.aggregate"],
            experiment=experiment,
            categories={name: self.described[name].category for name in names},
            methods=list(self.variants(experiment)),
            sweep={name: value for name, value in self.variants(experiment).items() if value},
            datasets=names,
            seeds=self.seeds(experiment),
            space=self._ranges(experiment),
            **({"left_out": left_out} if left_out else {}),
            **({"partial": cost} if partial else {}),
        )

    def _ranges(self, experiment: str) -> dict[str, dict[str, Any]]:
        """Return the ends of what an experiment searches by method; nothing if it takes values."""
        if self.tuning(experiment) != experiment:
            return {}
        return {
            method: {
                name: next(iter(space.written().values()))
                for name, space in self.params.search(method).items()
                if not isinstance(space, Choice)
            }
            for method in self.params.experiments[experiment].methods
        }

    def shown(self, kind: str, name: str) -> str:
        """Spec of a table or a figure (kind: "tables" or "figures")."""
        options = self._shown(kind)[name].written()
        code = [f"rafs.pipeline.jobs.{kind}", f"rafs.reporting.{kind}.{name}"]
        if "sources" in catalogue.declaration(kind, name).reads:
            listed = self._catalogued()
            code += list(dict.fromkeys(self._module(dataset) for dataset in listed))
            options.setdefault("datasets", listed)
            options["entries"] = {d: dict(self.entries[d]) for d in listed if d in self.entries}
        return self._spec(code, name=name, options=options)

    def claims(self) -> str:
        """Spec of the verdicts on the paper's claims."""
        return self._spec(["rafs.pipeline.jobs.claims"], experiments=self.experiments)

    def summary(self) -> str:
        """Spec of the small metrics file that DVC compares."""
        return self._spec(
            ["rafs.pipeline.jobs.summary"], headline=self.headline, experiments=self.experiments
        )

    def page(self) -> str:
        """Spec of the report page."""
        seen = self._seen()
        shown = [
            name
            for name, options in self.params.tables.items()
            if set(options.experiments) & set(self.extra) <= set(seen)
        ]
        tables = [f"rafs.reporting.tables.{name}" for name in shown]
        wanted = ("numba", "numpy", "pandas", "scipy", "torch")
        pins = provenance.pins(self.lock)
        return self._spec(
            ["rafs.pipeline.jobs.page", *tables],
            params=self.params.written(),
            experiments=[*self.experiments, *seen],
            tables=shown,
            figures=catalogue.figures_in_order(self.shown_names("figures")),
            beside_answer=catalogue.beside_answer(),
            **({"seen": seen} if seen else {}),
            compared=[self.headline, *(e for e in self.alongside if e != self.headline)],
            versions={"rafs": __version__, **{name: pins.get(name, "?") for name in wanted}},
        )

    def _seen(self) -> dict[str, str]:
        """Return the experiments by name only that have been run, each with its scores' hash.

        The page shows what there is of them, and does not ask for more: so it is made again when
        their scores change, and never makes them run.
        """
        places = {name: Path(paths.SCORES.format(experiment=name)) for name in self.extra}
        return {name: sha256(place) for name, place in places.items() if place.exists()}

    def verify(self) -> str:
        """Spec of the final check that no job failed."""
        data: dict[str, list[int]] = {}
        for protocol, dataset, seed in self.draws(self.experiments):
            data.setdefault(f"{protocol}/{dataset}", []).append(seed)
        return self._spec(
            ["rafs.pipeline.jobs.verify"],
            runs=len(self.all_runs),
            experiments=self.experiments,
            data=data,
        )

    @cache  # noqa: B019 (a plan lives as long as the process)
    def _settings(
        self, experiment: str, method: str, variant: str, odd: tuple[str, ...] = ()
    ) -> dict[str, Any]:
        swept = self.variants(experiment).get(variant, {})
        return methods.get(method).resolve(
            *self.params.layers(experiment, method),
            *quirks.layers(odd, method),
            {key: value for key, value in swept.items() if is_setting(key)},
        )

    def _training(self, run: Run) -> dict[str, Any]:
        swept = part_of("training", self.variants(run.experiment).get(run.method, {}))
        how = self.params.training_of(run.experiment, run.base)
        return {**how, **swept, "device": self.params.device}
