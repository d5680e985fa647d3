"""The runs that claims are judged on, and reasons why some cannot be judged."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from types import SimpleNamespace
from typing import Any, TypeVar

import pandas as pd
from numpy.typing import NDArray

from rafs.errors import DataError
from rafs.evaluation import statistics
from rafs.evaluation.metrics import PAPER_NLL
from rafs.reporting import labels
from rafs.reporting.inputs import KEYS, Inputs

T = TypeVar("T")
FEWEST = 6
"""Seeds that a 95 % interval of the median, or a test of one difference, needs."""


class Results:
    """The runs that a claim declares to read; an experiment that was not run has none."""

    def __init__(
        self, inputs: Inputs, reads: Sequence[str], predictions: Sequence[str] = ()
    ) -> None:
        self._inputs = inputs
        self.reads, self.predicted = tuple(reads), tuple(predictions)
        self._kept: dict[str, Any] = {}
        self._frames: dict[str, pd.DataFrame | None] = {}

    def runs(
        self,
        experiment: str = "main",
        methods: Iterable[str] | None = None,
        datasets: Iterable[str] | None = None,
    ) -> pd.DataFrame:
        """Return the runs of an experiment, optionally of some methods or datasets only."""
        frame = self._find(experiment)
        if frame is None:
            return pd.DataFrame(columns=[*KEYS, "category", PAPER_NLL])
        for column, names in (("method", methods), ("dataset", datasets)):
            if names is not None:
                frame = frame[frame[column].isin(list(names))]
        return frame

    @cached_property
    def main(self) -> pd.DataFrame:
        """The six methods of the paper on its datasets."""
        return self.runs("main", labels.PAPER_METHODS, labels.paper_datasets())

    @cached_property
    def complete(self) -> pd.DataFrame:
        """The runs of `main` on those datasets that have enough seeds of all six methods."""
        if self.main.empty or set(labels.PAPER_METHODS) - set(self.main["method"]):
            return self.main.iloc[:0]
        counts = statistics.wide(self.main, PAPER_NLL).groupby(level="dataset").count().min(axis=1)
        return self.main[self.main["dataset"].isin(counts[counts >= FEWEST].index)]

    def why_incomplete(self) -> str:
        """Return why statements about ranks cannot be judged; nothing if they can."""
        if self._find("main") is None:
            return not_run("main")
        if not self.complete.empty:
            return ""
        return f"no dataset has at least {FEWEST} seeds of all six methods"

    def lacking(self, experiment: str, methods: Sequence[str], dataset: str) -> str:
        """Return what is missing to compare methods on a dataset; nothing if it is complete."""
        if self._find(experiment) is None:
            return not_run(experiment)
        for method in methods:
            runs = self.runs(experiment, [method], [dataset])
            where = f"{labels.method(method)} on {labels.dataset(dataset)}"
            if runs.empty:
                return f"{where} was not run"
            if runs["status"].eq("missing").all():
                return f"the data of {labels.dataset(dataset)} could not be obtained"
            known = int(statistics.values(runs, PAPER_NLL).notna().sum())
            if known < FEWEST:
                return f"{where}: {known} seeds, at least {FEWEST} are needed"
        return ""

    def predictions(self, method: str, dataset: str, seed: int) -> dict[str, NDArray[Any]] | None:
        """Return what a run of the main experiment predicted, or None."""
        self._check_predictions(dataset)
        return self._inputs.predictions("main", method, dataset, seed)

    def data(self, dataset: str, seed: int) -> SimpleNamespace | None:
        """Return the data of these predictions, or None."""
        self._check_predictions(dataset)
        return self._inputs.data(dataset, seed)

    def _check_predictions(self, dataset: str) -> None:
        """Refuse to read predictions that the claim does not declare."""
        if dataset not in self.predicted:
            raise DataError(
                f"a claim reads predictions on {dataset}; declare the dataset in its PREDICTIONS"
            )

    def once(self, name: str, make: Callable[[], T]) -> T:
        """Return a value that several claims need, computed once."""
        if name not in self._kept:
            self._kept[name] = make()
        kept: T = self._kept[name]
        return kept

    def _find(self, experiment: str) -> pd.DataFrame | None:
        """Return the runs of an experiment, read once."""
        if experiment not in self.reads:
            raise DataError(f"a claim reads the experiment {experiment}; declare it in its `reads`")
        if experiment not in self._frames:
            self._frames[experiment] = self._inputs.find(experiment)
        return self._frames[experiment]


def not_run(experiment: str) -> str:
    """Say that an experiment was not run."""
    return f"the experiment {experiment} was not run"
