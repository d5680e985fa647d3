"""Claim 9: the number of activation functions."""

import itertools

from rafs.reporting.judgement.differences import lower, untestable
from rafs.reporting.judgement.paper_rule import apart, cell
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.sweeps import Sweep, sweep
from rafs.reporting.judgement.verdicts import NOT_SHOWN, SHOWN, Claim, Part, Parts, Rule

DATASET = "superconductivity"
ORDERS = {"cardinality": "fixed order", "cardinality_shuffled": "shuffled order"}


def by_paper(results: Results) -> Parts:
    """Compare the medians along k, and the intervals at its ends."""
    parts: list[Part] = []
    for experiment, order in ORDERS.items():
        found = sweep(results, experiment, DATASET, distinct=True)
        parts += [_decreasing(found, order), _ends_by_intervals(found, order)]
    return parts


def by_tests(results: Results) -> Parts:
    """Test the trend, and the difference between the ends, seed by seed."""
    parts: list[Part] = []
    for experiment, order in ORDERS.items():
        found = sweep(results, experiment, DATASET, distinct=True)
        ends = found.against(found.values[-1], [found.values[0]]) if not found.why else []
        parts += [
            lower(_falls(order), found.trend(), _why(found)),
            lower(_lower(found, order), ends[0] if ends else None, found.why),
        ]
    return parts


def _decreasing(found: Sweep, order: str) -> Part:
    """Judge by eye: the median falls on most steps, and is lower at the end."""
    if why := _why(found):
        return untestable(_falls(order), why)
    cells = [cell(found.frame, name, DATASET) for name in found.names.values()]
    middle = [known.median for known in cells if known is not None]
    falls = sum(b < a for a, b in itertools.pairwise(middle))
    steps = len(middle) - 1
    outcome = SHOWN if falls > steps / 2 and middle[-1] < middle[0] else NOT_SHOWN
    numbers = {"medians": dict(zip(map("{:g}".format, found.values), middle, strict=False))}
    return Part(_falls(order), outcome, f"the median falls on {falls} of {steps} steps", numbers)


def _ends_by_intervals(found: Sweep, order: str) -> Part:
    name = _lower(found, order)
    if found.why:
        return untestable(name, found.why)
    last, first = (cell(found.frame, found.names[found.values[k]], DATASET) for k in (-1, 0))
    return apart(name, last, first)


def _why(found: Sweep) -> str:
    return found.why or ("fewer than three distinct k" if len(found.values) < 3 else "")


def _falls(order: str) -> str:
    return f"NLL falls along k, {order}"


def _lower(found: Sweep, order: str) -> str:
    ends = f"k = {found.values[-1]:g} than at {found.values[0]:g}" if found.values else "large k"
    return f"lower at {ends}, {order}"


CLAIM = Claim(
    number=9,
    section="Ablation",
    statement="NLL falls as the number k of activation functions grows (superconductivity, five "
    "networks).",
    paper=Rule(
        "The median falls on most steps of k; the interval at the largest k lies below that at the "
        "smallest. On distinct k: in the order of the paper five networks use five functions, and "
        "k = 6 and 7 are the runs of k = 5; in the shuffled order there are seven networks.",
        by_paper,
    ),
    ours=Rule(
        "Kendall's correlation of k and NLL, seed by seed, lies below zero; NLL is lower at the "
        "largest distinct k than at the smallest, by more than the margin. Both in the fixed and "
        "in the shuffled order.",
        by_tests,
    ),
    reads=tuple(ORDERS),
)
