"""The cost of a run on a cluster: `python benchmarks/cluster.py`.

The same runs of about a second each are executed three times from the beginning: on this machine,
on a Slurm of three nodes on its loopback interface with short jobs in packs, and on that Slurm with
every job submitted separately. The measure is the CPU time of all processes, including those of
Slurm jobs, from the data to the scores; tuning and training cost the same in all three. One by one,
a fifth of the runs is sufficient. Needs Debian's slurmctld, slurmd, slurm-client and munge.
"""

import argparse
import contextlib
import ctypes
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

from workflow import PROJECT, copied

sys.path.insert(0, str(PROJECT / "tests/cluster"))

from slurm import Cluster, absent

PR_SET_CHILD_SUBREAPER = 36
WAYS = {
    "local": ("--cores", "2"),
    "Slurm, packed": ("--profile", "profiles/slurm"),
    "Slurm, one by one": ("--profile", "profiles/slurm", "--slurm-packed-pack-jobs", "1"),
}


def adopt() -> None:
    """Let orphans of this process's children, as Slurm's jobs are, become its own."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def used() -> float:
    """Return the CPU seconds of all children that have ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def prepare(root: Path, runs: int, steps: int) -> None:
    """Make a project with given numbers of RAFs runs and training steps."""
    copied(root, 15)
    params = yaml.safe_load((root / "params.yaml").read_text())
    params["seeds"] = runs
    params["ensemble"] |= {"size": 5, "hidden": [100]}
    params["training"] |= {"steps": steps, "batch_size": None}
    params["datasets"] = {"friedman": {"train": 200, "test": 200}}
    params["experiments"] = {"main": {"methods": ["rafs"], "datasets": ["friedman"]}}
    (root / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False))
    profile = root / "profiles/slurm/config.yaml"
    profile.write_text(profile.read_text().replace("status-checks: 10", "status-checks: 2"))


def measured(way: tuple[str, ...], folder: Path, runs: int, steps: int) -> tuple[float, float, int]:
    """Return CPU seconds, wall clock, and how many Slurm jobs there were."""
    root = folder / "project"
    prepare(root, runs, steps)
    cluster = Cluster(folder / "slurm")
    binaries = f"{Path(sys.executable).parent}{os.pathsep}"
    env = {**os.environ, "PYTHONPATH": str(root / "src"), "PATH": binaries + os.environ["PATH"]}
    submitted = 0
    if "--profile" in way:
        cluster.start()
        env |= {**cluster.env, "PATH": binaries + cluster.env["PATH"]}
    try:
        before, begun = used(), time.monotonic()
        target = "results/scores/main.csv"
        done = subprocess.run(["snakemake", *way, target], cwd=root, env=env, capture_output=True,
                              text=True, check=False)  # fmt: skip
        wall = time.monotonic() - begun
        if done.returncode:
            sys.exit(f"{way} failed:\n{done.stderr}")
        if "--profile" in way:
            submitted = len(cluster.jobs("all"))
    finally:
        if "--profile" in way:
            cluster.stop()
    time.sleep(1)
    return used() - before, wall, submitted


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200, help="how many runs (200)")
    parser.add_argument("--steps", type=int, default=8000, help="of each: 8,000 take about 1 s")
    options = parser.parse_args()
    if absent():
        sys.exit(f"Slurm is not installed: {', '.join(absent())} are missing")
    adopt()
    print("| way | runs | Slurm jobs | CPU, s | CPU per run, s | against local | wall clock, s |")
    print("|---|---:|---:|---:|---:|---:|---:|", flush=True)
    local = 0.0
    for name, way in WAYS.items():
        runs = options.runs // (5 if "--slurm-packed-pack-jobs" in way else 1)
        with tempfile.TemporaryDirectory() as folder:
            cpu, wall, jobs = measured(way, Path(folder), runs, options.steps)
        each = cpu / runs
        local = local or each
        cells = (name, runs, jobs or "", f"{cpu:.0f}", f"{each:.2f}", f"{each / local:.2f}")
        print("| " + " | ".join(map(str, cells)) + f" | {wall:.0f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
