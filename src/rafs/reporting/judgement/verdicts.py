"""Outcomes of the parts of a claim, and the resulting verdict.

A claim has one or more parts. Each part is shown, not shown, contradicted (the opposite is shown)
or not testable. "Not shown" is never taken as "false".
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rafs.reporting.numbers import rounded

if TYPE_CHECKING:
    from rafs.reporting.judgement.paper_rule import Ranks
    from rafs.reporting.judgement.results import Results

SHOWN, NOT_SHOWN, CONTRADICTED, UNTESTABLE = "shown", "not shown", "contradicted", "not testable"
HOLDS, IN_PART = "holds", "in part"
DIGITS = 6  # of numbers in claims.json
KINDS = (HOLDS, IN_PART, NOT_SHOWN, CONTRADICTED, UNTESTABLE)
"""Verdicts on a whole claim; "in part" is printed as "2 of 3 parts"."""


@dataclass(frozen=True)
class Part:
    """One checkable part of a claim: its outcome, with the effect size."""

    name: str
    outcome: str
    detail: str = ""
    numbers: Mapping[str, Any] = field(default_factory=dict)

    def said(self) -> str:
        """Return the part in words."""
        detail = f" ({self.detail})" if self.detail else ""
        return f"{self.name}: {self.outcome}{detail}"


Parts = Sequence[Part]


@dataclass(frozen=True)
class Rule:
    """A rule in words, and the function that applies it to our runs."""

    text: str
    decide: "Callable[[Results], Parts]"
    unit: str = "parts"


@dataclass(frozen=True)
class RankRule:
    """A rule that needs only ranks and can therefore be applied to the printed ranks as well."""

    text: str
    decide: "Callable[[Ranks], Parts]"
    unit: str = "parts"


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, the two rules by which it is judged, and their inputs.

    `reads` names experiments. `predictions` names the datasets whose predictions of the main
    experiment are read: the literal `PREDICTIONS` of the claim's module, which a module does not
    repeat here.
    """

    number: int
    section: str
    statement: str
    paper: Rule | RankRule
    ours: Rule
    reads: tuple[str, ...] = ("main",)
    predictions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """The verdict of one rule on a claim."""

    rule: str
    kind: str
    text: str
    reason: str
    parts: Parts


@dataclass(frozen=True)
class Judged:
    """A claim with the verdict of the paper's rule, of our tests, and on the printed ranks."""

    claim: Claim
    paper: Verdict
    ours: Verdict
    printed: Verdict | None

    @property
    def kind(self) -> str:
        """The kind of verdict that our tests give."""
        return self.ours.kind


def conclude(rule: Rule | RankRule, parts: Parts) -> Verdict:
    """Return the verdict on a claim from the outcomes of its parts."""
    count = {
        outcome: sum(part.outcome == outcome for part in parts)
        for outcome in (SHOWN, NOT_SHOWN, CONTRADICTED, UNTESTABLE)
    }
    kind, text = _verdict(count, len(parts), rule.unit)
    return Verdict(rule.text, kind, text, _reason(parts, rule.unit), parts)


def _verdict(count: Mapping[str, int], total: int, unit: str) -> tuple[str, str]:
    """Return kind and text, given how many parts have which outcome."""
    shown, against = count[SHOWN], count[CONTRADICTED]
    if count[UNTESTABLE] == total:
        return UNTESTABLE, UNTESTABLE
    if shown == total:
        return HOLDS, HOLDS
    if shown:
        further = [f"{against} contradicted"] if against else []
        further += [f"{count[UNTESTABLE]} not testable"] if count[UNTESTABLE] else []
        return IN_PART, ", ".join([f"{shown} of {total} {unit}", *further])
    if against == total:
        return CONTRADICTED, CONTRADICTED
    if against:
        return CONTRADICTED, f"{against} of {total} {unit} contradicted"
    return NOT_SHOWN, NOT_SHOWN


def _reason(parts: Parts, unit: str) -> str:
    """Return the parts in words; datasets, and parts that say the same, are grouped."""
    if unit == "parts" and len({(part.outcome, part.detail) for part in parts}) > 1:
        return "; ".join(part.said() for part in parts) + "."
    groups: dict[tuple[str, str], list[str]] = {}
    for part in parts:
        same = part.detail if part.outcome == UNTESTABLE or unit == "parts" else ""
        detail = f" ({part.detail})" if part.outcome == CONTRADICTED and not same else ""
        groups.setdefault((part.outcome, same), []).append(part.name + detail)
    said = [_group(names, *key, len(parts)) for key, names in groups.items()]
    return "; ".join(said) + "."


def _group(names: Sequence[str], outcome: str, detail: str, total: int) -> str:
    """Name the parts of one outcome, or count them if many are shown."""
    if outcome == SHOWN and len(names) > 5:
        return f"shown on {len(names)} of {total}"
    return Part(", ".join(names), outcome, detail).said()


def plain(value: Any) -> Any:
    """Return numbers for JSON, rounded; None for what is not finite."""
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return value if isinstance(value, int) else rounded(float(value), DIGITS)


def as_dict(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict for JSON."""
    parts = [
        {
            "name": part.name,
            "outcome": part.outcome,
            "detail": part.detail,
            "numbers": plain(part.numbers),
        }
        for part in verdict.parts
    ]
    return {
        "rule": verdict.rule,
        "verdict": verdict.text,
        "kind": verdict.kind,
        "reason": verdict.reason,
        "parts": parts,
    }
