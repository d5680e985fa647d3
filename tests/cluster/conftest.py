"""A cluster for the tests: started once, stopped at the end; skipped where there is no Slurm."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from slurm import Cluster, absent


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
