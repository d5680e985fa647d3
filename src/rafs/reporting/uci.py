"""Summary sentences on the UCI tables for the README, the page and the documentation."""

from collections.abc import Mapping

import pandas as pd

from rafs.evaluation.statistics import ALPHA
from rafs.reporting import labels, published
from rafs.reporting.table import number, records
from rafs.reporting.tables import uci
from rafs.reporting.tables._shift import direction

TABLES = ("uci", "uci_nll", "uci_rmse", "uci_gap", "uci_tail")
PLACES = {"uci_gap": "in gap splits of UCI tables", "uci_tail": "in tail splits"}


def sentences(tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """Return sentences on those of `TABLES` that were made; `tables` are their frames by name."""
    said = [_answer(tables["uci"])] if "uci" in tables else []
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
        f"{name.removesuffix(', printed')} on {best[uci.below(source, 'nll')]}"
        for source, name in published.UCI_SOURCES.items()
    )
    return (
        f"{where} the lowest mean rank in NLL is that of {labels.method(best['method'])}, "
        f"{number(best['mean_rank_nll'])} of {len(ensembles)}; significantly worse: "
        f"{', '.join(worse) or 'none'} (Nemenyi's test, 5 %). Its NLL is lower than that printed "
        f"for {lower}; split by split against {uci.TUNED} it is significantly better on "
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
