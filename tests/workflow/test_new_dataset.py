"""A dataset is a file: a new one is discovered automatically and changes no other code."""

import json
import re
from typing import Any

import pytest

from small_project import Copy

pytestmark = pytest.mark.workflow

CATALOGUE = "src/rafs/datasets/catalogue"
RIPPLE = '''
"""A ripple."""

from rafs.datasets.core import Array, Spec, columns
from rafs.datasets.portable import sin
from rafs.datasets.sampling import draw


def ripple(x: Array) -> Array:
    """Return sin(3x)."""
    (x1,) = columns(x, 1)
    return sin(3.0 * x1)


SPEC = Spec(
    name="ripple",
    title="Ripple 1D",
    category="T",
    features=("x",),
    target="y",
    train=20,
    test=50,
    noise=0.1,
    train_ranges=((-1.0, 1.0),),
    test_ranges=((-2.0, 2.0),),
    function=ripple,
    draw=draw,
    citation="made up",
)
'''
SPECS = """
import json
from rafs import datasets
from rafs.pipeline.plan import Plan
from rafs.pipeline.loading import load
plan = Plan(load("params.yaml"))
found = {f"fetch {name}": plan.specs.fetch(name) for name in datasets.raw_files()}
for name in datasets.names():
    for protocol in ("described", "released"):
        found[f"{protocol} {name}"] = plan.specs.data(protocol, name, 0)
for table in ("datasets", "sizes", "nll"):
    found[f"table {table}"] = plan.specs.shown("tables", table)
print(json.dumps(found))
"""


def specs(copy: Copy) -> dict[str, str]:
    """Return the specs of all data jobs, of all downloads and of three tables."""
    found: dict[str, str] = json.loads(copy.run("python", "-c", SPECS).stdout)
    return found


def changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    return {name for name in after if after[name] != before.get(name)}


def planned(copy: Copy) -> dict[str, int]:
    """Return how many jobs of each rule a dry run lists."""
    done = copy.run("snakemake", "-n")
    table = done.stdout.partition("Job stats:")[2].partition("\n\n")[0]
    return {rule: int(n) for rule, n in re.findall(r"^(\w+) +(\d+)$", table, re.M)}


def test_the_code_of_a_dataset_is_its_own_file(project: Copy) -> None:
    def tables(params: dict[str, Any]) -> None:
        params["tables"].update(datasets={"experiments": []}, sizes={"experiments": []})

    project.edit(tables)
    before = specs(project)
    assert len(before) == (9 + 9) + 2 * (27 + 27) + 3
    (project.root / CATALOGUE / "ripple.py").write_text(RIPPLE)
    after = specs(project)
    lists = {"table datasets", "table sizes"}  # of the whole catalogue
    assert changed(before, after) == {"described ripple", "released ripple", *lists}
    for name, fetched in (("friedman", set()), ("boston", {"fetch boston"})):
        with (project.root / CATALOGUE / f"{name}.py").open("a") as file:
            file.write("\nANOTHER = 1\n")
        before, after = after, specs(project)
        assert changed(before, after) == {f"described {name}", f"released {name}"} | lists | fetched


def test_a_file_that_describes_another_dataset_is_refused(project: Copy) -> None:
    (project.root / CATALOGUE / "wave.py").write_text(RIPPLE)
    done = project.run("rafs", "check", check=False)
    assert done.returncode == 2
    assert re.fullmatch(r"rafs: .*catalogue/wave.py has no description .*'wave'\n", done.stderr)


def test_a_new_dataset_runs_its_own_jobs_only(finished: Copy) -> None:
    (finished.root / CATALOGUE / "ripple.py").write_text(RIPPLE)
    assert planned(finished) == {}
    old = finished.snapshot("data/processed/**/*", "results/runs/**/*")
    finished.edit(lambda params: params["experiments"]["main"]["datasets"].append("ripple"))
    reports = {"aggregate": 1, "table": 2, "figure": 1, "claims": 1, "summary": 1, "page": 1}
    new = {"data": 2, "train": 4, "score": 2, **reports, "verify": 1}
    listed = planned(finished)
    assert {rule: listed.get(rule) for rule in new} == new
    assert set(listed) - set(new) <= {"all", "total"}
    assert finished.jobs("snakemake") == new
    now = finished.snapshot("data/processed/**/*", "results/runs/**/*")
    assert {name: now[name] for name in old} == old
    assert all("/ripple/" in name for name in set(now) - set(old))
