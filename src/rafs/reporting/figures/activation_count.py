"""Fewer activations, and more members: how NLL changes with both."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rafs.reporting import style
from rafs.reporting.inputs import Inputs
from rafs.reporting.judgement.differences import NATS, over_datasets
from rafs.reporting.table import gaps
from rafs.reporting.why.controls import ANCHORED, RAFS, beside, others

TITLE = "Activation count"
CAPTION = (
    "Left: RAFs of seven members with k distinct activations, drawn per seed, minus RAFs with all "
    "seven. Right: AE, RP-param and RAFs of five, ten and twenty members minus RAFs of five. NLL, "
    "Hodges-Lehmann estimate over datasets of the medians over the same seeds, with its 95 % "
    "interval; below zero is better."
)
READS = ("scores",)
PLACE = 32
SECTION = "why"

SIZE = 5  # members of the ensembles of `main`


@style.styled
def draw(inputs: Inputs, options: Mapping[str, Any]) -> Figure:
    """Draw both parts."""
    figure = style.canvas(height=2.8)
    left, right = figure.subplots(1, 2)
    counts = beside(inputs, "activation_count", [])
    most = max(others(counts["method"]), key=_value, default="")
    left.set_title("Number of activations")
    _lines(left, counts, most, "distinct activations k", "no number of activations was run")
    sizes = beside(inputs, "larger_ensembles", [RAFS, ANCHORED, "rp"])
    right.set_title("Number of members")
    _lines(right, sizes, RAFS, "members m", "no larger ensemble was run")
    style.legend(figure, [name for name in (ANCHORED, "rp", RAFS) if name in _bases(sizes)])
    return style.finish(figure, gaps(pd.concat([counts, sizes], ignore_index=True)))


def _value(method: str) -> int:
    """Return the swept value of a method; the ensembles of `main` have five members."""
    return int(method.rpartition("=")[2]) if "@" in method else SIZE


def _bases(frame: pd.DataFrame) -> list[str]:
    return list(dict.fromkeys(str(name).partition("@")[0] for name in frame["method"]))


def _lines(axes: Axes, frame: pd.DataFrame, reference: str, words: str, why: str) -> None:
    """Draw the difference of every method from the reference against its swept value."""
    names = others(frame["method"])
    if len(names) < 2:
        style.sentence(axes, f"Nothing to show: {why}.")
        return
    for base in _bases(frame):
        look = style.look(base)
        mine = sorted((name for name in names if name.partition("@")[0] == base), key=_value)
        points = np.array([_point(frame, name, reference) for name in mine])
        x = [_value(name) for name in mine]
        axes.errorbar(x, points[:, 0], yerr=_bars(points), gid=base, capsize=2, **look.line)
    axes.axhline(0.0, color=style.INK, lw=0.8)
    axes.set_xticks(sorted({_value(name) for name in names}))
    axes.set_xlabel(words)
    axes.set_ylabel("difference in NLL (nats per example)")


def _point(frame: pd.DataFrame, method: str, reference: str) -> tuple[float, float, float]:
    if method == reference:
        return 0.0, 0.0, 0.0
    (found,) = over_datasets(frame, NATS, method, [reference])
    return found.value, found.low, found.high


def _bars(points: np.ndarray) -> np.ndarray:
    """Return the distances to the ends of the intervals; none where there is no interval."""
    value, low, high = points.T
    return np.nan_to_num(np.stack([value - low, high - value]), nan=0.0, posinf=0.0).clip(0.0)
