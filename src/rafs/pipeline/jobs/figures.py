"""Draw one figure, in every format."""

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from rafs.reporting.inputs import Inputs
from rafs.reporting.style import save

if TYPE_CHECKING:
    from rafs.pipeline.job_specs import ShownSpec


def run(spec: "ShownSpec", inputs: Sequence[str], outputs: Sequence[str]) -> None:
    """Draw the figure that the spec names, and write it with its caption inside."""
    figure = import_module(f"rafs.reporting.figures.{spec['name']}")
    save(figure.draw(Inputs(files=inputs), spec["options"]), outputs, figure.CAPTION)
