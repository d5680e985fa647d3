"""What all tests share: the project's files copied to a place where they may be changed."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

PROJECT = Path(__file__).resolve().parents[1]
FILES = ("Snakefile", "workflow", "profiles", "params.yaml", "requirements.lock", "dvc.yaml",
         ".dvcignore", ".gitignore", "src", "pyproject.toml")  # fmt: skip


@dataclass
class Copy:
    """A copy of the project in a directory of its own, with small parameters."""

    root: Path
    env: dict[str, str]

    def run(self, *command: str, check: bool = True, **more) -> subprocess.CompletedProcess[str]:
        """Run a command in the copy; its output is shown when it fails."""
        done = subprocess.run(
            command, cwd=self.root, env={**self.env, **more}, text=True, capture_output=True,
            timeout=600,
        )  # fmt: skip
        if check and done.returncode:
            raise AssertionError(f"{command} gave {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done

    def edit(self, change) -> None:
        """Change the parameters by a function of the parsed file."""
        path = self.root / "params.yaml"
        params = yaml.safe_load(path.read_text())
        change(params)
        path.write_text(yaml.safe_dump(params, sort_keys=False))

    def snapshot(self, pattern: str) -> dict[str, tuple[int, bytes]]:
        """Return mtime and bytes of the files that match."""
        return {
            str(path.relative_to(self.root)): (path.stat().st_mtime_ns, path.read_bytes())
            for path in sorted(self.root.glob(pattern))
        }


def small(params) -> None:
    """Reduce the parameters to two methods, two datasets and two seeds."""
    params["seeds"] = 2
    params["training"]["steps"] = 20
    params["tuning"]["trials"] = 2
    params["experiments"] = {
        "main": {"methods": ["ae", "rafs"], "datasets": ["he", "forrester"]},
    }
    params["tables"] = {"nll": {"experiments": ["main"]}}
    params["figures"] = {
        "training_points_1d": {"experiments": [], "datasets": ["he"], "seed": 0},
        "overview": {"experiments": ["main"]},
    }
    params.pop("smoke", None)


@pytest.fixture
def project(tmp_path: Path) -> Copy:
    """Return a small copy of the project, without git."""
    root = tmp_path / "project"
    root.mkdir()
    for name in FILES:
        source = PROJECT / name
        if source.is_dir():
            ignore = shutil.ignore_patterns("__pycache__", "*.egg-info")
            shutil.copytree(source, root / name, ignore=ignore)
        else:
            shutil.copy2(source, root / name)
    binaries = Path(sys.executable).parent
    env = {
        **os.environ,
        "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(root / "src"),
        "GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@example.org",
        "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@example.org",
    }  # fmt: skip
    env.pop("RAFS_WARM", None)
    copy = Copy(root, env)
    copy.edit(small)
    return copy
