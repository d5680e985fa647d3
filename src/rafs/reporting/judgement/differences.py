"""Differences between methods with intervals, tests, and a margin of practical equivalence.

A method is *better* than another if it scores significantly lower by more than the margin, and
*not worse* if the interval of the difference ends below the margin. Tests and intervals are those
of `rafs.evaluation.statistics`: paired over seeds on one dataset, or over datasets.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from rafs.evaluation import statistics
from rafs.evaluation.metrics import INSIDE, OUTSIDE, PAPER_NLL
from rafs.evaluation.statistics import ALPHA
from rafs.reporting import labels
from rafs.reporting.judgement.results import FEWEST
from rafs.reporting.judgement.verdicts import (
    CONTRADICTED,
    NOT_SHOWN,
    SHOWN,
    UNTESTABLE,
    Part,
)
from rafs.reporting.numbers import effect
from rafs.reporting.table import records

CONSTANT = "constant value"


@dataclass(frozen=True)
class Scale:
    """A score, the smallest difference in it that matters, its unit, and what it is made from."""

    metric: str
    margin: float
    unit: str = ""
    source: str = ""

    @property
    def logarithmic(self) -> bool:
        """Whether differences are logarithms of ratios."""
        return self.metric.startswith(LOG)


LOG = "log_"
RATIO = math.log(1.05)
NATS = Scale(PAPER_NLL, 0.1, "nats")
RMSE = Scale(f"{LOG}rmse", RATIO)
WIDTH = Scale(f"{LOG}sharpness", RATIO)
WIDTH_NEAR = Scale(f"{LOG}{INSIDE}sharpness", RATIO)
WIDTH_AWAY = Scale(f"{LOG}{OUTSIDE}sharpness", RATIO)
COVERED_AWAY = Scale("covered_away", 0.05, source=f"{OUTSIDE}coverage_95")
"""Lower is narrower; `rafs.evaluation.statistics` takes the distance from the nominal level."""


@dataclass(frozen=True)
class Difference:
    """How much lower or higher a method scores than a rival."""

    method: str
    rival: str
    dataset: str
    value: float
    low: float
    high: float
    p: float
    pairs: int
    tellable: bool
    scale: Scale
    improvement: float = math.nan
    """The share of pairs in which the method scores lower; a tie counts half."""

    @property
    def significant(self) -> bool:
        """Whether the difference is significant."""
        return self.p < ALPHA

    @property
    def better(self) -> bool:
        """Significantly lower, by more than the margin."""
        return self.significant and self.value < -self.scale.margin

    @property
    def worse(self) -> bool:
        """Significantly higher, by more than the margin."""
        return self.significant and self.value > self.scale.margin

    @property
    def not_worse(self) -> bool:
        """Whether the interval of the difference ends below the margin."""
        return self.better or self.high < self.scale.margin

    @property
    def equal(self) -> bool:
        """Whether the interval lies inside the margin on both sides."""
        return -self.scale.margin < self.low and self.high < self.scale.margin

    def sized(self) -> str:
        """Return the difference, or the ratio, with its interval."""
        ends = [self.value, self.low, self.high]
        if self.scale.logarithmic:
            ends = [math.exp(min(end, 700.0)) for end in ends]
        size, low, high = (effect(end, not self.scale.logarithmic) for end in ends)
        name = "ratio " if self.scale.logarithmic else ""
        unit = f" {self.scale.unit}" if self.scale.unit else ""
        interval = "" if math.isnan(self.low) else f" [{low}, {high}]"
        return f"{name}{size}{unit}{interval}"

    def said(self) -> str:
        """Return the difference, or the ratio, with its interval and p."""
        same = ", practically equal" if self.equal else ""
        return f"{self.sized()}, p = {self.p:.2g}{same}"

    def numbers(self) -> dict[str, float]:
        """Return the effect size, its interval, and p."""
        return {"difference": self.value, "low": self.low, "high": self.high, "p": self.p}


def scored(frame: pd.DataFrame, scale: Scale) -> pd.DataFrame:
    """Add the score of a scale: a copy, or a logarithm, so that differences are ratios."""
    name = scale.source or scale.metric.removeprefix(LOG)
    if scale.metric in frame or name not in frame:
        return frame
    if not scale.logarithmic:
        return frame.assign(**{scale.metric: frame[name]})
    with np.errstate(divide="ignore", invalid="ignore"):
        return frame.assign(**{scale.metric: np.log(frame[name].astype(float))})


def duels(
    frame: pd.DataFrame, scale: Scale, method: str, rivals: Iterable[str]
) -> list[Difference]:
    """Compare a method with rivals on every dataset, corrected over the rivals."""
    chosen = scored(frame[frame["method"].isin([method, *rivals])], scale)
    if method not in set(chosen["method"]):
        return []
    found = statistics.duels(chosen, scale.metric, method)
    return [
        Difference(
            method=method,
            rival=row["rival"],
            dataset=row["dataset"],
            value=row["difference"],
            low=row["low"],
            high=row["high"],
            p=row["p_holm"],
            pairs=row["pairs"],
            tellable=row["tellable"] and row["pairs"] >= FEWEST,
            scale=scale,
            improvement=row["improvement"],
        )
        for row in records(found)
    ]


def over_datasets(
    frame: pd.DataFrame, scale: Scale, method: str, rivals: Iterable[str]
) -> list[Difference]:
    """Compare a method with rivals over datasets, corrected over the rivals.

    The effect size is the Hodges-Lehmann estimate of the differences of the datasets' medians.
    """
    found = []
    for rival in rivals:
        chosen = scored(frame[frame["method"].isin([method, rival])], scale)
        if chosen["method"].nunique() < 2:
            continue
        runs = statistics.wide(chosen, scale.metric).groupby(level="dataset", sort=False)
        medians = runs.median()[runs.count().min(axis=1) >= FEWEST]
        known = statistics.contrast(medians[method], medians[rival], scale.metric)
        value, low, high = statistics.hodges_lehmann(known)
        p = statistics.signed_rank(known)
        tellable = 2.0 ** (1 - known.size) < ALPHA
        found.append(
            Difference(method, rival, "", value, low, high, p, known.size, tellable, scale)
        )
    corrected = statistics.holm([difference.p for difference in found])
    return [replace(d, p=float(p)) for d, p in zip(found, corrected, strict=True)]


def from_value(frame: pd.DataFrame, scale: Scale, method: str, value: float) -> Difference | None:
    """Compare the scores of a method with a constant; None without runs."""
    own = frame[frame["method"] == method]
    constant = own.assign(method=CONSTANT, **{scale.metric: value})
    found = duels(pd.concat([own, constant], ignore_index=True), scale, method, [CONSTANT])
    return found[0] if found else None


def share(count: int, total: int) -> tuple[str, dict[str, float]]:
    """Return a share of datasets with its exact interval, in words and as numbers."""
    low, high = statistics.share_interval(count, total)
    words = f"a share of {count / total:.2f} [{low:.2f}, {high:.2f}]"
    return words, {"share": count / total, "low": low, "high": high}


# ------------------------------------------------------------------------------------- parts


def untestable(name: str, why: str) -> Part:
    """Return a part that cannot be tested, with the reason."""
    return Part(name, UNTESTABLE, why)


def few(difference: Difference) -> str:
    """Report that a comparison has too few pairs for any difference to be significant."""
    if not difference.pairs:
        return "no seed has both" if difference.dataset else "no dataset has enough seeds of both"
    what = "seeds" if difference.dataset else "datasets"
    return f"{difference.pairs} {what} are too few for a difference to be significant"


def lower(name: str, difference: Difference | None, why: str = "") -> Part:
    """Judge that a method scores lower than a rival."""
    if difference is None or why:
        return untestable(name, why or "there is nothing to compare")
    if not difference.tellable:
        return untestable(name, few(difference))
    outcome = SHOWN if difference.better else CONTRADICTED if difference.worse else NOT_SHOWN
    return Part(name, outcome, difference.said(), difference.numbers())


def not_higher(name: str, differences: Sequence[Difference], why: str = "") -> Part:
    """Judge that a method does not score higher than any of its rivals by more than the margin."""
    return _against_all(name, differences, why, lambda d: d.not_worse)


def lower_than_all(name: str, differences: Sequence[Difference], why: str = "") -> Part:
    """Judge that a method scores lower than each of some rivals."""
    return _against_all(name, differences, why, lambda d: d.better)


def _against_all(
    name: str, differences: Sequence[Difference], why: str, holds: Callable[[Difference], bool]
) -> Part:
    """Judge that something holds against each rival; a significantly lower rival contradicts it."""
    if why or not differences:
        return untestable(name, why or "there is nothing to compare")
    if short := [d for d in differences if not d.tellable]:
        return untestable(name, few(short[0]))
    nearest = max(differences, key=lambda d: d.value)
    outcome = CONTRADICTED if any(d.worse for d in differences) else NOT_SHOWN
    if all(holds(d) for d in differences):
        outcome = SHOWN
    detail = f"{nearest.said()} against {labels.method(nearest.rival)}"
    return Part(name, outcome, detail, {d.rival: d.numbers() for d in differences})
