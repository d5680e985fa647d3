"""The parameters as a whole, and values that depend on several keys."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import Field

from rafs import datasets, methods
from rafs.config.fields import Among, Group, SomeNames
from rafs.config.models import (
    EXPERIMENT_NAME,
    DatasetEntry,
    EnsembleEntry,
    ExperimentEntry,
    MethodEntry,
    MethodSettings,
    RunTraining,
    SearchSpace,
    Seeds,
    ShownEntry,
    TrainingEntry,
    Tuning,
    Value,
)
from rafs.config.wording import nearest
from rafs.datasets.core import GROUPS, PAPER, Spec
from rafs.engine.problem import CHOICES
from rafs.errors import ParameterError
from rafs.files import canonical_json
from rafs.methods.tuning import Search

if TYPE_CHECKING:
    from rafs.methods.base import Method

T = TypeVar("T")
Settings = Mapping[str, Any]
"""Settings of a method: plain JSON values by name.

No type lists them. Which there are, the method knows (`rafs.methods.settings`), or a class of the
user's.
"""


class Params(Group):
    """The content of params.yaml."""

    seeds: Seeds = Field(description="number of evaluation seeds, or a list of them")
    strict: bool = Field(description="whether a dataset that cannot be fetched is an error")
    device: Annotated[str, Among(CHOICES["device"])] = Field(
        description="where networks are trained"
    )
    ensemble: EnsembleEntry
    training: TrainingEntry
    tuning: Tuning
    methods: dict[str, MethodEntry]
    datasets: dict[str, DatasetEntry]
    experiments: Annotated[
        dict[Annotated[str, Field(pattern=EXPERIMENT_NAME)], ExperimentEntry], Field(min_length=1)
    ]
    together: dict[Annotated[str, Field(pattern=EXPERIMENT_NAME)], SomeNames] = Field(
        default={}, description="names that stand for several experiments that are run by name"
    )
    tables: dict[str, ShownEntry]
    figures: dict[str, ShownEntry]
    smoke: dict[str, Any] = Field(
        default={}, description="laid over all of the above by `snakemake smoke`"
    )

    def written(self) -> dict[str, Any]:
        """Return the content of the file without the section `smoke`."""
        return {key: value for key, value in super().written().items() if key != "smoke"}

    # --- datasets -------------------------------------------------------------------------------

    @cached_property
    def described(self) -> dict[str, Spec]:
        """Every dataset: those of the catalogue in its order, then user datasets."""
        written = {name: entry.written() for name, entry in self.datasets.items()}
        return datasets.describe_all(written)

    def dataset_names(self, names: Iterable[str]) -> list[str]:
        """Return datasets for names and groups, in the order of the paper, each once."""
        wanted: set[str] = set()
        known = self.described
        for name in names:
            if name == PAPER:
                wanted |= {d for d in datasets.names() if _in_paper(datasets.spec(d))}
            elif name in GROUPS:
                wanted |= {d for d in known if known[d].category in GROUPS[name]}
            elif name in known:
                wanted.add(name)
            else:
                groups = [*known, PAPER, *GROUPS]
                raise ParameterError(f"{name!r} is no dataset; {nearest(name, groups)}")
        return [name for name in known if name in wanted]

    # --- methods --------------------------------------------------------------------------------

    @cached_property
    def method_names(self) -> tuple[str, ...]:
        """The methods of the package, and those that this file defines."""
        defined = (n for n, entry in self.methods.items() if methods.defined_by(n, entry.fixed))
        return (*methods.names(), *defined)

    def method(self, name: str) -> "Method":
        """Return a method."""
        return methods.of(name, self.fixed(name))

    def fixed(self, method: str) -> dict[str, Any]:
        """Return the settings of a method without its search space; m+rafs has those of m."""
        return {**self._entry(method).fixed, **_random(method)}

    def search(self, method: str) -> dict[str, SearchSpace]:
        """Return the search space of a method, by dotted name of the setting."""
        return self._entry(method).search

    def tuning_of(self, method: str, changed: Mapping[str, Value]) -> Search:
        """Return how a method is tuned in every run, with some changed values.

        Without a search space there is one trial: its held-out rows fit the noise and recalibrate.
        """
        space = {name: values.written() for name, values in self.search(method).items()}
        alone = {} if space else {"trials": 1, "keep": 1}
        return Search(space, **{**self.tuning.written(), **changed, **alone})

    def _entry(self, method: str) -> MethodEntry:
        return _of(self.methods, method) or MethodEntry()

    # --- experiments ----------------------------------------------------------------------------

    def settings(
        self, experiment: str, method: str, *over: Settings, where: str | None = None
    ) -> Settings:
        """Return the settings of a method in an experiment, with overrides `over`."""
        key = canonical_json([experiment, method, *over])
        if key not in self._resolved:
            entry = self.experiments[experiment]
            own = {**self._own(experiment, method).own, **_random(method)}
            of_all = [*self.shared(method), self.fixed(method)]
            layers = [*of_all, *self.shared(method, entry.ensemble), own, *over]
            self._resolved[key] = self.method(method).resolve(*layers, where=where)
        return self._resolved[key]

    @cached_property
    def _resolved(self) -> dict[str, Settings]:
        """The settings by experiment, method and layers: checked and resolved once."""
        return {}

    def shared(self, method: str, entry: EnsembleEntry | None = None) -> list[Settings]:
        """Return the settings that all ensembles share; none for a method defined in this file."""
        defined = methods.defined_by(method, self.fixed(method)) or "." in method
        return [] if defined else [(entry or self.ensemble).written()]

    def training_of(
        self, experiment: str, method: str, changed: Mapping[str, Value]
    ) -> RunTraining:
        """Return how a method is trained in an experiment, with some changed values."""
        entry = self.experiments[experiment]
        parts = (self.training, entry.training, self._own(experiment, method).training)
        given = {key: value for part in parts for key, value in part.written().items()}
        return RunTraining.model_validate({**given, **changed, "device": self.device})

    def _own(self, experiment: str, method: str) -> MethodSettings:
        """Return the settings of an experiment for one method; m+rafs has those of m."""
        return _of(self.experiments[experiment].settings, method) or MethodSettings()

    def seeds_of(self, experiment: str) -> list[int]:
        """Return the seeds of an experiment."""
        return listed(self.experiments[experiment].seeds or self.seeds)

    def tuning_source(self, experiment: str) -> str | None:
        """Return the experiment whose tuned values an experiment uses: itself, another or none."""
        entry = self.experiments[experiment]
        return entry.tuning if "tuning" in entry.model_fields_set else experiment

    def untuned(self, experiment: str) -> list[str]:
        """Return the methods and datasets for which the experiment's source has no tuned values."""
        entry, source = self.experiments[experiment], self.tuning_source(experiment)
        if source not in self.experiments or source == experiment:
            return []
        other = self.experiments[source]
        tuned = self.dataset_names(other.datasets)
        lost = [method for method in entry.methods if method not in other.methods]
        return lost + [d for d in self.dataset_names(entry.datasets) if d not in tuned]

    def untuned_seeds(self, experiment: str) -> list[int]:
        """Return the seeds for which the experiment's source has no tuned values."""
        source = self.tuning_source(experiment)
        tuned = self.seeds_of(source if source in self.experiments else experiment)
        return [seed for seed in self.seeds_of(experiment) if seed not in tuned]


def listed(seeds: int | tuple[int, ...]) -> list[int]:
    """Return the list of seeds that a number of seeds, or a list, stands for."""
    return list(range(seeds)) if isinstance(seeds, int) else list(seeds)


def _in_paper(spec: datasets.Spec) -> bool:
    return spec.place is not None and spec.category != "large"


def _random(method: str) -> dict[str, Any]:
    return {"activation": "random"} if method.endswith(methods.SUFFIX) else {}


def _of(entries: Mapping[str, T], method: str) -> T | None:
    """Return the entry of a method; m+rafs has that of m."""
    return entries.get(method, entries.get(method.removesuffix(methods.SUFFIX)))
