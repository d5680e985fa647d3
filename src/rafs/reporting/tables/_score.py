"""Shared code of the tables of one score: a row per dataset, a column per method."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from rafs.evaluation import statistics
from rafs.evaluation.metrics import BY_NAME
from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.reporting.numbers import NONE, interval, number
from rafs.reporting.table import (
    INTERVAL,
    PAIRED,
    PARTIAL,
    ROUNDING,
    TOO_FEW,
    Cell,
    ReportTable,
    Row,
    by_place,
    chosen,
    gaps,
    lost,
    partly_run,
    ranked,
    rows_by_dataset,
    scored,
)

BEST = {False: "Lower is better.", True: "The nearest to the nominal level is best."}


def score_table(
    inputs: Inputs, options: Mapping[str, Any], metric: str, caption: str, fine: bool = False
) -> ReportTable:
    """Return medians over seeds with their intervals.

    Options: `experiments`, `methods`, `datasets`. `caption` names the score, and is continued here;
    `fine` does not limit the decimals.

    The references are in the last columns and excluded from tests. A mark shows where a method is
    not better than the constant.
    """
    frame = chosen(inputs, options)
    compared = ranked(frame)
    methods = list(dict.fromkeys(compared["method"]))
    references = [name for name in labels.REFERENCES if name in set(frame["method"])]
    winners = statistics.winners(compared, metric)
    lowest = dict(zip(winners["dataset"], winners["method"], strict=True))
    alone = set(winners.loc[winners["alone"], "dataset"])
    share = BY_NAME[metric].nominal is not None
    skill = statistics.skill(frame, metric) if not share else pd.DataFrame()
    found = statistics.cells(frame, metric)
    cells = by_place(found)
    worse = _no_skill(skill, metric)
    decimals = None if fine else 2

    def row(name: str) -> list[Cell]:
        """Return the cells of a dataset."""
        shown = []
        for method in (*methods, *references):
            best = lowest.get(name) == method
            mark = "*" * (best and name in alone) + "‡" * ((name, method) in worse)
            shown.append(_cell(cells.get((name, method)), best, decimals, mark))
        return shown

    rows = rows_by_dataset(compared, row)
    rows += _skill_rows(skill, metric, methods, references, worse, decimals)
    said = f"{caption}: {INTERVAL}.", BY_NAME[metric].rewards, BEST[share], ROUNDING[decimals]
    keys = list(zip(found["dataset"], found["method"], strict=True))
    return ReportTable(
        caption=" ".join(filter(None, said)),
        frame=found.assign(
            category=found["dataset"].map(
                dict(zip(frame["dataset"], frame["category"], strict=True))
            ),
            metric=metric,
            lowest=[lowest.get(d) == m for d, m in keys],
            significant=[lowest.get(d) == m and d in alone for d, m in keys],
            not_better_than_constant=[key in worse for key in keys],
        ),
        head=["Dataset", *map(labels.method, methods), *map(_reference, references)],
        rows=rows,
        notes=[
            _claim(winners, share),
            *([] if winners["tellable"].any() or winners.empty else [TOO_FEW]),
            *(_marks(references, _beaten(cells, lowest, references)) if not share else []),
            *partly_run(frame),
            *gaps(frame, PARTIAL),
        ],
    )


def _cell(cell: Mapping[str, Any] | None, bold: bool, decimals: int | None, mark: str) -> Cell:
    if cell is None:
        return Cell(NONE)
    if not cell["scored"]:
        return Cell(lost(cell))
    shown = interval(cell["median"], cell["low"], cell["high"], decimals)
    return Cell(shown + mark + scored(cell), bold)


def _reference(name: str) -> str:
    return f"{labels.method(name)} (reference)"


def _claim(winners: pd.DataFrame, share: bool) -> str:
    """Explain bold and the star, and count the rows with a star."""
    what = "median nearest to the nominal level" if share else "lowest median"
    words = (
        f"Bold: the {what}, before rounding. *: significantly better than every other method there "
        "(exact signed-rank test over the same seeds; on real data Nadeau and Bengio's corrected "
        "t-test over the splits; 5 %, Holm's correction over all rows), which is so in "
        f"{int(winners['alone'].sum())} of {len(winners)} rows."
    )
    return f"{words} {PAIRED}" if winners["alone"].any() else words


def _beaten(
    cells: Mapping[tuple[str, str], Mapping[str, Any]],
    lowest: Mapping[str, str],
    references: Sequence[str],
) -> list[str]:
    """Return the datasets on which the median of a reference is below the one in bold."""
    return [
        dataset
        for dataset, method in lowest.items()
        if any(
            (dataset, name) in cells
            and cells[dataset, name]["median"] < cells[dataset, method]["median"]
            for name in references
        )
    ]


def _marks(references: Sequence[str], beaten: Sequence[str]) -> list[str]:
    """Explain the references and their mark, and name where they score lower than the bold one."""
    if not references:
        return []
    names = " and ".join(labels.method(name) for name in references)
    notes = [f"{names}: for reference; no part in bold, stars and ranks."]
    if beaten:
        where = ", ".join(labels.dataset(name) for name in beaten)
        notes[0] += f" One of them has a lower median than the one in bold on: {where}."
    if statistics.BASELINE in references:
        constant = labels.method(statistics.BASELINE)
        notes[0] += f" ‡: not better than {constant} (training mean and standard deviation)."
    return notes


def _no_skill(skill: pd.DataFrame, metric: str) -> set[tuple[str, str]]:
    """Return the datasets and methods whose median is not below that of the constant."""
    limit = 1.0 if statistics.is_ratio(metric) else 0.0
    return {
        (str(dataset), str(method))
        for method in skill
        for dataset, value in skill[method].items()
        if value >= limit
    }


def _skill_rows(
    skill: pd.DataFrame,
    metric: str,
    methods: Sequence[str],
    references: Sequence[str],
    worse: set[tuple[str, str]],
    decimals: int | None,
) -> list[Row | None]:
    """Return the skill over all datasets, and on how many there is none."""
    if skill.empty:
        return []
    ratio = statistics.is_ratio(metric)
    over = statistics.average_skill(skill, metric)
    columns = [*methods, *references]
    what = "Ratio to the constant, geometric mean" if ratio else "Minus the constant, median"
    shown = [number(over.get(name, math.nan), decimals) for name in columns]
    count = [
        str(sum(method == name for _, method in worse)) if name in skill else NONE
        for name in columns
    ]
    return [None, [what, *shown], ["Not better than the constant on", *count]]


def matrix(found: pd.DataFrame, value: str) -> pd.DataFrame:
    """Return one value of the cells with a row per dataset and a column per method, in order."""
    table = found.set_index(["dataset", "method"])[value]
    wide = table.unstack("method")  # noqa: PD010 (an aggregating pivot would drop NaN)
    return wide.reindex(
        index=list(dict.fromkeys(found["dataset"])), columns=list(dict.fromkeys(found["method"]))
    )
