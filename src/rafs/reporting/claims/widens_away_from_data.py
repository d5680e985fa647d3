"""Claim 12: the width of the bands on He et al."""

import pandas as pd

from rafs.evaluation.metrics import INSIDE, OUTSIDE
from rafs.reporting import labels
from rafs.reporting.judgement.differences import (
    WIDTH_AWAY,
    WIDTH_NEAR,
    Scale,
    duels,
    lower,
    lower_than_all,
)
from rafs.reporting.judgement.paper_rule import WIDE, apart, cell
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.verdicts import Claim, Parts, Rule

NEAR, AWAY = (f"{part}sharpness" for part in (INSIDE, OUTSIDE))
MOST = "RAFs is the widest of the three"
NARROWNESS = Scale("log_narrowness", WIDTH_AWAY.margin)


def by_paper(results: Results) -> Parts:
    """Compare the intervals of the predicted sd near and away from data."""
    frame, why = results.main, results.lacking("main", WIDE, "he")
    parts = [
        apart(_widens(m), cell(frame, m, "he", NEAR), cell(frame, m, "he", AWAY), why) for m in WIDE
    ]
    others = [cell(frame, method, "he", AWAY) for method in ("ntkgp", "rp")]
    known = [found for found in others if found is not None]
    widest = max(known, key=lambda found: found.high) if len(known) == 2 else None
    return [*parts, apart(MOST, widest, cell(frame, "rafs", "he", AWAY), why)]


def by_tests(results: Results) -> Parts:
    """Compare widths seed by seed."""
    he, why = results.main[results.main["dataset"] == "he"], results.lacking("main", WIDE, "he")
    parts = []
    for method in WIDE:
        found = duels(_near_and_away(he, method), WIDTH_NEAR, "near", ["away"])
        parts.append(lower(_widens(method), found[0] if found else None, why))
    return [*parts, lower_than_all(MOST, duels(_narrowness(he), NARROWNESS, "rafs", WIDE), why)]


def _near_and_away(frame: pd.DataFrame, method: str) -> pd.DataFrame:
    """Return the widths near and away from data in the form of two methods."""
    own = frame[frame["method"] == method]
    if AWAY not in own:
        return own
    both = [own.assign(method="near"), own.assign(method="away", **{NEAR: own[AWAY]})]
    return pd.concat(both, ignore_index=True)


def _narrowness(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the inverse width, so that lower means wider."""
    return frame.assign(narrowness=1 / frame[AWAY]) if AWAY in frame else frame


def _widens(method: str) -> str:
    return f"{labels.method(method)} widens"


CLAIM = Claim(
    number=12,
    section="Qualitative Comparison",
    statement="On He et al., NTKGP-param, RP-param and RAFs widen away from data, RAFs the most.",
    paper=Rule(
        "The interval of the predicted sd (root of the mean variance) outside the training "
        "clusters lies above that inside, for each of the three; outside, that of RAFs lies above "
        "those of the other two.",
        by_paper,
    ),
    ours=Rule(
        "The predicted sd is larger outside the training clusters than inside, for each of the "
        "three; outside, that of RAFs is larger than those of the other two. Paired tests, and a "
        "margin of 5 %.",
        by_tests,
    ),
)
