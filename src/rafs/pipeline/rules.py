"""What the rules of the workflow compute from wildcards (workflow/rules)."""

from collections.abc import Sequence
from typing import Protocol

from rafs.experiments import Run, SeedsOn
from rafs.pipeline.plan import Plan

NOT_REQUESTED = ["runs that were not requested"]  # a file that no rule makes


class Wildcards(Protocol):
    """The wildcards of a rule whose jobs are about runs; not all rules have all of them."""

    experiment: str
    method: str
    dataset: str
    seed: str


def run_of(wildcards: Wildcards) -> Run:
    """Return the run that a job is about."""
    return Run(wildcards.experiment, wildcards.method, wildcards.dataset, int(wildcards.seed))


def runs_of(plan: Plan, wildcards: Wildcards) -> tuple[Run, ...]:
    """Return the runs of a method on a dataset, one per seed, that a job is about."""
    return plan.experiments[wildcards.experiment].cell(wildcards.method, wildcards.dataset)


def priority_of(plan: Plan, wildcards: Wildcards) -> int:
    """Return 1 for the main experiment and 0 for others: it comes first, after all data (2)."""
    return 1 if wildcards.experiment == plan.experiments.headline else 0


def unless_requested(plan: Plan, wildcards: Wildcards, targets: frozenset[str] | None) -> list[str]:
    """Return an input that cannot be made, unless all seeds were requested or exist.

    It disables a rule, so that Snakemake uses one for single seeds (`score_alone`). Only runs of an
    experiment that is run by name can be requested in part; on a node of a cluster, where
    `targets` is None, all runs that a job needs exist.
    """
    if wildcards.experiment not in plan.experiments.extra or targets is None:
        return []
    requested = set(plan.files.gathered(wildcards.experiment, targets))
    return [] if requested.issuperset(runs_of(plan, wildcards)) else NOT_REQUESTED


def score_rule_name(on: SeedsOn, experiments: Sequence[str], usual: Sequence[int]) -> str:
    """Return the name of the rule that scores some seeds; `usual` are those of most experiments.

    >>> score_rule_name(SeedsOn((0, 1, 2), ()), ["main", "size"], [0, 1, 2])
    'score'
    >>> score_rule_name(SeedsOn((0, 1), ()), ["size"], [0, 1, 2])
    'score_2_seeds'
    >>> score_rule_name(SeedsOn((1, 4), ()), ["size"], [0, 1, 2])
    'score_seeds_1_4'
    >>> score_rule_name(SeedsOn((0, 1), ("uci_gap_yacht",)), ["uci_gap"], [0, 1, 2])
    'score_2_seeds_of_uci_gap'
    """
    seeds = list(on.seeds)
    of = f"_of_{'_'.join(experiments)}" if on.datasets else ""
    if seeds == list(usual) and not of:
        return "score"
    if seeds == list(range(len(seeds))):
        return f"score_{len(seeds)}_seeds{of}"
    return f"score_seeds_{'_'.join(map(str, seeds))}{of}"
