"""The answer in a few sentences: which method, and how sure the results make us of it."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from rafs import statistics
from rafs.reporting import labels
from rafs.reporting.page.elements import Html, frame_table, listed, number, p_value, tag

METRIC = "nll"
LEVEL = 0.05
VERDICTS = {
    "holds": ("✓", "yes"),
    "holds in part": ("◐", "part"),
    "does not hold": ("✗", "no"),
    "not testable": ("?", "open"),
}


def headline(rows: pd.DataFrame) -> list[Html]:
    """Return the sentences, and a table of the best method against each of its rivals."""
    if METRIC not in rows or rows["method"].nunique() < 2:
        return [tag("p", "There are no two methods to compare yet.", class_="answer")]
    found = statistics.ranking(rows, METRIC, labels.in_order(rows["method"]))
    if not found.datasets:
        words = "There is no dataset on which every method has a score, so nothing can be ranked."
        return [tag("p", words, class_="answer")]
    best = min(found.mean_ranks, key=lambda name: found.mean_ranks[name])
    against = statistics.against(
        rows, METRIC, best, [name for name in found.mean_ranks if name != best]
    )
    parts = [
        tag("p", _answer(found, best), class_="answer"),
        tag("p", _sure(found, best)),
        tag("p", _rivals(best, against)),
        _against(best, against),
    ]
    if found.left_out:
        names = listed([labels.dataset(name) for name in labels.in_order(found.left_out)])
        words = f"Left out of the ranks, because a method has no score there: {names}."
        parts.insert(3, tag("p", words))
    return parts


def _answer(found: statistics.Ranking, best: str) -> list[Any]:
    """Name the method with the best mean rank; whether that is more than chance, comes with it."""
    rank = f"mean rank {found.mean_ranks[best]:.2f} of {len(found.mean_ranks)} in NLL"
    where = f"over {found.datasets} datasets"
    if not found.p < LEVEL:
        return [
            "No method is shown to be better than the others: ",
            tag("strong", labels.method(best)),
            f" has the best {rank} {where}, but such differences may be chance "
            f"(Friedman {p_value(found.p)}).",
        ]
    return [
        tag("strong", labels.method(best)),
        f" comes out best: {rank} {where}, 1 being best (Friedman {p_value(found.p)}: the methods "
        "differ).",
    ]


def _sure(found: statistics.Ranking, best: str) -> str:
    """Say which methods the ranks do not tell from the best."""
    near = [
        name
        for name, rank in found.mean_ranks.items()
        if name != best and rank - found.mean_ranks[best] < found.critical_difference
    ]
    distance = f"Nemenyi test, 5 % level, critical difference {found.critical_difference:.2f}"
    if not near:
        return f"Its mean rank is told apart from that of every other method ({distance})."
    names = listed([labels.method(name) for name in labels.in_order(near)])
    return f"Its mean rank cannot be told apart from that of {names} ({distance})."


def _rivals(best: str, against: pd.DataFrame) -> str:
    """Give the range of the probabilities of improvement."""
    known = against.dropna(subset="improvement").sort_values("improvement", kind="stable")
    if known.empty:
        return ""
    hardest, easiest = known.iloc[0], known.iloc[-1]
    words = []
    for row in (hardest, easiest)[: len(known)]:
        interval = (
            ""
            if math.isnan(row["improvement_low"])
            else f" (95 % interval {row['improvement_low']:.2f} to {row['improvement_high']:.2f})"
        )
        words.append(f"{row['improvement']:.2f}{interval} against {labels.method(row['rival'])}")
    return (
        f"The probability that {labels.method(best)} has the lower NLL on the same dataset and "
        f"seed goes from {' to '.join(words)}."
        if len(words) > 1
        else f"The probability that {labels.method(best)} has the lower NLL is {words[0]}."
    )


def _against(best: str, against: pd.DataFrame) -> Html:
    """Return the comparison with each rival as a table."""
    frame = pd.DataFrame(
        {
            "Rival": [labels.method(name) for name in against["rival"]],
            "Probability of improvement": against["improvement"],
            "from": against["improvement_low"],
            "to": against["improvement_high"],
            "Wins": against["wins"],
            "Ties": against["ties"],
            "Losses": against["losses"],
            "p (Holm)": against["p_holm"],
        }
    )
    caption = (
        f"{labels.method(best)} against each rival in NLL, on the same seeds. Wins, ties and "
        "losses count datasets (signed-rank test per dataset, Holm's correction); p is over all "
        "datasets."
    )
    return frame_table(frame, caption)


def claims(found: Sequence[Mapping[str, Any]]) -> list[Html]:
    """Return the paper's claims with their verdicts and the numbers that decided them."""
    if not found:
        return [tag("p", "The claims have not been checked yet.")]
    count = {verdict: sum(c["verdict"] == verdict for c in found) for verdict in VERDICTS}
    tally = [
        tag("li", badge(verdict), f" {number}", class_="tally")
        for verdict, number in count.items()
        if number
    ]
    return [
        tag("ul", tally, class_="tallies"),
        tag("ol", [_claim(c) for c in found], class_="claims"),
    ]


def badge(verdict: str) -> Html:
    """Return a verdict as a coloured word with a sign of its own."""
    sign, kind = VERDICTS.get(verdict, ("?", "open"))
    return tag("span", tag("span", sign, aria_hidden="true"), f" {verdict}", class_=f"badge {kind}")


def _claim(claim: Mapping[str, Any]) -> Html:
    numbers = claim.get("numbers") or {}
    return tag(
        "li",
        tag("div", tag("p", claim["claim"]), badge(claim["verdict"]), class_="said"),
        tag("p", tag("span", "Because: ", class_="muted"), claim["reason"], class_="rule"),
        tag("p", tag("span", "Rule: ", class_="muted"), claim["rule"], class_="rule"),
        tag("details", tag("summary", "Numbers"), _facts(numbers)) if numbers else None,
        id=f"claim-{claim['number']}",
    )


def _facts(numbers: Mapping[str, Any]) -> Html:
    pairs = [(str(name).replace("_", " "), _value(value)) for name, value in numbers.items()]
    return tag("dl", [tag("div", tag("dt", k), tag("dd", v)) for k, v in pairs], class_="facts")


def _value(value: Any) -> str:
    """Return any value of a claim's numbers as words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return number(value)
    if isinstance(value, list | tuple):
        return ", ".join(_value(item) for item in value) or "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_value(item)}" for key, item in value.items()) or "none"
    return "–" if value is None else str(value)
