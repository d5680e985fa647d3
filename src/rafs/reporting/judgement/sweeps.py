"""Runs of one method over the values of a swept setting."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rafs.evaluation import statistics
from rafs.evaluation.metrics import PAPER_NLL
from rafs.reporting.judgement.confidence import TREND, trend
from rafs.reporting.judgement.differences import NATS, Difference, duels, from_value
from rafs.reporting.judgement.results import FEWEST, Results, not_run


@dataclass(frozen=True)
class Sweep:
    """The runs of RAFs on one dataset, and the name of the method at each value, ascending."""

    dataset: str
    frame: pd.DataFrame
    names: dict[float, str]
    why: str = ""

    @property
    def values(self) -> list[float]:
        """The swept values that have enough seeds."""
        return list(self.names)

    def against(self, value: float, others: list[float]) -> list[Difference]:
        """Compare the NLL at one value with that at others, corrected over these."""
        if value not in self.names:
            return []
        return duels(self.frame, NATS, self.names[value], [self.names[v] for v in others])

    def trend(self) -> Difference | None:
        """Compare Kendall's correlation of NLL and value, seed by seed, with zero."""
        table = self.table()
        if table.shape[1] < 3:
            return None
        found = {seed: trend(row) for seed, row in table.iterrows()}
        first = self.frame[self.frame["method"] == next(iter(self.names.values()))]
        scored = first.assign(status="ok", trend=first["seed"].map(found))
        return from_value(scored, TREND, str(first["method"].iloc[0]), 0.0)

    def table(self) -> pd.DataFrame:
        """Return NLL with a row per seed and a column per value."""
        if not self.names:
            return pd.DataFrame()
        wide = statistics.wide(self.frame, PAPER_NLL).droplevel("dataset")
        return wide[list(self.names.values())].set_axis(self.values, axis=1)


def sweep(results: Results, experiment: str, dataset: str, distinct: bool = False) -> Sweep:
    """Return a sweep; with `distinct`, without values that repeat the runs of a smaller one."""
    frame = results.runs(experiment, datasets=[dataset])
    frame = frame[frame["method"].astype(str).str.startswith("rafs@")]
    if frame.empty:
        return Sweep(dataset, frame, {}, not_run(experiment))
    wide = statistics.wide(frame, PAPER_NLL).droplevel("dataset")
    wide = wide[sorted(wide, key=value_of)]
    enough = [name for name in wide if wide[name].notna().sum() >= FEWEST]
    kept = without_repeats(wide[enough]) if distinct else enough
    names = {value_of(name): str(name) for name in kept}
    why = "" if len(names) > 1 else f"fewer than two settings have at least {FEWEST} seeds"
    return Sweep(dataset, frame[frame["method"].isin(list(names.values()))], names, why)


def without_repeats(wide: pd.DataFrame) -> list[Any]:
    """Return the columns of a table with a row per seed that repeat none of those before them.

    A setting without further effect gives the same scores to the last digit: five networks use five
    activations, so k = 6 and 7 repeat the runs of k = 5.
    """
    kept: list[Any] = []
    for name in wide:
        if not any(_same(wide[name], wide[other]) for other in kept):
            kept.append(name)
    return kept


def value_of(method: object) -> float:
    """Return the swept value in the name of a method."""
    return float(str(method).rpartition("=")[2])


def _same(a: "pd.Series[float]", b: "pd.Series[float]") -> bool:
    return bool(np.array_equal(a.to_numpy(), b.to_numpy(), equal_nan=True))
