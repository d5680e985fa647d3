"""The training problem, its options and its result.

Every ensemble of the paper is a set of networks that each minimise

    1/n Σ_i w_ji ℓ(y_i − o_j(x_i), f_j(x_i; θ_j))  +  1/n Σ_p γ_jp (θ_jp − c_jp)²

with its own constants. `Members` holds these constants, one row per network j; `Training` says how
the objective is minimised; `Fit` is the result.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rafs.engine.activations import ACTIVATIONS
from rafs.engine.layout import n_parameters
from rafs.engine.optimisers import OPTIMISERS
from rafs.errors import ParameterError

Array = NDArray[Any]
Trained = tuple[Array, Array]  # what an engine returns: θ [B, P] and Fit.diverged [B]
VARIANCE_FLOOR = 1e-6

CHOICES: dict[str, tuple[str, ...]] = {  # allowed values of the fields of `Training`
    "optimiser": tuple(OPTIMISERS),
    "loss": ("squared", "gaussian"),
    "dtype": ("float32", "float64"),
    "device": ("auto", "cpu", "cuda"),
    "backend": ("auto", "fused", "torch"),
}


@dataclass(frozen=True)
class Members:
    """B networks of one shape: the rows of every array are the members.

    A parameter vector is flat: W1 [fan_in, fan_out] row by row, b1, W2, b2, and so on.
    """

    widths: tuple[int, ...]  # inputs, hidden layers, outputs: 1, or 2 (mean, raw variance)
    activations: tuple[str, ...]  # B names
    theta0: Array  # [B, P] where the training starts
    learning_rate: Array  # [B]
    keys: Array  # [B] uint64, each member's own stream for mini-batches and dropout
    centre: Array | None = None  # [B, P] c_j; zeros
    gamma: Array | None = None  # [B, P] diagonal of Γ_j; zeros
    scales: Array | None = None  # [B, L, 2] factors of weights and biases (NTK); ones
    weights: Array | None = None  # [B, n] sample weights w_j; ones
    offset: Array | None = None  # [B, n] o_j(x_i) on the training inputs; zeros
    dropout: Array | None = None  # [B] probability with which a hidden unit is dropped; zeros

    def __post_init__(self) -> None:
        """Refuse columns of the wrong shape and hold all of them as arrays."""
        B, P, L = len(self.activations), n_parameters(self.widths), len(self.widths) - 1
        for name in self.activations:
            if name not in ACTIVATIONS:
                raise ParameterError(
                    f"unknown activation {name!r}; the known ones are {', '.join(ACTIVATIONS)}"
                )
        shapes: dict[str, tuple[int | None, ...]] = {
            "theta0": (B, P),
            "learning_rate": (B,),
            "keys": (B,),
            "centre": (B, P),
            "gamma": (B, P),
            "scales": (B, L, 2),
            "weights": (B, None),
            "offset": (B, None),
            "dropout": (B,),
        }
        for name, shape in shapes.items():
            value = getattr(self, name)
            if value is None:
                continue
            array = np.asarray(value, dtype=np.uint64 if name == "keys" else np.float64)
            object.__setattr__(self, name, array)
            if len(array.shape) != len(shape) or any(
                want not in (None, got) for want, got in zip(shape, array.shape, strict=True)
            ):
                wanted = ", ".join("n" if size is None else str(size) for size in shape)
                raise ParameterError(
                    f"members: {name} has shape {array.shape} and should have ({wanted})"
                )
            if name != "keys" and not np.isfinite(array).all():
                raise ParameterError(f"members: {name} holds values that are not finite")
        if self.dropout is not None and not ((self.dropout >= 0) & (self.dropout < 1)).all():
            raise ParameterError("members: dropout must lie in [0, 1)")

    @property
    def size(self) -> int:
        """Number B of networks."""
        return len(self.activations)

    @property
    def n_parameters(self) -> int:
        """Number P of parameters of one network."""
        return n_parameters(self.widths)

    def take(self, index: slice | Sequence[int] | Array) -> "Members":
        """Return some of the members, in the order of the index."""
        rows = np.arange(self.size)[index]
        changes: dict[str, Any] = {"activations": tuple(self.activations[row] for row in rows)}
        for field in fields(self)[2:]:
            value = getattr(self, field.name)
            changes[field.name] = None if value is None else value[rows]
        return replace(self, **changes)

    @staticmethod
    def concat(parts: Sequence["Members"]) -> "Members":
        """Return the members of all parts as one batch; an absent column gets its default."""
        if len({part.widths for part in parts}) != 1:
            raise ParameterError("only members with the same widths can be trained in one batch")
        columns: dict[str, Any] = {}
        for field in fields(Members)[2:]:
            given = [getattr(part, field.name) for part in parts]
            shape = next((value.shape[1:] for value in given if value is not None), None)
            fill = 1.0 if field.name in ("scales", "weights") else 0.0
            columns[field.name] = (
                None
                if shape is None
                else np.concatenate(
                    [
                        np.full((part.size, *shape), fill) if value is None else value
                        for part, value in zip(parts, given, strict=True)
                    ]
                )
            )
        names = tuple(name for part in parts for name in part.activations)
        return Members(widths=parts[0].widths, activations=names, **columns)


@dataclass(frozen=True)
class Training:
    """How the objective is minimised.

    With mini-batches every member iterates over its own random order of the rows in each epoch; the
    last batch of an epoch holds the remaining rows and is averaged over their number.

    Two options change how the gaussian loss is optimised, not its definition. In the warm-up, the
    first share of the steps, the variance is held at 1 and only the mean is trained; then the
    optimiser is restarted, because the gradients have a different scale. With beta_nll > 0 the
    gradient of every row is multiplied by v^beta_nll (Seitzer et al. 2022).
    """

    steps: int
    batch_size: int | None = None  # None, or at least n: full batch
    optimiser: str = "adam"  # a name of `rafs.engine.optimisers`
    loss: str = "squared"  # squared | gaussian: ½(log v + (y − μ)²/v), v = softplus(raw) + 1e-6
    dtype: str = "float32"  # float32 | float64
    device: str = "auto"  # auto (see `rafs.engine.devices`) | cpu | cuda
    backend: str = "auto"  # auto: fused on the CPU, torch on a GPU
    adversarial: float = 0.0  # size of the fast-gradient-sign step, in units of the inputs
    warm_up: float = 0.0  # share of the steps in which the gaussian loss has v = 1
    beta_nll: float = 0.0  # exponent of v in the weights of the gaussian loss's gradients

    def __post_init__(self) -> None:
        """Refuse values that no engine supports."""
        for name, known in CHOICES.items():
            if getattr(self, name) not in known:
                raise ParameterError(
                    f"training: {name} is {getattr(self, name)!r}; it must be {' or '.join(known)}"
                )
        if self.steps < 0:
            raise ParameterError(f"training: steps is {self.steps}; it must not be negative")
        if self.batch_size is not None and self.batch_size < 1:
            raise ParameterError(f"training: batch_size is {self.batch_size}; it must be positive")
        if not (0 <= self.adversarial < np.inf):
            raise ParameterError("training: adversarial must be a finite step size, 0 for none")
        for name in ("warm_up", "beta_nll"):
            if not (0 <= getattr(self, name) <= 1):
                raise ParameterError(f"training: {name} must lie between 0 and 1")

    @property
    def warm_steps(self) -> int:
        """Number of steps in which only the mean is trained."""
        return round(self.warm_up * self.steps) if self.loss == "gaussian" else 0


def losses(loss: str, output: Array, target: Array) -> Array:
    """Return ℓ of every row, for outputs [..., n, 1 or 2] and targets [..., n]."""
    square = (target - output[..., 0]) ** 2
    if loss == "squared":
        return square
    variance = np.logaddexp(0, output[..., 1]) + VARIANCE_FLOOR
    return 0.5 * (np.log(variance) + square / variance)


@dataclass(frozen=True)
class Fit:
    """Trained members: parameters, and the first term of the objective on all training rows."""

    theta: Array  # [B, P]
    loss: Array  # [B]
    diverged: Array  # [B] step at which parameters that are not finite were seen, or -1
