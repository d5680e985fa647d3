"""The answer in a few sentences: the best method, and how certain that is."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from rafs.evaluation import statistics
from rafs.reporting import labels, random_activations
from rafs.reporting.page.elements import Html, frame_table, tag
from rafs.reporting.sentences import FAMILY, decided, listed

METRIC = "nll"
VERDICTS = {
    "holds": ("✓", "yes"),
    "in part": ("◐", "part"),
    "not shown": ("–", "unshown"),
    "contradicted": ("✗", "no"),
    "not testable": ("?", "open"),
}
RULES = {"paper": "Paper's rule", "ours": "Our tests"}


def headline(rows: pd.DataFrame) -> list[Html]:
    """Return the sentences, and a table of the best method against each of its rivals."""
    rows = rows[~rows["method"].isin(labels.REFERENCES)]
    if METRIC not in rows or rows["method"].nunique() < 2:
        return [tag("p", "There are no two methods to compare yet.", class_="answer")]
    found = statistics.ranking(rows, METRIC, labels.in_order(rows["method"]))
    if not found.datasets:
        words = "There is no dataset on which every method has a score, so nothing can be ranked."
        return [tag("p", words, class_="answer")]
    methods = list(found.mean_ranks)
    pairs = statistics.pairwise(rows, methods=methods)
    best, p = statistics.against_best(found.mean_ranks, pairs, METRIC)
    near = [name for name in methods if name != best and not p[name] < statistics.ALPHA]
    ends = statistics.rank_intervals(rows, METRIC, methods)[best]
    against = statistics.against(rows, METRIC, best, [name for name in methods if name != best])
    against["p_holm"] = [p[name] for name in against["rival"]]
    parts = [
        tag("p", _answer(found, best, near, ends), class_="answer"),
        tag("p", _sure(near)),
        tag("p", _rivals(best, against)),
        _against(best, against),
    ]
    if found.left_out:
        names = listed([labels.dataset(name) for name in labels.in_order(found.left_out)])
        words = f"Left out of the ranks, because a method has no score there: {names}."
        parts.insert(3, tag("p", words))
    return parts


def activations(rows: pd.DataFrame) -> list[Html]:
    """Return the effect of random activations on each base method, if both were run."""
    if METRIC not in rows:
        return []
    said = random_activations.sentence(random_activations.effects(rows, METRIC))
    return [tag("p", said)] if said else []


def _answer(
    found: statistics.Ranking, best: str, near: Sequence[str], ends: tuple[float, float]
) -> list[Any]:
    """Name the method with the lowest mean rank; it is the best only where the tests say so."""
    interval = "" if math.isnan(ends[0]) else f" (95 % interval {ends[0]:.2f} to {ends[1]:.2f})"
    rank = f"mean rank {found.mean_ranks[best]:.2f} of {len(found.mean_ranks)} in NLL{interval}"
    where = f"over {found.datasets} datasets"
    name = tag("strong", labels.method(best))
    if not near:
        return [name, f" is the best: {rank} {where}, 1 being best."]
    if len(near) == len(found.mean_ranks) - 1:
        start = "No method is shown to be better than the others: "
        return [start, name, f" has the lowest {rank} {where}, but such differences may be chance."]
    others = listed([labels.method(other) for other in labels.in_order(near)])
    return [name, f" has the lowest {rank} {where}, and shares the top with {others}."]


def _sure(near: Sequence[str]) -> str:
    """Summarise the tests over the datasets."""
    test = (
        "Wilcoxon's signed-rank test over the datasets on the medians over seeds, 5 %, Holm's "
        f"correction over {FAMILY}"
    )
    if not near:
        return f"Every other method is significantly worse ({test})."
    names = listed([labels.method(name) for name in labels.in_order(near)])
    return f"Not significantly different from it: {names} ({test})."


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
            "Lower on": against["better"],
            "Higher on": against["worse"],
            "Median difference": against["difference"],
            "Probability of improvement": against["improvement"],
            "from": against["improvement_low"],
            "to": against["improvement_high"],
            "p (Holm)": against["p_holm"],
        }
    )
    caption = (
        f"{labels.method(best)} against each rival in NLL: on how many datasets its median over "
        "seeds is lower and higher, the median over datasets of the difference, the probability "
        "that it scores lower on the same seed (its interval resamples datasets and seeds), and "
        "the test over datasets, corrected as in the table `pairwise`."
    )
    return frame_table(frame, caption)


def claims(found: Sequence[Mapping[str, Any]]) -> list[Html]:
    """Return the paper's claims with the verdicts of both rules and their reasons."""
    if not found:
        return [tag("p", "The claims have not been checked yet.")]
    return [
        *(_tally(name, [claim[rule]["kind"] for claim in found]) for rule, name in RULES.items()),
        tag("ol", [_claim(c) for c in found], class_="claims"),
    ]


def _tally(name: str, kinds: Sequence[str]) -> Html:
    """Return how often each verdict occurs by one of the rules."""
    counts = {kind: kinds.count(kind) for kind in VERDICTS if kind in kinds}
    shown = [
        tag("li", badge(kind, kind), f" {count}", class_="tally") for kind, count in counts.items()
    ]
    return tag("ul", tag("li", f"{name}:"), shown, class_="tallies")


def badge(verdict: str, kind: str) -> Html:
    """Return a verdict as a coloured word with its own symbol."""
    sign, style = VERDICTS.get(kind, ("?", "open"))
    shown = tag("span", sign, aria_hidden="true")
    return tag("span", shown, f" {verdict}", class_=f"badge {style}")


def _claim(claim: Mapping[str, Any]) -> Html:
    printed = claim.get("printed")
    said = f"On the printed ranks: {printed['verdict']}. {printed['reason']}" if printed else ""
    return tag(
        "li",
        tag("p", claim["claim"], class_="said"),
        [_verdict(name, claim[rule]) for rule, name in RULES.items()],
        tag("p", said, class_="rule muted") if said else None,
        id=f"claim-{claim['number']}",
    )


def _verdict(name: str, found: Mapping[str, Any]) -> Html:
    """Return the verdict of one rule, its parts with their effect sizes, and the rule."""
    parts = [tag("li", decided(part, "name")) for part in found["parts"]]
    return tag(
        "details",
        tag("summary", f"{name}: ", badge(found["verdict"], found["kind"])),
        tag("ul", parts, class_="rule"),
        tag("p", tag("span", "Rule: ", class_="muted"), found["rule"], class_="rule"),
    )
