"""The ensembles as estimators: each class adds its documentation to a method."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from rafs import methods
from rafs.engine.layout import n_parameters
from rafs.errors import DamagedFileError
from rafs.estimators.base import Array, Train, UncertainRegressor
from rafs.estimators.model_files import Arrays, array, number, whole
from rafs.methods.base import Task, training
from rafs.methods.ensemble import Ensemble


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
    scale : whether X and y are standardised internally
    settings : further settings of the method by their names in its file under `rafs.methods`, for
        example ``{"prior.weight": 1.0}``
    device : "auto", "cpu" or "cuda"
    random_state : integer, RandomState or None
    conformal : share of the rows that `fit` holds out and calibrates on, for example 0.2

    Attributes
    ----------
    noise_ : the noise that was used, in the units of y
    calibration_scores_ : of the rows that `predict_interval` is calibrated on, or None
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
        conformal: float | None = None,
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
        self.conformal = conformal

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

    def _noise(self, train: Train, x: Array, y: Array, seed: int) -> float:
        if not methods.get(self.method).needs_noise:
            return 0.0  # nothing to add to a learned variance
        return super()._noise(train, x, y, seed)

    @property
    def _noise_in_training(self) -> bool:
        return methods.get(self.method).anchored

    def _state(self) -> tuple[Arrays, dict[str, Any]]:
        return state(self.model_)

    def _restored(self, arrays: Arrays, info: Mapping[str, Any]) -> Ensemble:
        if info["method"] != self.method:
            raise ValueError(f"its networks are of the method {info['method']!r}")
        return restored(arrays, info)


def state(ensemble: Ensemble) -> tuple[Arrays, dict[str, Any]]:
    """Return everything that predictions depend on: named arrays, and a JSON-able dict."""
    arrays: Arrays = {"theta": ensemble.theta, "weights": ensemble.weights}
    if ensemble.scales is not None:
        arrays["scales"] = ensemble.scales
    arrays |= {f"frozen.{name}": value for name, value in ensemble.frozen.items()}
    return arrays, {
        "method": ensemble.method.name,
        "settings": ensemble.settings,
        "noise": ensemble.noise,
        "widths": list(ensemble.widths),
        "activations": list(ensemble.activations),
    }


def restored(arrays: Arrays, info: Mapping[str, Any]) -> Ensemble:
    """Return the ensemble that `state` described."""
    try:
        method = methods.get(info["method"])
        widths = tuple(whole(width, "a width", 1) for width in info["widths"])
        if len(widths) < 2 or widths[-1] != method.n_outputs:
            raise ValueError(f"{method.label} has no networks with the widths {widths}")
        m, P = len(info["activations"]), n_parameters(widths)
        scales = array(arrays, "scales", m, len(widths) - 1, 2) if "scales" in arrays else None
        frozen = [name for name in arrays if name.startswith("frozen.")]
        if unknown := set(arrays) - {"theta", "weights", "scales", *frozen}:
            raise ValueError(f"unknown arrays: {', '.join(sorted(unknown))}")
        ensemble = Ensemble(
            method=method,
            settings=method.resolve(info["settings"]),
            noise=number(info, "noise"),
            widths=widths,
            activations=tuple(info["activations"]),
            theta=array(arrays, "theta", m, P),
            weights=_shares(array(arrays, "weights", m)),
            scales=scales,
            frozen={name.removeprefix("frozen."): array(arrays, name, m, P) for name in frozen},
        )
        _ = ensemble.members  # which refuses an unknown activation
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise DamagedFileError(f"this is not the state of an ensemble ({error})") from error
    return ensemble


def _shares(weights: Array) -> Array:
    """Return the weights of the members if they are shares of a whole."""
    if not ((weights >= 0).all() and abs(weights.sum() - 1) < 1e-9):
        raise ValueError("weights are not shares that sum to 1")
    return weights


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


class LikelihoodDeepEnsemble(EnsembleRegressor):
    """Deep Ensemble of 2017: every member learns a mean and a variance of y.

    Parameters and attributes: see `EnsembleRegressor`. There is no `noise`, because it is learned,
    and `noise_` is 0. Among its `settings`: beta_nll and warm_up (how the likelihood is
    optimised), l2 on the weights, and adversarial, the size of the adversarial step.

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
        conformal: float | None = None,
    ) -> None:
        super().__init__(
            size=size, hidden=hidden, activation=activation, steps=steps,
            learning_rate=learning_rate, batch_size=batch_size, scale=scale, settings=settings,
            device=device, random_state=random_state, conformal=conformal,
        )  # fmt: skip


class HyperdeepEnsemble(EnsembleRegressor):
    """Hyperdeep Ensemble: random search, greedy selection, retraining, greedy selection again.

    Members are weighted by how often they were selected (`weights_`).

    Parameters and attributes: see `EnsembleRegressor`. Among its `settings`: candidates of the
    random search, copies of each, the ranges l2 and dropout, and held_out, the share of the rows on
    which the members are selected.

    >>> from rafs import HyperdeepEnsemble
    >>> X = [[i] for i in range(12)]
    >>> y = [2 * i for i in range(12)]
    >>> model = HyperdeepEnsemble(noise=0.5, steps=300, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """

    method = "hde"


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
    """NTKGP-param: converges to `NTKGaussianProcess` as width and number of members grow.

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


class RAFsEnsemble(EnsembleRegressor):
    """The paper's ensemble: anchored, and every member has its own activation function.

    Parameters and attributes: see `EnsembleRegressor`. Among its `settings`: activations.set, .k
    and .shuffle, and those of `AnchoredEnsemble`.

    >>> from rafs import RAFsEnsemble
    >>> model = RAFsEnsemble(noise=0.1, random_state=0).fit([[0], [1], [2]], [0, 1, 0])
    >>> model.activations_
    ('gelu', 'softsign', 'swish', 'selu', 'tanh')
    """

    method = "rafs"
