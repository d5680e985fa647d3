"""What DVC is told of a run."""

import filecmp
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from rafs.pipeline import packs
from rafs.pipeline.messages import say
from rafs.pipeline.snakemake_compat import dvc_copy

STAGE = "reproduce"


def repair_cache(remade: Iterable[str]) -> None:
    """Remove damaged copies of outputs that were made again from DVC's cache.

    DVC trusts what is in its cache, and would check the damaged copy out.
    """
    if not (Path(".dvc").is_dir() and shutil.which("dvc")):
        return
    asked = subprocess.run(["dvc", "cache", "dir"], check=False, capture_output=True, text=True)
    for name in remade:
        if asked.returncode == 0 and Path(name).is_file():
            copy = dvc_copy(Path(asked.stdout.strip()), Path(name))
            if copy.is_file() and not filecmp.cmp(copy, name, shallow=False):
                copy.unlink()
                say(f"DVC's copy of {name} was damaged and is replaced")


def commit() -> None:
    """Let DVC take note of the results."""
    if not Path("dvc.yaml").exists():
        return
    if not (Path(".git").exists() and Path(".dvc").is_dir()):
        say("no git repository with DVC here, so DVC was not told")
        return
    if not shutil.which("dvc"):
        say("DVC is not installed, so it was not told; `dvc repro` will look again")
        return
    try:
        packs.pack()
    except OSError as error:  # such as a full disk
        say(f"the results were not packed ({error}), so DVC was not told")
        return
    done = subprocess.run(["dvc", "commit", "-f", "-q", STAGE], check=False)
    if done.returncode:
        say("`dvc commit` failed; `dvc repro` will look again")
