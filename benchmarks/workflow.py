"""The cost of the workflow itself: `python benchmarks/workflow.py 150 1500 15000`.

Each size is a copy of the project whose runs are trivial (one step of two tiny networks). The
measured cost is therefore that of Snakemake, DVC and the overhead of a job: building the graph,
time per job, a run with nothing to do, `dvc status`, memory. CPU seconds include all child
processes; wall-clock times are in brackets. The table is written to standard output as Markdown.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import yaml

from rafs.datasets import names, spec

PROJECT = Path(__file__).resolve().parents[1]
FILES = ("Snakefile", "workflow", "profiles", "params.yaml", "requirements.lock",
         "requirements-torch.lock", "dvc.yaml",
         ".dvcignore", ".gitignore", "src", "data/own", "plugins")  # fmt: skip
SEEDS = 10  # as in the reproduction: one job scores all seeds of a method on a dataset
METHODS = ["de", "ae", "rafs", "hde", "ntkgp", "rp", "de_nll", "ae_bootstrap", "ae_scales",
           "ae_widths", "mc_dropout", "laplace", "de+rafs", "rp+rafs", "ntkgp+rafs"]  # fmt: skip


@dataclass(frozen=True)
class Cost:
    """What a command took."""

    cpu: float
    wall: float
    memory: float  # MB, of the largest process

    def __str__(self) -> str:
        """Write CPU seconds, and wall clock in brackets."""
        return f"{self.cpu:.1f} ({self.wall:.1f})"


def trivial(params: dict, runs: int) -> None:
    """Change the parameters to about this many runs that are over in a moment."""
    synthetic = [name for name in names() if spec(name).synthetic]
    cells = runs // SEEDS
    methods = METHODS[: max(1, cells // 5)]
    chosen = synthetic[: max(1, cells // len(methods))]
    experiments = ["main", *(f"more_{i}" for i in range(1, cells // (len(methods) * len(chosen))))]
    params["seeds"] = SEEDS
    params["ensemble"] |= {"size": 2, "hidden": [2]}
    params["training"] |= {"steps": 1}
    params["tuning"] |= {"trials": 1, "keep": 1, "rows": 1}
    params["datasets"] = {name: {"train": 10, "test": 10} for name in chosen}
    params["experiments"] = {name: {"methods": methods, "datasets": chosen} for name in experiments}
    params["together"] = {}
    params["tables"] = {"nll": {"experiments": ["main"]}}
    params["figures"] = {}
    params.pop("smoke", None)


def copied(root: Path, runs: int) -> None:
    """Copy the project with trivial parameters, and put it under git and DVC."""
    root.mkdir()
    for name in FILES:
        source = PROJECT / name
        copy = shutil.copytree if source.is_dir() else shutil.copy2
        copy(source, root / name)
    params = yaml.safe_load((root / "params.yaml").read_text())
    trivial(params, runs)
    (root / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False))
    for command in (["git", "init", "--quiet"], ["dvc", "init", "--quiet"]):
        run(root, *command)


def run(root: Path, *command: str) -> Cost:
    """Run a command and return its cost, its children's included."""
    binaries = Path(sys.executable).parent
    path = f"{binaries}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "PYTHONPATH": str(root / "src")}
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(
        [sys.executable, __file__, "--measure", *command], cwd=root, env=env,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    wall = time.monotonic() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{command} failed:\n{done.stdout}\n{done.stderr}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(cpu, wall, float(done.stdout.rsplit(maxsplit=1)[-1]) / 1024)


def measure(command: list[str]) -> int:
    """Run a command in this process's place and print the memory of its largest process."""
    code = subprocess.run(command, check=False).returncode
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    return code


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="*", type=int, default=[150, 1500], help="how many runs")
    parser.add_argument("--measure", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        return measure(options.measure)
    print("CPU seconds (wall clock)\n")
    print("| runs | graph | first run | per run | nothing to do | dvc status | memory, MB |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for runs in options.runs:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder, "project")
            copied(root, runs)
            graph = run(root, "snakemake", "--dry-run", "--quiet", "rules", "progress")
            first = run(root, "snakemake")
            nothing = run(root, "snakemake")
            status = run(root, "dvc", "status", "--quiet")  # fails unless all is up to date
            each = Cost(first.cpu / runs, first.wall / runs, 0)
            per_run = f"{each.cpu:.3f} ({each.wall:.3f})"
            memory = max(graph.memory, first.memory, nothing.memory, status.memory)
            cells = (runs, graph, first, per_run, nothing, status, f"{memory:.0f}")
            print("| " + " | ".join(map(str, cells)) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
