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

# What tests count with `record_property`. An input is a file of parameters or a table.
FAULTS, SURVIVED = "faults", "survived"
INPUTS, REFUSED, ACCEPTED = "inputs", "refused", "accepted"


@dataclass(frozen=True)
class Promise:
    """Something that holds, and the tests that would fail if it did not: files or file::prefix."""

    area: str
    text: str
    tests: tuple[str, ...]


PROMISES = (
    Promise(
        "Kills",
        "A reproduction that is killed at any moment, with all its jobs, resumes where it was "
        "and ends with the same bytes as an undisturbed one; no finished run is repeated.",
        ("faults/test_kills.py", "workflow/test_survival.py::test_two_runs_and_kills"),
    ),
    Promise(
        "Orphans",
        "Jobs end with their fork server and with their workflow, however either is killed; a "
        "job that outlives them writes nothing into the results of another run; temporary "
        "directories of killed runs are removed at the next start.",
        ("faults/test_orphans.py", "faults/test_leftovers.py"),
    ),
    Promise(
        "Determinism",
        "Every method gives the same bytes on one core and on two, in the workflow and alone, in a "
        "clone, in another directory, language and time zone.",
        ("faults/test_same_bytes.py", "engine/test_engine_processes.py::test_the_same_bits"),
    ),
    Promise(
        "Parameters",
        "Any params.yaml is either accepted and can be planned, or refused in one sentence that "
        "names the key, with exit code 2, before anything starts.",
        ("faults/test_mutated_params.py", "test_params.py"),
    ),
    Promise(
        "User datasets",
        "A table that cannot be used is refused before anything starts, in one sentence that names "
        "the file and the column.",
        ("datasets/test_own.py", "workflow/test_own_tables.py::test_a_table_that_cannot_be_used"),
    ),
    Promise(
        "Raw data",
        "A file that is truncated, altered, a web page, a decompression bomb, a directory or "
        "unreadable is named, never used, and replaced if another source has it.",
        ("datasets/test_fetch.py",),
    ),
    Promise(
        "Results",
        "A damaged result, whether or not a job reads it, and a damaged record or object in "
        "DVC's cache are named and made again; intact files are left unchanged; results without "
        "a record are refused.",
        ("faults/test_damaged_files.py", "workflow/test_survival.py::test_guard"),
    ),
    Promise(
        "Saved models",
        "A model file whose arrays or values were changed, even with a valid checksum, is either "
        "refused in one sentence when it is loaded, or usable; none causes a traceback.",
        ("estimators/test_crafted_models.py", "estimators/test_saving.py"),
    ),
    Promise(
        "Failures",
        "A job that fails does not affect other jobs; the reason is reported, and the next run "
        "repeats only the failed job.",
        ("workflow/test_survival.py::test_failing_jobs", "test_jobs.py::test_a_failed_job"),
    ),
    Promise(
        "Resources",
        "A full or read-only disk, a forbidden directory or too little memory is reported in one "
        "sentence; finished outputs are kept, and the next run resumes.",
        ("faults/test_resources.py",),
    ),
    Promise(
        "Odd places",
        "A path with braces or not in UTF-8, closed streams, no compiler, a bad batch size: "
        "refused in one sentence before anything starts; quotes and shell metacharacters in the "
        "path, a reader that closes the pipe, a full standard output: the run continues.",
        ("faults/test_odd_places.py",),
    ),
    Promise(
        "Network",
        "Without a network, or with a proxy that hangs, all sources are abandoned within a "
        "minute and everything else is computed.",
        (
            "datasets/test_fetch.py::test_a_proxy_that_hangs",
            "datasets/test_fetch.py::test_without_a_network",
            "workflow/test_targets.py::test_real_data_that_cannot_be_had",
        ),
    ),
    Promise(
        "Numbers",
        "Constant targets, collinear inputs, outliers of 1e9, three rows, more features than "
        "rows: finite scores; the same for one row, untuned, where the method allows it; a run "
        "that diverges or is impossible is recorded as such; too few rows to tune on are "
        "refused.",
        ("faults/test_hard_numbers.py", "test_jobs.py::test_a_diverging_run"),
    ),
    Promise(
        "Safety",
        "No pickle is loaded, no name reaches a shell unquoted, downloads use HTTPS with pinned "
        "checksums, jobs write only inside the project, and the report escapes everything that "
        "it shows.",
        (
            "faults/test_safety.py",
            "workflow/test_own_tables.py::test_a_hostile_name",
            "datasets/test_fetch.py::test_only_https_is_spoken",
            "reporting/test_page.py::test_what_is_hostile_is_only_text",
            "reporting/test_page.py::test_any_text_survives_as_text",
        ),
    ),
)

AUDIT = (
    "## Known vulnerabilities\n\n"
    "`make audit` runs `pip-audit` on the lock files. It needs the network; without it the audit "
    "fails rather than passes. The audit itself was not tested, because its services could not be "
    "reached. PyPI itself reports on the newest release of a package only. Of the locked versions "
    "that were looked up there, in November 2026, one has a known vulnerability; of all others "
    "nothing is claimed.\n\n"
    "| finding | in | what it means here |\n|---|---|---|\n"
    "| CVE-2025-69872 | diskcache 5.6.3, which DVC needs; there is no newer one | It stores "
    "pickles: anyone who can write to such a cache can make its reader run code. DVC has one, by "
    "default in `/var/tmp/dvc`, where every user of a machine can write. No code of this project "
    "opens it. On a machine with users whom you do not trust, first give DVC a directory of your "
    'own: `dvc config --local core.site_cache_dir "$PWD/.dvc/tmp/site"`. |\n'
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


def figures(mine: list[Case]) -> Counter[str]:
    """Return the sums of what tests counted; the faults of tests that passed were survived."""
    found: Counter[str] = Counter()
    for case in mine:
        given = {name: int(value) for name, value in case.figures.items()}
        if FAULTS in given:
            found[FAULTS] += given.pop(FAULTS)
            found[SURVIVED] += int(case.figures[FAULTS]) if case.outcome == "passed" else 0
        tried = {name: value for name, value in given.items() if name == INPUTS}
        found.update(given if case.outcome == "passed" else tried)
    return found


def of(promise: Promise, ran: list[Case]) -> list[Case]:
    """Return the tests of a promise among those that ran."""
    return [case for case in ran if case.name.startswith(promise.tests)]


def last_run(mine: list[Case]) -> str:
    """Return how tests ended, and the sums of their figures."""
    if not mine:
        return "not run"
    outcomes = Counter(case.outcome for case in mine)
    words = [f"{number} {name}" for name, number in outcomes.items()]
    counted = [f"{name}: {number}" for name, number in figures(mine).items()]
    return "; ".join([f"tests: {', '.join(words)}", *counted])


def in_all(ran: list[Case]) -> str:
    """Return the sums over all promises; a test that serves two of them counts once."""
    mine = {case.name: case for promise in PROMISES for case in of(promise, ran)}
    found = figures(list(mine.values()))
    return (
        f"In all: {found[FAULTS]} faults injected, {found[SURVIVED]} survived; {found[INPUTS]} "
        f"inputs tried, {found[REFUSED]} refused in a sentence, {found[ACCEPTED]} accepted."
    )


def page(ran: list[Case]) -> str:
    """Return the page."""
    lines = [
        "# Guarantees and how they are tested",
        "",
        "Generated by `make promises` from test reports; the figures are those of the last run.",
        "",
        "| | guarantee | tests | last run |",
        "|---|---|---|---|",
    ]
    for promise in PROMISES:
        tests = ", ".join(f"`{test}`" for test in promise.tests)
        last = last_run(of(promise, ran))
        lines.append(f"| {promise.area} | {promise.text} | {tests} | {last} |")
    return "\n".join([*lines, "", in_all(ran), "", AUDIT])


if __name__ == "__main__":
    PAGE.write_text(page([case for name in sys.argv[1:] for case in cases(Path(name))]))
