"""One look for all figures: the colour, marker, dashes and label of a method never change.

The colours are those of Okabe and Ito (2008), which are distinguishable for colour-blind readers;
markers and dashes carry the same information in greyscale. Figures are made without pyplot and its
global state, and saved without dates and random names, so that equal results give equal bytes.
"""

import functools
import io
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import matplotlib.style
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, SymmetricalLogLocator
from numpy.typing import ArrayLike

from rafs.evaluation.metrics import BY_NAME
from rafs.files import atomic
from rafs.methods import SUFFIX
from rafs.reporting import labels
from rafs.reporting.numbers import tick

P = ParamSpec("P")
T = TypeVar("T")

WIDTH = 7.2  # inches: both columns of a page
INK = "#1a1a1a"
MUTED = "#6b6b6b"
FAINT = "#d9d9d9"

RC: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": MUTED,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelsize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 8.5,
    "axes.titleweight": "bold",
    "figure.dpi": 200,  # texts are measured at the resolution of drawing
    "figure.facecolor": "white",
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "grid.color": "#e8e8e8",
    "grid.linewidth": 0.5,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
    "pdf.fonttype": 42,
    "savefig.dpi": 200,
    "svg.fonttype": "path",
    "svg.hashsalt": "rafs",
    "text.hinting": "none",  # equal widths in all formats
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "xtick.labelsize": 7.5,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
    "ytick.labelsize": 7.5,
}

FORMATS: dict[str, tuple[str, dict[str, None]]] = {
    "svg": ("Description", {"Date": None, "Creator": None}),
    "png": ("Description", {"Software": None}),
    "pdf": ("Subject", {"CreationDate": None, "Creator": None, "Producer": None}),
}
"""Where a format keeps the caption, and the fields with dates and versions, which are left out."""


@dataclass(frozen=True)
class Look:
    """How a method is drawn in every figure."""

    colour: str
    marker: str
    dashes: tuple[float, ...] = ()  # on, off, on, off ... in points; empty: solid
    filled: bool = True

    @property
    def line(self) -> dict[str, Any]:
        """Keyword arguments of a line with markers."""
        return {
            "color": self.colour,
            "linestyle": (0, self.dashes) if self.dashes else "-",
            **self.points,
        }

    @property
    def points(self) -> dict[str, Any]:
        """Keyword arguments of the markers alone."""
        return {
            "marker": self.marker,
            "markersize": 7 if self.marker == "*" else 4.5,
            "markerfacecolor": self.colour if self.filled else "white",
            "markeredgecolor": self.colour if not self.filled else "white",
            "markeredgewidth": 1.0 if not self.filled else 0.5,
        }


LOOKS = {
    "de": Look("#0072B2", "o", (5, 1.5)),
    "hde": Look("#E69F00", "s", (3, 1.5)),
    "ae": Look("#56B4E9", "^", (6, 1.5, 1, 1.5)),
    "ntkgp": Look("#009E73", "D", (1.2, 1.2)),
    "rp": Look("#CC79A7", "v", (4, 1.2, 1, 1.2, 1, 1.2)),
    "rafs": Look("#D55E00", "*"),
    "de_nll": Look("#7f7f7f", "X", (2, 2)),
    "ae_choice": Look("#000000", "P", (1, 2)),
    "ae_bootstrap": Look("#882255", "h", (8, 2)),
    "ae_scales": Look("#44601b", "p", (3, 1, 1, 1)),
    "ae_widths": Look("#332288", "<", (1, 3)),
}

FURTHER = (  # for further methods, by their names
    Look("#000000", "P", (1, 2)),
    Look("#882255", "h", (1, 2)),
    Look("#44601b", "p", (1, 2)),
    Look("#332288", "<", (1, 2)),
    Look("#6b6b6b", ">", (1, 2)),
)


def look(method: str) -> Look:
    """Return the look of a method; `<base>+rafs` is its base with open markers and dots."""
    name = method.partition("@")[0]
    plain_name = name.removesuffix(SUFFIX)
    base = LOOKS.get(plain_name) or FURTHER[sum(plain_name.encode()) % len(FURTHER)]
    if name.endswith(SUFFIX):
        return Look(base.colour, base.marker, (1, 1), filled=False)
    return base


def label(method: str) -> str:
    """Return the label of a method, safe for matplotlib."""
    return plain(labels.method(method))


def title(dataset: str) -> str:
    """Return the title of a dataset, safe for matplotlib."""
    return plain(labels.dataset(dataset))


def metric_label(metric: str) -> str:
    """Return the axis label of a metric, with its unit."""
    return BY_NAME[metric].axis if metric in BY_NAME else plain(metric)


def plain(text: str) -> str:
    """Keep matplotlib from interpreting a name as mathematics."""
    return text.replace("$", r"\$")


def styled(draw: Callable[P, T]) -> Callable[P, T]:
    """Run a drawing function with this style, independent of the user's settings."""

    @functools.wraps(draw)
    def inside(*args: P.args, **options: P.kwargs) -> T:
        with matplotlib.style.context(["default", RC]):
            return draw(*args, **options)

    return inside


@styled
def render(figure: Figure, format: str, caption: str = "") -> bytes:
    """Return the figure as bytes of "svg", "png" or "pdf", its caption inside."""
    place, silent = FORMATS[format]
    buffer = io.BytesIO()
    figure.savefig(buffer, format=format, metadata={place: caption, **silent})
    return buffer.getvalue()


@styled
def arrange(figure: Figure) -> None:
    """Lay out the figure, once for all formats.

    The layout runs twice, because a new size of the axes may change their ticks, and thus the size.
    """
    figure.draw_without_rendering()
    figure.draw_without_rendering()
    figure.set_layout_engine("none")


def files(stem: Path | str) -> list[Path]:
    """Return the files of a figure, one per format."""
    return [Path(f"{stem}.{format}") for format in FORMATS]


def save(figure: Figure, paths: Iterable[Path | str], caption: str = "") -> None:
    """Write a figure to files with equal layout; suffixes (svg, png, pdf) give the formats."""
    arrange(figure)
    for path in map(Path, paths):
        with atomic(path) as file:
            file.write(render(figure, path.suffix.removeprefix("."), caption))


def canvas(width: float = WIDTH, height: float = 3.0) -> Figure:
    """Return an empty figure with automatic layout."""
    layout = ConstrainedLayoutEngine(w_pad=0.05, h_pad=0.05, wspace=0.03, hspace=0.04)
    return Figure(figsize=(width, height), layout=layout)


def finish(figure: Figure, notes: Sequence[str] = ()) -> Figure:
    """Write notes below the figure, and reserve space for them."""
    width, height = figure.get_size_inches()
    lines = [
        line for note in notes for line in textwrap.wrap(plain(note), max(20, int(width * 17)))
    ]
    if not lines:
        return figure
    room = 0.14 * len(lines) + 0.08
    figure.set_size_inches(width, height + room)
    share = room / (height + room)
    layout = figure.get_layout_engine()
    assert isinstance(layout, ConstrainedLayoutEngine)
    layout.set(rect=(0, share, 1, 1 - share))
    figure.text(
        0.01,
        share * 0.9,
        "\n".join(lines),
        va="top",
        fontsize=7,
        color=MUTED,
        linespacing=1.25,
        gid="notes",
    )
    return figure


def sentence(axes: Axes, text: str) -> None:
    """Write the reason into an empty panel."""
    axes.set_axis_off()
    axes.text(
        0.5,
        0.5,
        "\n".join(textwrap.wrap(plain(text), 34)),
        transform=axes.transAxes,
        ha="center",
        va="center",
        color=MUTED,
        fontsize=8,
    )


def legend(
    figure: Figure, methods: Iterable[str], extra: Sequence[Any] = (), **options: Any
) -> None:
    """Put one legend for all panels on top of the figure."""
    handles: list[Any] = [Line2D([], [], label=label(m), **look(m).line) for m in methods]
    handles += extra
    if handles:
        options.setdefault("ncols", len(handles))
        figure.legend(
            handles=handles,
            loc="outside upper center",
            handlelength=3.2,
            columnspacing=1.4,
            **options,
        )


def is_wide(values: ArrayLike) -> bool:
    """Whether values spread over so many decades that a linear axis would hide most of them."""
    finite = np.abs(np.asarray(values, dtype=float))
    finite = finite[np.isfinite(finite)]
    return bool(finite.size and finite.max() > 30 * max(1.0, float(np.median(finite))))


def spread_scale(axes: Axes, axis: str, threshold: float = 1.0, ticks: int = 7) -> None:
    """Make an axis logarithmic beyond ± `threshold`, and linear between."""
    set_scale = axes.set_xscale if axis == "x" else axes.set_yscale
    set_scale("symlog", linthresh=threshold, linscale=0.6)
    part = axes.xaxis if axis == "x" else axes.yaxis
    locator = SymmetricalLogLocator(base=10, linthresh=threshold)
    locator.set_params(numticks=ticks)
    part.set_major_locator(locator)
    part.set_major_formatter(FuncFormatter(lambda value, _: tick(value)))


def log_scale(axes: Axes, axis: str) -> None:
    """Make an axis logarithmic, with few ticks and plain numbers."""
    (axes.set_xscale if axis == "x" else axes.set_yscale)("log")
    low, high = axes.get_xlim() if axis == "x" else axes.get_ylim()
    part = axes.xaxis if axis == "x" else axes.yaxis
    subs = (1.0,) if high > 100 * low else (1.0, 2.0, 5.0)
    part.set_major_locator(LogLocator(subs=subs))
    part.set_major_formatter(FuncFormatter(lambda value, _: tick(value)))
    part.set_minor_formatter(NullFormatter())


def on(background: Any, alpha: float = 1.0) -> str:
    """Return the text colour with the higher contrast on a background laid over white.

    One of the two has a contrast of at least 4.5 (WCAG 2.1) on any colour.
    """
    light = luminance([1 - alpha * (1 - part) for part in to_rgb(background)])
    return "white" if 1.05 / (light + 0.05) > (light + 0.05) / 0.05 else "black"


def luminance(colour: Sequence[float]) -> float:
    """Return the relative luminance of an sRGB colour, as WCAG 2.1 defines it."""
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
