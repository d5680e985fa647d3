"""The specs of jobs: their inputs besides files, written by `rafs.pipeline.specs`.

Jobs import these for annotations only, so that a new key of one spec changes the code of no job.
Every spec also has the hash of the job's code, for Snakemake to compare; no job reads it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from rafs.config.models import Value
from rafs.config.parameters import Settings
from rafs.datasets.core import Entry

Row = dict[str, str | float | None]  # of a table of results: a text or a number per column


class RunRecord(TypedDict):
    """The record of a run: its status, and information that scoring needs."""

    experiment: str
    method: str
    dataset: str
    protocol: str
    seed: int
    status: str  # ok, diverged, failed or missing
    message: str
    settings: NotRequired[Settings]
    members: NotRequired[int | None]


class FetchSpec(TypedDict):
    """Spec of the fetch job: the file of a dataset."""

    dataset: str
    strict: bool
    entry: NotRequired[Entry]  # of a user dataset
    content: NotRequired[list[str]]  # hashes of the user's file


class DataSpec(TypedDict):
    """Spec of the data job: a dataset sampled for one seed."""

    protocol: str
    dataset: str
    seed: int
    entry: Entry
    sources: list[str]
    content: NotRequired[list[str]]


class TrainSpec(TypedDict):
    """Spec of the train job: one run."""

    experiment: str
    method: str
    base: str  # the method without the swept value
    dataset: str
    seed: int
    tuning: dict[str, Any] | str | None  # fields of `Search`, or the source of tuned values
    protocol: str
    settings: Settings
    sweep: Settings
    training: Mapping[str, Value | None]  # what is written of `rafs.config.models.RunTraining`
    scaled: NotRequired[bool]
    uses: NotRequired[
        Mapping[str, str]
    ]  # code, packages and files of a method that params.yaml defines


class ScoreSpec(TypedDict):
    """Spec of the score job: the runs of a method on a dataset."""

    experiment: str
    method: str
    dataset: str
    seeds: list[int]
    protocol: str
    misaligned: NotRequired[bool]
    interval: NotRequired[bool]


class AggregateSpec(TypedDict):
    """Spec of the aggregate job: the tables of all runs of an experiment."""

    experiment: str
    categories: Mapping[str, str]  # by dataset
    methods: Sequence[str]
    sweep: Mapping[str, Mapping[str, Value]]  # by method
    datasets: Sequence[str]
    seeds: Sequence[int]
    space: Mapping[str, Mapping[str, tuple[float, float]]]  # search ranges, by method
    left_out: NotRequired[list[list[str]]]  # pairs of method and dataset
    fewer: NotRequired[Mapping[str, Sequence[int]]]  # seeds of datasets with fewer splits
    partial: NotRequired[str]


class ShownOptions(TypedDict):
    """What is written of a `rafs.config.models.ShownEntry`, and the datasets that a table lists."""

    experiments: Sequence[str]
    datasets: NotRequired[Sequence[str]]
    methods: NotRequired[Sequence[str]]
    seed: NotRequired[int]
    metric: NotRequired[str]
    activations: NotRequired[Sequence[str]]
    entries: NotRequired[Mapping[str, Entry]]


class ShownSpec(TypedDict):
    """Spec of the table and figure jobs."""

    name: str
    options: ShownOptions


class ClaimsSpec(TypedDict):
    """Spec of the claims job."""

    experiments: Sequence[str]


class SummarySpec(TypedDict):
    """Spec of the summary job."""

    headline: str
    experiments: Sequence[str]


class PageSpec(TypedDict):
    """Spec of the page job."""

    params: Mapping[str, Any]  # the content of params.yaml
    experiments: Sequence[str]
    tables: Sequence[str]
    figures: Sequence[str]
    headings: Mapping[str, Mapping[str, Sequence[str]]]  # and sections: by kind, and by name
    beside_answer: Sequence[str]
    compared: Sequence[str]
    versions: Mapping[str, str]
    seen: NotRequired[Mapping[str, str]]  # hashes of scores, by experiment
    made: NotRequired[Mapping[str, str]]  # hashes of the tables and figures of these experiments


class VerifySpec(TypedDict):
    """Spec of the verify job."""

    runs: int
    experiments: Sequence[str]
    data: Mapping[str, Sequence[int]]  # seeds, by protocol/dataset
