"""What all tests share: the project in a place where it may be changed."""

import fcntl
import os
import shutil
from pathlib import Path

import pytest

from small_project import PROJECT, Copy, copied


@pytest.fixture
def project(tmp_path: Path) -> Copy:
    """Return a small copy of the project, without git and without results."""
    return copied(tmp_path / "project")


@pytest.fixture(scope="session")
def reproduced(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """Return a copy with git and DVC in which everything is made and committed; not to be changed.

    It is made once for all processes that the tests run in.
    """
    base = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        base = base.parent
    root = base / "reproduced"
    with (base / "reproduced.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not root.exists():
            copy = copied(base / "making")
            copy.run("git", "init", "--quiet", "--initial-branch", "main")
            copy.run("dvc", "init", "--quiet")
            shutil.copytree(PROJECT / ".dvc/plots", copy.root / ".dvc/plots")
            copy.run("dvc", "config", "core.analytics", "false")
            copy.run("dvc", "remote", "add", "--default", "store", str(base / "store"))
            copy.commit("start")
            copy.run("snakemake")
            copy.commit("reproduced")
            copy.root.rename(root)
    return Copy(root)


@pytest.fixture
def finished(reproduced: Copy, tmp_path: Path) -> Copy:
    """Return a small copy with git and DVC in which everything is made and committed."""
    return reproduced.to(tmp_path / "project")
