"""RAFs against every control: differences in NLL over datasets, inside and outside."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rafs.reporting import style
from rafs.reporting.inputs import Inputs
from rafs.reporting.judgement.differences import Difference
from rafs.reporting.table import gaps
from rafs.reporting.why.controls import (
    ANCHORED,
    RAFS,
    TUNED,
    Contrast,
    beside,
    contrasts,
    find,
    label,
    others,
    singles,
)

TITLE = "Controls"
CAPTION = (
    "RAFs against its controls, by NLL: RAFs minus the control (Hodges-Lehmann estimate over "
    "datasets of the medians over the same seeds, with its 95 % interval) at all test points, and "
    "on synthetic data inside and outside the training range. Left of zero RAFs is better. From "
    "top to bottom: AE with one activation for all members, AE with another kind of diversity, and "
    "ensembles of more members. The grey band is the margin of practical equivalence."
)
READS = ("scores",)
PLACE = 30
SECTION = "why"

EXPERIMENTS = ("main", "single_activation", "other_diversity", "larger_ensembles")
GROUPS = ("one activation", "other diversity", "more members")
FAR = 10.0  # nats beyond which an axis is logarithmic
PANELS = {"all": "all test points", "inside": "inside", "outside": "outside"}


@style.styled
def draw(inputs: Inputs, options: Mapping[str, Any]) -> Figure:
    """Draw one panel per part of the test points."""
    groups = {name: found for name, found in _groups(inputs) if found}
    lines = [each for found in groups.values() for each in found]
    figure = style.canvas(height=0.9 + 0.2 * max(4, len(lines) + len(groups)))
    panels = figure.subplots(1, len(PANELS), sharey=True)
    if not lines:
        style.sentence(panels[0], "No control was run beside RAFs.")
        for axes in panels[1:]:
            axes.set_axis_off()
        return style.finish(figure, [])
    heights = _heights(groups)
    for axes, (part, title) in zip(panels, PANELS.items(), strict=True):
        axes.set_title(title)
        _panel(axes, [each.differences.get(part) for each in lines], heights)
    panels[0].set_yticks(heights, [style.plain(label(each.rival)) for each in lines])
    panels[0].set_ylim(max(heights) + 0.7, min(heights) - 0.7)
    panels[1].set_xlabel("RAFs minus control, NLL (nats per example)")
    shown = {RAFS, *(each.rival for each in lines)}
    rows = find(inputs, *EXPERIMENTS)
    return style.finish(figure, [_counts(lines), *gaps(rows[rows["method"].isin(shown)])])


def _groups(inputs: Inputs) -> Iterator[tuple[str, list[Contrast]]]:
    """Yield the contrasts of RAFs with the controls of each kind."""
    one = singles(inputs)
    other = beside(inputs, "other_diversity", [RAFS])
    larger = beside(inputs, "larger_ensembles", [RAFS, ANCHORED])
    tuned = contrasts(other, RAFS, [TUNED])
    yield GROUPS[0], [*contrasts(one, RAFS, others(one["method"], RAFS)), *tuned]
    yield GROUPS[1], contrasts(other, RAFS, others(other["method"], RAFS, TUNED))
    more = [name for name in others(larger["method"], RAFS, ANCHORED) if "@" in name]
    yield GROUPS[2], contrasts(larger, RAFS, more)


def _heights(groups: Mapping[str, list[Contrast]]) -> list[float]:
    """Return the line of each control, with a gap between the kinds."""
    found, line = [], 0.0
    for controls in groups.values():
        found += [line + place for place in range(len(controls))]
        line += len(controls) + 0.8
    return found


def _panel(axes: Axes, found: list[Difference | None], heights: list[float]) -> None:
    known = [(d, y) for d, y in zip(found, heights, strict=True) if d and np.isfinite(d.value)]
    axes.axvline(0.0, color=style.INK, lw=0.8)
    if known:
        margin = known[0][0].scale.margin
        axes.axvspan(-margin, margin, color=style.FAINT, lw=0, zorder=0)
    for difference, y in known:
        look = style.look(difference.rival)
        ends = np.array([difference.low, difference.high])
        if np.isfinite(ends).all():
            axes.plot(ends, [y, y], color=look.colour, lw=1.4)
        axes.plot(difference.value, y, lw=0, **look.points)
    values = [end for d, _ in known for end in (d.value, d.low, d.high) if np.isfinite(end)]
    if max(map(abs, values), default=0.0) > FAR:
        style.spread_scale(axes, "x", ticks=5)
    axes.grid(visible=False, axis="y")


def _counts(lines: list[Contrast]) -> str:
    counts = sorted({each.overall.pairs for each in lines})
    return f"Datasets with enough seeds of both: {' or '.join(map(str, counts))}."
