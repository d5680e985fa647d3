"""The base of all ensembles.

Member j of an ensemble minimises

    1/n Σ_i w_ji (y_i - o_j(x_i) - f_j(x_i; θ_j))² + 1/n ||Γ_j^½ (θ_j - c_j)||²

(Eq. 2 with an offset o_j and weights w_j) with its activation α_j, and predicts
o_j(x) + f_j(x; θ_j). A method is a choice of these constants: its `plan`.

Every random number has a key (task, role, member), so that a member is the same network whatever
the size of the ensemble and the rest of the batch.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from rafs.engine import Fit, Members, Training, fit
from rafs.engine.activations import ACTIVATIONS, PAPER
from rafs.engine.problem import CHOICES
from rafs.errors import DataError, DivergedError, ParameterError
from rafs.methods import prior
from rafs.methods.ensemble import Array, Ensemble, Prediction
from rafs.methods.settings import (
    Schema,
    Settings,
    choice,
    defaults,
    extend,
    integer,
    number,
    resolve,
    several,
    switch,
)
from rafs.seeding import Key, generator
from rafs.seeding import integer as seed_integer

COMMON: Schema = {
    "size": integer(5, "number m of members"),
    "hidden": several([100], integer(100, ""), "widths of the hidden layers"),
    "activation": choice(
        "tanh", (*ACTIVATIONS, "random"), "activation of every member; random: Algorithm 1"
    ),
    "activations": {
        "set": several(PAPER, choice("tanh", tuple(ACTIVATIONS), ""), "the set A", least=1),
        "k": integer(None, "how many of the set are used, from its start (null: all)", none=True),
        "shuffle": switch(False, "whether the order of the set is shuffled per seed"),
        "draw_from": integer(
            None, "members past the k-th draw from this many of the first (null: k)", none=True
        ),
    },
    "prior": prior.PRIOR,
    "learning_rate": number(0.01, "step size of the optimiser", above=0.0),
    "variance": {
        "ddof": choice(1, (0, 1), "1: epistemic variance with m - 1; 0: population variance"),
        "add_noise": switch(True, "whether the known noise variance is added"),
        "as_sd": switch(False, "whether the epistemic variance is taken for a standard deviation"),
    },
}

TRAINING: Schema = {
    "steps": integer(1000, "steps of the optimiser"),
    "epochs": integer(None, "passes over the training rows, instead of steps", none=True),
    "batch_size": integer(Training.batch_size, "rows per step (null: all)", none=True),
    "optimiser": choice(Training.optimiser, CHOICES["optimiser"], "optimiser"),
    "dtype": choice(Training.dtype, CHOICES["dtype"], "precision of the training"),
    "device": choice(Training.device, CHOICES["device"], "where to train"),
    "backend": choice(Training.backend, CHOICES["backend"], "implementation of the engine"),
}


def training(n: int, *layers: Mapping[str, Any], where: str = "training") -> Training:
    """Return the training options for n rows: settings laid over the defaults."""
    settings = resolve(TRAINING, *layers, where=where)
    epochs = settings.pop("epochs")
    if epochs is not None:
        settings["steps"] = epochs * -(-n // min(settings["batch_size"] or n, n))
    return Training(**settings)


@dataclass(frozen=True)
class Task:
    """Training data in standardised units, the known noise in those units, and the seeding key."""

    x: Array  # [n, d]
    y: Array  # [n]
    noise: float
    key: tuple[Key, ...]

    def __post_init__(self) -> None:
        """Refuse data that cannot be trained on."""
        x, y = np.asarray(self.x, dtype=np.float64), np.asarray(self.y, dtype=np.float64)
        if x.ndim != 2 or y.shape != x.shape[:1] or not x.size:
            raise DataError(f"the task needs x [n, d] and y [n], not {x.shape} and {y.shape}")
        if not (np.isfinite(x).all() and np.isfinite(y).all()):
            raise DataError("the task's x and y must be finite; remove rows that are not")
        if not (np.isfinite(self.noise) and self.noise >= 0):
            raise ParameterError(f"the noise must be a standard deviation, not {self.noise!r}")
        object.__setattr__(self, "x", x)
        object.__setattr__(self, "y", y)


@dataclass(frozen=True)
class TrainingPlan:
    """Networks to train, and the frozen parameters that their offsets are made of."""

    members: Members
    frozen: dict[str, Array] = field(default_factory=dict)


class Distribution(NamedTuple):
    """The output of a network: a mean and, if it has a variance head, a variance."""

    mean: Array
    variance: Array | None = None


FitRequest = tuple[Task, Settings]
"""What one ensemble is trained on, and with."""


def assign(size: int, settings: Mapping[str, Any], *key: Key) -> tuple[str, ...]:
    """Give every member its activation (Algorithm 1, lines 5-9).

    Member j takes the j-th of the k activations while j <= k, and a random one of them afterwards.
    """
    if settings["activation"] != "random":
        return (settings["activation"],) * size
    options = settings["activations"]
    order = list(options["set"])
    if options["shuffle"]:
        order = [order[i] for i in generator(*key, "activation order").permutation(len(order))]
    chosen = order[: options["k"]]
    pool = chosen[: options["draw_from"]]
    return tuple(
        chosen[j] if j < len(chosen) else pool[generator(*key, "activation", j).integers(len(pool))]
        for j in range(size)
    )


def draws(m: int, widths: tuple[int, ...], settings: Mapping[str, Any], *key: Key) -> Array:
    """Draw m networks from the prior, each with its own key: θ_0j (Algorithm 1, line 4)."""
    return np.stack([prior.draw(widths, settings["prior"], *key, j) for j in range(m)])


def train(
    plans: Sequence[TrainingPlan], tasks: Sequence[Task], trainings: Sequence[Training]
) -> list[Fit | DivergedError]:
    """Train the networks of every plan on the data of its task; one result per plan.

    Plans with the same shape, number of rows and training options form one batch. A plan with a
    member that diverged gives the error; the others are not affected.
    """
    kinds = [
        (plan.members.widths, task.x.shape, how)
        for plan, task, how in zip(plans, tasks, trainings, strict=True)
    ]
    results: dict[int, Fit | DivergedError] = {}
    for kind in dict.fromkeys(kinds):
        rows = [i for i in range(len(plans)) if kinds[i] == kind]
        sizes = [plans[i].members.size for i in rows]
        batch = Members.concat([plans[i].members for i in rows])
        whole = fit(batch, *data([tasks[i] for i in rows], sizes), kind[-1], strict=False)
        ends = np.cumsum(sizes)
        for i, end in zip(rows, ends, strict=True):
            part = slice(end - plans[i].members.size, end)
            lost = np.flatnonzero(whole.diverged[part] >= 0)
            results[i] = (
                DivergedError(int(whole.diverged[part][lost[0]]), int(lost[0]))
                if lost.size
                else Fit(whole.theta[part], whole.loss[part], whole.diverged[part])
            )
    return [results[i] for i in range(len(plans))]


def predict(model: Ensemble | DivergedError, x: Array) -> Prediction | DivergedError:
    """Predict, or return the error that fitting or predicting ended with."""
    if isinstance(model, DivergedError):
        return model
    try:
        return model.predict(x)
    except DivergedError as error:
        return error


def data(tasks: Sequence[Task], sizes: Sequence[int]) -> tuple[Array, Array]:
    """Return x and y of all tasks: once if they are the same, else once for every member."""
    x, y = tasks[0].x, tasks[0].y
    if all(np.array_equal(task.x, x) and np.array_equal(task.y, y) for task in tasks[1:]):
        return x, y
    return (
        np.repeat(np.stack([task.x for task in tasks]), sizes, axis=0),
        np.repeat(np.stack([task.y for task in tasks]), sizes, axis=0),
    )


class Method(ABC):
    """A way to build an ensemble; it has no state except its name.

    Name, label, role, order and aliases are explained in `rafs.methods.Declaration`.
    """

    name: str = ""
    label: str = ""
    role: str = "later"
    order: int = 100
    aliases: tuple[str, ...] = ()
    schema: Schema = COMMON
    loss: str = "squared"
    n_outputs: int = 1
    anchored: bool = False  # whether Γ is made of the prior's variances
    needs_noise: bool = True  # whether the noise has to be known or fitted beforehand

    def __init__(self, *, random_activations: bool = False) -> None:
        if random_activations:
            self.name, self.label = f"{self.name}+rafs", f"{self.label} + RAFs"
            self.schema = extend(self.schema, activation="random")

    @property
    def defaults(self) -> Settings:
        """Every setting with its default value."""
        return defaults(self.schema)

    def resolve(self, *layers: Mapping[str, Any], where: str | None = None) -> Settings:
        """Lay settings over the defaults, later layers over earlier ones, and check the result."""
        where = where or f"methods.{self.name}"
        settings = resolve(self.schema, *layers, where=where)
        options = settings["activations"]
        available = len(options["set"])
        if len(set(options["set"])) < available:
            raise ParameterError(f"{where}.activations.set names an activation twice")
        for name, limit in (("k", available), ("draw_from", options["k"] or available)):
            if (options[name] or 0) > limit:
                raise ParameterError(
                    f"{where}.activations.{name} must be at most {limit}, not {options[name]}"
                )
        if self.anchored and settings["prior"]["bias"] == 0:
            raise ParameterError(f"{where}.prior.bias must be above 0, for Γ needs its inverse")
        return settings

    def identity(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the dependencies of a result besides settings, data and code of this package."""
        return {}

    @abstractmethod
    def plan(self, task: Task, settings: Settings) -> TrainingPlan:
        """Return the networks to train: the method's choice of constants."""

    def offset(
        self, settings: Settings, members: Members, frozen: Mapping[str, Array], x: Array
    ) -> Array | None:
        """Return o_j(x) [m, n], or None if it is zero."""
        return None

    def distribution(self, outputs: Array) -> Distribution:
        """Return the mean and variance from the outputs of the networks."""
        return Distribution(outputs)

    def networks(self, task: Task, settings: Settings, size: int | None = None) -> Members:
        """Return the members before the method adds its constants: start, activation, stream."""
        m = settings["size"] if size is None else size
        widths = (task.x.shape[1], *settings["hidden"], self.n_outputs)
        bias = settings["prior"]["output_bias"]
        return Members(
            widths=widths,
            activations=assign(m, settings, *task.key),
            theta0=draws(m, widths, settings, *task.key, "initial"),
            learning_rate=np.full(m, settings["learning_rate"]),
            keys=np.array([seed_integer(*task.key, "stream", j) for j in range(m)], np.uint64),
            scales=None if bias else np.tile(prior.without_output_bias(widths), (m, 1, 1)),
        )

    def fit(self, task: Task, settings: Mapping[str, Any], training: Training) -> Ensemble:
        """Train one ensemble; raise DivergedError if a member does not stay finite."""
        (result,) = self.fit_all([(task, self.resolve(settings))], training)
        if isinstance(result, DivergedError):
            raise result
        return result

    def fit_all(
        self, trials: Sequence[FitRequest], training: Training
    ) -> list[Ensemble | DivergedError]:
        """Train one ensemble per (task, settings) as `fit` does, but as one batch.

        The tasks may be of different seeds. On the CPU each ensemble is bit for bit the one that
        `fit` gives alone; a task that diverges is reported in its place and does not affect others.
        """
        return self.fit_trials(trials, training)

    def fit_trials(
        self, trials: Sequence[FitRequest], training: Training
    ) -> list[Ensemble | DivergedError]:
        """Train one ensemble per (task, settings) with the effort of a trial, all as one batch."""
        plans = [self.plan(task, settings) for task, settings in trials]
        return self.fit_plans(trials, plans, training, self.ensemble)

    def fit_plans(
        self,
        trials: Sequence[FitRequest],
        plans: Sequence[TrainingPlan],
        training: Training,
        ensemble: Callable[[Task, Settings, TrainingPlan, Fit], Ensemble],
    ) -> list[Ensemble | DivergedError]:
        """Train the networks of all plans as one batch, and make an ensemble of each."""
        trainings = [self.adapt(settings, training) for _, settings in trials]
        fits = train(plans, [task for task, _ in trials], trainings)
        return [
            result if isinstance(result, DivergedError) else ensemble(*trial, plan, result)
            for trial, plan, result in zip(trials, plans, fits, strict=True)
        ]

    def adapt(self, settings: Settings, training: Training) -> Training:
        """Return the training with the method's loss."""
        return replace(training, loss=self.loss)

    def ensemble(self, task: Task, settings: Settings, plan: TrainingPlan, result: Fit) -> Ensemble:
        """Return the trained networks as an ensemble of equal weights."""
        members = plan.members
        return Ensemble(
            method=self,
            settings=settings,
            noise=float(task.noise),
            widths=members.widths,
            activations=members.activations,
            theta=np.asarray(result.theta, dtype=np.float64),
            weights=np.full(members.size, 1 / members.size),
            scales=members.scales,
            frozen=plan.frozen,
        )


TARGET_NOISE = switch(False, "whether each member is trained on y plus fresh noise")


def with_target_noise(offset: Array | None, task: Task, settings: Settings) -> Array | None:
    """Return the offset that trains each member on y plus its own noise, if that is requested.

    The members of a linear model are then exact draws from its posterior (Osband et al. 2018,
    Lemma 3). Eq. 2 uses y itself, as do the defaults.
    """
    if not settings["target_noise"]:
        return offset
    noise = task.noise * np.stack(
        [
            generator(*task.key, "target noise", j).standard_normal(len(task.y))
            for j in range(settings["size"])
        ]
    )
    return -noise if offset is None else offset - noise
