"""The place of a method among its rivals, by tests over seeds.

On a dataset a rival is *ahead* if the method is worse than it, and *possibly ahead* unless the
method is shown to be not worse. A statement about places is shown if it holds even when all rivals
that are possibly ahead count, contradicted if it fails when only those that are ahead count, and
not shown otherwise.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from rafs.evaluation import statistics
from rafs.reporting import labels
from rafs.reporting.judgement.differences import (
    NATS,
    Difference,
    Scale,
    duels,
    untestable,
)
from rafs.reporting.judgement.paper_rule import category
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.verdicts import CONTRADICTED, NOT_SHOWN, SHOWN, Part, Parts
from rafs.seeding import generator

Array = NDArray[np.float64]
PERMUTATIONS, RESAMPLES = 9999, 2000
EMPTY = pd.DataFrame()


@dataclass(frozen=True)
class Place:
    """The duels of a method on one dataset."""

    dataset: str
    duels: Sequence[Difference]

    @property
    def tellable(self) -> bool:
        """Whether there are enough seeds for a difference to be significant."""
        return bool(self.duels) and all(duel.tellable for duel in self.duels)

    @property
    def wins(self) -> int:
        """The rivals that the method is better than."""
        return sum(duel.better for duel in self.duels)

    @property
    def ahead(self) -> int:
        """The rivals that the method is worse than."""
        return sum(duel.worse for duel in self.duels)

    @property
    def possibly_ahead(self) -> int:
        """The rivals to which the method is not shown to be equal or superior."""
        return sum(not duel.not_worse for duel in self.duels)

    @property
    def improvement(self) -> float:
        """The probability of a lower score than a rival's on the same seed, over all rivals."""
        return float(np.mean([duel.improvement for duel in self.duels]))

    def among_first(self, places: int) -> str:
        """Judge that at most `places - 1` rivals are ahead."""
        if self.ahead >= places:
            return CONTRADICTED
        return SHOWN if self.possibly_ahead < places else NOT_SHOWN

    def said(self) -> str:
        """Name the rivals that are ahead, or the hardest one."""
        ahead = [duel for duel in self.duels if duel.worse]
        if ahead:
            names = (f"{labels.method(duel.rival)} by {duel.sized()}" for duel in ahead)
            return f"behind {', '.join(names)}"
        hardest = max(self.duels, key=lambda duel: duel.value)
        return f"{hardest.said()} against {labels.method(hardest.rival)}"


def places(
    results: Results,
    method: str,
    names: Sequence[str] | None = None,
    scale: Scale = NATS,
) -> dict[str, Place]:
    """Return the place of a method on the datasets (or some) that have enough seeds."""
    frame = results.complete
    if names is not None:
        frame = frame[frame["dataset"].isin(list(names))]
    found: dict[str, list[Difference]] = {}
    for duel in duels(frame, scale, method, labels.rivals(method)):
        found.setdefault(duel.dataset, []).append(duel)
    every = {name: Place(name, each) for name, each in found.items()}
    return {name: place for name, place in every.items() if place.tellable}


def among_first(results: Results, method: str, names: Sequence[str], worst: int) -> Parts:
    """Judge dataset by dataset that at most `worst - 1` rivals are ahead."""
    found = places(results, method, names)
    parts = []
    for name in names:
        title = labels.dataset(name)
        if name not in found:
            parts.append(untestable(title, why_not(results, name)))
            continue
        place = found[name]
        numbers = {d.rival: d.numbers() for d in place.duels}
        parts.append(Part(title, place.among_first(worst), place.said(), numbers))
    return parts


def why_not(results: Results, dataset: str) -> str:
    """Say why a dataset has no place."""
    why = results.lacking("main", labels.PAPER_METHODS, dataset)
    return why or "too few seeds for a difference to be significant among six methods"


def group(
    name: str, results: Results, method: str, chosen: Sequence[str], low: bool = False
) -> Part:
    """Judge that a method wins (`low`: loses) more than half of its duels on some datasets.

    The effect size is the probability of improvement, with an interval over the datasets.
    """
    found = [*places(results, method, chosen).values()]
    if not found:
        why = results.why_incomplete() or "too few seeds to tell six methods apart"
        return untestable(name, why)
    total = sum(len(place.duels) for place in found)
    won, lost = sum(place.wins for place in found), sum(place.ahead for place in found)
    wanted, opposite = (lost, won) if low else (won, lost)
    outcome = SHOWN if wanted > total / 2 else CONTRADICTED if opposite > total / 2 else NOT_SHOWN
    mean, least, most = statistics.mean_over_datasets([place.improvement for place in found])
    ends = "" if math.isnan(least) else f" [{least:.2f}, {most:.2f}]"
    detail = f"wins {won} and loses {lost} of {total} duels, probability of improvement {mean:.2f}"
    detail += ends
    if left_out := len(chosen) - len(found):
        detail += f", {left_out} of {len(chosen)} datasets left out"
    numbers = {"duels": total, "wins": won, "losses": lost, "datasets": len(found)}
    effect = {"improvement": mean, "low": least, "high": most}
    return Part(name, outcome, detail, numbers | effect)


def contrast(
    name: str,
    results: Results,
    method: str,
    inside: Sequence[str],
    outside: Sequence[str],
    metric: str = NATS.metric,
    expect: str = "better",
) -> Part:
    """Judge that a method ranks better, worse or not worse on some datasets than on others.

    A permutation test of the difference in mean rank, over datasets. "Not worse" is shown if the
    interval of the difference (bootstrap over datasets) ends below half a rank.
    """
    ranks, _ = statistics.ranks(results.complete, metric) if len(results.complete) else (EMPTY, ())
    own = ranks[method] if method in ranks else pd.Series(dtype=float)
    a, b = (own[own.index.isin(names)].to_numpy(dtype=float) for names in (inside, outside))
    if min(a.size, b.size) < 3:
        sizes = f"{a.size} and {b.size} datasets have enough runs, three of each are needed"
        return untestable(name, results.why_incomplete() or sizes)
    difference = float(a.mean() - b.mean())
    low, high = _interval(a, b)
    p = _permutation(a, b)
    up, down = (p < statistics.ALPHA and difference > 0), (p < statistics.ALPHA and difference < 0)
    shown, against = {
        "better": (down, up),
        "worse": (up, down),
        "not worse": (high < 0.5 and not up, up),
    }[expect]
    outcome = SHOWN if shown else CONTRADICTED if against else NOT_SHOWN
    detail = (
        f"mean rank {a.mean():.2f} against {b.mean():.2f} elsewhere, difference "
        f"{difference:+.2f} [{low:+.2f}, {high:+.2f}], p = {p:.2g}"
    ).replace("-", "−")
    numbers = {"difference": difference, "low": low, "high": high, "p": p}
    return Part(name, outcome, detail, numbers)


def _interval(a: Array, b: Array) -> tuple[float, float]:
    """Return the bootstrap interval of a difference in means."""
    rng = generator("contrast interval", a.size, b.size)
    means = [x[rng.integers(0, x.size, (RESAMPLES, x.size))].mean(axis=1) for x in (a, b)]
    low, high = statistics.percentiles(means[0] - means[1])
    return float(low), float(high)


def _permutation(a: Array, b: Array) -> float:
    """Return the two-sided p of a permutation test of the difference in means."""
    if np.ptp(np.concatenate([a, b])) == 0:
        return 1.0
    found = stats.permutation_test(
        (a, b),
        lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis),
        vectorized=True,
        n_resamples=PERMUTATIONS,
        rng=generator("contrast", a.size, b.size),
    )
    return float(found.pvalue)


def of_categories(results: Results, *names: str) -> list[str]:
    """Return the datasets of some categories that are in the main experiment."""
    return [n for n in map(str, results.main["dataset"].unique()) if category(n) in names]
