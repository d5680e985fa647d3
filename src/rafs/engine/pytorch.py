"""The reference engine: all members as one torch program, on the CPU or a GPU.

Gradients come from autograd. Members are sorted by activation, so that each activation runs on one
contiguous slice of the batch; rows run in chunks, so that memory does not grow with n.
"""

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import softplus

from rafs.engine import sampling
from rafs.engine.activations import ACTIVATIONS
from rafs.engine.layout import layers
from rafs.engine.optimisers import OPTIMISERS
from rafs.engine.problem import VARIANCE_FLOOR, Array, Members, Trained, Training

CHUNK = {"cpu": 1 << 19, "cuda": 1 << 24}  # numbers of the widest layer, all members, at a time
CHECK_EVERY = 100  # steps between checks for divergence

Mask = Callable[[int, Tensor], Tensor]


class Program:
    """The members as tensors, sorted by activation."""

    def __init__(self, members: Members, training: Training, device: str) -> None:
        self.order = np.argsort(np.array(members.activations), kind="stable")
        self.members = members = members.take(self.order)
        self.training = training
        self.dtype = getattr(torch, training.dtype)
        self.device = torch.device(device)
        self.layers = layers(members.widths)
        self.slices = [
            (ACTIVATIONS[name], len(list(group))) for name, group in groupby(members.activations)
        ]
        self.scales = self.optional(members.scales)

    def tensor(self, array: Array) -> Tensor:
        """Copy an array to the device in the precision of the training."""
        return torch.tensor(np.asarray(array), dtype=self.dtype, device=self.device)

    def optional(self, array: Array | None) -> Tensor | None:
        """Copy an array that may be absent."""
        return None if array is None else self.tensor(array)

    def unsorted(self, array: Array) -> Array:
        """Put rows back into the order in which the members came."""
        result = np.empty_like(array)
        result[self.order] = array
        return result

    def chunks(self, n: int) -> Iterator[slice]:
        """Cut n rows into chunks of bounded size."""
        rows = max(1, CHUNK[self.device.type] // (self.members.size * max(self.members.widths)))
        return (slice(start, min(start + rows, n)) for start in range(0, n, rows))

    def activate(self, z: Tensor) -> Tensor:
        """Apply each member's activation to its slice."""
        parts = z.split([count for _, count in self.slices])
        values = [f(torch, part)[0] for (f, _), part in zip(self.slices, parts, strict=True)]
        return values[0] if len(values) == 1 else torch.cat(values)

    def forward(self, theta: Tensor, x: Tensor, mask: Mask | None = None) -> Tensor:
        """Return f(x; θ) as [B, n, outputs], for x of [n, d] or [B, n, d]."""
        h = x.expand(len(theta), *x.shape[-2:])
        for index, layer in enumerate(self.layers):
            weight = theta[:, layer.weight].view(-1, layer.fan_in, layer.fan_out)
            bias = theta[:, layer.bias].unsqueeze(1)
            if self.scales is not None:
                weight = weight * self.scales[:, index, 0, None, None]
                bias = bias * self.scales[:, index, 1, None, None]
            h = torch.baddbmm(bias, h, weight)
            if index + 1 < len(self.layers):
                h = self.activate(h)
                if mask is not None:
                    h = h * mask(index, h)
        return h

    def dropout(self, step: int, rows: Tensor) -> Mask | None:
        """Return the mask (0, or 1/(1 − p)) of a step; rows [b] or [B, b] are row numbers."""
        p = self.members.dropout
        if p is None:
            return None
        keep = self.tensor(1 / (1 - p)).view(-1, 1, 1)
        threshold = torch.tensor(np.floor(p * 2.0**32).astype(np.int64), device=self.device)

        def mask(layer: int, h: Tensor) -> Tensor:
            seeds = torch.tensor(sampling.dropout_seeds(self.members.keys, step, layer))
            units = torch.arange(h.shape[-1], device=self.device)
            counter = rows.expand(len(h), -1).unsqueeze(-1) * h.shape[-1] + units
            noise = hash32(counter, seeds.to(self.device).view(-1, 1, 1))
            return torch.where(noise >= threshold.view(-1, 1, 1), keep, 0.0)

        return mask

    def losses(self, output: Tensor, target: Tensor, step: int) -> Tensor:
        """Return a term for every member and row whose gradient is the one of this step."""
        square = (target - output[..., 0]).square()
        if self.training.loss == "squared":
            return square
        if step < self.training.warm_steps:
            return 0.5 * square
        variance = softplus(output[..., 1], threshold=40) + VARIANCE_FLOOR
        weight = variance.detach() ** self.training.beta_nll
        return 0.5 * weight * (variance.log() + square / variance)


def hash32(counter: Tensor, seed: Tensor) -> Tensor:
    """Return 32 bits of (counter, seed), held in 64 (a xorshift-multiply hash)."""
    h = (counter ^ seed) & sampling.MASK
    for shift, factor in sampling.ROUNDS:
        h = ((h ^ (h >> shift)) * factor) & sampling.MASK
    return h ^ (h >> 16)


def outputs(members: Members, theta: Array, x: Array, training: Training, device: str) -> Array:
    """Return f(x; θ) of every member, [B, n, outputs]."""
    program = Program(members, training, device)
    found = np.empty((members.size, x.shape[-2], members.widths[-1]), dtype=training.dtype)
    with torch.no_grad():
        parameters = program.tensor(theta[program.order])
        inputs = program.tensor(x if x.ndim == 2 else x[program.order])
        for rows in program.chunks(x.shape[-2]):
            found[:, rows] = program.forward(parameters, inputs[..., rows, :]).cpu().numpy()
    return program.unsorted(found)


def fit(members: Members, x: Array, y: Array, training: Training, device: str) -> Trained:
    """Minimise the objective of every member."""
    program = Program(members, training, device)
    members, B, n = program.members, members.size, x.shape[-2]
    inputs = program.tensor(x if x.ndim == 2 else x[program.order])
    targets = program.tensor(y if y.ndim == 1 else y[program.order]).expand(B, n)
    if members.offset is not None:
        targets = targets - program.tensor(members.offset)
    weights = program.optional(members.weights)
    centre, gamma = program.optional(members.centre), program.optional(members.gamma)
    theta = program.tensor(members.theta0)
    rate = program.tensor(members.learning_rate).unsqueeze(1)
    optimiser = OPTIMISERS[training.optimiser]
    everything = torch.arange(n, device=program.device)

    def data_gradient(rows: Tensor, step: int) -> Tensor:
        """Gradient of the mean loss over rows [b] (all members) or [B, b] (each its own)."""
        total = torch.zeros_like(theta)
        mask = program.dropout
        for part in program.chunks(rows.shape[-1]):
            chosen = rows[..., part]
            drop = mask(step, chosen)
            xb, yb = pick(inputs, chosen), pick(targets.unsqueeze(-1), chosen)[..., 0]
            wb = None if weights is None else pick(weights.unsqueeze(-1), chosen)[..., 0]
            leaf = theta.detach().requires_grad_()
            loss = mean_loss(leaf, xb, yb, wb, drop, step) / rows.shape[-1]
            total += torch.autograd.grad(loss, leaf)[0]
        return total

    def mean_loss(
        leaf: Tensor, xb: Tensor, yb: Tensor, wb: Any, drop: Mask | None, step: int
    ) -> Tensor:
        """Sum of the losses; with an adversarial step, the mean of clean and perturbed inputs."""

        def at(inputs: Tensor) -> Tensor:
            return weighted(program.losses(program.forward(leaf, inputs, drop), yb, step), wb)

        if not training.adversarial:
            return at(xb)
        xb = xb.expand(B, *xb.shape[-2:]).detach().requires_grad_()
        clean = at(xb)
        slope = torch.autograd.grad(clean, xb, retain_graph=True)[0]
        return 0.5 * (clean + at((xb + training.adversarial * slope.sign()).detach()))

    batch = n if training.batch_size is None else min(training.batch_size, n)
    per_epoch = -(-n // batch)
    diverged = torch.full((B,), -1, dtype=torch.int64, device=program.device)
    for step in range(training.steps):
        rows = everything
        if batch < n:
            epoch, position = divmod(step, per_epoch)
            if position == 0:
                orders = sampling.batches(members.keys, epoch, n)
                shuffled = torch.tensor(orders, device=program.device)
            rows = shuffled[:, position * batch : (position + 1) * batch]
        gradient = data_gradient(rows, step)
        if gamma is not None:
            gradient += (2 / n) * gamma * (theta if centre is None else theta - centre)
        if step in (0, training.warm_steps):
            a, b, left = torch.zeros_like(theta), torch.zeros_like(theta), (1.0, 1.0)
        left = (left[0] * optimiser.decays[0], left[1] * optimiser.decays[1])
        s, t = optimiser.scalars(rate, *left)
        theta, a, b = optimiser.rule(torch, theta, gradient, a, b, s, t)
        if (step + 1) % CHECK_EVERY == 0 or step + 1 == training.steps:
            broken = ~torch.isfinite(theta).all(dim=1) & (diverged < 0)
            diverged[broken] = step + 1
    return program.unsorted(theta.cpu().numpy()), program.unsorted(diverged.cpu().numpy())


def pick(values: Tensor, rows: Tensor) -> Tensor:
    """Return rows [b] or [B, b] of values [n, k] or [B, n, k]."""
    if rows.ndim == 1:
        return values[..., rows, :]
    if values.ndim == 2:
        return values[rows]
    return values.gather(1, rows.unsqueeze(-1).expand(-1, -1, values.shape[-1]))


def weighted(losses: Tensor, weights: Tensor | None) -> Tensor:
    """Return the sum over members and rows."""
    return losses.sum() if weights is None else (losses * weights).sum()
