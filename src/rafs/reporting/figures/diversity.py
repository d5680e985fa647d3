"""How much more the members of RAFs differ than those of AE, and the resulting gain."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter
from scipy import stats

from rafs.evaluation import statistics
from rafs.evaluation.diversity import CORRELATION, SPREAD
from rafs.evaluation.metrics import INSIDE, OUTSIDE
from rafs.reporting import style
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import number
from rafs.reporting.table import gaps
from rafs.reporting.why.controls import ANCHORED, RAFS, find, label, others

TITLE = "Diversity"
CAPTION = (
    "Diversity against gain, a point per dataset and method (medians over seeds). Up: NLL of AE "
    "minus that of the method, above zero the method is better. Across, left: how much less the "
    "residuals of two of its members correlate than those of AE; middle and right: how many times "
    "as far its members spread inside and outside the training range (synthetic data)."
)
READS = ("scores",)
PLACE = 31
SECTION = "why"

EXPERIMENTS = ("main", "other_diversity")
METHODS = (RAFS, "ae_bootstrap", "ae_scales", "ae_widths")
PANELS = (
    (CORRELATION, "nll", "residual correlation, AE − method"),
    (f"{INSIDE}{SPREAD}", f"{INSIDE}nll", "spread inside, method / AE"),
    (f"{OUTSIDE}{SPREAD}", f"{OUTSIDE}nll", "spread outside, method / AE"),
)


@style.styled
def draw(inputs: Inputs, options: Mapping[str, Any]) -> Figure:
    """Draw one panel per measure of diversity."""
    rows = find(inputs, *EXPERIMENTS)
    methods = [name for name in METHODS if name in set(rows["method"])]
    figure = style.canvas(height=3.0)
    notes = []
    for axes, (measure, score, words) in zip(figure.subplots(1, 3), PANELS, strict=True):
        points = gains(rows, methods, measure, score)
        _panel(axes, points, methods, words)
        notes += _together(points, words)
    style.legend(figure, methods)
    return style.finish(figure, notes + gaps(rows[rows["method"].isin([ANCHORED, *methods])]))


def gains(
    rows: pd.DataFrame, methods: list[str], measure: str, score: str
) -> dict[str, pd.DataFrame]:
    """Return diversity and gain over AE, by method: a row per dataset."""
    if not {measure, score} <= set(rows.columns) or ANCHORED not in set(rows["method"]):
        return {}
    chosen = rows[rows["method"].isin([ANCHORED, *methods])]
    measured, scored = (statistics.medians(chosen, name) for name in (measure, score))
    found = {}
    for method in others(methods, ANCHORED):
        with np.errstate(divide="ignore", invalid="ignore"):
            more = (
                measured[ANCHORED] - measured[method]
                if measure == CORRELATION
                else measured[method] / measured[ANCHORED]
            )
        table = pd.DataFrame({"diversity": more, "gain": scored[ANCHORED] - scored[method]})
        found[method] = table.replace([np.inf, -np.inf], np.nan).dropna()
    return found


def _panel(axes: Axes, points: Mapping[str, pd.DataFrame], methods: list[str], words: str) -> None:
    known = {name: table for name, table in points.items() if len(table)}
    if not known:
        style.sentence(axes, "No run has this measure beside AE.")
        return
    for name in methods:
        if name in known:
            axes.plot(*known[name].to_numpy().T, lw=0, gid=name, alpha=0.85,
                      **style.look(name).points)  # fmt: skip
    whole = pd.concat(known.values())
    if "/" in words:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.xaxis.set_minor_formatter(NullFormatter())
    axes.axvline(1.0 if "/" in words else 0.0, color=style.MUTED, lw=0.6)
    axes.axhline(0.0, color=style.INK, lw=0.8)
    if style.is_wide(whole["gain"]):
        style.spread_scale(axes, "y")
    axes.set_xlabel(words)
    axes.set_ylabel("gain in NLL over AE (nats)")


def _together(points: Mapping[str, pd.DataFrame], words: str) -> list[str]:
    """Return the rank correlation of diversity and gain over datasets, by method."""
    found = []
    for name, table in points.items():
        if len(table) > 2:
            rank = stats.spearmanr(table["diversity"], table["gain"])
            known = f"p = {rank.pvalue:.2g}, {len(table)} datasets"
            found.append(f"{label(name)} {number(rank.statistic)} ({known})")
    if not found:
        return []
    return [f"Rank correlation with the gain, {words}: {', '.join(found)}."]
