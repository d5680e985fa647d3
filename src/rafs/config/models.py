"""The models of params.yaml: every key, its range and its meaning.

They are frozen and closed. What one key says about another is checked in `rafs.config.checks`, the
settings of a method by the method (`rafs.methods.settings`). `ensemble` and `training` are some of
the settings in `rafs.methods.base`, with narrower limits: an ensemble has two members, and no
number is so large that a mistake would fill the memory.
"""

from typing import Annotated, Any

from pydantic import ConfigDict, Field, Tag

from rafs.config.fields import (
    DISTINCT,
    IS_LIST,
    LARGEST_SEED,
    MOST_ROWS,
    NOT_EMPTY,
    UNIQUE,
    Among,
    Columns,
    Group,
    Names,
    OrNull,
    Scalar,
    Share,
    SomeColumns,
    SomeNames,
    SomeScalars,
    Text,
    keys_of,
    one_key_of,
    union,
)
from rafs.datasets import quirks
from rafs.datasets.core import GROUPS, PAPER
from rafs.engine.problem import CHOICES
from rafs.evaluation import metrics
from rafs.methods.base import COMMON, TRAINING
from rafs.methods.settings import table

EXPERIMENT_NAME = "^[a-z][a-z0-9_]{0,63}$"
PART_NAME = "^[a-z][a-z0-9_]{0,31}$"
DESCRIBED = quirks.PROTOCOLS[0]  # the protocol of the paper's text
VARIANT = "variant"  # what a named variant is called where a sweep has the name of its setting
SECTIONS = ("training", "tuning")  # whose values a sweep can change as well
SETTING_NAME = "^[a-z_]+([.][a-z_]+)*$"

Value = str | bool | int | float  # of a sweep
Steps = Annotated[int, Field(ge=1, le=100_000_000)]
Rows = Annotated[int, Field(ge=1, le=MOST_ROWS)]
Largest = dict[str, Annotated[int, Field(ge=1)]]

_SEED = Annotated[int, Field(ge=0, le=LARGEST_SEED)]
Seeds = Annotated[
    Annotated[int, Field(ge=1, le=100_000), Tag("<number>")]
    | Annotated[tuple[_SEED, ...], IS_LIST, NOT_EMPTY, DISTINCT, UNIQUE, Tag("<list>")],
    union(
        "a whole number or a list",
        lambda value: {int: "<number>", list: "<list>", tuple: "<list>"}.get(type(value)),
    ),
]


_MEANINGS = {name: meaning for name, _, meaning in table({**COMMON, **TRAINING})}


def _setting(name: str) -> Any:
    """Return the field of a setting that can be left out."""
    return Field(default=None, description=_MEANINGS[name])


class Activations(Group):
    """The set of activation functions."""

    set: Annotated[tuple[str, ...], IS_LIST, NOT_EMPTY] | None = _setting("activations.set")
    k: Annotated[int | None, Field(ge=1), OrNull("a whole number")] = _setting("activations.k")
    shuffle: bool | None = _setting("activations.shuffle")


class EnsembleEntry(Group):
    """What all methods share. A key that is left out is the default of the method."""

    size: Annotated[int, Field(ge=2, le=10_000)] | None = _setting("size")
    hidden: (
        Annotated[
            tuple[Annotated[int, Field(ge=1, le=100_000)], ...], IS_LIST, Field(max_length=32)
        ]
        | None
    ) = _setting("hidden")
    activations: Activations | None = None


class TrainingEntry(Group):
    """How networks are trained. A key that is left out is the default of the engine."""

    steps: Steps | None = _setting("steps")
    epochs: Annotated[Steps | None, OrNull("a whole number")] = _setting("epochs")
    batch_size: Annotated[int | None, Field(ge=1), OrNull("a whole number")] = _setting(
        "batch_size"
    )
    optimiser: Annotated[str | None, Among(CHOICES["optimiser"])] = _setting("optimiser")
    dtype: Annotated[str | None, Among(CHOICES["dtype"])] = _setting("dtype")


class RunTraining(TrainingEntry):
    """How the networks of a run are trained, and where."""

    device: Annotated[str, Among(CHOICES["device"])]


class Tuning(Group):
    """How every run tunes on its own training rows: the fields of `Search`, but for `space`."""

    trials: int = Field(ge=1, le=10_000, description="settings tried per run")
    keep: int = Field(ge=1, le=10_000, description="trials that are trained in full")
    screening: float = Field(gt=0, le=1, description="share of the steps that all trials get")
    holdout: Share = Field(description="share of the training rows that a split holds out")
    rows: Rows = Field(description="rows that are held out at least, over all splits")
    seed: _SEED = Field(description="another seed gives other trials and splits")


_BOUND = 1e30
_PositiveEnds = Annotated[
    tuple[Annotated[float, Field(gt=0, le=_BOUND)], Annotated[float, Field(gt=0, le=_BOUND)]],
    IS_LIST,
]
_Ends = Annotated[
    tuple[
        Annotated[float, Field(ge=-_BOUND, le=_BOUND)],
        Annotated[float, Field(ge=-_BOUND, le=_BOUND)],
    ],
    IS_LIST,
]


class LogUniform(Group):
    """Values whose logarithm is uniform between two ends."""

    log_uniform: _PositiveEnds


class Uniform(Group):
    """Values that are uniform between two ends."""

    uniform: _Ends


class Choice(Group):
    """One of several values."""

    choice: Annotated[tuple[Any, ...], IS_LIST, Field(min_length=1)]


SearchSpace = Annotated[
    Annotated[LogUniform, Tag("<log_uniform>")]
    | Annotated[Uniform, Tag("<uniform>")]
    | Annotated[Choice, Tag("<choice>")],
    union(
        "{log_uniform: [...]} or {uniform: [...]} or {choice: [...]}",
        one_key_of(("log_uniform", "uniform", "choice")),
    ),
]


class MethodEntry(Group):
    """Fixed settings of a method, checked by the method, and what is tuned of it."""

    model_config = ConfigDict(extra="allow")

    search: dict[str, SearchSpace] = Field(default={}, description="what is tuned, by setting")

    @property
    def fixed(self) -> dict[str, Any]:
        """The settings that are not tuned."""
        return dict(self.model_extra or {})


class MethodSettings(Group):
    """Settings that one method has in one experiment."""

    model_config = ConfigDict(extra="allow")

    training: TrainingEntry = TrainingEntry()

    @property
    def own(self) -> dict[str, Any]:
        """The settings of the method itself."""
        return dict(self.model_extra or {})


class SplitByNumber(Group):
    """So many random rows for training and for testing; limits of `rafs.datasets.tabular`."""

    train: int = Field(ge=10, le=MOST_ROWS)
    test: int = Field(ge=2, le=MOST_ROWS)


class SplitLast(Group):
    """The last share of the rows for testing."""

    last: Share


class SplitByColumn(Group):
    """The rows with certain values in a column for testing."""

    column: Text
    test: Scalar | Annotated[tuple[Scalar, ...], IS_LIST]


def _split(value: Any) -> str | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "<share>"
    if not isinstance(value, dict | Group):
        return None
    keys = keys_of(value)
    return "<last>" if "last" in keys else "<column>" if "column" in keys else "<number>"


Split = Annotated[
    Annotated[Share, Tag("<share>")]
    | Annotated[SplitByNumber, Tag("<number>")]
    | Annotated[SplitLast, Tag("<last>")]
    | Annotated[SplitByColumn, Tag("<column>")],
    union("a number, {train: .., test: ..}, {last: ..} or {column: .., test: ..}", _split),
]


class DatasetEntry(Group):
    """Changes to a dataset of the catalogue, or a user dataset (`csv` or `parquet`)."""

    train: Rows | None = None
    test: Rows | None = None
    noise: Annotated[float, Field(ge=0, le=1e9)] | None = Field(
        default=None, description="standard deviation of the noise"
    )
    csv: Text | None = Field(default=None, description="path or https address of a user dataset")
    parquet: Text | None = Field(
        default=None, description="path or https address of a user dataset"
    )
    sha256: Annotated[str, Field(pattern="^[0-9a-fA-F]{64}$")] | None = None
    target: Text | None = Field(default=None, description="column to predict")
    features: SomeColumns | None = None
    categorical: Columns | None = None
    split: Split | None = Field(default=None, description="how test rows are chosen")


class PartEntry(Group):
    """Some of the runs of an experiment that is run by name."""

    methods: SomeNames | None = None
    largest: Largest = Field(default={})
    cost: str = ""


class ExperimentEntry(Group):
    """Methods, datasets and seeds, with overrides and at most one swept setting."""

    methods: SomeNames
    datasets: SomeNames = Field(description=f"names or groups ({', '.join((PAPER, *GROUPS))})")
    seeds: Seeds | None = None
    ensemble: EnsembleEntry = EnsembleEntry()
    training: TrainingEntry = TrainingEntry()
    tuning: Annotated[str | None, OrNull("text")] = Field(
        default=None,
        description="another experiment whose tuned values are used; null: nothing is tuned; "
        "left out: every run tunes itself",
    )
    default: bool = Field(default=True, description="false: run by name only")
    also: Names = Field(default=(), description="experiments that this one's name stands for too")
    cost: str = ""
    protocol: Annotated[str, Among(quirks.PROTOCOLS)] = DESCRIBED
    quirks: Names = Field(
        default=(), description="quirks of the authors' code (rafs.datasets.quirks)"
    )
    largest: Largest = Field(default={}, description="most training rows that a method is run on")
    parts: dict[Annotated[str, Field(pattern=PART_NAME)], PartEntry] = Field(default={})
    settings: dict[str, MethodSettings] = Field(
        default={}, description="settings of single methods"
    )
    sweep: Annotated[
        dict[Annotated[str, Field(pattern=SETTING_NAME)], SomeScalars],
        Field(min_length=1, max_length=1),
    ] = Field(default={}, description="a setting, training.*, tuning.* or quirk, and its values")
    variants: dict[Annotated[str, Field(pattern=PART_NAME)], dict[str, Any]] = Field(
        default={}, description="several settings at once, by a name, instead of a sweep"
    )

    @property
    def swept(self) -> tuple[str, tuple[Value, ...]]:
        """The swept key and its values, or the names of variants; neither without a sweep."""
        if self.variants:
            return VARIANT, tuple(self.variants)
        return next(iter(self.sweep.items()), ("", ()))

    def settings_of(self, key: str, value: Value) -> dict[str, Any]:
        """Return the settings of the method that a swept value, or a variant, stands for."""
        if key == VARIANT:
            return self.variants.get(str(value), {})
        return {} if key.partition(".")[0] in ("quirk", *SECTIONS) else {key: value}


class ShownEntry(Group):
    """What a table or a figure is made of, and its options."""

    experiments: Names
    datasets: SomeNames | None = None
    methods: SomeNames | None = None
    seed: Annotated[int, Field(ge=0)] | None = None
    metric: Annotated[str | None, Among(metrics.NAMES)] = None
    activations: SomeNames | None = Field(
        default=None, description="the set in its order, for figures that name its members"
    )
