"""Make docs/promises.md: what is promised, by which tests, with the figures of their last run.

`make promises` runs these tests and hands over the reports that pytest wrote about them.
"""

import sys
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
PAGE = PROJECT / "docs/promises.md"


@dataclass(frozen=True)
class Promise:
    """Something that holds, and the tests that would fail if it did not: files or file::prefix."""

    area: str
    text: str
    tests: tuple[str, ...]


PROMISES = (
    Promise(
        "Kills",
        "Killed at any moment, with all its jobs, a reproduction goes on where it was and ends "
        "with the bytes of an undisturbed one; no finished run is repeated.",
        ("faults/test_kills.py", "workflow/test_survival.py::test_two_runs_and_kills"),
    ),
    Promise(
        "Determinism",
        "Every method gives the same bytes on one core and on two, in the workflow and alone, in a "
        "clone, in another directory, language and time zone.",
        ("faults/test_same_bytes.py", "engine/test_engine_processes.py::test_the_same_bits"),
    ),
    Promise(
        "Parameters",
        "Any params.yaml is accepted and can be planned, or refused in one sentence that names the "
        "key, with exit code 2, before anything starts.",
        ("faults/test_mutated_params.py", "test_params.py"),
    ),
    Promise(
        "Raw data",
        "A file that is truncated, altered, a web page, a bomb, a directory or unreadable is "
        "named, never used, and replaced if another source has it.",
        ("datasets/test_fetch.py",),
    ),
    Promise(
        "Results",
        "A damaged result, record or object in DVC's cache is named and made again; what is good "
        "stays as it is; results without a record are refused.",
        ("faults/test_damaged_files.py", "workflow/test_survival.py::test_guard"),
    ),
    Promise(
        "Failures",
        "A job that fails harms no other, is told with its reason, and is all that the next run "
        "repeats.",
        ("workflow/test_survival.py::test_failing_jobs", "test_jobs.py::test_a_failed_job"),
    ),
    Promise(
        "Resources",
        "A full or read-only disk, a forbidden folder, too little memory: told in a sentence; what "
        "was made is kept, and the next run goes on.",
        ("faults/test_resources.py",),
    ),
    Promise(
        "Network",
        "Without a network, or with a proxy that hangs, all sources are given up within a minute "
        "and the rest is made.",
        (
            "datasets/test_fetch.py::test_a_proxy_that_hangs",
            "datasets/test_fetch.py::test_without_a_network",
            "workflow/test_targets.py::test_real_data_that_cannot_be_had",
        ),
    ),
    Promise(
        "Numbers",
        "Constant targets, collinear inputs, outliers of 1e9, three rows, more features than rows: "
        "finite scores; so with one row, untuned, where a method can; a run that diverges or "
        "cannot be is recorded as such; too few rows to tune on are refused.",
        ("faults/test_hard_numbers.py", "test_jobs.py::test_a_diverging_run"),
    ),
    Promise(
        "Safety",
        "No pickle is loaded, no name reaches a shell unquoted, downloads are HTTPS with pinned "
        "checksums, files are written in the project alone, the report escapes what it shows.",
        (
            "faults/test_safety.py",
            "datasets/test_fetch.py::test_only_https_is_spoken",
            "reporting/test_page.py::test_what_is_hostile_is_only_text",
            "reporting/test_page.py::test_any_text_survives_as_text",
        ),
    ),
)


@dataclass
class Case:
    """One test of a report: where it is, how it ended, and the figures that it gave."""

    name: str  # faults/test_kills.py::test_killed_twenty_times
    outcome: str
    figures: dict[str, str]


def cases(report: Path) -> list[Case]:
    """Read a report in the form of JUnit."""
    found = []
    for case in ET.parse(report).iter("testcase"):
        folder = case.get("classname", "").removeprefix("tests.").replace(".", "/")
        lost = [kind for kind in ("failure", "error", "skipped") if case.find(kind) is not None]
        figures = {p.get("name", ""): p.get("value", "") for p in case.iter("property")}
        name = f"{folder}.py::{case.get('name')}"
        found.append(Case(name, lost[0] if lost else "passed", figures))
    return found


def last_run(promise: Promise, ran: list[Case]) -> str:
    """Return how the tests of a promise ended, and the sums of their figures."""
    mine = [case for case in ran if case.name.startswith(promise.tests)]
    if not mine:
        return "not run"
    outcomes = Counter(case.outcome for case in mine)
    figures: Counter[str] = Counter()
    for case in mine:
        figures.update({name: int(value) for name, value in case.figures.items()})
    words = [f"{number} {name}" for name, number in outcomes.items()]
    return "; ".join([f"tests: {', '.join(words)}", *(f"{n}: {v}" for n, v in figures.items())])


def page(ran: list[Case]) -> str:
    """Return the page."""
    lines = [
        "# What is promised, and how it is tested",
        "",
        "Made by `make promises` from the reports of the tests; figures are those of its last run.",
        "",
        "| | promise | tests | last run |",
        "|---|---|---|---|",
    ]
    for promise in PROMISES:
        tests = ", ".join(f"`{test}`" for test in promise.tests)
        lines.append(f"| {promise.area} | {promise.text} | {tests} | {last_run(promise, ran)} |")
    lines += [
        "",
        "`make audit` compares `requirements.lock` with the published lists of vulnerabilities. It "
        "needs those lists from the network and fails, rather than passes, without them; where "
        "this was built they could not be reached, so that nothing is claimed about their content.",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page([case for name in sys.argv[1:] for case in cases(Path(name))]))
