"""Methods that fit other models than networks of the engine, such as scikit-learn estimators.

Such a model is fitted in standardised units like all others, and predicts in one of four ways:

- ``predict(X, return_std=True)``: mean and standard deviation;
- ``pred_dist(X)`` or ``predict_dist(X)``: a distribution with `mean` and `std`;
- ``predict_quantiles(X, levels)``: quantiles [n, len(levels)]; mean and standard deviation are
  those of the Gaussian that fits them best;
- ``predict(X)`` alone: the noise is then known or fitted, as for an ensemble without spread.

A model of this package may have ``moments(X)`` instead, which also returns the epistemic part. For
other models this part is unknown, and their whole variance counts as aleatoric.

An error inside a model becomes an `EstimatorError` in place of its predictions. A model gets copies
of the arrays, so that a model that changes them in place affects no other trial. NumPy's global
generator is seeded while the model is fitted and while it predicts.
"""

import inspect
import warnings
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from rafs.engine import Training
from rafs.errors import DivergedError, EstimatorError, ParameterError
from rafs.evaluation.quantiles import gaussian
from rafs.methods.base import FitRequest, Method, Task, TrainingPlan
from rafs.methods.ensemble import Array, Ensemble, Prediction
from rafs.methods.reference import SHARED
from rafs.methods.settings import Schema, Settings, resolve
from rafs.seeding import integer as seed_integer

NONE: Schema = {}
LEVELS = tuple((np.arange(20) + 0.5) / 20)  # of the requested quantiles
NAMES = ("mean", "standard deviation", "epistemic variance")
SHOWN = 200  # characters of a message that are kept


class ModelOutput(NamedTuple):
    """The predictions of a model for every row."""

    mean: Array
    sd: Array  # of a new observation
    epistemic: Array  # variance


def kind_of(model: Any) -> str:
    """Return how a class, or an object of it, predicts: moments, std, dist, quantiles or mean."""
    if callable(getattr(model, "moments", None)):
        return "moments"
    if "return_std" in parameters(getattr(model, "predict", None)):
        return "std"
    for name, kind in (
        ("pred_dist", "dist"),
        ("predict_dist", "dist"),
        ("predict_quantiles", "quantiles"),
        ("predict", "mean"),
    ):
        if callable(getattr(model, name, None)):
            return kind
    raise EstimatorError(
        "it has none of predict(X, return_std=True), pred_dist, predict_dist, predict_quantiles "
        "and predict; add one"
    )


def parameters(function: Any) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a function or class; none if Python cannot determine them."""
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}


@dataclass
class FittedModel:
    """A fitted model that predicts as an `Ensemble` does, and its warnings."""

    name: str
    model: Any
    noise: float  # of a model that predicts a mean alone, in standardised units
    seed: int = 0  # for models that sample when they predict
    warned: list[str] = field(default_factory=list)

    @property
    def message(self) -> str | None:
        """The first two different warnings of fitting and predicting."""
        said = list(dict.fromkeys(self.warned))[:2]
        return f"{self.name} warned: {'; '.join(said)}" if said else None

    def predict(self, x: Array) -> Prediction:
        """Return a Gaussian for every row, or raise an EstimatorError."""
        with isolated(self.seed, self.warned):
            try:
                mean, sd, epistemic = self._moments(x.copy())
            except EstimatorError as error:
                raise EstimatorError(f"{self.name}: {error}") from None
            except (Exception, SystemExit) as error:
                raise EstimatorError(failure(self.name, "predict", error)) from error
        aleatoric = sd**2 - epistemic
        return Prediction(mean, sd**2, epistemic, aleatoric, mean[None, :], np.ones(1))

    def _moments(self, x: Array) -> ModelOutput:
        """Return the checked predictions of the model."""
        found = self._predicted(x)
        moments = ModelOutput(
            *(checked(what, each, len(x)) for what, each in zip(NAMES, found, strict=True))
        )
        if not (moments.sd > 0).all():
            raise EstimatorError("a predicted standard deviation is not above 0; check the model")
        return moments

    def _predicted(self, x: Array) -> tuple[Any, Any, Any]:
        """Return mean, standard deviation and epistemic variance as predicted by the model."""
        kind, nothing = kind_of(self.model), np.zeros(len(x))
        if kind == "moments":
            return tuple(self.model.moments(x))
        if kind == "std":
            found = self.model.predict(x, return_std=True)
            if not (isinstance(found, tuple | list) and len(found) == 2):
                raise EstimatorError(
                    "predict(X, return_std=True) must return a mean and a standard deviation"
                )
            return (*found, nothing)
        if kind == "dist":
            named = "pred_dist" if hasattr(self.model, "pred_dist") else "predict_dist"
            found = getattr(self.model, named)(x)
            return _value(found.mean), _value(found.std), nothing
        if kind == "quantiles":
            found = self.model.predict_quantiles(x, np.array(LEVELS))
            return *gaussian(LEVELS, checked("quantiles", found, len(x), len(LEVELS))), nothing
        return self.model.predict(x), np.full(len(x), self.noise), nothing


@contextmanager
def isolated(seed: int, warned: list[str]) -> Iterator[None]:
    """Run a model with NumPy's global generator seeded, and collect its warnings."""
    state = np.random.get_state()  # noqa: NPY002
    np.random.seed(seed)  # noqa: NPY002 (models without a random_state of their own use it)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
    finally:
        np.random.set_state(state)  # noqa: NPY002
        warned += [" ".join(str(w.message).split())[:SHOWN] for w in caught]


def _value(attribute: Any) -> Any:
    return attribute() if callable(attribute) else attribute


def checked(what: str, values: Any, *shape: int) -> Array:
    """Return predicted values as numbers of a shape, or raise an error that describes them."""
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise EstimatorError(f"the predicted {what} is no array of numbers") from None
    if found.shape == (*shape, 1):
        found = found[..., 0]
    if found.shape != shape:
        raise EstimatorError(
            f"the predicted {what} has shape {found.shape} and should have {shape}"
        )
    if not np.isfinite(found).all():
        raise EstimatorError(
            f"the predicted {what} is not finite in {(~np.isfinite(found)).sum()} places"
        )
    return found


def failure(name: str, step: str, error: BaseException) -> str:
    """Describe an exception inside a model in one line."""
    text = " ".join(str(error).split())[:SHOWN]
    return f"{name}: {step} failed with {type(error).__name__}{f' ({text})' if text else ''}"


class ExternalMethod(Method):
    """A method that makes a model with `fit(X, y)` for every task."""

    role = "reference"
    schema: Schema = NONE
    needs_noise = False

    @abstractmethod
    def make(self, settings: Settings, training: Training, task: Task, seed: int) -> Any:
        """Return the model before it is fitted; `seed` is an integer for its `random_state`."""

    def resolve(self, *layers: Mapping[str, Any], where: str | None = None) -> Settings:
        """Lay settings over the defaults; settings shared by all ensembles are ignored."""
        own = [{k: v for k, v in layer.items() if k not in SHARED} for layer in layers]
        return resolve(self.schema, *own, where=where or f"methods.{self.name}")

    def plan(self, task: Task, settings: Settings) -> TrainingPlan:
        """Refuse: there is no network."""
        raise ParameterError(f"{self.name} trains no network of the engine")

    def fit_trials(
        self, trials: Sequence[FitRequest], training: Training
    ) -> list[Ensemble | DivergedError]:
        """Fit a model per task."""
        return [self.fitted(task, settings, training) for task, settings in trials]

    def fitted(self, task: Task, settings: Settings, training: Training) -> Any:
        """Return a fitted model, or the error that fitting raised."""
        seed = seed_integer(*task.key, "model") % 2**31
        warned: list[str] = []
        with isolated(seed, warned):
            try:
                model = self.make(settings, training, task, seed)
                model.fit(task.x.copy(), task.y.copy())
            except EstimatorError as error:
                return EstimatorError(f"{self.name}: {error}")
            except (Exception, SystemExit) as error:
                return EstimatorError(failure(self.name, "fit", error))
        return FittedModel(self.name, model, float(task.noise), seed, warned)
