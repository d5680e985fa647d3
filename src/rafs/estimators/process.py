"""The analytic limit of NTKGP-param as an estimator."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rafs import gp
from rafs.errors import ParameterError
from rafs.estimators import model_files
from rafs.estimators.base import Array, Train, UncertainRegressor
from rafs.estimators.model_files import Arrays
from rafs.seeding import generator

MOST_LAYERS = 10_000  # of a process that is loaded


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
        """Return the posterior as fitted, regardless of later changes of parameters."""
        posterior = self.posterior
        arrays: Arrays = {
            "rows": posterior.x,
            "factor": posterior.factor,
            "coefficients": posterior.weights,
        }
        network = vars(posterior.network)
        info = {
            "network": {name: model_files.to_json(value) for name, value in network.items()},
            "kernel": posterior.kernel,
            "noise": self.noise,
            "seed": self.seed,
        }
        return arrays, info


class NTKGaussianProcess(UncertainRegressor):
    """The analytic NTK Gaussian process: `NTKGPEnsemble` in the limit of width and of members.

    Memory grows with the square of the number of training rows, time with the cube.

    Parameters
    ----------
    hidden_layers, activation : of the infinitely wide network; "erf", "relu" or "linear"
    weight_sd, bias_sd : sigma_w and sigma_b of the NTK parameterisation (see `rafs.gp`), one number
        or one per layer
    kernel : "ntk", or "nngp" for the Bayesian network of infinite width
    size : number of functions that `predict_members` draws from the posterior. They are drawn for
        all rows of its X together, so that they are smooth, and depend on all of X
    noise, scale, random_state, conformal : as in the ensembles; Figure 1 has
        ``noise=0.1, scale=False``

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
        conformal: float | None = None,
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
        self.conformal = conformal

    def _trainer(self, x: Array, y: Array, seed: int) -> Train:
        network = gp.WideNetwork(self.hidden_layers, self.activation, self.weight_sd, self.bias_sd)
        if not (isinstance(self.size, Integral) and self.size >= 1):
            raise ParameterError(f"size = {self.size!r} is not usable; give 1 or more")

        def train(rows: NDArray[np.intp], noise: float) -> Process:
            found = gp.posterior(x[rows], y[rows], noise, network, self.kernel)
            return Process(found, noise, seed)

        return train

    def _members(self, x: Array) -> Array:
        return self.model_.draws(x, self.size)

    def _state(self) -> tuple[Arrays, dict[str, Any]]:
        state: tuple[Arrays, dict[str, Any]] = self.model_.state()
        return state

    def _restored(self, arrays: Arrays, info: Mapping[str, Any]) -> Process:
        network = {name: model_files.from_json(value) for name, value in info["network"].items()}
        model_files.whole(network["hidden_layers"], "hidden_layers", 0, MOST_LAYERS)
        if info["kernel"] not in ("ntk", "nngp"):
            raise ValueError(f"there is no kernel {info['kernel']!r}")
        model_files.whole(self.size, "size", 1)
        n = model_files.whole(np.size(arrays.get("coefficients", ())), "the number of rows", 1)
        factor = model_files.array(arrays, "factor", n, n)
        if not (factor.diagonal() > 0).all():
            raise ValueError("factor is not a Cholesky factor")
        posterior = gp.Posterior(
            model_files.array(arrays, "rows", n, self.n_features_in_), factor,
            model_files.array(arrays, "coefficients", n), gp.WideNetwork(**network), info["kernel"],
        )  # fmt: skip
        noise, seed = model_files.number(info, "noise"), model_files.whole(info["seed"], "seed", 0)
        return Process(posterior, noise, seed)
