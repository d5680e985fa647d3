"""Networks as torch itself has them: what the engines are compared with."""

import numpy as np
import torch
from torch.nn import functional

from rafs.engine import Members
from rafs.engine.activations import ACTIVATIONS
from rafs.engine.layout import layers, n_parameters

TORCH = {
    "gelu": functional.gelu,
    "softsign": functional.softsign,
    "swish": functional.silu,
    "selu": functional.selu,
    "tanh": torch.tanh,
    "erf": torch.erf,
    "linear": lambda z: z,
    "relu": torch.relu,
}
ALL = tuple(ACTIVATIONS)


def draw(widths, names=ALL, n=11, seed=0, **options):
    """Draw members, inputs and targets; options name the columns that are wanted."""
    rng = np.random.default_rng(seed)
    B, P, L = len(names), n_parameters(widths), len(widths) - 1
    columns = {
        "centre": rng.normal(size=(B, P)),
        "gamma": rng.uniform(0.1, 3, size=(B, P)),
        "scales": rng.uniform(0.2, 1.5, size=(B, L, 2)),
        "weights": rng.integers(0, 4, size=(B, n)).astype(float),
        "offset": rng.normal(size=(B, n)),
        "dropout": rng.uniform(0.1, 0.6, size=B),
    }
    chosen = {name: columns[name] for name, wanted in options.items() if wanted}
    members = Members(
        widths=widths,
        activations=tuple(names),
        theta0=rng.normal(size=(B, P)) * 0.6,
        learning_rate=rng.uniform(0.005, 0.02, size=B),
        keys=rng.integers(0, 2**63, size=B),
        **chosen,
    )
    x = rng.normal(size=(n, widths[0]))
    return members, x, np.sin(2 * x.sum(axis=1)) + 0.1 * rng.normal(size=n)


def forward(members, member, theta, x):
    """Return the outputs [n, 1 or 2] of one member."""
    h = x
    shapes = layers(members.widths)
    for index, layer in enumerate(shapes):
        weight, bias = (1.0, 1.0) if members.scales is None else members.scales[member, index]
        matrix = theta[layer.weight].reshape(layer.fan_in, layer.fan_out)
        h = functional.linear(h, (weight * matrix).T, bias * theta[layer.bias])
        if index + 1 < len(shapes):
            h = TORCH[members.activations[member]](h)
    return h


def objective(members, member, theta, x, y, loss, n=None, beta=0.0, warm=False):
    """Return the objective of one member; n is the size of the whole training set.

    With `warm` the variance of the gaussian loss is 1; with `beta` its rows weigh variance^beta.
    """
    output = forward(members, member, theta, x)
    target = y if members.offset is None else y - torch.tensor(members.offset[member])
    if loss == "squared":
        each = functional.mse_loss(output[:, 0], target, reduction="none")
    else:
        variance = torch.log1p(output[:, 1].exp()) + 1e-6
        variance = torch.ones_like(variance) if warm else variance
        each = functional.gaussian_nll_loss(
            output[:, 0], target, variance, eps=1e-12, reduction="none"
        )
        each = each * variance.detach() ** beta
    if members.weights is not None:
        each = each * torch.tensor(members.weights[member])
    value = each.sum() / len(x)
    if members.gamma is not None:
        centre = 0.0 if members.centre is None else torch.tensor(members.centre[member])
        value = value + (torch.tensor(members.gamma[member]) * (theta - centre) ** 2).sum() / (
            n or len(x)
        )
    return value


def gradients(members, x, y, loss, **options):
    """Return the gradient of every member's objective at its start, by autograd in float64."""
    found = []
    for member in range(members.size):
        theta = torch.tensor(members.theta0[member], requires_grad=True)
        value = objective(members, member, theta, torch.tensor(x), torch.tensor(y), loss, **options)
        found.append(torch.autograd.grad(value, theta)[0].numpy())
    return np.array(found)
