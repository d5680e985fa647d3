"""The wheel holds all that it needs, and runs where nothing of the project is but itself."""

import importlib.metadata
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import rafs
from rafs.provenance import pins

ROOT = Path(__file__).resolve().parents[1]


def test_one_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    (newest, *_) = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert project["version"] == rafs.__version__ == cited["version"] == newest == "0.1.0"


def test_the_lock_file_has_what_the_project_asks_for():
    """Whoever changes pyproject.toml has to run `make lock`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    locked = pins(ROOT / "requirements.lock")
    groups = (project["dependencies"], *project["optional-dependencies"].values())
    for wanted in (Requirement(line) for group in groups for line in group):
        assert wanted.specifier.contains(locked[canonicalize_name(wanted.name)]), wanted


def declared(wheel: Path) -> set[str]:
    """Return the packages that a wheel without extras asks for, and those that they ask for."""
    (found,) = importlib.metadata.distributions(path=[str(wheel)])
    waiting = [(found, "")]
    names: set[str] = set()
    for asking, extra in waiting:
        for line in asking.requires or ():
            wanted = Requirement(line)
            if wanted.marker is None or wanted.marker.evaluate({"extra": extra}):
                name = canonicalize_name(wanted.name)
                if name not in names or wanted.extras:
                    names.add(name)
                    there = importlib.metadata.distribution(name)
                    waiting += [(there, extra) for extra in ("", *wanted.extras)]
    return names


def lend(names: set[str], packages: Path) -> None:
    """Put packages of this environment into another, by links, so that nothing is downloaded."""
    for name in names:
        there = importlib.metadata.distribution(name)
        for top in {file.parts[0] for file in there.files or ()} - {"..", "__pycache__"}:
            if not (packages / top).exists():
                (packages / top).symlink_to(str(there.locate_file(top)))


@pytest.mark.slow
def test_the_wheel_in_an_empty_environment(tmp_path: Path) -> None:
    """Built from a copy of the sources; beside it is what it asks for, and nothing else."""
    source = tmp_path / "source"
    source.mkdir()
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "src", "pyproject.toml",
         "README.md", "LICENSE"], cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    for name in listed.stdout.splitlines():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes((ROOT / name).read_bytes())
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run(
        [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path, source],
        check=True, capture_output=True,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("rafs-0.1.0-*.whl")
    modules = {name.removeprefix("src/") for name in listed.stdout.split() if "/rafs/" in name}
    assert modules <= set(zipfile.ZipFile(wheel).namelist())

    place = tmp_path / "empty"
    venv.create(place, with_pip=False)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(place)}))
    lend(declared(wheel), packages)
    python = place / "bin/python"
    env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    subprocess.run(
        [*pip, "--python", python, "install", "--no-index", wheel], check=True, env=env,
        capture_output=True,
    )  # fmt: skip
    for absent in ("snakemake", "dvc", "pytest", "pyarrow"):
        assert subprocess.run([python, "-c", f"import {absent}"], env=env).returncode == 1

    random = np.random.default_rng(0)
    x = random.uniform(-1, 1, (40, 2))
    table = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": x[:, 0] - x[:, 1]})
    table.to_csv(tmp_path / "table.csv", index=False)
    done = subprocess.run(
        [place / "bin/rafs", "compare", "table.csv", "--target", "y", "--methods", "ae",
         "--seeds", "2", "--trials", "1", "--steps", "20", "--cores", "1"],
        cwd=tmp_path, env=env, capture_output=True, text=True, timeout=800,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "\nAE " in done.stdout
    assert (tmp_path / "table-comparison/comparison.png").is_file()
    where = subprocess.run(
        [python, "-c", "import rafs; print(rafs.__file__)"], cwd=tmp_path, env=env,
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert Path(where.strip()).is_relative_to(place)
