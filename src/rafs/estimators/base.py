"""The base class of all estimators, `UncertainRegressor`, and the estimation of the noise."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from numbers import Real
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from rafs.errors import DamagedFileError, DataError, ParameterError
from rafs.estimators import intervals, model_files
from rafs.estimators.model_files import Arrays
from rafs.methods.ensemble import Scaler
from rafs.seeding import generator

Array = NDArray[np.float64]

HELD_OUT = 0.2  # share of the rows on which the noise is estimated
LEAST_ROWS = 5  # for estimating the noise: two rows held out, three to train on
NOISES = np.geomspace(0.01, 1, 125)  # in standard deviations of y
CALIBRATION = "calibration.scores"  # in a saved file
TRAININGS = 5  # each for a part of NOISES, with the middle one, where training depends on the noise


class Moments(Protocol):
    """Mean and variance of y, and the part of the variance that more data would remove."""

    mean: Array
    variance: Array
    epistemic: Array


class Model(Protocol):
    """A trained model, in standardised units."""

    def predict(self, x: Array) -> Any:
        """Return the `Moments` at the rows of x."""


Train = Callable[[NDArray[np.intp], float], Model]  # on these rows, with this noise


class UncertainRegressor(RegressorMixin, BaseEstimator, ABC):
    """The base class of all estimators: checks, scaling, noise, prediction, saving and loading."""

    noise: float | str
    scale: bool
    random_state: Any
    conformal: float | None = None
    model_: Any  # a `Model`
    calibration_scores_: Array | None

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train on rows X [n, d] and targets y [n].

        With ``conformal=0.2`` a random fifth of the rows is held out, and `calibrate` is called
        with it. Otherwise the estimator is not calibrated, even if it was before.

        Raises ValueError for data that cannot be used, and DivergedError, with the step and the
        member, if the training becomes non-finite.
        """
        if not isinstance(self.scale, bool | np.bool_):
            raise ParameterError(f"scale = {self.scale!r} is not usable; give True or False")
        x, target = self._checked(X, y)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        kept, held = intervals.held_out(len(x), self.conformal, seed)
        self.calibration_scores_ = None
        self._train(x[kept], target[kept], seed)
        if len(held):
            self.calibration_scores_ = self._scores(x[held], target[held])
        return self

    def calibrate(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Make the intervals conformal, using rows that were not trained on; return self.

        The scores |y - mean| / std of these rows replace the quantiles of the Gaussian in
        `predict_interval` (split conformal prediction: Papadopoulos et al. 2002, Lei et al. 2018).
        They replace those of an earlier call, and `fit` discards them. `predict` does not change.

        >>> import numpy as np
        >>> from rafs import NTKGaussianProcess
        >>> X = np.linspace(-3, 3, 60)[:, None]
        >>> y = np.sin(3 * X[:, 0])
        >>> model = NTKGaussianProcess(noise=1.0).fit(X[::2], y[::2])
        >>> before = model.predict_interval(X)
        >>> after = model.calibrate(X[1::2], y[1::2]).predict_interval(X)
        >>> bool(np.all(np.diff(after) < np.diff(before)))  # the noise was not 1
        True
        """
        check_is_fitted(self)
        x, target = validate_data(
            self, X, _numbers(y), dtype=np.float64, order="C", y_numeric=True, reset=False
        )
        self.calibration_scores_ = self._scores(x, np.asarray(target, dtype=np.float64))
        return self

    def predict(self, X: ArrayLike, return_std: bool = False) -> Array | tuple[Array, Array]:
        """Return the mean and, if requested, the standard deviation of y at the rows of X.

        Calibration changes neither.
        """
        mean, std = self._moments(self._inputs(X))
        return (mean, std) if return_std else mean

    def predict_interval(self, X: ArrayLike, coverage: float = 0.9) -> Array:
        """Return lower and upper bounds of y at the rows of X, [n, 2], in the units of y.

        The interval is central. Before calibration it is that of a Gaussian. After it the interval
        is mean ± q std, where q is a quantile of the scores of the calibration rows: a new row that
        is exchangeable with these lies inside with a probability of at least `coverage`, on average
        over rows. Raises DataError for fewer than coverage / (1 - coverage) calibration rows.

        >>> from rafs import NTKGaussianProcess
        >>> model = NTKGaussianProcess(noise=0.1).fit([[0], [1], [2]], [0, 1, 0])
        >>> model.predict_interval([[1], [20]], coverage=0.95).round(1)
        array([[ 0.4,  0.9],
               [-5.8,  6.3]])
        """
        x = self._inputs(X)
        half = intervals.half_width(coverage, self.calibration_scores_)
        mean, std = self._moments(x)
        with np.errstate(over="ignore"):
            bounds = np.column_stack([mean - half * std, mean + half * std])
        _check_finite(bounds)
        return bounds

    def predict_members(self, X: ArrayLike) -> Array:
        """Return the prediction of every member, [members, n], without noise."""
        x = self._inputs(X)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            members = self.y_scaler_.inverse(self._members(x))
        _check_finite(*members)
        return members

    def save(self, path: Path | str) -> None:
        """Write the fitted estimator to a file of arrays and JSON, without pickle.

        A `random_state` that is not an integer is saved as None; predictions do not depend on it.
        """
        check_is_fitted(self)
        params = self.get_params(deep=False)
        if not isinstance(self.random_state, int | np.integer):
            params["random_state"] = None
        arrays, info = self._state()
        state = {
            "params": model_files.to_json(params),
            "features": list(getattr(self, "feature_names_in_", ())),
            "noise": self.noise_,
            "model": info,
        }
        if self.calibration_scores_ is not None:
            arrays |= {CALIBRATION: self.calibration_scores_}
        for name, scaler in (("x", self.x_scaler_), ("y", self.y_scaler_)):
            arrays |= {f"{name}.mean": np.asarray(scaler.mean)}
            arrays |= {f"{name}.scale": np.asarray(scaler.scale)}
        model_files.save(path, type(self).__name__, state, arrays)

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Return the estimator that `save` wrote; it predicts the same, bit for bit."""
        _, state, arrays = model_files.load(path, cls.__name__)
        try:
            self = cls(**model_files.from_json(state["params"]))
            self._restore(state, arrays)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError,
                RecursionError, MemoryError) as error:  # fmt: skip
            raise DamagedFileError(
                f"{path} does not hold what a {cls.__name__} is made of ({error}); save it again"
            ) from error
        return self

    def _restore(self, state: Mapping[str, Any], arrays: Arrays) -> None:
        """Restore what `save` wrote, or raise an error that says why it is invalid."""
        d = model_files.whole(np.size(arrays.get("x.mean", ())), "the number of columns of X", 1)
        shapes = {"x": (d,), "y": ()}
        self.x_scaler_, self.y_scaler_ = (
            Scaler(
                model_files.array(arrays, f"{name}.mean", *shape),
                model_files.array(arrays, f"{name}.scale", *shape, positive=True),
            )
            for name, shape in shapes.items()
        )
        self.n_features_in_ = d
        if features := state["features"]:
            if len(features) != d or not all(isinstance(name, str) for name in features):
                raise ValueError(f"the column names of X are not {d} strings")
            self.feature_names_in_ = np.array(features, dtype=object)
        self.noise_ = model_files.number(state, "noise")
        self.calibration_scores_ = _restored_scores(arrays)
        own = ("x.", "y.", CALIBRATION)
        rest = {name: value for name, value in arrays.items() if not name.startswith(own)}
        self.model_ = self._restored(rest, state["model"])
        with np.errstate(all="ignore"):
            found = self.model_.predict(self.x_scaler_.transform(np.zeros((1, d))))
        if not all(
            part.shape == (1,) and np.isfinite(part).all() for part in (found.mean, found.variance)
        ):
            raise ValueError("its predictions are not finite numbers")

    def _checked(self, X: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
        """Return X and y as arrays of numbers, or raise an error that says why they are invalid."""
        x, target = validate_data(
            self, X, _numbers(y), dtype=np.float64, order="C", y_numeric=True, ensure_min_samples=2
        )
        constant = np.flatnonzero(x.max(axis=0) == x.min(axis=0))
        if constant.size:
            names = getattr(self, "feature_names_in_", np.arange(x.shape[1]))[constant]
            raise DataError(
                f"column(s) {', '.join(map(str, names[:5]))} of X hold a single value, which says "
                "nothing about y; drop them (sklearn.feature_selection.VarianceThreshold does)"
            )
        return x, np.asarray(target, dtype=np.float64)

    def _train(self, x: Array, y: Array, seed: int) -> None:
        """Scale, determine the noise, and train on all of these rows."""
        self.x_scaler_ = _scaler("X", x, self.scale)
        self.y_scaler_ = _scaler("y", y, self.scale)
        x, y = self.x_scaler_.transform(x), self.y_scaler_.transform(y)
        train = self._trainer(x, y, seed)
        noise = self._noise(train, x, y, seed)
        self.noise_ = noise * float(self.y_scaler_.scale)
        self.model_ = train(np.arange(len(x)), noise)

    def _inputs(self, X: ArrayLike) -> Array:
        """Return the rows of X in standardised units."""
        check_is_fitted(self)
        return self._scaled(validate_data(self, X, dtype=np.float64, order="C", reset=False))

    def _scaled(self, x: Array) -> Array:
        with np.errstate(over="ignore"):
            return self.x_scaler_.transform(x)

    def _moments(self, x: Array) -> tuple[Array, Array]:
        """Return mean and standard deviation in units of y, at rows in standardised units."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            moments = self.model_.predict(x)
            mean = self.y_scaler_.inverse(moments.mean)
            std = np.sqrt(moments.variance) * self.y_scaler_.scale
        _check_finite(mean, std)
        return mean, std

    def _scores(self, x: Array, y: Array) -> Array:
        """Return the scores of rows to calibrate on."""
        return intervals.scores(y, *self._moments(self._scaled(x)))

    def _noise(self, train: Train, x: Array, y: Array, seed: int) -> float:
        """Return the noise in standardised units: as given, or estimated."""
        if isinstance(self.noise, str) and self.noise == "estimate":
            return estimate_noise(train, x, y, seed, in_training=self._noise_in_training)
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

    @property
    def _noise_in_training(self) -> bool:
        """Whether the training depends on the noise."""
        return True

    @abstractmethod
    def _state(self) -> tuple[Arrays, dict[str, Any]]:
        """Return arrays and JSON values from which the model can be restored."""

    @abstractmethod
    def _restored(self, arrays: Arrays, info: Mapping[str, Any]) -> Model:
        """Return the model of that state."""


def estimate_noise(train: Train, x: Array, y: Array, seed: int, *, in_training: bool) -> float:
    """Return the noise that makes held-out rows most likely; see `rafs.estimators`."""
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


def _numbers(y: Any) -> Any:
    """Return targets without objects, or raise an error if they are not numbers."""
    if y is None:
        return None
    values = np.asarray(y)
    text = values.dtype.kind == "O" and any(isinstance(v, str) for v in values.flat)
    if text or values.dtype.kind not in "biufcO":
        raise DataError("y holds text or dates and a regression needs numbers; convert it")
    # objects are numbers, or None, which is then seen as NaN
    return values.astype(np.float64) if values.dtype.kind == "O" else y


def _restored_scores(arrays: Arrays) -> Array | None:
    """Return the saved scores of an estimator that was calibrated."""
    if CALIBRATION not in arrays:
        return None
    n = model_files.whole(np.size(arrays[CALIBRATION]), "the number of calibration rows", 1)
    found = model_files.array(arrays, CALIBRATION, n)
    if (found < 0).any():
        raise ValueError(f"{CALIBRATION} holds values below 0")
    return found


def _scaler(name: str, values: Array, scale: bool) -> Scaler:
    """Return the standardisation, or the identity."""
    if not scale:
        return Scaler(np.zeros(values.shape[1:]), np.ones(values.shape[1:]))
    with np.errstate(over="ignore", invalid="ignore"):
        scaler = Scaler.fit(values)
    if not (np.isfinite(scaler.mean) & np.isfinite(scaler.scale) & (scaler.scale > 0)).all():
        raise DataError(f"the numbers in {name} are too large or too small to scale; change units")
    return scaler


def _check_finite(*rows: Array) -> None:
    """Refuse to return non-finite values."""
    if not all(np.isfinite(row).all() for row in rows):
        raise DataError(
            "a prediction is not finite, because a row of X lies too far from the training rows; "
            "drop that row"
        )
