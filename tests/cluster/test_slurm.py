"""The same workflow through a real Slurm, with the failures that happen on clusters."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from slurm import NODES, Cluster, absent, until

from processes import running
from small_project import Copy, copied, ran, unchanging, whole

pytestmark = [pytest.mark.workflow, pytest.mark.slow, pytest.mark.timeout(3600)]

PROFILE = "profiles/slurm"


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return a running Slurm with three nodes."""
    if absent():
        pytest.skip(f"no Slurm here ({', '.join(absent())}): apt-get install slurmctld slurmd "
                    "slurm-client munge")  # fmt: skip
    made = Cluster(tmp_path_factory.mktemp("slurm"))
    try:
        made.start()
        yield made
    finally:
        made.stop()


class On(Copy):
    """A copy of the project whose commands find a cluster."""

    cluster: Cluster

    @property
    def env(self) -> dict[str, str]:
        """The environment of all commands."""
        found = super().env
        own = self.cluster.env
        return {**found, **own, "PATH": f"{found['PATH'].partition(':')[0]}:{own['PATH']}"}


def on(cluster: Cluster, copy: Copy) -> On:
    """Let a copy use a cluster, and poll it more often than a large one should be."""
    found = On(copy.root)
    found.cluster = cluster
    profile = copy.root / PROFILE / "config.yaml"
    text = profile.read_text()
    for old, new in (
        ("status-checks: 10", "status-checks: 1"),
        ("pack-seconds: 900", "pack-seconds: 60"),
        ("latency-wait: 30", "latency-wait: 10"),
    ):
        assert old in text
        text = text.replace(old, new)
    profile.write_text(text)
    return found


def listening() -> set[str]:
    """Return the addresses on which Slurm's daemons listen."""
    out = subprocess.run(["ss", "-Hltnp"], text=True, capture_output=True, check=True).stdout
    lines = [line.split() for line in out.splitlines() if re.search("slurm|munge", line)]
    return {fields[3].rpartition(":")[0] for fields in lines}


def test_smoke_with_a_cancelled_job_and_a_killed_node(
    cluster: Cluster, smoked: Copy, tmp_path: Path
) -> None:
    """The results are those of a laptop, to the byte, whatever happens to jobs and nodes."""
    project = on(cluster, whole(tmp_path / "project"))
    made = Copy(project.root / "build/smoke")
    before = int(cluster.run("sbatch", "--parsable", "--output=/dev/null", "--wrap=true"))
    with running(project, "rafs", "smoke", "--profile", PROFILE) as process:
        until(lambda: list(made.root.glob("data/processed/**/*.npz")), 1000)
        until(cluster.jobs, 1000)
        cancelled = cluster.jobs()[0]
        cluster.run("scancel", cancelled)
        until(lambda: cancelled in cluster.jobs("CANCELLED"))
        until(lambda: list(made.root.glob("results/runs/**/predictions.npz")), 1000)
        until(cluster.jobs, 1000)
        victim = cluster.run("squeue", "--noheader", "--states=RUNNING", "--format=%N").split()[0]
        cluster.kill_node(victim)
        process.wait(timeout=15000)
        said = (project.root / "output.txt").read_text()
    cluster.start_node(victim)
    until(lambda: cluster.states().count("idle") == NODES)
    assert process.returncode == 0, said
    assert unchanging(made) == unchanging(Copy(smoked.root / "build/smoke"))
    assert "rafs: failed:" not in said
    assert cluster.jobs("RUNNING,PENDING") == []
    assert cluster.processes() == [], "something is left running"
    assert listening() == {"127.0.0.1"}
    packs = int(cluster.run("sbatch", "--parsable", "--output=/dev/null", "--wrap=true")) - before
    assert packs < sum(ran(said).values()) / 4, "short jobs share Slurm jobs"


def test_the_same_results_for_both(cluster: Cluster, reproduced: Copy, tmp_path: Path) -> None:
    """The cluster accepts results made on one machine, and vice versa; so does DVC."""
    project = on(cluster, reproduced.to(tmp_path / "project"))
    project.commit("profile")
    assert project.jobs("snakemake", "--profile", PROFILE) == {}
    project.edit(lambda params: params.update(seeds=3))
    made = project.jobs("dvc", "repro", SNAKEMAKE_PROFILE=PROFILE)
    assert made["train"] == 4
    assert project.jobs("snakemake") == {}


def test_too_long(cluster: Cluster, tmp_path: Path) -> None:
    """A job that exceeds its time is ended, and named; what was done before it is kept."""
    project = on(cluster, copied(tmp_path / "project"))
    project.edit(lambda params: params["training"].update(steps=100_000_000))
    folder = "results/runs/main/ae/he/seed-0"
    command = ("snakemake", "--profile", PROFILE, "--retries", "0", f"{folder}/best.json")
    with running(project, *command) as process:
        until((project.root / folder / "log.txt").exists, 1000)
        (job,) = cluster.jobs()
        cluster.run("scontrol", "update", f"JobId={job}", "TimeLimit=1")
        process.wait(timeout=1500)
        said = (project.root / "output.txt").read_text()
    assert process.returncode != 0
    assert re.search(rf"failed: train \(see {folder}/log.txt .*'TIMEOUT'", said), said
    assert "Traceback" not in said
    assert cluster.jobs("RUNNING,PENDING") == []
    assert list(project.root.glob("data/processed/**/*.npz"))


def test_gpus(cluster: Cluster, tmp_path: Path) -> None:
    """With `device: cuda` training jobs get a GPU; a missing GPU is reported."""
    project = on(cluster, copied(tmp_path / "project"))
    project.edit(lambda params: params.update(device="cuda"))
    before = set(cluster.jobs("all"))
    done = project.run("snakemake", "--profile", PROFILE, "--until", "train", check=False)
    assert "device: cuda was asked for, but torch finds no GPU" in done.stderr
    asked = [
        cluster.run("scontrol", "show", "job", job) for job in set(cluster.jobs("all")) - before
    ]
    gpus = {"group_train" in text: "gres:gpu:1" in text for text in asked}
    assert gpus == {True: True, False: False}  # for training a GPU, for data none
