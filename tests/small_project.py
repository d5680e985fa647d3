"""Small copies of the project, for tests that run its workflow."""

import fcntl
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from rafs.config.parameters import Params
from rafs.pipeline.plan import Plan

PROJECT = Path(__file__).resolve().parents[1]
FILES = ("Snakefile", "workflow", "profiles", "params.yaml", "requirements.lock",
         "requirements-torch.lock", "dvc.yaml",
         ".dvc", ".dvcignore", ".gitignore", "src", "pyproject.toml", "data/own",
         "plugins")  # fmt: skip

UNTRACKED = shutil.ignore_patterns("*.egg-info", "tmp", "cache", "config.local")

Done = subprocess.CompletedProcess[str]


@dataclass
class Copy:
    """A copy of the project in a directory of its own, with small parameters."""

    root: Path

    @property
    def env(self) -> dict[str, str]:
        """The environment of all commands."""
        lost = ("RAFS_FORK_SERVER", "RAFS_OWNER", "RAFS_RUN", "RAFS_DATA_MIRROR", "RAFS_DATA_DIR",
                "DVC_STAGE")  # fmt: skip
        return {
            **{name: value for name, value in os.environ.items() if name not in lost},
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(self.root / "src"),
            "GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@example.org",
            "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@example.org",
        }  # fmt: skip

    def run(self, *command: str, check: bool = True, **more: str) -> Done:
        """Run a command in the copy; its output is shown when it fails."""
        done = subprocess.run(
            command, cwd=self.root, env={**self.env, **more}, text=True, capture_output=True,
            timeout=3000,
        )  # fmt: skip
        if check and done.returncode:
            raise AssertionError(f"{command} gave {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done

    def jobs(self, *command: str, **more: str) -> dict[str, int]:
        """Run a command around Snakemake and return how many jobs of each rule it ran."""
        return ran(self.run(*command, **more))

    def edit(self, change: Callable[[dict[str, Any]], None]) -> None:
        """Change the parameters by a function of the parsed file."""
        path = self.root / "params.yaml"
        params = yaml.safe_load(path.read_text())
        change(params)
        path.write_text(yaml.safe_dump(params, sort_keys=False))

    def replace(self, file: str, old: str, new: str) -> None:
        """Change a text in a file, once."""
        path = self.root / file
        text = path.read_text()
        assert old in text, f"{file} does not contain {old!r}"
        path.write_text(text.replace(old, new, 1))

    def snapshot(self, *patterns: str) -> dict[str, tuple[int, bytes]]:
        """Return mtime and bytes of the files that match."""
        return {
            str(path.relative_to(self.root)): (path.stat().st_mtime_ns, path.read_bytes())
            for pattern in patterns
            for path in sorted(self.root.glob(pattern))
            if path.is_file()
        }

    def commit(self, message: str) -> None:
        """Commit everything to git."""
        self.run("git", "add", "--all")
        self.run("git", "commit", "--quiet", "--message", message)

    def pushed(self, folder: Path) -> "Copy":
        """Commit and push everything to `folder`/store, and return a clone without results."""
        self.run("dvc", "remote", "modify", "store", "url", str(folder / "store"))
        self.commit("as it is")
        self.run("dvc", "push", "--quiet")
        self.run("git", "clone", "--quiet", ".", str(folder / "clone"))
        return Copy(folder / "clone")

    def pulled(self, folder: Path) -> "Copy":
        """Commit and push everything, and return a clone of it that has pulled the results."""
        clone = self.pushed(folder)
        clone.run("dvc", "pull", "--quiet")
        return clone

    def compile_like(self, other: "Copy") -> None:
        """Take over another copy's compiled code, which numba finds by the dates of its sources."""
        engine = other.root / "src/rafs/engine"
        for source in engine.rglob("*.py"):
            mine = self.root / source.relative_to(other.root)
            if mine.read_bytes() == source.read_bytes():
                shutil.copystat(source, mine)
        for cache in engine.rglob("__pycache__"):
            shutil.copytree(cache, self.root / cache.relative_to(other.root), dirs_exist_ok=True)

    def to(self, root: Path) -> "Copy":
        """Return a copy of this copy, dates included."""
        shutil.copytree(self.root, root, symlinks=True)
        return Copy(root)


# Everything but timings, and the page, which shows them.
SAME = ("data/processed/**/*.npz", "results/runs/**/predictions.npz", "results/runs/**/run.json",
        "results/runs/**/metrics.json", "results/runs/**/best.json", "results/runs/**/trials.csv",
        "results/runs/**/held_out.npz", "results/scores/*", "results/tuned/*",
        "results/recalibrated/*",
        "reports/figures/*", "reports/tables/*", "reports/*.json", "reports/*.csv",
        "reports/seeds/*")  # fmt: skip


def unchanging(copy: Copy) -> dict[str, bytes]:
    """Return the bytes of all results that are the same in every run."""
    found = copy.snapshot(*SAME)
    return {name: content for name, (_, content) in found.items() if "/cost." not in name}


def ran(done: Done | str) -> dict[str, int]:
    """Return how many jobs of each rule a command ran, by the summary at its end."""
    text = done if isinstance(done, str) else done.stdout + done.stderr
    found = re.search(r"^rafs: ran: (.+)$", text, re.MULTILINE)
    if found is None:
        assert re.search(r"Nothing to be done|didn't change, skipping", text), text
        return {}
    return {rule: int(count) for count, rule in re.findall(r"(\d+) (\w+)", found[1])}


def replan(plan: Plan, change: Callable[[dict[str, Any]], object]) -> Plan:
    """Return the plan of changed parameters; what they say about each other is not checked."""
    content = plan.params.written()
    change(content)
    return Plan(Params.model_validate(content), PROJECT)


def small(params: dict[str, Any]) -> None:
    """Reduce the parameters to two methods, two datasets and two seeds."""
    params["seeds"] = 2
    params["training"]["steps"] = 20
    params["tuning"] |= {"trials": 2, "keep": 1, "rows": 8}
    params["experiments"] = {
        "main": {"methods": ["ae", "rafs"], "datasets": ["he", "forrester"]},
    }
    params.pop("together")
    params["tables"] = {"nll": {"experiments": ["main"]}, "rmse": {"experiments": ["main"]}}
    params["figures"] = {
        "training_points_1d": {"experiments": [], "datasets": ["he"], "seed": 0},
        "overview": {"experiments": ["main"]},
    }
    params.pop("smoke", None)


def copied(root: Path) -> Copy:
    """Return a small copy of the project's files as an archive has them: with .dvc, without git.

    Compiled code is copied as well.
    """
    root.mkdir(parents=True)
    for name in FILES:
        source = PROJECT / name
        if source.is_dir():
            shutil.copytree(source, root / name, ignore=UNTRACKED)
        else:
            shutil.copy2(source, root / name)
    copy = Copy(root)
    copy.edit(small)
    return copy


def whole(root: Path) -> Copy:
    """Return a copy of the project's files with all its parameters, in git."""
    copy = copied(root)
    shutil.copy2(PROJECT / "params.yaml", root)
    copy.run("git", "init", "--quiet")
    return copy


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], Copy]) -> Copy:
    """Make a copy once for all processes that the tests run in; it is not to be changed."""
    base = factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        base = base.parent
    root = base / name
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not root.exists():
            make(base / f"{name}-unfinished").root.rename(root)
    return Copy(root)
