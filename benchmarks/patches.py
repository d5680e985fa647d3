"""What the patches of Snakemake save: `python benchmarks/patches.py 3000`.

A copy of the project with this many trivial runs is made complete, once for every set of patches of
`rafs.pipeline.snakemake_compat`: all, all but one, and none (or those of `--sets`, each a list of
names). Two dry runs follow: one finds nothing to do; before the other every input gets a date later
than its outputs, as a copy to another machine may give it. The table has CPU seconds of all
processes and, in brackets, of Snakemake alone, which other work on the machine disturbs less. With
`--touch` the jobs are not run; then Snakemake limits no rate, and the table of `limit_no_rate` says
nothing.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import workflow
from rafs.pipeline.snakemake_compat import PATCHES

MADE = ("results", "reports", ".snakemake", "data/processed", "packed", "logs")
NAMES = [patch.__name__ for patch in PATCHES]
SETS = {
    "all": " ".join(NAMES),
    **{f"all but {name}": " ".join(n for n in NAMES if n != name) for name in NAMES},
    "none": "",
}
SNAKEMAKE = """
import atexit, resource, sys
from rafs.pipeline import snakemake_compat
own, kept = sys.argv.pop(1), sys.argv.pop(1).split()
snakemake_compat.PATCHES = [p for p in snakemake_compat.PATCHES if p.__name__ in kept]

@atexit.register
def report():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    open(own, "w").write(str(usage.ru_utime + usage.ru_stime))

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


def python(root: Path, code: str, *arguments: str) -> float:
    """Run a program in the copy and return the CPU seconds of all its processes."""
    env = {**os.environ, "PYTHONPATH": str(root / "src")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=root, env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{arguments} failed:\n{done.stdout}\n{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def snakemake(root: Path, kept: str, *arguments: str) -> str:
    """Return the CPU seconds of all processes of Snakemake and, in brackets, of its own."""
    own = root.with_name("own")
    total = python(root, SNAKEMAKE, str(own), kept, *arguments)
    return f"{total:.1f} ({float(own.read_text()):.1f})"


def costs(root: Path, kept: str, touch: bool) -> Iterator[str]:
    """Yield what a run costs, one with nothing to do, and one after a transfer."""
    for made in MADE:
        shutil.rmtree(root / made, ignore_errors=True)
    if touch:
        python(root, FILES)
    yield snakemake(root, kept, "--cores", "2", *(["--touch"] if touch else []))
    yield snakemake(root, kept, "--dry-run", "--quiet", "all")
    files = [file for made in MADE for file in (root / made).rglob("*") if file.is_file()]
    dates = {file: file.stat().st_mtime_ns for file in files}
    for file, date in dates.items():  # mirrored: every input is newer than its outputs
        os.utime(file, ns=(date, 2 * max(dates.values()) - date))
    yield snakemake(root, kept, "--dry-run", "--quiet", "all")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="?", type=int, default=3000, help="how many runs")
    parser.add_argument("--sets", nargs="+", metavar="PATCHES", help="instead of all sets")
    parser.add_argument("--touch", action="store_true", help="touch the outputs of jobs")
    options = parser.parse_args()
    sets = {kept or "none": kept for kept in options.sets} if options.sets else SETS
    print("| patches | run | nothing to do | after a transfer |\n|---|---:|---:|---:|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "project")
        workflow.copied(root, options.runs)
        for name, kept in sets.items():
            print(f"| {name} |", end="", flush=True)
            for cost in costs(root, kept, options.touch):
                print(f" {cost} |", end="", flush=True)
            print(flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
