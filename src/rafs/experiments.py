"""Experiments: the runs that the parameters define, and the training settings of each run.

A run is (experiment, method, dataset, seed). This module is independent of files and jobs:
`rafs.pipeline` turns runs into both.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rafs import methods
from rafs.config.checks import SO_FAR
from rafs.config.models import Choice, ExperimentEntry, PartEntry, RunTraining, Value
from rafs.config.parameters import Params, Settings
from rafs.datasets import quirks
from rafs.errors import ParameterError
from rafs.methods.tuning import Search


@dataclass(frozen=True)
class Run:
    """One training job. `method` is as in its path: `rafs@size=3` for a swept run."""

    experiment: str
    method: str
    dataset: str
    seed: int

    @property
    def base(self) -> str:
        """The method without the swept value."""
        return self.method.partition("@")[0]

    def path(self, template: str) -> str:
        """Fill a template that names experiment, method, dataset and seed."""
        return template.format(
            experiment=self.experiment, method=self.method, dataset=self.dataset, seed=self.seed
        )


@dataclass(frozen=True)
class RunGroup:
    """Some runs of an experiment that is run by name only, with their own name and cost."""

    experiment: str
    runs: tuple[Run, ...]
    cost: str


@dataclass(frozen=True)
class SeedsOn:
    """Seeds, and the datasets of an experiment that have them (empty: all)."""

    seeds: tuple[int, ...]
    datasets: tuple[str, ...]


@dataclass(frozen=True)
class Variant:
    """A method of an experiment, with its swept value or the name of its variant."""

    base: str
    swept: Mapping[str, Value] = field(default_factory=dict)
    settings: Settings = field(default_factory=dict)  # that this value, or name, stands for

    @property
    def quirk(self) -> str | None:
        """The quirk that the sweep switches on."""
        return str(self.swept["quirk"]) if "quirk" in self.swept else None

    def section(self, name: str) -> dict[str, Value]:
        """Return what a sweep such as that of `training.steps` sets in a section."""
        start = f"{name}."
        found = self.swept.items()
        return {key.removeprefix(start): value for key, value in found if key.startswith(start)}


class Experiment:
    """One experiment: its runs and their training settings."""

    def __init__(self, name: str, params: Params) -> None:
        self.name = name
        self.entry = params.experiments[name]
        self.tuning = params.tuning_source(name)  # the source of tuned values; None: not tuned
        # An experiment that is run by name omits seeds that its source of tuned values lacks.
        self.left_out = [] if self.entry.default else params.untuned(name)
        self.seeds_left_out = [] if self.entry.default else params.untuned_seeds(name)
        self.seeds = [s for s in params.seeds_of(name) if s not in self.seeds_left_out]
        self.datasets = [
            dataset
            for dataset in params.dataset_names(self.entry.datasets)
            if dataset not in self.left_out
        ]
        self.variants = self._variants()  # by their names, in the order of the file
        self._params = params

    def _variants(self) -> dict[str, Variant]:
        chosen = [method for method in self.entry.methods if method not in self.left_out]
        key, values = self.entry.swept
        if not key:
            return {method: Variant(method) for method in chosen}
        short, settings_of = key.rpartition(".")[2], self.entry.settings_of
        return {
            f"{method}@{short}={value}": Variant(method, {key: value}, settings_of(key, value))
            for method in chosen
            for value in values
        }

    def variant(self, method: str) -> Variant:
        """Return a method by the name that its runs have."""
        if method not in self.variants:
            raise ParameterError(f"experiment {self.name!r} has no method {method!r}")
        return self.variants[method]

    # --- runs -----------------------------------------------------------------------------------

    @cached_property
    def runs(self) -> list[Run]:
        """All runs."""
        return [
            run
            for dataset in self.datasets
            for method in self.variants
            if self.includes(method, dataset)
            for run in self.cell(method, dataset)
        ]

    def cell(self, method: str, dataset: str) -> tuple[Run, ...]:
        """Return the runs of a method on a dataset, one per seed."""
        return tuple(Run(self.name, method, dataset, seed) for seed in self.seeds_on(dataset))

    def seeds_on(self, dataset: str) -> list[int]:
        """Return the seeds of a dataset: all, or those that are numbers of its splits."""
        return self._params.described[dataset].seeds(self.seeds)

    def includes(self, method: str, dataset: str) -> bool:
        """Whether a method is run on a dataset: not on too many rows, nor if nothing changes."""
        variant = self.variants[method]
        return self._fits(self.entry, variant.base, dataset) and (
            variant.quirk is None or quirks.QUIRKS[variant.quirk].touches(dataset, variant.base)
        )

    def _fits(self, entry: ExperimentEntry | PartEntry, base: str, dataset: str) -> bool:
        """Whether an entry with `methods` and `largest` includes a method on a dataset."""
        most = entry.largest.get(base)
        rows = self._params.described[dataset].train
        chosen = [base] if entry.methods is None else entry.methods
        return base in chosen and (most is None or rows <= most)

    def groups(self) -> dict[str, RunGroup]:
        """Return the parts that can be run by name (`released_quick`), and the existing runs.

        Only an experiment that is run by name has any.
        """
        if self.entry.default:
            return {}
        found = {f"{self.name}_{SO_FAR}": RunGroup(self.name, (), "")}
        for part, entry in self.entry.parts.items():
            runs = (run for run in self.runs if self._fits(entry, run.base, run.dataset))
            found[f"{self.name}_{part}"] = RunGroup(self.name, tuple(runs), entry.cost)
        return found

    # --- training settings of a run -------------------------------------------------------------

    def protocol(self, method: str) -> str:
        """Return the protocol with the quirks that the experiment, or a variant, adds."""
        swept = self.variants[method].quirk if method in self.variants else None
        return "+".join([self.entry.protocol, *self.entry.quirks, *([swept] if swept else [])])

    def data_protocol(self, run: Run) -> str:
        """Return the protocol that the data of a run are sampled by."""
        return quirks.of_data(self.protocol(run.method), run.dataset)

    def quirks(self, run: Run) -> tuple[str, ...]:
        """Return the quirks that a run has."""
        return quirks.active(self.protocol(run.method), run.dataset, run.base)

    def settings(self, run: Run) -> Settings:
        """Return the settings of a run's method, defaults included."""
        odd = quirks.layers(self.quirks(run), run.base)
        return self._params.settings(self.name, run.base, *odd, self.variant(run.method).settings)

    def training(self, run: Run) -> RunTraining:
        """Return the training options of a run."""
        swept = self.variant(run.method).section("training")
        return self._params.training_of(self.name, run.base, swept)

    def search(self, run: Run) -> Search | None:
        """Return how a run is tuned; None if it is not tuned, or uses the values of another run."""
        if self.tuning != self.name:
            return None
        if methods.defined_by(run.base, self._params.fixed(run.base)) == "predictions":
            return None
        return self._params.tuning_of(run.base, self.variant(run.method).section("tuning"))

    def ranges(self) -> dict[str, dict[str, tuple[float, float]]]:
        """Return the ends of the search ranges by method; nothing if tuned values are reused."""
        if self.tuning != self.name:
            return {}
        return {
            method: {
                name: next(iter(space.written().values()))
                for name, space in self._params.search(method).items()
                if not isinstance(space, Choice)
            }
            for method in self.entry.methods
        }


def dotted(settings: Settings, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield settings with dotted names: `prior.weight`."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from dotted(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


class Experiments(Mapping[str, Experiment]):
    """All experiments of the parameters by name, in the order of the file."""

    def __init__(self, params: Params) -> None:
        self._all = {name: Experiment(name, params) for name in params.experiments}
        self.default = [name for name, each in self.items() if each.entry.default]
        self.extra = [name for name in self if name not in self.default]  # run by name only
        # The experiments that a name on the command line stands for.
        self.named: dict[str, tuple[str, ...]] = {
            name: (name, *each.entry.also) for name, each in self.items()
        } | dict(params.together)

    def __getitem__(self, name: str) -> Experiment:
        """Return an experiment."""
        return self._all[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self._all)

    def __len__(self) -> int:
        """Return the number of experiments."""
        return len(self._all)

    @cached_property
    def runs(self) -> list[Run]:
        """The runs of the reproduction: those of the default experiments."""
        return self.runs_of(self.default)

    def runs_of(self, names: Iterable[str]) -> list[Run]:
        """Return the runs of several experiments."""
        return [run for name in names for run in self[name].runs]

    def samples(self, names: Iterable[str]) -> list[tuple[str, str, int]]:
        """Return protocol, dataset and seed of all data that experiments train on."""
        runs = self.runs_of(names)
        found = ((self[r.experiment].data_protocol(r), r.dataset, r.seed) for r in runs)
        return list(dict.fromkeys(found))

    def same_seeds(self) -> dict[SeedsOn, list[str]]:
        """Group experiments by their seeds, and by the datasets that have these if not all do."""
        found: dict[SeedsOn, list[str]] = {}
        for name, experiment in self.items():
            parts: dict[tuple[int, ...], list[str]] = {}
            for dataset in experiment.datasets:
                parts.setdefault(tuple(experiment.seeds_on(dataset)), []).append(dataset)
            for seeds, datasets in parts.items():
                key = SeedsOn(seeds, tuple(datasets) if len(parts) > 1 else ())
                found.setdefault(key, []).append(name)
        return found

    @property
    def headline(self) -> str:
        """The experiment that decides which method is best: main, or else the first."""
        return "main" if "main" in self.default else self.default[0]

    @property
    def alongside(self) -> list[str]:
        """Experiments on the headline's datasets whose methods can be shown beside its own."""
        common = self[self.headline].datasets
        return [
            name
            for name in self.default
            if self[name].datasets == common and not self[name].entry.swept[0]
        ]

    # --- requests by name -----------------------------------------------------------------------

    @cached_property
    def groups(self) -> dict[str, RunGroup]:
        """The parts of experiments by the names of their targets."""
        return {
            name: group
            for experiment in self.values()
            for name, group in experiment.groups().items()
        }

    def requested(self, name: str, asked: Collection[str]) -> set[Run]:
        """Return the runs of an experiment in the requested parts."""
        groups = (self.groups[part] for part in asked if part in self.groups)
        return {run for group in groups if group.experiment == name for run in group.runs}

    def whole(self, name: str, asked: frozenset[str]) -> bool:
        """Whether all of an experiment is requested: by its name, or by no name of a part."""
        names = {other for other, listed in self.named.items() if name in listed}
        parts = {part for part, group in self.groups.items() if group.experiment == name}
        return bool(asked & names) or not asked & parts
