"""What each patch of Snakemake saves: `python benchmarks/patches.py 3000`, on a quiet machine.

A copy of the project has this many runs. `--touch` takes every job through Snakemake's scheduler
without its work; a dry run afterwards finds nothing to do; another one does after every file has
got a new date, as a transfer to another machine gives it. All with all patches of
`rafs.pipeline.snakemake_compat`, without each, and without any. A touched run has no limit of jobs
per second, so what `limit_no_rate` saves shows in `--real` runs only. With `--dry` one touched run
serves all dry runs, and only these are measured. The table is Markdown.
"""

import argparse
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import workflow

sys.path.insert(0, str(workflow.PROJECT / "src"))

from rafs.pipeline.snakemake_compat import PATCHES

LIMIT = 600  # seconds of CPU
MADE = ("results", "reports", ".snakemake", "data/processed", "packed", "logs")
SNAKEMAKE = """
import sys
from rafs.pipeline import snakemake_compat
lost = sys.argv.pop(1)
snakemake_compat.PATCHES = tuple(
    patch for patch in snakemake_compat.PATCHES if lost not in ("all", patch.__name__)
)
from snakemake.cli import main
main()
"""
FILES = """
from pathlib import Path
from rafs.pipeline.plan import Plan
from rafs.pipeline.loading import load
from rafs.pipeline.records import INCOMPLETE
from rafs.pipeline.snakemake_compat import about_one
for name in Plan(load("params.yaml"), Path()).files.all():
    for file in (Path(name), about_one(INCOMPLETE, name)):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("{}")
"""


def python(root: Path, code: str, *arguments: str) -> str:
    """Run a program in the copy and return its CPU seconds, if they are not too many."""
    env = {**os.environ, "PYTHONPATH": str(root / "src")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        ["prlimit", f"--cpu={LIMIT}", sys.executable, "-c", code, *arguments],
        cwd=root, env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return f"> {LIMIT}"
    if done.returncode:
        sys.exit(f"{arguments} failed:\n{done.stdout}\n{done.stderr}")
    return f"{after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime:.1f}"


def run(root: Path, lost: str, real: bool) -> str:
    """Return what a run costs."""
    for made in MADE:
        shutil.rmtree(root / made, ignore_errors=True)
    if not real:
        python(root, FILES)
    return python(root, SNAKEMAKE, lost, "--cores", "2", *([] if real else ["--touch"]))


def dry_runs(root: Path, lost: str) -> Iterator[str]:
    """Yield what a run with nothing to do costs, and one after a transfer."""
    yield python(root, SNAKEMAKE, lost, "--dry-run", "--quiet", "all")
    files = [file for made in MADE for file in (root / made).rglob("*") if file.is_file()]
    dates = {file: file.stat().st_mtime_ns for file in files}
    for file, date in dates.items():  # mirrored: every input is newer than its outputs
        os.utime(file, ns=(date, 2 * max(dates.values()) - date))
    yield python(root, SNAKEMAKE, lost, "--dry-run", "--quiet", "all")
    for file, date in dates.items():
        if file.exists():  # Snakemake removes some of its own
            os.utime(file, ns=(date, date))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="?", type=int, default=3000, help="how many runs")
    ways = ("none", *(patch.__name__ for patch in PATCHES), "all")
    parser.add_argument("--without", nargs="+", choices=ways, default=ways, metavar="PATCH")
    parser.add_argument("--real", action="store_true", help="run the jobs instead of touching them")
    parser.add_argument("--dry", action="store_true", help="measure the dry runs alone")
    options = parser.parse_args()
    heads = ["without", *([] if options.dry else ["run"]), "nothing to do", "after a transfer"]
    print("CPU seconds\n")
    print("| " + " | ".join(heads) + " |\n|---|" + "---:|" * (len(heads) - 1), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "project")
        workflow.copied(root, options.runs)
        if options.dry:
            run(root, "none", options.real)
        for lost in options.without:
            print(f"| {lost} |", end="", flush=True)
            if not options.dry:
                print(f" {run(root, lost, options.real)} |", end="", flush=True)
            for cost in dry_runs(root, lost):
                print(f" {cost} |", end="", flush=True)
            print(flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
