"""`ntk_gp` is the NTK Gaussian process (He et al. 2020): the limit of NTKGP-param in width."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rafs import gp
from rafs.engine import Training
from rafs.methods.base import Task
from rafs.methods.ensemble import Array
from rafs.methods.external import ExternalMethod, ModelOutput
from rafs.methods.gaussian_process import check_rows
from rafs.methods.settings import Schema, Settings, integer, number

SCHEMA: Schema = {
    "hidden_layers": integer(2, "hidden layers of the infinitely wide network"),
    "weight_sd": number(1.5, "sd of the weights, in the NTK parameterisation", above=0.0),
    "bias_sd": number(0.05, "sd of the biases", least=0.0),
}


class NTKProcess(ExternalMethod):
    """Exact inference with the kernel of two infinitely wide layers with erf."""

    name, label, role, order = "ntk_gp", "NTK GP", "reference", 5
    schema = SCHEMA
    needs_noise = True

    def make(self, settings: Settings, training: Training, task: Task, seed: int) -> Any:
        """Return the process."""
        check_rows(len(task.y))
        return NTKModel(settings, task.noise)


class NTKModel:
    """A posterior, and the noise of y."""

    def __init__(self, network: Mapping[str, Any], noise: float) -> None:
        self.network, self.noise = gp.WideNetwork(**network), noise

    def fit(self, x: Array, y: Array) -> None:
        """Compute the posterior."""
        self.posterior = gp.posterior(x, y, self.noise, self.network)

    def moments(self, x: Array) -> ModelOutput:
        """Return mean, standard deviation and epistemic variance."""
        mean, epistemic = self.posterior.predict(x)
        return ModelOutput(mean, np.sqrt(epistemic + self.noise**2), epistemic)
