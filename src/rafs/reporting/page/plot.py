"""A small SVG plot: one row per method with its score, interval and published value."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.ticker import MaxNLocator

from rafs.reporting.numbers import compact
from rafs.reporting.page.elements import Html, number, tag

LEFT, WIDTH, RIGHT, ROW, TOP, FOOT = 144, 240, 24, 20, 6, 24


@dataclass(frozen=True)
class Row:
    """A method's score with its interval, and what the paper prints (`censored`: at least that)."""

    label: str
    colour: str
    score: float
    low: float
    high: float
    published: float = math.nan
    censored: bool = False


class Axis:
    """The horizontal axis; logarithmic beyond ± 1 if the values are far apart."""

    def __init__(self, values: Sequence[float]) -> None:
        finite = sorted(value for value in values if math.isfinite(value)) or [0.0, 1.0]
        middle = abs(finite[len(finite) // 2])
        self.logarithmic = max(map(abs, finite)) > 30 * max(1.0, middle)
        low, high = self.bend(finite[0]), self.bend(finite[-1])
        margin = 0.06 * (high - low) or 0.5
        self.low, self.high = low - margin, high + margin

    def bend(self, value: float) -> float:
        """Return the value on the axis, before it is scaled."""
        if not self.logarithmic or abs(value) <= 1:
            return value
        return math.copysign(1 + math.log10(abs(value)), value)

    def place(self, value: float) -> float:
        """Return the horizontal place of a value, in the frame."""
        share = (self.bend(value) - self.low) / (self.high - self.low)
        return LEFT + WIDTH * min(1.0, max(0.0, share))

    def ticks(self) -> list[float]:
        """Return a few round values inside the frame."""
        if not self.logarithmic:
            found = MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]).tick_values(self.low, self.high)
            return [float(t) for t in found if self.low <= t <= self.high]
        powers = [10.0**exponent for exponent in range(0, 13)]
        inside = [
            value
            for value in [*(-p for p in reversed(powers)), 0.0, *powers]
            if self.low <= self.bend(value) <= self.high
        ]
        return inside[:: max(1, math.ceil(len(inside) / 6))]


def dots(rows: Sequence[Row], title: str) -> Html:
    """Return the plot as an SVG element, without values that cannot be drawn."""
    printed = [row.published for row in rows if not row.censored]  # "> 100" has no position
    axis = Axis([*(row.score for row in rows), *printed])
    bottom = TOP + ROW * len(rows)
    parts = [tag("title", title)]
    for tick in axis.ticks():
        x = f"{axis.place(tick):.1f}"
        shown = f"{tick:g}" if abs(tick) < 10_000 else compact(tick)
        parts.append(tag("line", x1=x, x2=x, y1=TOP, y2=bottom, class_="grid"))
        parts.append(tag("text", shown.replace("-", "−"), x=x, y=bottom + 14, text_anchor="middle"))
    for place, row in enumerate(rows):
        y = TOP + ROW * (place + 0.5)
        parts.append(tag("text", row.label, x=LEFT - 8, y=y + 4, text_anchor="end"))
        parts.extend(_marks(row, axis, y))
    size = f"0 0 {LEFT + WIDTH + RIGHT} {bottom + FOOT}"
    return tag("svg", parts, viewBox=size, role="img", class_="dots", aria_label=title)


def _marks(row: Row, axis: Axis, y: float) -> list[Html]:
    """Return the interval, the score and the published value of one method."""
    parts = []
    if math.isfinite(row.low) and math.isfinite(row.high):
        x1, x2 = f"{axis.place(row.low):.1f}", f"{axis.place(row.high):.1f}"
        parts.append(tag("line", x1=x1, x2=x2, y1=y, y2=y, stroke=row.colour, class_="interval"))
    if math.isfinite(row.published):
        x = axis.place(row.published)
        sign = ">" if row.censored else ""
        shape = f"M{x:.1f} {y - 5}l5 5l-5 5" + ("" if row.censored else "l-5 -5z")
        words = f"{row.label}, published: {sign}{number(row.published)}"
        parts.append(tag("path", tag("title", words), d=shape, class_="paper"))
    if math.isfinite(row.score):
        words = f"{row.label}: {number(row.score)} ({number(row.low)} to {number(row.high)})"
        parts.append(
            tag(
                "circle",
                tag("title", words),
                cx=f"{axis.place(row.score):.1f}",
                cy=y,
                r=4.5,
                fill=row.colour,
            )
        )
    return parts
