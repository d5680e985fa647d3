"""The analytic Gaussian processes of infinitely wide networks: NNGP and NTK, in closed form.

A network of hidden layers in the *NTK parameterisation* computes, from x in R^d,

    z_1 = sigma_w1 / sqrt(d) W_1 x + sigma_b1 b_1,
    z_{l+1} = sigma_w / sqrt(width_l) W_{l+1} phi(z_l) + sigma_b b_{l+1},

where every entry of W and b is N(0, 1) at the start. As the widths grow,

- z_{L} at the start is a Gaussian process whose kernel is the NNGP kernel K (Lee et al. 2018);
- the kernel of the network's linearisation, sum over all parameters of df/dp(x) df/dp(x'), is the
  neural tangent kernel Theta (Jacot et al. 2018), and no longer random:

    K_1 = Theta_1 = sigma_w1^2 x.x'/d + sigma_b1^2,
    K_{l+1} = sigma_w^2 E[phi(u) phi(v)] + sigma_b^2,
    Theta_{l+1} = K_{l+1} + sigma_w^2 E[phi'(u) phi'(v)] Theta_l,       (u, v) ~ N(0, K_l).

In the *standard parameterisation* the factors are in the prior: W_l ~ N(0, sigma_w^2 / fan_in),
b_l ~ N(0, sigma_b^2), and nothing multiplies them. Its NNGP is the same. Its Jacobian is larger
by one over the prior standard deviation, parameter by parameter, so that J Sigma_0 J^T, with the
prior covariance Sigma_0 in between, is again the Theta above. Anchoring the weights with
sigma^2 Sigma_0^-1 (Eq. 2 of the paper) therefore means one and the same process in both; a first
layer whose prior is not divided by d, such as N(0, s^2), has sigma_w1 = s sqrt(d) here.

The NTKGP of He et al. (2020), which the NTKGP-param ensemble samples from, is exact Bayesian
inference with *Theta as the prior covariance* and independent Gaussian noise on the targets. It is
not the distribution of an ensemble trained without an added function, whose spread at the start is
K and whose posterior covariance is not that of any Gaussian process prior.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import cho_solve, cholesky, solve_triangular

from rafs.errors import ParameterError

Array = NDArray[np.float64]
KernelName = Literal["nngp", "ntk"]
CHUNK = 4096  # rows predicted at a time


def _erf(c: Array, v1: Array, v2: Array) -> tuple[Array, Array]:
    """Return E[erf(u) erf(v)] and E[erf'(u) erf'(v)] (Williams 1997)."""
    a, b = 1 + 2 * v1, 1 + 2 * v2
    value = 2 / np.pi * np.arcsin(np.clip(2 * c / np.sqrt(a * b), -1, 1))
    return value, 4 / np.pi / np.sqrt(a * b - 4 * c**2)


def _relu(c: Array, v1: Array, v2: Array) -> tuple[Array, Array]:
    """Return the arc-cosine kernels of order one and zero (Cho and Saul 2009), halved."""
    norm = np.sqrt(v1 * v2)
    cosine = np.clip(np.divide(c, norm, out=np.zeros_like(c), where=norm > 0), -1, 1)
    rest = np.pi - np.arccos(cosine)
    value = norm * (np.sqrt(1 - cosine**2) + rest * cosine) / (2 * np.pi)
    return value, rest / (2 * np.pi)


def _linear(c: Array, v1: Array, v2: Array) -> tuple[Array, Array]:
    """Return E[u v] and 1."""
    return c, np.ones_like(c)


EXPECTATIONS: dict[str, Callable[[Array, Array, Array], tuple[Array, Array]]] = {
    "erf": _erf,
    "relu": _relu,
    "linear": _linear,
}
"""activation -> E[phi phi], E[phi' phi'] of (u, v) with covariance c and variances v1, v2."""


@dataclass(frozen=True)
class WideNetwork:
    """The infinitely wide network; the defaults are those of He et al. (2020) and of Figure 1.

    `weight_sd` and `bias_sd` are one number for all layers or one per layer, `hidden_layers` + 1 of
    them.
    """

    hidden_layers: int = 2
    activation: str = "erf"
    weight_sd: float | Sequence[float] = 1.5
    bias_sd: float | Sequence[float] = 0.05

    def __post_init__(self) -> None:
        """Refuse what has no kernel."""
        if self.activation not in EXPECTATIONS:
            raise ParameterError(
                f"there is no closed-form kernel for activation = {self.activation!r}; "
                f"choose one of {', '.join(EXPECTATIONS)}"
            )
        if not (isinstance(self.hidden_layers, Integral) and self.hidden_layers >= 0):
            raise ParameterError(
                f"hidden_layers = {self.hidden_layers} is no number of layers; give 0 or more"
            )
        self.variances()

    def variances(self) -> Array:
        """Return sigma_w^2 and sigma_b^2 layer by layer, [hidden_layers + 1, 2]."""
        columns = []
        for name, value in (("weight_sd", self.weight_sd), ("bias_sd", self.bias_sd)):
            try:
                sd = np.asarray(value, dtype=float)
            except (TypeError, ValueError):
                sd = np.array(np.nan)
            shapes = ((), (self.hidden_layers + 1,))
            if sd.shape not in shapes or not (np.isfinite(sd) & (sd >= 0)).all():
                raise ParameterError(
                    f"{name} = {value} is not usable; give one number, zero or more, or one for "
                    f"each of the {self.hidden_layers + 1} layers"
                )
            columns.append(np.broadcast_to(sd**2, self.hidden_layers + 1))
        return np.stack(columns, axis=1)

    def kernels(self, c: Array, v1: Array, v2: Array) -> dict[KernelName, Array]:
        """Return K and Theta for the products c = x.x'/d, v1 = x.x/d and v2 = x'.x'/d.

        The three have shapes that broadcast: a column, a row and a matrix, or three vectors.
        """
        phi = EXPECTATIONS[self.activation]
        (w, b), *later = self.variances()
        c, v1, v2 = w * c + b, w * v1 + b, w * v2 + b
        theta = c
        for w, b in later:
            value, slope = phi(c, v1, v2)
            v1, v2 = w * phi(v1, v1, v1)[0] + b, w * phi(v2, v2, v2)[0] + b
            c = w * value + b
            theta = c + w * slope * theta
        return {"nngp": c, "ntk": theta}

    def matrix(self, kernel: KernelName, x1: ArrayLike, x2: ArrayLike | None = None) -> Array:
        """Return the kernel between the rows of x1 and of x2 (or of x1 with itself)."""
        a = _rows(x1)
        b = a if x2 is None else _rows(x2)
        if a.shape[1] != b.shape[1]:
            raise ParameterError(
                f"the inputs have {a.shape[1]} and {b.shape[1]} columns; give both the same"
            )
        d = a.shape[1]
        return self.kernels(a @ b.T / d, _squares(a)[:, None], _squares(b)[None, :])[kernel]

    def diagonal(self, kernel: KernelName, x: ArrayLike) -> Array:
        """Return the kernel of every row of x with itself."""
        square = _squares(_rows(x))
        return self.kernels(square, square, square)[kernel]


HE = WideNetwork()


def nngp(x1: ArrayLike, x2: ArrayLike | None = None, network: WideNetwork = HE) -> Array:
    """Return the NNGP kernel K: the covariance of the network's output at the start.

    >>> float(nngp([[0.0]], network=WideNetwork(hidden_layers=0, bias_sd=0.5))[0, 0])
    0.25
    """
    return network.matrix("nngp", x1, x2)


def ntk(x1: ArrayLike, x2: ArrayLike | None = None, network: WideNetwork = HE) -> Array:
    """Return the neural tangent kernel Theta.

    >>> ntk([[3.0, 4.0]], network=WideNetwork(1, "relu", weight_sd=2**0.5, bias_sd=0)).round(6)
    array([[50.]])
    """
    return network.matrix("ntk", x1, x2)


@dataclass(frozen=True)
class Posterior:
    """A Gaussian process conditioned on x; `factor` is the Cholesky factor of K + noise^2 I."""

    x: Array
    factor: Array
    weights: Array  # (K + noise^2 I)^-1 y
    network: WideNetwork = HE
    kernel: KernelName = "ntk"

    @property
    def log_evidence(self) -> float:
        """The log marginal likelihood of the targets."""
        whitened = self.factor.T @ self.weights
        half_log_det = np.log(self.factor.diagonal()).sum()
        return float(
            -0.5 * whitened @ whitened - half_log_det - 0.5 * len(self.x) * np.log(2 * np.pi)
        )

    def predict(self, x: ArrayLike) -> tuple[Array, Array]:
        """Return mean and variance of the function (without noise) at the rows of x."""
        rows = _rows(x)
        mean, variance = np.empty(len(rows)), np.empty(len(rows))
        for start in range(0, len(rows), CHUNK):
            part = slice(start, start + CHUNK)
            cross = self.network.matrix(self.kernel, self.x, rows[part])
            seen = solve_triangular(self.factor, cross, lower=True, check_finite=False)
            mean[part] = self.weights @ cross
            variance[part] = self.network.diagonal(self.kernel, rows[part]) - (seen**2).sum(axis=0)
        return mean, np.maximum(variance, 0)

    def covariance(self, x: ArrayLike) -> Array:
        """Return the covariance of the function (without noise) between the rows of x."""
        rows = _rows(x)
        cross = self.network.matrix(self.kernel, self.x, rows)
        seen = solve_triangular(self.factor, cross, lower=True, check_finite=False)
        return self.network.matrix(self.kernel, rows) - seen.T @ seen


def posterior(
    x: ArrayLike,
    y: ArrayLike,
    noise: float,
    network: WideNetwork = HE,
    kernel: KernelName = "ntk",
) -> Posterior:
    """Return the exact posterior of f ~ GP(0, kernel), y = f(x) + N(0, noise^2).

    With the NTK it is the NTKGP of He et al. (2020), with the NNGP the Bayesian network of infinite
    width:

        mean(x*) = k(x*, x) (k(x, x) + noise^2 I)^-1 y
        cov(x*, x*') = k(x*, x*') - k(x*, x) (k(x, x) + noise^2 I)^-1 k(x, x*').

    The prior mean is zero: centre y first.

    >>> mean, variance = posterior([[-1.0], [1.0]], [-1.0, 1.0], noise=0.1).predict([[1.0], [5.0]])
    >>> bool(abs(mean[0] - 1) < 0.01 and variance[0] < 0.02 < 1 < variance[1])
    True
    """
    rows, target = _rows(x), np.asarray(y, dtype=float)
    if target.shape != (len(rows),):
        raise ParameterError(f"y has shape {target.shape}, x has {len(rows)} rows; give one y each")
    if kernel not in ("ntk", "nngp"):
        raise ParameterError(f"there is no kernel = {kernel!r}; choose ntk or nngp")
    if not (np.isfinite(noise) and noise >= 0):
        raise ParameterError(f"noise = {noise} is no standard deviation; give zero or more")
    covariance = network.matrix(kernel, rows)
    covariance[np.diag_indices_from(covariance)] += noise**2
    rounding = len(rows) * np.finfo(float).eps * covariance.diagonal().max()
    try:
        factor = cholesky(covariance, lower=True)
        if factor.diagonal().min() ** 2 <= rounding:
            raise np.linalg.LinAlgError("singular to working precision")
    except np.linalg.LinAlgError as error:
        raise ParameterError(
            f"the kernel matrix of {len(rows)} rows with noise {noise} is not positive definite; "
            "raise the noise or drop repeated rows"
        ) from error
    return Posterior(rows, factor, cho_solve((factor, True), target), network, kernel)


def _rows(x: ArrayLike) -> Array:
    rows = np.asarray(x, dtype=float)
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise ParameterError(
            f"the inputs have shape {rows.shape}; give a matrix, one row per point"
        )
    return rows


def _squares(x: Array) -> Array:
    return np.asarray((x * x).sum(axis=1) / x.shape[1])
