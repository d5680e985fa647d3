"""Experiments are data: from params.yaml to the runs, and to what each job depends on.

A run is (experiment, method, dataset, seed). A job's `spec` is one canonical JSON text with all
that its result depends on apart from its input files: resolved settings, and the hash of its code.
The workflow hands this very text to the job, so that what triggers a job is what the job uses.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from rafs import __version__, datasets, methods, paths, provenance, quirks
from rafs.datasets import own
from rafs.datasets.sources import SOURCES
from rafs.effort import Effort, effort_of, networks
from rafs.errors import ParameterError
from rafs.files import canonical_json, sha256
from rafs.params import (
    SO_FAR,
    Params,
    category,
    dataset_names,
    layers,
    noise_is_known,
    own_data,
    search,
    seeds,
    training,
)

DESCRIBED = "described"
OWN_SHAPE = (20_000, 50)  # training rows and features that a table of one's own is expected to have
CATALOGUES = ("datasets", "sizes")  # tables that list the datasets themselves


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
        self.own = own_data(params)
        self._codes: dict[tuple[str, ...], str] = {}

    # --- what there is --------------------------------------------------------------------------

    @property
    def experiments(self) -> list[str]:
        """The experiments of the reproduction, in the order of the file."""
        return [name for name in self.named if name not in self.extra]

    @property
    def named(self) -> list[str]:
        """All experiments, those too that are run by name only (`default: false`)."""
        return list(self.params["experiments"])

    @property
    def extra(self) -> list[str]:
        """Experiments that are run by name only."""
        entries = self.params["experiments"]
        return [name for name in entries if not entries[name].get("default", True)]

    @cache  # noqa: B019 (a plan lives as long as the process)
    def datasets(self, experiment: str) -> list[str]:
        """Datasets of an experiment, in the order of the paper."""
        return dataset_names(self.params, self.params["experiments"][experiment]["datasets"])

    @cache  # noqa: B019 (a plan lives as long as the process)
    def seeds(self, experiment: str) -> list[int]:
        """Seeds of an experiment."""
        return seeds(self.params["experiments"][experiment].get("seeds", self.params["seeds"]))

    def tuning(self, experiment: str) -> str | None:
        """Return the experiment whose tuned values are used; None if nothing is tuned."""
        source: str | None = self.params["experiments"][experiment].get("tuning", experiment)
        return source

    @cache  # noqa: B019 (a plan lives as long as the process)
    def protocol(self, experiment: str, method: str = "") -> str:
        """Return the protocol of an experiment with the quirks that it, or a variant, adds."""
        entry = self.params["experiments"][experiment]
        swept = self.variants(experiment).get(method, {}).get("quirk")
        added = [*entry.get("quirks", []), *([swept] if swept else [])]
        return "+".join([entry.get("protocol", DESCRIBED), *added])

    def quirks(self, run: Run) -> tuple[str, ...]:
        """Return the quirks that a run has."""
        return quirks.active(self.protocol(run.experiment, run.method), run.dataset, run.base)

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
            if self._wanted(experiment, method, dataset)
            for seed in self.seeds(experiment)
        ]

    def _wanted(self, experiment: str, method: str, dataset: str) -> bool:
        """Say whether a method is run on a dataset: not on too many rows, nor to no effect."""
        base = method.partition("@")[0]
        swept = self.variants(experiment)[method].get("quirk")
        return self._fits(self.params["experiments"][experiment], base, dataset) and (
            swept is None or quirks.QUIRKS[swept].touches(dataset, base)
        )

    def _fits(self, entry: dict[str, Any], base: str, dataset: str) -> bool:
        """Say whether an entry with `methods` and `largest` has room for a method on a dataset."""
        most = entry.get("largest", {}).get(base)
        rows = 0 if dataset in self.own else self._rows(dataset)
        return base in entry.get("methods", [base]) and (most is None or rows <= most)

    @cached_property
    def parts(self) -> dict[str, Part]:
        """Return the parts of experiments by the names of their targets, as `released_quick`."""
        found = {}
        for experiment in self.extra:
            parts = {
                SO_FAR: {"methods": []},
                **self.params["experiments"][experiment].get("parts", {}),
            }
            for name, entry in parts.items():
                runs = (r for r in self.runs(experiment) if self._fits(entry, r.base, r.dataset))
                part = Part(experiment, tuple(runs), entry.get("cost", ""))
                found[f"{experiment}_{name}"] = part
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
        return [run for run in runs if run in wanted or Path(run.path(paths.METRICS)).exists()]

    def _whole(self, experiment: str, asked: frozenset[str]) -> bool:
        """Say whether an experiment is asked for in whole: by its name, or by no name of a part."""
        entries = self.params["experiments"]
        names = {name for name in entries if experiment in (name, *entries[name].get("also", []))}
        parts = {name for name, part in self.parts.items() if part.experiment == experiment}
        return bool(asked & names) or not asked & parts

    def _rows(self, dataset: str) -> int:
        described: int = datasets.spec(dataset).train
        rows: int = self.params["datasets"].get(dataset, {}).get("train", described)
        return rows

    @cached_property
    def all_runs(self) -> list[Run]:
        """Return the runs of all experiments."""
        return [run for experiment in self.experiments for run in self.runs(experiment)]

    def tuned(self, experiments: list[str] | None = None) -> Iterator[tuple[str, str, str]]:
        """Yield (experiment, method, dataset) of every tuning job."""
        for experiment in self.experiments if experiments is None else experiments:
            if self.tuning(experiment) == experiment:
                for dataset in self.datasets(experiment):
                    for method in self.params["experiments"][experiment]["methods"]:
                        yield experiment, method, dataset

    @cache  # noqa: B019 (a plan lives as long as the process)
    def real(self, extra: bool = False) -> list[str]:
        """Return the real data in use, by the names of their files; of all experiments if asked."""
        used = {
            source
            for name in (self.named if extra else self.experiments)
            for method in self.variants(name)
            for dataset in self.datasets(name)
            for source in self.origins(dataset, self.protocol(name, method))
        }
        return [source for source in (*SOURCES, *self.own) if source in used]

    def origins(self, dataset: str, protocol: str = DESCRIBED) -> tuple[str, ...]:
        """Return the names under which the files of a dataset are known."""
        return (dataset,) if dataset in self.own else datasets.origins(dataset, protocol)

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

    def sources(self, dataset: str, protocol: str = DESCRIBED) -> list[str]:
        """Return the records of a real dataset's files; a synthetic one has none."""
        names = self.origins(dataset, protocol)
        return [paths.FETCHED.format(dataset=name) for name in names]

    def _own_in_use(self) -> list[str]:
        return [dataset for dataset in self.real() if dataset in self.own]

    def own_file(self, dataset: str) -> str:
        """Return the file of an own table as it is called from the working directory."""
        path = own.file(dataset, self.own[dataset], self.root)
        return os.path.relpath(path)

    def own_files(self, dataset: str) -> list[str]:
        """Return the file of an own table if it is on this machine to begin with."""
        return [] if own.is_remote(self.own[dataset]) else [self.own_file(dataset)]

    def drawn(self, dataset: str, seed: int, protocol: str = DESCRIBED) -> str:
        """Return the file of a dataset drawn for a seed."""
        return paths.DATA.format(
            protocol=quirks.of_data(protocol, dataset), dataset=dataset, seed=seed
        )

    def drawn_for(self, run: Run) -> str:
        """Return the file with the data of a run."""
        return self.drawn(run.dataset, run.seed, self.protocol(run.experiment, run.method))

    def tuning_data(self, dataset: str) -> str:
        """Return the file that a dataset is tuned on."""
        return self.drawn(dataset, self.params["tuning"]["seed"])

    @cache  # noqa: B019 (a plan lives as long as the process)
    def before_training(self, experiment: str) -> list[str]:
        """Return all data and tuned values that runs with this experiment's tuning start from."""
        among = self.experiments if experiment in self.experiments else self.extra
        users = [name for name in among if self.tuning(name) == experiment]
        drawn = {self.drawn_for(run): None for name in users for run in self.runs(name)}
        best = [
            paths.BEST.format(experiment=experiment, method=method, dataset=dataset)
            for _, method, dataset in self.tuned([experiment])
        ]
        return [*best, *drawn]

    def training_inputs(self, run: Run) -> dict[str, str]:
        """Return the data and the tuned values of a run."""
        source = self.tuning(run.experiment)
        best = paths.BEST.format(experiment=source, method=run.base, dataset=run.dataset)
        return {"data": self.drawn_for(run)} | ({"best": best} if source else {})

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
            if name in CATALOGUES:
                found += [paths.FETCHED.format(dataset=dataset) for dataset in self._own_in_use()]
            return found
        chosen = options.get("datasets", [])
        for experiment in options["experiments"]:
            for run in self.runs(experiment):
                if run.dataset in chosen and run.seed == options.get("seed", run.seed):
                    found += [run.path(paths.PREDICTIONS), self.drawn_for(run)]
        if not options["experiments"]:
            found += [self.drawn(dataset, options.get("seed", 0)) for dataset in chosen]
        return list(dict.fromkeys(found))

    def shown_files(self, kind: str, name: str) -> list[str]:
        """Return the files of a table or a figure."""
        if kind == "tables":
            return [paths.TABLE.format(table=name, format=f) for f in paths.TABLE_FORMATS]
        return [paths.FIGURE.format(figure=name, format=f) for f in paths.FIGURE_FORMATS]

    def shown_names(self, kind: str) -> list[str]:
        """Return the tables or figures that need no experiment that is run by name only."""
        return [
            name
            for name, options in self.params[kind].items()
            if not set(options["experiments"]) & set(self.extra)
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
        chosen = ("friedman", "abalone")
        runs = [run for run in self.runs(self.headline) if run.dataset in chosen]
        found = [(run.path(paths.PREDICTIONS), self.drawn_for(run)) for run in runs]
        return [*self.all_scores(), *dict.fromkeys(file for pair in found for file in pair)]

    def page_inputs(self) -> list[str]:
        """Return everything that the page shows."""
        fetched = [paths.FETCHED.format(dataset=dataset) for dataset in self.real()]
        return [*self.all_scores(), *self.all_shown(), paths.CLAIMS, paths.SUMMARY, *fetched]

    def draws(self, experiments: list[str]) -> list[tuple[str, str, int]]:
        """Return protocol, dataset and seed of all data that experiments train and tune on."""
        runs = (run for experiment in experiments for run in self.runs(experiment))
        found = {(self.data_protocol(run), run.dataset, run.seed): None for run in runs}
        seed = self.params["tuning"]["seed"]
        found |= {(DESCRIBED, dataset, seed): None for _, _, dataset in self.tuned(experiments)}
        return list(found)

    def _results(self, experiments: list[str]) -> list[str]:
        """Return the files that lead to the scores of experiments, and these."""
        drawn = [self.drawn(dataset, seed, name) for name, dataset, seed in self.draws(experiments)]
        sources = dict.fromkeys(filter(None, map(self.tuning, experiments)))
        return [
            *drawn,
            *(
                template.format(experiment=experiment, method=method, dataset=dataset)
                for experiment, method, dataset in self.tuned(experiments)
                for template in (paths.BEST, paths.TRIALS)
            ),
            *(paths.TUNED.format(experiment=source) for source in sources),
            *(
                run.path(template)
                for experiment in experiments
                for run in self.runs(experiment)
                for template in (paths.PREDICTIONS, paths.RECORD, paths.COST, paths.METRICS)
            ),
            *(
                template.format(experiment=experiment)
                for experiment in experiments
                for template in (paths.SCORES, paths.COSTS)
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
            for name in self.params[kind]
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
            for name in self.params[kind]
        }
        named = {
            name: [
                file
                for part in (name, *self.params["experiments"][name].get("also", []))
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
            for name, options in self.params[kind].items()
            if options["experiments"] == [experiment]
            or (experiment in self.extra and experiment in options["experiments"])
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

    def own_table(self, dataset: str) -> str:
        """Spec of looking at an own table."""
        return self._spec(["rafs.jobs.own"], **self._own(dataset), strict=self.params["strict"])

    @cache  # noqa: B019 (a plan lives as long as the process)
    def own_split(self, protocol: str, dataset: str, seed: int) -> str:
        """Spec of splitting an own table."""
        return self._spec(
            ["rafs.jobs.own_data"], **self._own(dataset), protocol=protocol, seed=int(seed)
        )

    @cache  # noqa: B019 (a plan lives as long as the process)
    def _own(self, dataset: str) -> dict[str, Any]:
        """Return what the jobs of an own table depend on.

        The content of a file that somebody put there is part of it, for Snakemake does not look
        into an input with an old date. A download is made by the job itself.
        """
        here = [sha256(file) for file in self.own_files(dataset) if Path(file).is_file()]
        return {
            "dataset": dataset, "entry": self.own[dataset], "file": self.own_file(dataset),
            "content": here,
        }  # fmt: skip

    @cache  # noqa: B019 (a plan lives as long as the process)
    def data(self, protocol: str, dataset: str, seed: int) -> str:
        """Spec of drawing a dataset."""
        roots, more = ["rafs.jobs.data", datasets.family(dataset)], {}
        if protocol != DESCRIBED:
            roots.append("rafs.datasets.released")
            more["sources"] = list(datasets.origins(dataset, protocol))
        return self._spec(
            roots,
            protocol=protocol,
            dataset=dataset,
            seed=int(seed),
            overrides=self.params["datasets"].get(dataset, {}),
            **more,
        )

    @cache  # noqa: B019 (a plan lives as long as the process)
    def tune(self, experiment: str, method: str, dataset: str) -> str:
        """Spec of tuning a method on a dataset."""
        tuning = self.params["tuning"]
        space = search(self.params, method)
        if not noise_is_known(self.params, dataset):
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
            training=self._training(experiment, method),
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
            protocol=self.data_protocol(run),
            settings=self._settings(run.experiment, run.base, run.method, self.quirks(run)),
            sweep={k: value for k, value in variants[run.method].items() if k != "quirk"},
            training=self._training(run.experiment, run.base),
            **({"scaled": False} if "unscaled" in self.quirks(run) else {}),
        )

    def effort(self, run: Run) -> Effort:
        """Return what training a run asks of a machine."""
        settings = self._settings(run.experiment, run.base, run.method, self.quirks(run))
        how = self._training(run.experiment, run.base)
        return effort_of(*self._shape(run.dataset), settings, how, networks(settings))

    def tuning_effort(self, experiment: str, method: str, dataset: str) -> Effort:
        """Return what tuning a method asks of a machine."""
        settings = self._settings(experiment, method, method)
        how = self._training(experiment, method)
        trained = self.params["tuning"]["trials"] * settings["size"]
        return effort_of(*self._shape(dataset), settings, how, trained)

    def _shape(self, dataset: str) -> tuple[int, int]:
        """Return training rows and features; a guess for an own table, which may not be here."""
        if dataset in self.own:
            return OWN_SHAPE
        return self._rows(dataset), datasets.spec(dataset).dimension

    @property
    def gres(self) -> str:
        """What jobs that train ask Slurm for beside cores and memory: a GPU, or nothing."""
        return "gpu:1" if self.params["device"] == "cuda" else ""

    def data_protocol(self, run: Run) -> str:
        """Return the protocol that the data of a run are drawn by."""
        return quirks.of_data(self.protocol(run.experiment, run.method), run.dataset)

    @cache  # noqa: B019 (a plan lives as long as the process)
    def score(self, run: Run) -> str:
        """Spec of scoring one run."""
        return self._spec(
            ["rafs.jobs.score"],
            experiment=run.experiment,
            method=run.method,
            dataset=run.dataset,
            seed=run.seed,
            protocol=self.data_protocol(run),
            **({"misaligned": True} if "boston_sorted" in self.quirks(run) else {}),
            **({"interval": True} if "interval_of_means" in self.quirks(run) else {}),
        )

    @cache  # noqa: B019 (a plan lives as long as the process)
    def aggregate(self, experiment: str, asked: frozenset[str] | None = frozenset()) -> str:
        """Spec of the table of all scores of an experiment; `asked` as for `gathered`."""
        names = self.datasets(experiment)
        partial = len(self.gathered(experiment, asked)) < len(self.runs(experiment))
        cost = self.params["experiments"][experiment].get("cost", "")
        left_out = [
            [method, dataset]
            for dataset in names
            for method in self.variants(experiment)
            if not self._wanted(experiment, method, dataset)
        ]
        own_categories = {d: category(self.params, d) for d in names if d in self.own}
        return self._spec(
            ["rafs.jobs.aggregate"],
            experiment=experiment,
            categories=own_categories,
            methods=list(self.variants(experiment)),
            sweep={name: value for name, value in self.variants(experiment).items() if value},
            datasets=names,
            seeds=self.seeds(experiment),
            **({"left_out": left_out} if left_out else {}),
            **({"partial": cost} if partial else {}),
        )

    def shown(self, kind: str, name: str) -> str:
        """Spec of a table or a figure (kind: "tables" or "figures")."""
        options = dict(self.params[kind][name])
        if name in CATALOGUES:
            options["own"] = self._own_in_use()
            options["overrides"] = {
                name: entry
                for name, entry in self.params["datasets"].items()
                if name not in self.own
            }
        return self._spec(
            [f"rafs.jobs.{kind}", f"rafs.reporting.{kind}.{name}"], name=name, options=options
        )

    def claims(self) -> str:
        """Spec of the verdicts on the paper's claims."""
        return self._spec(["rafs.jobs.claims"], experiments=self.experiments)

    def summary(self) -> str:
        """Spec of the small metrics file that DVC compares."""
        return self._spec(
            ["rafs.jobs.summary"], headline=self.headline, experiments=self.experiments
        )

    def page(self) -> str:
        """Spec of the report page."""
        seen = self._seen()
        shown = [
            name
            for name, options in self.params["tables"].items()
            if set(options["experiments"]) & set(self.extra) <= set(seen)
        ]
        tables = [f"rafs.reporting.tables.{name}" for name in shown]
        wanted = ("numba", "numpy", "pandas", "scipy", "torch")
        pins = provenance.pins(self.lock)
        return self._spec(
            ["rafs.jobs.page", *tables],
            params=self.params,
            experiments=[*self.experiments, *seen],
            tables=shown,
            figures=self.shown_names("figures"),
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
            ["rafs.jobs.verify"],
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
            *layers(self.params, experiment, method),
            *quirks.layers(odd, method),
            {key: value for key, value in swept.items() if key != "quirk"},
        )

    def _training(self, experiment: str, method: str) -> dict[str, Any]:
        return {**training(self.params, experiment, method), "device": self.params["device"]}
