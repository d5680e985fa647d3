"""Commit the results of a run to DVC, and repair its cache."""

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
    """Remove damaged copies from DVC's cache of outputs that were made again.

    DVC does not verify a copy in its cache, and would check out the damaged one.
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
    """Pack the results and commit them to DVC."""
    if not Path("dvc.yaml").exists():
        return
    if not (Path(".git").exists() and Path(".dvc").is_dir()):
        say("no git repository with DVC here, so results were not committed to DVC")
        return
    if not shutil.which("dvc"):
        say("DVC is not installed, so results were not committed; run `dvc repro` once it is")
        return
    try:
        packs.pack()
    except OSError as error:  # such as a full disk
        say(f"results were not packed ({error}), and so not committed to DVC")
        return
    done = subprocess.run(["dvc", "commit", "-f", "-q", STAGE], check=False)
    if done.returncode:
        say("`dvc commit` failed; `dvc repro` commits the results and runs no job")
