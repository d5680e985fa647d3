"""The ensembles as scikit-learn estimators, for anyone's data.

All of them follow one pattern:

>>> import numpy as np
>>> from rafs import RAFsEnsemble
>>> X = np.linspace(-3, 3, 40)[:, None]
>>> y = np.sin(X[:, 0])
>>> model = RAFsEnsemble(noise=0.1, random_state=0).fit(X, y)
>>> mean, std = model.predict([[0.5], [9.0]], return_std=True)
>>> bool(abs(mean[0] - np.sin(0.5)) < 0.1 and std[0] < std[1])
True

**Units.** Inputs and targets are standardised inside with the means and standard deviations of the
training rows (`scale=False` switches that off and leaves it to a pipeline). Whatever goes in or
comes out is in the units of X and y.

**Noise.** `noise` is the standard deviation of the noise in y, in the units of y, if it is known.
With ``noise="estimate"`` it is chosen on held-out training data: a fifth of the rows, drawn at
random, is set aside, the estimator is trained on the rest, and that noise is taken, between 0.01
and 1 standard deviations of y, that gives the rows set aside the highest likelihood. Where the
noise is part of the training, as in anchoring and in a Gaussian process, there is a training for
each fifth of that range (on a logarithmic scale), elsewhere one for all of it. The final training
uses all rows. `noise_` tells the value.

**Uncertainty.** `predict(X, return_std=True)` returns the standard deviation of a new observation
of y: the spread of the members (epistemic) and the noise (aleatoric) together. `predict_members`
returns what every member says, one row per member.

**Randomness.** With an integer `random_state` a fit is the same, bit for bit, every time.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from rafs import gp, methods, persistence
from rafs.errors import DamagedFileError, DataError, ParameterError
from rafs.methods.base import Task, training
from rafs.methods.ensemble import Ensemble, Scaler
from rafs.persistence import Arrays
from rafs.seeding import generator

Array = NDArray[np.float64]

HELD_OUT = 0.2  # share of the rows on which the noise is estimated
LEAST_ROWS = 5  # for estimating the noise: two rows held out, three to train on
NOISES = np.geomspace(0.01, 1, 125)  # in standard deviations of y
TRAININGS = 5  # each for a part of NOISES, with the middle one, where training depends on the noise


class Moments(Protocol):
    """Mean and variance of y, and the part of the variance that more data would remove."""

    mean: Array
    variance: Array
    epistemic: Array


class Model(Protocol):
    """What a training gives, in standardised units."""

    def predict(self, x: Array) -> Any:
        """Return the `Moments` at the rows of x."""

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """Return arrays and JSON values that the model can be made of again."""


Train = Callable[[NDArray[np.intp], float], Model]  # on these rows, with this noise


class UncertainRegressor(RegressorMixin, BaseEstimator, ABC):
    """What all estimators share: checks, scaling, noise, prediction, saving and loading."""

    noise_in_training: ClassVar[bool] = True  # whether the training depends on the noise
    noise: float | str
    scale: bool
    random_state: Any
    model_: Any  # a `Model`

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train on rows X [n, d] and targets y [n].

        Raises ValueError for data that cannot be used, and DivergedError, with the step and the
        member, for a training that does not stay finite.
        """
        if not isinstance(self.scale, bool | np.bool_):
            raise ParameterError(f"scale = {self.scale!r} is not usable; give True or False")
        x, target = self._checked(X, y)
        self.x_scaler_ = _scaler("X", x, self.scale)
        self.y_scaler_ = _scaler("y", target, self.scale)
        x, target = self.x_scaler_.transform(x), self.y_scaler_.transform(target)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        train = self._trainer(x, target, seed)
        noise = self._noise(train, x, target, seed)
        self.noise_ = noise * float(self.y_scaler_.scale)
        self.model_ = train(np.arange(len(x)), noise)
        return self

    def predict(self, X: ArrayLike, return_std: bool = False) -> Array | tuple[Array, Array]:
        """Return the mean and, if asked for, the standard deviation of y at the rows of X."""
        x = self._inputs(X)
        with np.errstate(over="ignore", invalid="ignore"):
            moments = self.model_.predict(x)
            mean = self.y_scaler_.inverse(moments.mean)
            std = np.sqrt(moments.variance) * self.y_scaler_.scale
        _check_finite(mean, std)
        return (mean, std) if return_std else mean

    def predict_members(self, X: ArrayLike) -> Array:
        """Return the prediction of every member, [members, n], without noise."""
        x = self._inputs(X)
        with np.errstate(over="ignore", invalid="ignore"):
            members = self.y_scaler_.inverse(self._members(x))
        _check_finite(*members)
        return members

    def save(self, path: Path | str) -> None:
        """Write the fitted estimator to a file of arrays and JSON, without pickle.

        A `random_state` that is no integer is saved as None; predictions do not depend on it.
        """
        check_is_fitted(self)
        params = self.get_params(deep=False)
        if not isinstance(self.random_state, int | np.integer):
            params["random_state"] = None
        arrays, info = self.model_.state()
        state = {
            "params": _to_json(params),
            "features": list(getattr(self, "feature_names_in_", ())),
            "noise": self.noise_,
            "model": info,
        }
        for name, scaler in (("x", self.x_scaler_), ("y", self.y_scaler_)):
            arrays |= {f"{name}.mean": np.asarray(scaler.mean)}
            arrays |= {f"{name}.scale": np.asarray(scaler.scale)}
        persistence.save(path, type(self).__name__, state, arrays)

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Return the estimator that `save` wrote; it predicts the same, bit for bit."""
        _, state, arrays = persistence.load(path, cls.__name__)
        try:
            self = cls(**_from_json(state["params"]))
            self.x_scaler_, self.y_scaler_ = (
                Scaler(arrays.pop(f"{name}.mean"), arrays.pop(f"{name}.scale")) for name in "xy"
            )
            self.n_features_in_ = len(self.x_scaler_.mean)
            if state["features"]:
                self.feature_names_in_ = np.array(state["features"], dtype=object)
            self.noise_ = float(state["noise"])
            self.model_ = self._restored(arrays, state["model"])
            row = self.x_scaler_.transform(np.zeros((1, self.n_features_in_)))
            if self.model_.predict(row).mean.shape != (1,):
                raise ValueError("its arrays do not fit together")
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DamagedFileError(
                f"{path} does not hold what a {cls.__name__} is made of ({error}); save it again"
            ) from error
        return self

    def _checked(self, X: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
        """Return X and y as arrays of numbers, or say why they are none."""
        if y is not None:
            values = np.asarray(y)
            text = values.dtype.kind == "O" and any(isinstance(v, str) for v in values.flat)
            if text or values.dtype.kind not in "biufcO":
                raise DataError("y holds text or dates and a regression needs numbers; convert it")
            if values.dtype.kind == "O":  # numbers, or None, which is then seen as NaN
                y = values.astype(np.float64)
        x, target = validate_data(
            self, X, y, dtype=np.float64, order="C", y_numeric=True, ensure_min_samples=2
        )
        constant = np.flatnonzero(x.max(axis=0) == x.min(axis=0))
        if constant.size:
            names = getattr(self, "feature_names_in_", np.arange(x.shape[1]))[constant]
            raise DataError(
                f"column(s) {', '.join(map(str, names[:5]))} of X hold a single value, which says "
                "nothing about y; drop them (sklearn.feature_selection.VarianceThreshold does)"
            )
        return x, np.asarray(target, dtype=np.float64)

    def _inputs(self, X: ArrayLike) -> Array:
        """Return the rows of X in standardised units."""
        check_is_fitted(self)
        x = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        with np.errstate(over="ignore"):
            return self.x_scaler_.transform(x)

    def _noise(self, train: Train, x: Array, y: Array, seed: int) -> float:
        """Return the noise in standardised units: as given, or estimated."""
        if isinstance(self.noise, str) and self.noise == "estimate":
            return estimate_noise(train, x, y, seed, in_training=self.noise_in_training)
        if not (isinstance(self.noise, Real) and 0 < self.noise < np.inf):
            raise ParameterError(
                f"noise = {self.noise!r} is not usable; give a standard deviation above 0, in the "
                "units of y, or 'estimate'"
            )
        return float(self.noise) / float(self.y_scaler_.scale)

    @abstractmethod
    def _trainer(self, x: Array, y: Array, seed: int) -> Train:
        """Return the function that trains on some of the rows, given the noise."""

    @abstractmethod
    def _members(self, x: Array) -> Array:
        """Return the members' predictions in standardised units."""

    @abstractmethod
    def _restored(self, arrays: Arrays, info: Mapping[str, Any]) -> Model:
        """Return the model of that state."""


def estimate_noise(train: Train, x: Array, y: Array, seed: int, *, in_training: bool) -> float:
    """Return the noise that makes held-out rows most likely; see the head of this module."""
    n = len(x)
    if n < LEAST_ROWS:
        raise DataError(
            f"estimating the noise needs {LEAST_ROWS} rows or more, because some are held out, and "
            f"there are {n}; give more rows or a known noise"
        )
    order = generator("estimator", seed, "held out").permutation(n)
    held, kept = np.split(order, [max(2, round(HELD_OUT * n))])
    spread = float(Scaler.fit(y).scale)

    def loss(noises: Array) -> Array:
        found = train(kept, noises[len(noises) // 2] * spread).predict(x[held])
        variance = found.epistemic + (noises[:, None] * spread) ** 2
        return np.asarray(
            np.mean(np.log(variance) + (y[held] - found.mean) ** 2 / variance, axis=1)
        )

    parts = np.split(NOISES, TRAININGS if in_training else 1)
    return float(NOISES[np.argmin(np.concatenate([loss(part) for part in parts]))]) * spread


def _scaler(name: str, values: Array, scale: bool) -> Scaler:
    """Return the standardisation, or none that does anything."""
    if not scale:
        return Scaler(np.zeros(values.shape[1:]), np.ones(values.shape[1:]))
    with np.errstate(over="ignore", invalid="ignore"):
        scaler = Scaler.fit(values)
    if not (np.isfinite(scaler.mean) & np.isfinite(scaler.scale) & (scaler.scale > 0)).all():
        raise DataError(f"the numbers in {name} are too large or too small to scale; change units")
    return scaler


def _check_finite(*rows: Array) -> None:
    """Refuse to hand out anything that is no number."""
    if not all(np.isfinite(row).all() for row in rows):
        raise DataError(
            "a prediction is not finite, because a row of X lies too far from the training rows; "
            "drop that row"
        )


def _to_json(value: Any) -> Any:
    """Return a parameter as JSON, with tuples marked so that they come back as tuples."""
    if isinstance(value, tuple):
        return {"tuple": _to_json(list(value))}
    if isinstance(value, Mapping):
        return {"dict": [[key, _to_json(entry)] for key, entry in value.items()]}
    if isinstance(value, list | np.ndarray):
        return [_to_json(entry) for entry in value]
    return value.item() if isinstance(value, np.generic) else value


def _from_json(value: Any) -> Any:
    """Return the parameter that `_to_json` wrote."""
    if isinstance(value, list):
        return [_from_json(entry) for entry in value]
    if isinstance(value, dict):
        ((kind, content),) = value.items()
        content = _from_json(content)
        return tuple(content) if kind == "tuple" else dict(content)
    return value


# Ensembles ----------------------------------------------------------------------------------------


class EnsembleRegressor(UncertainRegressor):
    """A method of the paper as an estimator.

    Parameters
    ----------
    size : number m of members
    hidden : widths of the hidden layers
    activation : "gelu", "softsign", "swish", "selu", "tanh", "erf", "linear", "relu", or "random"
        for a different one per member; None is the method's own choice
    noise : standard deviation of the noise in y, or "estimate"
    steps, learning_rate, batch_size : of the Adam optimiser; None is the method's own learning
        rate, and the full batch
    scale : whether X and y are standardised inside
    settings : further settings of the method by their names in its file under `rafs.methods`, for
        example ``{"prior.weight": 1.0}``
    device : "auto", "cpu" or "cuda"
    random_state : integer, RandomState or None

    Attributes
    ----------
    noise_ : the noise that was used, in the units of y
    model_ : the trained `rafs.methods.ensemble.Ensemble`
    activations_, weights_ : of the members
    n_features_in_, feature_names_in_ : of X, the latter if X was a data frame
    """

    method: ClassVar[str]

    def __init__(
        self,
        size: int = 5,
        hidden: Sequence[int] = (100,),
        activation: str | None = None,
        noise: float | str = "estimate",
        steps: int = 1000,
        learning_rate: float | None = None,
        batch_size: int | None = None,
        scale: bool = True,
        settings: Mapping[str, Any] | None = None,
        device: str = "auto",
        random_state: Any = None,
    ) -> None:
        self.size = size
        self.hidden = hidden
        self.activation = activation
        self.noise = noise
        self.steps = steps
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.scale = scale
        self.settings = settings
        self.device = device
        self.random_state = random_state

    @property
    def activations_(self) -> tuple[str, ...]:
        """Activation of every member."""
        check_is_fitted(self)
        return self.model_.activations

    @property
    def weights_(self) -> Array:
        """Weight of every member in the mean."""
        check_is_fitted(self)
        return self.model_.weights

    def _trainer(self, x: Array, y: Array, seed: int) -> Train:
        name = type(self).__name__
        method = methods.get(self.method)
        named = {
            key: getattr(self, key) for key in ("size", "hidden", "activation", "learning_rate")
        }
        given = {key: value for key, value in named.items() if value is not None}
        settings = method.resolve(given, self.settings or {}, where=name)
        how = {key: getattr(self, key) for key in ("steps", "batch_size", "device")}

        def train(rows: NDArray[np.intp], noise: float) -> Ensemble:
            task = Task(x[rows], y[rows], noise, ("estimator", seed))
            return method.fit(task, settings, training(len(rows), how, where=name))

        return train

    def _members(self, x: Array) -> Array:
        return self.model_.predict(x).members

    def _restored(self, arrays: Arrays, info: Mapping[str, Any]) -> Ensemble:
        return Ensemble.from_state(arrays, info)


class DeepEnsemble(EnsembleRegressor):
    """Deep Ensemble as the paper uses it: independent starts, squared loss, known noise.

    Parameters and attributes: see `EnsembleRegressor`.

    >>> from rafs import DeepEnsemble
    >>> DeepEnsemble(noise=0.1, steps=300, random_state=0).fit([[0], [1], [2]], [0, 1, 2]).score(
    ...     [[0.5], [1.5]], [0.5, 1.5]
    ... ) > 0.9
    True
    """

    method = "de"
    noise_in_training = False


class LikelihoodDeepEnsemble(EnsembleRegressor):
    """Deep Ensemble of 2017: every member learns a mean and a variance of y.

    Parameters and attributes: see `EnsembleRegressor`; there is no `noise`, it is learned, and
    `noise_` is 0. Among its `settings`: adversarial, the size of the adversarial step.

    >>> from rafs import LikelihoodDeepEnsemble
    >>> X, y = [[0], [1], [2], [3]], [0, 1, 2, 3]
    >>> LikelihoodDeepEnsemble(steps=300, random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    method = "de_nll"

    def __init__(
        self,
        size: int = 5,
        hidden: Sequence[int] = (100,),
        activation: str | None = None,
        steps: int = 1000,
        learning_rate: float | None = None,
        batch_size: int | None = None,
        scale: bool = True,
        settings: Mapping[str, Any] | None = None,
        device: str = "auto",
        random_state: Any = None,
    ) -> None:
        super().__init__(
            size=size, hidden=hidden, activation=activation, steps=steps,
            learning_rate=learning_rate, batch_size=batch_size, scale=scale, settings=settings,
            device=device, random_state=random_state,
        )  # fmt: skip

    def _noise(self, train: Train, x: Array, y: Array, seed: int) -> float:
        """Return nothing to add to the learned variance."""
        return 0.0


class HyperdeepEnsemble(EnsembleRegressor):
    """Hyperdeep Ensemble: random search, greedy selection, fresh starts, greedy selection again.

    Members are weighted by how often they were picked (`weights_`).

    Parameters and attributes: see `EnsembleRegressor`. Among its `settings`: candidates of the
    random search, copies of each, the ranges l2 and dropout, and held_out, the share of the rows on
    which the members are picked.

    >>> from rafs import HyperdeepEnsemble
    >>> X = [[i] for i in range(12)]
    >>> y = [2 * i for i in range(12)]
    >>> model = HyperdeepEnsemble(noise=0.5, steps=300, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """

    method = "hde"
    noise_in_training = False


class AnchoredEnsemble(EnsembleRegressor):
    """Anchored Ensemble: each member is regularised towards the prior draw that it starts from.

    Parameters and attributes: see `EnsembleRegressor`. Among its `settings`: prior.weight,
    prior.bias and prior.output, standard deviations of the prior.

    >>> from rafs import AnchoredEnsemble
    >>> model = AnchoredEnsemble(noise=0.1, random_state=0).fit([[0], [1], [2]], [0, 1, 0])
    >>> mean, std = model.predict([[1], [20]], return_std=True)
    >>> bool(abs(mean[0] - 1) < 0.2 and std[0] < std[1])
    True
    """

    method = "ae"


class NTKGPEnsemble(EnsembleRegressor):
    """NTKGP-param: an ensemble that approaches `NTKGaussianProcess` in width and in members.

    Parameters and attributes: see `EnsembleRegressor`. Among its `settings`: prior.weight,
    prior.bias, prior.output, and target_noise, with which members are draws from the posterior.

    >>> from rafs import NTKGPEnsemble
    >>> model = NTKGPEnsemble(noise=0.1, random_state=0).fit([[0], [1], [2]], [0, 1, 0])
    >>> model.predict_members([[1], [20]]).shape
    (5, 2)
    """

    method = "ntkgp"


class RandomPriorEnsemble(EnsembleRegressor):
    """RP-param: bootstrap, and a frozen random network added to every member.

    Parameters and attributes: see `EnsembleRegressor`. Among its `settings`: beta, the scale of the
    frozen network, bootstrap and decay.

    >>> from rafs import RandomPriorEnsemble
    >>> model = RandomPriorEnsemble(noise=0.1, settings={"beta": 2.0}, random_state=0)
    >>> model.fit([[0], [1], [2], [3]], [0, 1, 0, 1]).predict([[1]]).shape
    (1,)
    """

    method = "rp"
    noise_in_training = False


class RAFsEnsemble(EnsembleRegressor):
    """The paper's ensemble: anchored, and every member with an activation function of its own.

    Parameters and attributes: see `EnsembleRegressor`. Among its `settings`: activations.set, .k
    and .shuffle, and those of `AnchoredEnsemble`.

    >>> from rafs import RAFsEnsemble
    >>> model = RAFsEnsemble(noise=0.1, random_state=0).fit([[0], [1], [2]], [0, 1, 0])
    >>> model.activations_
    ('gelu', 'softsign', 'swish', 'selu', 'tanh')
    """

    method = "rafs"


# The analytic limit -------------------------------------------------------------------------------


class GaussianMoments(NamedTuple):
    """`Moments` of a Gaussian process."""

    mean: Array
    variance: Array
    epistemic: Array


@dataclass(frozen=True)
class Process:
    """A posterior and its noise as a `Model`."""

    posterior: gp.Posterior
    noise: float
    seed: int

    def predict(self, x: Array) -> GaussianMoments:
        """Return the moments of y."""
        mean, epistemic = self.posterior.predict(x)
        return GaussianMoments(mean, epistemic + self.noise**2, epistemic)

    def draws(self, x: Array, size: int) -> Array:
        """Draw functions from the posterior, at all rows of x together."""
        values, vectors = np.linalg.eigh(self.posterior.covariance(x))
        normal = generator("estimator", self.seed, "draws").standard_normal((size, len(x)))
        mean = self.posterior.predict(x)[0]
        return np.asarray(mean + normal * np.sqrt(np.maximum(values, 0)) @ vectors.T)

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """Return the posterior as it was fitted, whatever the parameters have become since."""
        posterior = self.posterior
        arrays: Arrays = {
            "rows": posterior.x,
            "factor": posterior.factor,
            "coefficients": posterior.weights,
        }
        info = {
            "network": {name: _to_json(value) for name, value in vars(posterior.network).items()},
            "kernel": posterior.kernel,
            "noise": self.noise,
            "seed": self.seed,
        }
        return arrays, info


class NTKGaussianProcess(UncertainRegressor):
    """The analytic NTK Gaussian process: the limit of `NTKGPEnsemble` in width and in members.

    Memory grows with the square of the number of training rows, time with the cube.

    Parameters
    ----------
    hidden_layers, activation : of the infinitely wide network; "erf", "relu" or "linear"
    weight_sd, bias_sd : sigma_w and sigma_b of the NTK parameterisation (see `rafs.gp`), one number
        or one per layer
    kernel : "ntk", or "nngp" for the Bayesian network of infinite width
    size : number of functions that `predict_members` draws from the posterior. They are drawn for
        all rows of its X together, so that they are smooth, and depend on all of X
    noise, scale, random_state : as in the ensembles; Figure 1 has ``noise=0.1, scale=False``

    Examples
    --------
    >>> from rafs import NTKGaussianProcess
    >>> model = NTKGaussianProcess(noise=0.1).fit([[0], [1], [2]], [0, 1, 0])
    >>> model.predict([[1], [20]], return_std=True)[1].round(2)
    array([0.13, 3.07])
    """

    def __init__(
        self,
        hidden_layers: int = 2,
        activation: str = "erf",
        weight_sd: float | Sequence[float] = 1.5,
        bias_sd: float | Sequence[float] = 0.05,
        kernel: gp.KernelName = "ntk",
        size: int = 5,
        noise: float | str = "estimate",
        scale: bool = True,
        random_state: Any = None,
    ) -> None:
        self.hidden_layers = hidden_layers
        self.activation = activation
        self.weight_sd = weight_sd
        self.bias_sd = bias_sd
        self.kernel = kernel
        self.size = size
        self.noise = noise
        self.scale = scale
        self.random_state = random_state

    def _trainer(self, x: Array, y: Array, seed: int) -> Train:
        network = gp.Network(self.hidden_layers, self.activation, self.weight_sd, self.bias_sd)
        if not (isinstance(self.size, Integral) and self.size >= 1):
            raise ParameterError(f"size = {self.size!r} is no number of functions; give 1 or more")

        def train(rows: NDArray[np.intp], noise: float) -> Process:
            found = gp.posterior(x[rows], y[rows], noise, network, self.kernel)
            return Process(found, noise, seed)

        return train

    def _members(self, x: Array) -> Array:
        return self.model_.draws(x, self.size)

    def _restored(self, arrays: Arrays, info: Mapping[str, Any]) -> Process:
        network = gp.Network(**{name: _from_json(v) for name, v in info["network"].items()})
        found = gp.Posterior(
            arrays["rows"], arrays["factor"], arrays["coefficients"], network, info["kernel"]
        )
        return Process(found, float(info["noise"]), int(info["seed"]))
