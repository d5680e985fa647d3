"""The files that datasets are sampled from, and their records."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from rafs import datasets, paths
from rafs.config.models import DESCRIBED
from rafs.datasets.core import Entry, Origin, Spec
from rafs.datasets.fetch import MISSING
from rafs.errors import DamagedFileError, DataError, RafsError
from rafs.experiments import Experiments
from rafs.files import read_json, sha256
from rafs.pipeline.memory import once


@dataclass(frozen=True)
class Sources:
    """The source files of the datasets that experiments use: downloads and users' files.

    A source is named after its file: a dataset may have several, and most synthetic ones none.
    """

    entries: Mapping[str, Entry]
    described: Mapping[str, Spec]
    experiments: Experiments

    @once
    def used(self, extra: bool = False) -> list[str]:
        """Return the sources in use; on request also those of experiments that are run by name."""
        used = {
            source
            for name in (self.experiments if extra else self.experiments.default)
            for method in self.experiments[name].variants
            for dataset in self.experiments[name].datasets
            for source in self.of(dataset, self.experiments[name].protocol(method))
        }
        return [source for source in self._dataset_of if source in used]

    @cached_property
    def _dataset_of(self) -> dict[str, str]:
        """The dataset of every source, real data first."""
        ordered = sorted(self.described.values(), key=lambda dataset: dataset.synthetic)
        sources = ((source, dataset.name) for dataset in ordered for source in dataset.sources)
        return {source: source if source in self.described else name for source, name in sources}

    def of(self, dataset: str, protocol: str = DESCRIBED) -> tuple[str, ...]:
        """Return the sources of a dataset."""
        return datasets.origins(dataset, protocol, self.entry(dataset))

    def entry(self, dataset: str) -> Entry:
        """Return the entry of a dataset in the parameters."""
        return self.entries.get(dataset, {})

    def origin(self, source: str) -> Origin:
        """Return where a source comes from."""
        return datasets.origin(source, self.entry(self._dataset_of[source]))

    def supplied(self, source: str) -> list[str]:
        """Return the files of the user that are inputs of the workflow.

        On the command line of a job, a name that begins with a dash would be an option.
        """
        files = self.origin(source).supplied(source)
        return [f"./{file}" if file.startswith("-") else file for file in files]

    def records(self, dataset: str, protocol: str = DESCRIBED) -> list[str]:
        """Return the records of the sources that a dataset is sampled from."""
        return [paths.FETCHED.format(dataset=name) for name in self.of(dataset, protocol)]

    def tables(self, dataset: str, protocol: str = DESCRIBED) -> list[str]:
        """Return the files of users that a dataset is sampled from."""
        return [file for name in self.of(dataset, protocol) for file in self.supplied(name)]

    def content(self, sources: Iterable[str]) -> list[str]:
        """Return the hashes of users' files: Snakemake ignores a changed input with an old date."""
        return [content for source in sources for content in self._hashes(source)]

    @once
    def _hashes(self, source: str) -> list[str]:
        return [sha256(file) for file in self.supplied(source) if Path(file).is_file()]

    def module(self, dataset: str) -> str:
        """Return the module that describes and samples a dataset."""
        return datasets.module_of(dataset, self.entry(dataset))

    def module_of_source(self, source: str) -> str:
        """Return the module of the dataset that a source belongs to."""
        return self.module(self._dataset_of[source])

    def catalogued(self) -> list[str]:
        """Return the datasets that tables of datasets list: those in use, and the catalogue's.

        The many datasets with fixed splits are listed only if they are in use.
        """
        used = {
            name for each in self.experiments.default for name in self.experiments[each].datasets
        }
        return [
            name
            for name, spec in self.described.items()
            if name in used or (name in datasets.names() and spec.splits is None)
        ]


@dataclass(frozen=True)
class FetchedRecord:
    """The record of the file of a real dataset; empty if it cannot be read."""

    status: str = ""
    message: str = ""

    @property
    def missing(self) -> bool:
        """Whether no source has the file."""
        return self.status == MISSING


def source(dataset: str) -> FetchedRecord:
    """Return the record of a real dataset's file."""
    try:
        record = read_json(paths.FETCHED.format(dataset=dataset))
    except DamagedFileError:
        return FetchedRecord()
    if not isinstance(record, dict):
        return FetchedRecord()
    return FetchedRecord(record.get("status", ""), record.get("message", ""))


def at_hand(sources: Sources, dataset: str) -> bool:
    """Whether the file of a dataset is available without a network."""
    return sources.origin(dataset).available(dataset)


def data_fault(sources: Sources) -> RafsError | None:
    """Return why an existing, required file is unusable; None if all are usable."""
    for dataset in sources.used(extra=True):
        try:
            sources.origin(dataset).check(dataset)
        except RafsError as error:
            return DataError(f"{paths.PARAMS}: datasets.{dataset}: {error}")
    return None
