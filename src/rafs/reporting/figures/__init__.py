"""One module per figure: `draw(inputs, options) -> Figure`, and its `CAPTION`.

A figure is imported by name, when it is asked for, so that it depends on its own code alone.
"""

import difflib
import importlib
from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from rafs.errors import ParameterError
from rafs.reporting.inputs import Inputs

NAMES = (
    "overview",
    "critical_difference",
    "uncertainty_1d",
    "confidence_error",
    "calibration",
    "in_out",
    "rafs_effect",
    "ensemble_size",
    "cardinality",
    "training_points_1d",
)


def module(name: str) -> Any:
    """Return the module of a figure."""
    if name not in NAMES:
        near = difflib.get_close_matches(str(name), NAMES, n=1, cutoff=0.0)
        raise ParameterError(f"there is no figure {name!r}; the nearest name is {near[0]!r}")
    return importlib.import_module(f"{__name__}.{name}")


def caption(name: str) -> str:
    """Return the caption of a figure."""
    return str(module(name).CAPTION)


def draw(name: str, inputs: Inputs, options: Mapping[str, Any] | None = None) -> Figure:
    """Draw a figure from the results; `options` are its entry in params.yaml."""
    figure: Figure = module(name).draw(inputs, dict(options or {}))
    return figure
