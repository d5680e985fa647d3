"""The wheel holds all that it needs, and runs where nothing of the project is but itself."""

import importlib.metadata
import json
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

ROOT = Path(__file__).resolve().parents[1]


def test_one_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    (newest, *_) = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert project["version"] == rafs.__version__ == cited["version"] == newest == "0.2.0"


def test_one_description():
    """CodeMeta and CITATION.cff say what pyproject.toml says."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    meta = json.loads((ROOT / "codemeta.json").read_text())
    assert meta["name"] == project["name"]
    assert meta["version"] == project["version"]
    assert meta["description"] == project["description"]
    assert meta["keywords"] == project["keywords"]
    assert meta["runtimePlatform"] == f"Python {project['requires-python']}"
    assert meta["license"] == f"https://spdx.org/licenses/{project['license']}"
    assert cited["license"] == project["license"]
    assert meta["headline"] == cited["title"]
    assert [author["name"] for author in meta["author"]] == [a["name"] for a in cited["authors"]]
    (paper,) = cited["references"]
    assert meta["referencePublication"]["name"] == paper["title"]


sys.path.insert(0, str(ROOT / "workflow"))
import pins  # noqa: E402

RUNNING, TORCH, TOOLS = (pins.pins(lock) for lock in (pins.LOCK, pins.TORCH, pins.DEV))
PYTHONS = ("3.11.0", "3.12.0", "3.13.0")


def wanted(*extras: str) -> list[Requirement]:
    """Return what the project asks for, with some extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = (project["optional-dependencies"][extra] for extra in extras)
    return [Requirement(line) for group in (project["dependencies"], *groups) for line in group]


@pytest.mark.parametrize(
    ("extras", "locked"),
    [
        (("parquet", "workflow"), RUNNING),
        (("torch",), RUNNING | TORCH),
        (("dev",), RUNNING | TORCH | TOOLS),
    ],
    ids=["running", "torch", "tools"],
)
def test_the_lock_files_have_what_the_project_asks_for(extras, locked):
    """A change of pyproject.toml requires `make lock`."""
    for asked in wanted(*extras):
        assert asked.specifier.contains(locked[canonicalize_name(asked.name)]), asked


def test_no_pin_is_in_two_lock_files():
    names = [*RUNNING, *TORCH, *TOOLS]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("machine", ["Linux x86_64", "Linux aarch64", "Darwin arm64"])
@pytest.mark.parametrize("python", PYTHONS)
def test_the_lock_file_is_enough_on_every_platform(python, machine):
    """What a pin asks for on one Python or platform alone is locked too: hashes allow no more."""
    system, processor = machine.split()
    place = {
        "python_version": python[:4], "python_full_version": python, "platform_system": system,
        "platform_machine": processor, "sys_platform": system.lower(), "os_name": "posix",
        "implementation_name": "cpython", "platform_python_implementation": "CPython",
    }  # fmt: skip
    waiting = [(asked, "") for asked in wanted("parquet", "workflow")]
    seen: set[str] = set()
    for asked, extra in waiting:
        if asked.marker is not None and not asked.marker.evaluate({**place, "extra": extra}):
            continue
        name = canonicalize_name(asked.name)
        assert asked.specifier.contains(RUNNING[name], prereleases=True), asked
        for more in {"", *asked.extras}:
            if f"{name}[{more}]" not in seen:
                seen.add(f"{name}[{more}]")
                lines = importlib.metadata.requires(name) or ()
                waiting += [(Requirement(line), more) for line in lines]
    assert {name.partition("[")[0] for name in seen} <= set(RUNNING)
    assert len(seen) > 100


@pytest.mark.slow
def test_every_pin_installs_on_every_python():
    """As the package index has it; nothing is downloaded but its lists of files."""
    if not pins.ask({"six": RUNNING["six"]})["six"]:
        pytest.skip("no package index with checksums can be reached from here")
    files = pins.ask(RUNNING | TORCH | TOOLS)
    for name, found in files.items():
        for python in PYTHONS:
            fit = [file for file in found if file.allows(python)]
            minor = tuple(map(int, python.split(".")[:2]))
            assert any(f.source or f.suits(minor, "Linux, x86-64") for f in fit), (name, python)
    for lock in (pins.LOCK, pins.DEV):
        text = lock.read_text()
        assert pins.completed(text, pins.HEADS[lock], files) == text, "run `make lock`"
    assert pins.completed(pins.TORCH.read_text(), pins.HEADS[pins.TORCH], {}) == (
        pins.TORCH.read_text()
    )
    page = pins.PAGE.read_text()
    assert pins.page(page, files) == page


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


WITHOUT_TORCH = """
import rafs
from rafs.errors import DeviceError

x, y = [[i / 9] for i in range(10)], [i / 9 for i in range(10)]
for name in rafs.__all__:
    cls = getattr(rafs, name)
    model = cls().set_params(**{} if name == "NTKGaussianProcess" else {"steps": 2}).fit(x, y)
    model.save("model.npz")
    assert (cls.load("model.npz").predict(x) == model.predict(x)).all(), name
try:
    rafs.RAFsEnsemble(steps=2, device="cuda").fit(x, y)
except DeviceError as error:
    assert "needs torch, which is not installed" in str(error), error
    assert "pip install 'rafs[torch]'" in str(error), error
else:
    raise SystemExit("device: cuda was not refused")
"""


@pytest.mark.slow
def test_the_wheel_in_an_empty_environment(tmp_path: Path) -> None:
    """Built from a copy of the sources; beside it is what it asks for, and nothing else."""
    source = tmp_path / "source"
    source.mkdir()
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "src", "pyproject.toml",
         "setup.py", "params.yaml", "README.md", "LICENSE"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    for name in listed.stdout.splitlines():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes((ROOT / name).read_bytes())
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run(
        [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path, source],
        check=True, capture_output=True,
    )  # fmt: skip
    (wheel,) = tmp_path.glob(f"rafs-{rafs.__version__}-*.whl")
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
    for absent in ("snakemake", "dvc", "pytest", "pyarrow", "torch"):
        assert subprocess.run([python, "-c", f"import {absent}"], env=env).returncode == 1

    assert subprocess.run([python, "-c", WITHOUT_TORCH], cwd=tmp_path, env=env).returncode == 0

    random = np.random.default_rng(0)
    x = random.uniform(-1, 1, (40, 2))
    table = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": x[:, 0] - x[:, 1]})
    table.to_csv(tmp_path / "table.csv", index=False)
    done = subprocess.run(
        [place / "bin/rafs", "compare", "table.csv", "--target", "y", "--methods", "ae",
         "--seeds", "2", "--trials", "1", "--steps", "20", "--cores", "1"],
        cwd=tmp_path, env=env, capture_output=True, text=True, timeout=3000,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "\nAE " in done.stdout
    assert (tmp_path / "table-comparison/comparison.png").is_file()
    where = subprocess.run(
        [python, "-c", "import rafs; print(rafs.__file__)"], cwd=tmp_path, env=env,
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert Path(where.strip()).is_relative_to(place)
