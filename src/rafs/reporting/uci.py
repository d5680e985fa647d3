"""The methods on the UCI tables: the cells of a row, and sentences for README, page and docs."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import pandas as pd

from rafs.evaluation.statistics import ALPHA
from rafs.reporting import labels, published
from rafs.reporting.numbers import number, p_value
from rafs.reporting.table import Row, records
from rafs.reporting.widening import direction

COMPARED = ("nll", "rmse")
TUNED = "tuned MC dropout"
AGAINST = {metric: f"Against {TUNED}, {labels.metric(metric)}" for metric in COMPARED}
OUTCOMES = {"win": "wins", "tie": "ties", "loss": "losses"}
SHORT = "uci"
PLACES = {"uci_gap": "in gap splits of UCI tables", "uci_tail": "in tail splits"}
READ = (SHORT, *PLACES)
"""The tables whose numbers `sentences` is of."""


def sentences(tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """Return what those of `READ` that were made say; `tables` are their frames by name."""
    said = [_answer(tables[SHORT])] if SHORT in tables else []
    return [*said, *_widening({name: tables[name] for name in PLACES if name in tables})]


def _answer(found: pd.DataFrame) -> str:
    """Say who has the lowest mean rank in NLL, and how it compares with printed results."""
    ensembles = records(found[~found["reference"] & found["mean_rank_nll"].notna()])
    count = int(found["ranked_tables"].max())
    where = f"On {'nine' if count == 9 else count} UCI tables"
    if not ensembles:
        return f"{where} no ensembles can be ranked."
    best, *others = ensembles
    worse = [labels.method(r["method"]) for r in others if r["p_against_best_nll"] < ALPHA]
    lower = ", ".join(
        f"{name.removesuffix(', printed')} on {best[below(source, 'nll')]}"
        for source, name in published.UCI_SOURCES.items()
    )
    return (
        f"{where} the lowest mean rank in NLL is that of {labels.method(best['method'])}, "
        f"{number(best['mean_rank_nll'])} of {len(ensembles)}; significantly worse: "
        f"{', '.join(worse) or 'none'} (Nemenyi's test, 5 %). Its NLL is lower than that printed "
        f"for {lower}; split by split against {TUNED} it is significantly better on "
        f"{best['wins_nll']} and worse on {best['losses_nll']}."
    )


def _widening(tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """Say how many ensembles widen away from the training rows, and how many too little."""
    said = []
    for name, found in tables.items():
        ensembles = records(found[~found["reference"]])
        wider = sum(direction(row, "widening") > 0 for row in ensembles)
        less = sum(direction(row, "kept_up") < 0 for row in ensembles)
        said.append(
            f"{PLACES[name]} {wider} of {len(ensembles)} ensembles widen significantly, and "
            f"{less} significantly less than their error grows"
        )
    text = "; ".join(said)
    return [f"{text[:1].upper()}{text[1:]} (signed-rank test over tables, 5 %)."] if said else []


def label(method: str) -> str:
    """Return the label of a method or of a printed source."""
    return published.UCI_SOURCES.get(method) or labels.method(method)


def below(source: str, metric: str) -> str:
    """Return the column that counts the tables with a lower score than a printed source."""
    return f"below_{source.lower().replace('-', '_')}_{metric}"


def _lower(row: Mapping[str, Any], source: str) -> str:
    return ", ".join(str(int(row[below(source, metric)])) for metric in COMPARED)


def _against(row: Mapping[str, Any], metric: str) -> str:
    return ", ".join(str(int(row[f"{name}_{metric}"])) for name in OUTCOMES.values())


CELLS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "Mean rank, NLL": lambda row: number(row["mean_rank_nll"]),
    "p": lambda row: p_value(row["p_against_best_nll"]),
    "Mean rank, RMSE": lambda row: number(row["mean_rank_rmse"]),
    "Mean rank, CRPS": lambda row: number(row["mean_rank_crps"]),
    "Tables": lambda row: str(int(row["tables"])),
    **{
        f"Lower than {label(source)}": partial(_lower, source=source)
        for source in published.UCI_SOURCES
    },
    **{heading: partial(_against, metric=metric) for metric, heading in AGAINST.items()},
    "95 % coverage": lambda row: number(row["coverage_95"]),
}
"""Headings, and how their cells are shown."""


def rows(found: pd.DataFrame, heads: Iterable[str] = tuple(CELLS)) -> list[Row | None]:
    """Return the cells below some headings, with a line above the references."""
    shown: list[Row | None] = []
    for row in records(found):
        if row["reference"] and shown and None not in shown:
            shown.append(None)
        shown.append([labels.method(row["method"]), *(CELLS[name](row) for name in heads)])
    return shown
