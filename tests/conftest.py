"""Fixtures of all tests: copies of the project that may be changed."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from small_project import Copy, copied, once, whole

# How long an example takes says something about the machine, not about the code.
settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")

COUNTED = {"fault": ("faults",), "refusal": ("inputs", "refused")}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let marked tests count for docs/promises.md (see promises.py)."""
    for item in items:
        for mark, names in COUNTED.items():
            if item.get_closest_marker(mark):
                item.user_properties += [(name, 1) for name in names]


@pytest.fixture
def project(tmp_path: Path) -> Copy:
    """Return a small copy of the project, without git and without results."""
    return copied(tmp_path / "project")


@pytest.fixture(scope="session")
def reproduced(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """Return a copy with git and DVC in which everything is made and committed."""

    def make(root: Path) -> Copy:
        copy = copied(root)
        copy.run("git", "init", "--quiet", "--initial-branch", "main")
        copy.run("dvc", "remote", "add", "--default", "store", str(root.parent / "store"))
        copy.commit("start")
        copy.run("snakemake")
        copy.commit("reproduced")
        return copy

    return once(tmp_path_factory, "reproduced", make)


@pytest.fixture(scope="session")
def smoked(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """Return a copy with all parameters in which the smoke test was run; see its smoke.txt."""

    def make(root: Path) -> Copy:
        copy = whole(root)
        done = copy.run("snakemake", "smoke", "--cores", "2")
        (copy.root / "smoke.txt").write_text(done.stdout + done.stderr)
        return copy

    return once(tmp_path_factory, "smoked", make)


@pytest.fixture
def finished(reproduced: Copy, tmp_path: Path) -> Copy:
    """Return a small copy with git and DVC in which everything is made and committed."""
    return reproduced.to(tmp_path / "project")
