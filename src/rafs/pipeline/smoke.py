"""Run the whole workflow with the `smoke` section of params.yaml, in a directory of its own."""

import os
import subprocess
import sys
from pathlib import Path

from rafs.pipeline.forkserver.client import ADDRESS
from rafs.pipeline.forkserver.ownership import OWNER, RUN

FOLDER = "build/smoke"


def run(cores: str, profile: str) -> int:
    """Run Snakemake and return its exit code."""
    root = Path.cwd()
    folder = root / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    environment = {"RAFS_DATA_DIR": f"{root}/data", **os.environ}
    for name in (ADDRESS, OWNER, RUN):  # of a workflow that this one is a job of
        environment.pop(name, None)
    command = [
        sys.executable, "-m", "snakemake", "--snakefile", str(root / "Snakefile"),
        "--directory", str(folder), "--profile", str(root / profile),
        "--cores", cores, "--config", "edition=smoke",
    ]  # fmt: skip
    return subprocess.run(command, env=environment, check=False).returncode
