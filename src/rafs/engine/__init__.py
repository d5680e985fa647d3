"""The only code that trains networks: `fit` and `outputs` over a batch of networks."""

import os
from types import ModuleType

import numpy as np

from rafs.engine.devices import Location, record, recorded, require_torch, resolve_device, work
from rafs.engine.problem import Array, Fit, Members, Training, losses
from rafs.errors import DataError, DeviceError, DivergedError, ParameterError

__all__ = ["Fit", "Members", "Training", "fit", "outputs", "recorded"]


def fit(members: Members, x: Array, y: Array, training: Training, *, strict: bool = True) -> Fit:
    """Train every member on x [n, d] and y [n], or on rows of its own: [B, n, d] and [B, n].

    A member whose parameters or loss are no longer finite raises DivergedError; with
    `strict=False` it is returned as it is, and `Fit.diverged` holds the step.
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    _check_inputs(members, x)
    _check_loss(members, training)
    if y.shape not in (x.shape[-2:-1], x.shape[:-1]):
        raise DataError(f"the targets have shape {y.shape}; the inputs have {x.shape}")
    if x.shape[-2] == 0 or not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise DataError("the training data are empty or hold values that are not finite")
    for name in ("weights", "offset"):
        value = getattr(members, name)
        if value is not None and value.shape[1] != x.shape[-2]:
            raise DataError(f"{name} are given for {value.shape[1]} rows, not for {x.shape[-2]}")
    device = resolve_device(training, work(members, x.shape[-2], training))
    engine = _backend(training, device)
    record(Location("fused" if engine.__name__.endswith("fused") else "torch", device))
    theta, diverged = engine.fit(members, x, y, training, device)
    loss = _mean_loss(members, engine.outputs(members, theta, x, training, device), y, training)
    diverged = np.where((diverged < 0) & ~np.isfinite(loss), training.steps, diverged)
    if strict and (diverged >= 0).any():
        member = int(np.argmax(diverged >= 0))
        raise DivergedError(int(diverged[member]), member)
    return Fit(theta, loss, diverged)


def outputs(members: Members, theta: Array, x: Array, training: Training | None = None) -> Array:
    """Return f(x; θ) without offsets, [B, n], or [B, n, 2] for a network with two outputs."""
    training = Training(steps=0) if training is None else training
    theta, x = np.asarray(theta), np.asarray(x, dtype=np.float64)
    _check_inputs(members, x)
    device = resolve_device(training)
    found: Array = _backend(training, device).outputs(members, theta, x, training, device)
    return found[..., 0] if members.widths[-1] == 1 else found


def _mean_loss(members: Members, output: Array, y: Array, training: Training) -> Array:
    """Return the first term of every member's objective."""
    target = y if members.offset is None else y - members.offset
    with np.errstate(over="ignore", invalid="ignore"):
        found = losses(training.loss, output.astype(np.float64), target)
        weighted = found if members.weights is None else found * members.weights
        mean: Array = weighted.mean(axis=1)
    return mean


def _backend(training: Training, device: str) -> ModuleType:
    """Import the requested engine; torch is imported only where it is needed."""
    if training.backend == "fused" or (training.backend == "auto" and device == "cpu"):
        if problem := compiler_fault():
            raise DeviceError(problem)
        from rafs.engine import fused

        return fused
    require_torch(f"backend: {training.backend}")
    from rafs.engine import pytorch

    return pytorch


def compiler_fault() -> str:
    """Return why training cannot be compiled, or an empty string if it can."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0").strip() in ("", "0"):
        return ""
    return "NUMBA_DISABLE_JIT is set, and training needs compiled code; unset it"


def _check_inputs(members: Members, x: Array) -> None:
    """Refuse inputs that do not fit the networks."""
    if x.ndim not in (2, 3) or x.shape[-1] != members.widths[0]:
        raise DataError(f"the inputs have shape {x.shape}; the networks take {members.widths[0]}")
    if x.ndim == 3 and len(x) != members.size:
        raise DataError(f"inputs are given for {len(x)} members, not for {members.size}")


def _check_loss(members: Members, training: Training) -> None:
    """Refuse networks that do not fit the loss."""
    wanted = 1 if training.loss == "squared" else 2
    if members.widths[-1] != wanted:
        raise ParameterError(
            f"the {training.loss} loss needs {wanted} output(s); the networks have"
            f" {members.widths[-1]}"
        )
