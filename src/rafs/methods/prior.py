"""Prior N(0, Σ_0) over the weights of a network: Σ_0's diagonal, and draws from it.

The same distribution is the initialisation of the methods that have no prior. Flat layout of the
parameters: W1 (row-major, fan-in x fan-out), b1, W2, b2, ...
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rafs.engine.layout import layers
from rafs.methods.settings import Schema, choice, number, switch
from rafs.seeding import Key, generator

Array = NDArray[np.float64]

PRIOR: Schema = {
    "weight": number(1.0, "sd of the weights of hidden layers, before `scaling`", above=0.0),
    "bias": number(1.0, "sd of the biases", least=0.0),
    "output": number(1.0, "sd of the weights of the output layer, before `scaling`", above=0.0),
    "scaling": choice(
        "fan_in",
        ("fan_in", "glorot", "none"),
        "factor on the sd of weights: 1/sqrt(fan-in), sqrt(2/(fan-in + fan-out)), or none",
    ),
    "distribution": choice("normal", ("normal", "uniform"), "shape of the distribution"),
    "output_bias": switch(True, "whether the output layer has a bias"),
}


def layer_deviations(widths: tuple[int, ...], prior: dict[str, Any]) -> Array:
    """Return [layer, (weights, biases)] standard deviations; 0 for an absent output bias."""
    factor = {
        "fan_in": lambda layer: 1 / math.sqrt(layer.fan_in),
        "glorot": lambda layer: math.sqrt(2 / (layer.fan_in + layer.fan_out)),
        "none": lambda layer: 1.0,
    }[prior["scaling"]]
    *hidden, output = layers(widths)
    rows = [(prior["weight"] * factor(layer), prior["bias"]) for layer in hidden]
    rows.append((prior["output"] * factor(output), prior["bias"] * prior["output_bias"]))
    return np.array(rows)


def deviations(widths: tuple[int, ...], prior: dict[str, Any]) -> Array:
    """Return the prior standard deviation of every parameter: the root of Σ_0's diagonal."""
    return spread(widths, layer_deviations(widths, prior))


def regularisation(widths: tuple[int, ...], prior: dict[str, Any], noise: float) -> Array:
    """Return the diagonal of Γ = σ_a² Σ_0⁻¹ (Algorithm 1, line 1).

    An absent output bias, which has no variance, gets 0.
    """
    variance = deviations(widths, prior) ** 2
    return np.divide(noise**2, variance, out=np.zeros_like(variance), where=variance > 0)


def spread(widths: tuple[int, ...], values: Array) -> Array:
    """Give every parameter the value of its layer, from [layer, (weights, biases)]."""
    sizes = [[layer.fan_in * layer.fan_out, layer.fan_out] for layer in layers(widths)]
    return np.repeat(values.ravel(), np.ravel(sizes))


def on_weights(widths: tuple[int, ...]) -> Array:
    """Return 1 for every weight and 0 for every bias."""
    return spread(widths, np.tile([1.0, 0.0], (len(widths) - 1, 1)))


def draw(widths: tuple[int, ...], prior: dict[str, Any], *key: Key) -> Array:
    """Draw the parameters of one network; equal keys give equal draws."""
    sd = deviations(widths, prior)
    stream = generator(*key)
    if prior["distribution"] == "normal":
        return sd * stream.standard_normal(sd.size)
    return sd * stream.uniform(-math.sqrt(3), math.sqrt(3), sd.size)


def without_output_bias(widths: tuple[int, ...]) -> Array:
    """Return multipliers [layer, (weights, biases)] that switch the output bias off."""
    result = np.ones((len(widths) - 1, 2))
    result[-1, 1] = 0.0
    return result
