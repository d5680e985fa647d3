"""Draw one figure, in every format."""

from importlib import import_module
from typing import Any

from rafs import paths
from rafs.reporting.inputs import Inputs
from rafs.reporting.style import save


def run(spec: dict[str, Any]) -> None:
    """Draw the figure that the spec names, and write it with its caption inside."""
    figure = import_module(f"rafs.reporting.figures.{spec['name']}")
    stem = paths.FIGURE.format(figure=spec["name"], format="svg").removesuffix(".svg")
    save(figure.draw(Inputs(), spec["options"]), stem, figure.CAPTION)
