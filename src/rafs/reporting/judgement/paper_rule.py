"""The paper's own rules: ranks that tie where intervals overlap, and mean ranks.

The paper's intervals are over the predictions of one run; our intervals over seeds replace them.
The same rules on ranks apply to the printed Table 3. A rank worse than claimed contradicts a claim,
because intervals that do not overlap are the paper's standard of evidence. A mean rank has no
interval, so a claim about one is shown or not shown.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import pandas as pd

from rafs import datasets
from rafs.evaluation import statistics
from rafs.evaluation.metrics import PAPER_NLL
from rafs.reporting import labels, published
from rafs.reporting.judgement.differences import untestable
from rafs.reporting.judgement.results import FEWEST, Results
from rafs.reporting.judgement.verdicts import CONTRADICTED, NOT_SHOWN, SHOWN, Part, Parts
from rafs.reporting.ranks import paper_ranks

WIDE = ("ntkgp", "rp", "rafs")
"""The methods whose bands the paper calls wide away from data."""


@dataclass(frozen=True)
class Ranks:
    """Ranks by the paper's rule (a row per dataset, a column per method), or why there are none."""

    nll: pd.DataFrame
    rmse: pd.DataFrame
    why: str = ""

    def table(self, metric: str = "nll") -> pd.DataFrame:
        """Return the ranks in NLL or RMSE."""
        return self.rmse if metric == "rmse" else self.nll

    def within(self, categories: Iterable[str]) -> list[str]:
        """Return the ranked datasets of some categories."""
        wanted = set(categories)
        return [name for name in map(str, self.nll.index) if category(name) in wanted]


def category(dataset: str) -> str:
    """Return the category of a dataset of the paper."""
    return datasets.spec(dataset).category


def dimension(dataset: str) -> int:
    """Return the number of features of a dataset of the paper."""
    return datasets.spec(dataset).dimension


def ours(results: Results) -> Ranks:
    """Return the ranks of our runs."""
    if why := results.why_incomplete():
        return Ranks(pd.DataFrame(), pd.DataFrame(), why)
    return results.once("ranks", lambda: _ranks(paper_ranks(results.complete)))


@cache
def printed() -> Ranks:
    """Return the ranks of the paper's Table 3."""
    return _ranks(published.ranks())


def _ranks(tall: pd.DataFrame) -> Ranks:
    """Return tables of ranks, on datasets where all methods have one."""
    nll, rmse = (
        tall.pivot_table(index="dataset", columns="method", values=name, sort=False)
        .reindex(columns=list(labels.PAPER_METHODS))
        .dropna()
        for name in ("nll_rank", "rmse_rank")
    )
    why = "" if len(nll) else "no dataset has a rank of all six methods"
    order = [name for name in datasets.names() if name in nll.index]
    return Ranks(nll.loc[order], rmse, why)


# ------------------------------------------------------------------------------------- ranks


def placed(ranks: Ranks, method: str, names: Sequence[str], worst: int) -> Parts:
    """Judge dataset by dataset that a method ranks at place `worst` or better in NLL."""
    parts = []
    for name in names:
        title = labels.dataset(name)
        if name not in ranks.nll.index:
            parts.append(untestable(title, ranks.why or "not all six methods have enough seeds"))
            continue
        rank = int(ranks.nll[method].loc[name])
        outcome = SHOWN if rank <= worst else CONTRADICTED
        parts.append(Part(title, outcome, f"rank {rank}", {"rank": rank}))
    return parts


def mean_rank(
    name: str, ranks: Ranks, method: str, group: Sequence[str], low: bool = False
) -> Part:
    """Judge that the mean rank on a group of datasets is better (`low`: worse) than average."""
    chosen = ranks.nll.loc[list(group)] if len(group) else ranks.nll.iloc[:0]
    if chosen.empty:
        return untestable(name, ranks.why or "none of these datasets has enough runs")
    own, average = float(chosen[method].mean()), float(chosen.to_numpy().mean())
    holds = own > average if low else own < average
    detail = f"mean rank {own:.2f}, all six methods {average:.2f}"
    numbers = {"mean_rank": own, "average": average, "datasets": len(chosen)}
    return Part(name, SHOWN if holds else NOT_SHOWN, detail, numbers)


def extreme_category(
    name: str, ranks: Ranks, method: str, chosen: str, worst: bool = False
) -> Part:
    """Judge that a method has its best (`worst`: its worst) mean rank in one category."""
    names = [category(str(dataset)) for dataset in ranks.nll.index]
    groups = ranks.nll.groupby(names)[method].mean() if names else pd.Series(dtype=float)
    if chosen not in groups or len(groups) < 2:
        why = f"fewer than two categories, or no {labels.category(chosen)}, with enough runs"
        return untestable(name, ranks.why or why)
    best = groups.idxmax() if worst else groups.idxmin()
    detail = ", ".join(f"{labels.category(str(k))} {v:.2f}" for k, v in groups.items())
    outcome = SHOWN if best == chosen else NOT_SHOWN
    return Part(
        name, outcome, f"mean ranks: {detail}", {str(k): float(v) for k, v in groups.items()}
    )


# --------------------------------------------------------------------------------- intervals


@dataclass(frozen=True)
class Estimate:
    """The median of a score over seeds with its interval."""

    median: float
    low: float
    high: float

    def said(self) -> str:
        """Return the median with its interval."""
        return f"{self.median:.3g} [{self.low:.3g}, {self.high:.3g}]".replace("-", "−")

    def numbers(self) -> dict[str, float]:
        """Return the median with its interval."""
        return {"median": self.median, "low": self.low, "high": self.high}


def cell(
    frame: pd.DataFrame, method: str, dataset: str, metric: str = PAPER_NLL
) -> Estimate | None:
    """Return the median of a score with its interval, or None with too few seeds."""
    chosen = frame[(frame["method"] == method) & (frame["dataset"] == dataset)]
    found = statistics.summarise(statistics.values(chosen, metric).to_numpy(dtype=float))
    if found.scored + found.diverged < FEWEST:
        return None
    return Estimate(found.median, found.low, found.high)


def apart(name: str, lower: Estimate | None, higher: Estimate | None, why: str = "") -> Part:
    """Judge that the first median is lower than the second and their intervals do not overlap."""
    if lower is None or higher is None:
        return untestable(name, why or f"fewer than {FEWEST} seeds")
    outcome = SHOWN if lower.high < higher.low else NOT_SHOWN
    if higher.high < lower.low:
        outcome = CONTRADICTED
    overlap = ", intervals overlap" if outcome == NOT_SHOWN else ""
    detail = f"{lower.said()} against {higher.said()}{overlap}"
    return Part(name, outcome, detail, {"first": lower.numbers(), "second": higher.numbers()})


def above(name: str, found: Estimate | None, bound: float, why: str = "") -> Part:
    """Judge that the interval of a median lies above a bound."""
    if found is None:
        return untestable(name, why or f"fewer than {FEWEST} seeds")
    outcome = SHOWN if found.low > bound else NOT_SHOWN
    if found.high < bound:
        outcome = CONTRADICTED
    return Part(name, outcome, f"NLL {found.said()}", found.numbers())


def count_apart(
    frame: pd.DataFrame, method: str, rival: str, metric: str = PAPER_NLL
) -> Mapping[str, int]:
    """Count the datasets on which the intervals of two methods do not overlap, by who is lower."""
    cells = statistics.cells(frame[frame["method"].isin([method, rival])], metric)
    cells = cells[cells["scored"] + cells["diverged"] >= FEWEST]
    first, second = (cells[cells["method"] == name] for name in (method, rival))
    both = first.merge(second, on="dataset", suffixes=("", "_rival"))
    lower, higher = both["high"] < both["low_rival"], both["high_rival"] < both["low"]
    count = {"lower": int(lower.sum()), "higher": int(higher.sum())}
    return {**count, "overlap": len(both) - sum(count.values())}
