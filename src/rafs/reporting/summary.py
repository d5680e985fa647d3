"""A few numbers to compare versions of the experiments: reports/metrics.json."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from rafs.evaluation.metrics import PAPER_NLL
from rafs.reporting.inputs import Inputs
from rafs.reporting.method_summary import medians, skill
from rafs.reporting.numbers import rounded
from rafs.reporting.table import ranked

DIGITS = 4


def summarise(
    inputs: Inputs, experiment: str = "main", references: str = "references"
) -> dict[str, Any]:
    """Return a number per method, and the number of runs by status.

    Every number is a column of `dvc metrics show` and `dvc exp show`, so there are few, with short
    names. `nll` is the NLL minus that of the constant of `references`, the median over datasets; it
    depends on no other method. Without the constant there is `excess` instead, the NLL above that
    of the best method. The other numbers are in the table `headline`.
    """
    found = inputs.find(experiment)
    if found is None or found.empty:
        return {"runs": {"ok": 0}}
    frame = ranked(found)
    constant = inputs.find(references)
    relative = skill(frame if constant is None else pd.concat([frame, constant]), PAPER_NLL)
    known = {name: relative[name] for name in medians(frame, PAPER_NLL) if name in relative}
    numbers = {"nll": known} if known else {"excess": _excess(frame)}
    status = {str(name): int(count) for name, count in frame["status"].value_counts().items()}
    return {
        **{
            kind: {name: rounded(value, DIGITS) for name, value in values.items()}
            for kind, values in numbers.items()
        },
        "runs": {"ok": 0} | status,
    }


def _excess(frame: pd.DataFrame) -> Mapping[str, float]:
    """Return the median over datasets of the NLL above that of the best method."""
    nll = medians(frame, PAPER_NLL)
    return {str(k): float(v) for k, v in nll.sub(nll.min(axis=1), axis=0).median().items()}


def plot_scores(inputs: Inputs, experiment: str = "main") -> pd.DataFrame:
    """Return the median NLL and RMSE of every method on every dataset, for plots over versions.

    NLL is without the constant, as in the paper.
    """
    frame = inputs.find(experiment)
    if frame is None or frame.empty:
        return pd.DataFrame(columns=["dataset", "method", PAPER_NLL, "rmse"])
    nll, rmse = (medians(frame, metric) for metric in (PAPER_NLL, "rmse"))
    rows = []
    for method in nll:
        table = pd.DataFrame({"method": method, PAPER_NLL: nll[method], "rmse": rmse[method]})
        rows.append(table.reset_index())
    return pd.concat(rows, ignore_index=True)
