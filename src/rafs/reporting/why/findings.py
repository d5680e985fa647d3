"""Statements on why random activations work, and their tests on the controls.

They are ours, not the paper's, and are judged as its claims are (`rafs.reporting.judgement`): by
the difference in NLL over datasets, its interval, and a margin of practical equivalence.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from rafs.reporting.inputs import Inputs
from rafs.reporting.judgement.differences import (
    NATS,
    Difference,
    Scale,
    lower,
    lower_than_all,
    not_higher,
    over_datasets,
)
from rafs.reporting.judgement.results import not_run
from rafs.reporting.judgement.verdicts import Part, Parts, Rule, Verdict, conclude
from rafs.reporting.why.controls import (
    ALL,
    ANCHORED,
    HINDSIGHT,
    IN_NLL,
    OUT_NLL,
    RAFS,
    TUNED,
    beside,
    find,
    label,
    singles,
)
from rafs.reporting.why.controls import others as without

OUTSIDE = Scale(OUT_NLL, NATS.margin, NATS.unit)
LOSS_OUTSIDE = Scale("loss_outside", NATS.margin, NATS.unit)
"""NLL outside minus NLL inside the training range."""


@dataclass(frozen=True)
class Finding:
    """A statement, how it is tested in words, the experiments it needs, and the test."""

    name: str
    statement: str
    rule: str
    reads: tuple[str, ...]
    decide: Callable[[Inputs], Parts]


def not_the_choice(inputs: Inputs) -> Parts:
    """Compare RAFs with AE with each activation, with the best one, and with a tuned one."""
    frame = singles(inputs)
    each = without(frame["method"], RAFS, HINDSIGHT)
    tuned = beside(inputs, "other_diversity", [RAFS])
    lacking = _lacking(inputs, "main", "single_activation")
    return [
        lower_than_all(
            "against AE with each single activation", _against(frame, each), lacking
        ),
        _lower("against the best of these, with hindsight", frame, HINDSIGHT, lacking),
        _lower(
            "against AE with a tuned activation", tuned, TUNED,
            _lacking(inputs, "main", "other_diversity"),
        ),
    ]  # fmt: skip


def any_diversity(inputs: Inputs) -> Parts:
    """Test whether AE with another kind of diversity is as good as RAFs."""
    frame = beside(inputs, "other_diversity", [RAFS])
    lacking = _lacking(inputs, "main", "other_diversity")
    return [
        not_higher(label(name), over_datasets(frame, NATS, name, [RAFS]), lacking)
        for name in ("ae_bootstrap", "ae_scales", "ae_widths")
    ]


def any_activations(inputs: Inputs) -> Parts:
    """Test whether RAFs with another set of activations is as good as with five of the seven."""
    frame = find(inputs, "activation_sets")
    lacking = _lacking(inputs, "activation_sets")
    return [
        not_higher(label(name), over_datasets(frame, NATS, name, [ALL]), lacking)
        for name in (f"{RAFS}@variant={kind}" for kind in ("saturating", "unbounded"))
    ]


def more_members(inputs: Inputs) -> Parts:
    """Test whether AE with more members is as good as RAFs with five."""
    frame = beside(inputs, "larger_ensembles", [RAFS])
    lacking = _lacking(inputs, "main", "larger_ensembles")
    larger = [name for name in without(frame["method"]) if name.startswith(f"{ANCHORED}@")]
    if lacking or not larger:
        return [not_higher("AE with more members", [], lacking)]
    return [
        not_higher(label(name), over_datasets(frame, NATS, name, [RAFS]), lacking)
        for name in larger
    ]


def outside(inputs: Inputs) -> Parts:
    """Compare RAFs with AE outside the training range, and the loss from inside to outside."""
    frame = find(inputs, "main")
    if {IN_NLL, OUT_NLL} <= set(frame.columns):
        frame = frame.assign(loss_outside=frame[OUT_NLL] - frame[IN_NLL])
    lacking = _lacking(inputs, "main")
    return [
        _lower("lower NLL than AE outside", frame, ANCHORED, lacking, OUTSIDE),
        _lower("loses less NLL than AE from inside to outside", frame, ANCHORED, lacking,
               LOSS_OUTSIDE),
    ]  # fmt: skip


def _against(frame: pd.DataFrame, rivals: Sequence[str], scale: Scale = NATS) -> list[Difference]:
    return over_datasets(frame, scale, RAFS, rivals)


def _lower(name: str, frame: pd.DataFrame, rival: str, lacking: str, scale: Scale = NATS) -> Part:
    found = [] if lacking else _against(frame, [rival], scale)
    return lower(name, found[0] if found else None, lacking)


def _lacking(inputs: Inputs, *experiments: str) -> str:
    """Return which experiment was not run, or nothing."""
    lost = [name for name in experiments if inputs.find(name) is None]
    return not_run(lost[0]) if lost else ""


FINDINGS = (
    Finding(
        "diversity",
        "The gain over AE is due to diversity, not to the choice of activation.",
        "RAFs has a lower NLL than AE with each single activation, with the best of them on each "
        "dataset, and with a tuned one: signed-rank test over datasets (Holm's correction over the "
        "activations), by more than the margin.",
        ("main", "single_activation", "other_diversity"),
        not_the_choice,
    ),
    Finding(
        "any",
        "Any diversity would do.",
        "AE with a bootstrap, with two prior scales, and with different widths is not worse than "
        "RAFs: the 95 % interval of the difference in NLL over datasets ends below the margin. "
        "Contradicted where it is significantly worse, by more than the margin.",
        ("main", "other_diversity"),
        any_diversity,
    ),
    Finding(
        "activations",
        "Any set of activations would do.",
        "RAFs with saturating activations only (softsign, tanh, erf), and with unbounded ones only "
        "(GELU, Swish, SELU, linear), is not worse than RAFs with five of all seven, by the same "
        "rule.",
        ("activation_sets",),
        any_activations,
    ),
    Finding(
        "members",
        "More members would do.",
        "AE with ten and with twenty members is not worse than RAFs with five, by the same rule.",
        ("main", "larger_ensembles"),
        more_members,
    ),
    Finding(
        "outside",
        "The gain lies outside the training range.",
        "Outside, RAFs has a lower NLL than AE; and from inside to outside it loses less NLL than "
        "AE: signed-rank tests over the synthetic datasets, by more than the margin.",
        ("main",),
        outside,
    ),
)


def judge(inputs: Inputs) -> list[tuple[Finding, Verdict]]:
    """Judge all findings on the available results."""
    return [
        (each, conclude(Rule(each.rule, lambda _: ()), each.decide(inputs))) for each in FINDINGS
    ]
