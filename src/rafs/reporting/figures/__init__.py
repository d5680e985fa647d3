"""One module per figure: `draw(inputs, options) -> Figure`, and its `CAPTION`.

A figure is imported by name, when it is asked for, so that it depends on its own code alone.
"""

import difflib
import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from rafs.errors import ParameterError
from rafs.reporting import FIGURES
from rafs.reporting.figures import style
from rafs.reporting.inputs import Inputs


def module(name: str) -> Any:
    """Return the module of a figure."""
    if name not in FIGURES:
        near = difflib.get_close_matches(str(name), FIGURES, n=1, cutoff=0.0)
        raise ParameterError(f"there is no figure {name!r}; the nearest name is {near[0]!r}")
    return importlib.import_module(f"{__name__}.{name}")


def caption(name: str) -> str:
    """Return the caption of a figure."""
    return str(module(name).CAPTION)


def draw(name: str, inputs: Inputs, options: Mapping[str, Any] | None = None) -> Figure:
    """Draw a figure from the results; `options` are its entry in the parameters."""
    figure: Figure = module(name).draw(inputs, dict(options or {}))
    return figure


def make(
    name: str, inputs: Inputs, options: Mapping[str, Any] | None, stem: Path | str
) -> list[Path]:
    """Draw a figure and write it as `stem`.svg, .png and .pdf, its caption inside."""
    return style.save(draw(name, inputs, options), stem, caption(name))
