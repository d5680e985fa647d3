"""Resources of cluster jobs: sufficient, proportional to the work, and every job in one pack."""

import csv
from dataclasses import dataclass, field, replace
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from rafs import methods
from rafs.engine import Training
from rafs.experiments import Run
from rafs.pipeline.effort import effort_of
from rafs.pipeline.loading import load
from rafs.pipeline.plan import Plan
from small_project import PROJECT
from snakemake_executor_plugin_slurm_packed import packs, seconds

PLAN = Plan(load(PROJECT / "params.yaml"), PROJECT)
HOW = Training(steps=1000)


@given(
    rows=st.integers(1, 100_000), features=st.integers(1, 100), width=st.integers(1, 500),
    networks=st.integers(1, 100),
)  # fmt: skip
def test_more_work_asks_for_more(rows: int, features: int, width: int, networks: int) -> None:
    least = effort_of(rows, features, {"hidden": [width]}, HOW, networks)
    for more in (
        effort_of(2 * rows, features, {"hidden": [width]}, HOW, networks),
        effort_of(rows, features, {"hidden": [width, width]}, HOW, networks),
        effort_of(rows, features, {"hidden": [width]}, HOW, 2 * networks),
        effort_of(rows, features, {"hidden": [width]}, replace(HOW, steps=2000), networks),
    ):
        assert more.seconds > least.seconds
        assert more.minutes(1) >= least.minutes(1)
        assert more.megabytes >= least.megabytes
    assert least.memory(2) > least.memory(1)
    assert least.minutes(2) > least.minutes(1)


def test_the_reproduction_is_within_what_it_asks_for() -> None:
    """What runs took, by the committed table, is far below their limits."""
    with (PROJECT / "reports/tables/cost.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 150
    for row in rows:
        run = Run("main", row["method"], row["dataset"], 0)
        if row["method"] in methods.references():
            run = replace(run, experiment="references")
        effort = PLAN.effort(run)
        assert effort.minutes(1) * 60 > 10 * float(row["max"]), row


def test_every_run_has_an_effort() -> None:
    """Of experiments by name too, and of methods without settings."""
    for experiment in PLAN.experiments:
        first = {run.method: run for run in reversed(PLAN.experiments[experiment].runs)}
        for run in first.values():
            effort = PLAN.effort(run)
            assert effort.minutes(1) >= 5
            assert effort.memory(1) >= 1000
    assert effort_of(20, 1, {}, HOW, 1).seconds < 2  # a reference


def test_long_runs_are_known_as_such() -> None:
    long = PLAN.effort(Run("released", "de", "friedman", 0))
    short = PLAN.effort(Run("main", "de", "he", 0))
    assert short.seconds < 5
    assert long.seconds > 900  # alone in its pack
    assert long.minutes(1) * 60 > 5 * 2500  # it takes up to 2,500 s


def test_gpus_are_asked_for_where_the_device_is_one() -> None:
    params = load(PROJECT / "params.yaml")
    assert Plan(params, PROJECT).gres == ""
    assert Plan(params.model_copy(update={"device": "cuda"}), PROJECT).gres == "gpu:1"


@dataclass(frozen=True)
class Job:
    """The attributes of a job that the division into packs uses."""

    number: int
    rule: SimpleNamespace = field(hash=False)
    attempt: int
    resources: dict[str, object] = field(hash=False)


jobs = st.lists(
    st.builds(
        lambda rule, attempt, seconds, gres: (rule, attempt, {"seconds": seconds, "gres": gres}),
        st.sampled_from(["train", "score"]), st.integers(1, 3), st.integers(1, 2000),
        st.sampled_from(["", "gpu:1"]),
    ),
    max_size=60,
)  # fmt: skip


@given(jobs, st.integers(1, 1000), st.integers(1, 20))
def test_packs(drawn: list[tuple[str, int, dict[str, object]]], most: int, count: int) -> None:
    """Every job is in one pack, of its like; only one that is too long for any exceeds it."""
    ready = [
        Job(number, SimpleNamespace(name=rule), attempt, resources)
        for number, (rule, attempt, resources) in enumerate(drawn)
    ]
    made = list(packs(ready, most, count))
    assert sorted(job.number for pack in made for job in pack) == list(range(len(ready)))
    for pack in made:
        assert len({(j.rule.name, j.attempt, j.resources["gres"]) for j in pack}) == 1
        assert len(pack) <= count
        assert len(pack) == 1 or sum(map(seconds, pack)) <= most
