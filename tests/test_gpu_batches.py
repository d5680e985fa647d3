"""Runs that train on a GPU are trained together; those on the CPU each have a process."""

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rafs.engine import devices
from rafs.pipeline import surroundings
from rafs.pipeline.forkserver import batches
from rafs.pipeline.forkserver.server import Request, Server
from rafs.sampled import Dataset, write_dataset

SMALL, LARGE = 10, 20_000  # rows, for five networks of 30,001 parameters


def spec(rows: int, device: str = "auto", **training: Any) -> dict[str, Any]:
    how = {"steps": 100_000, "device": device, **training}
    return {
        "base": "rafs", "dataset": "he", "protocol": "described", "seed": rows,
        "settings": {"hidden": [10_000]}, "sweep": {}, "training": how,
    }  # fmt: skip


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a directory with the data of a small and of a large run."""
    for rows in (SMALL, LARGE):
        x, y = np.zeros((rows, 1)), np.zeros(rows)
        path = tmp_path / f"{rows}.npz"
        write_dataset(path, Dataset("he", ("x",), x, y, x, y, 0.1, rows))
    return tmp_path


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Pretend that there is a GPU."""
    monkeypatch.setattr(devices, "_may_have_gpu", lambda: True)
    monkeypatch.setattr(devices, "_gpu", lambda: True)
    batches._gpu_at_hand.cache_clear()
    yield
    batches._gpu_at_hand.cache_clear()


def enough(place: Path, told: dict[str, Any], cores: int = 4, kind: str = "train") -> int:
    """Return how many such jobs a fork server does as one."""
    with socket.socket(socket.AF_UNIX) as caller:
        arguments = ["job", kind, "--spec", json.dumps(told), "--input", f"{told.get('seed')}.npz"]
        request = Request(caller, [], str(place), arguments, {})
        server = Server(caller, os.getpid(), cores)
        os.close(server.owner)
        return server.enough(request)


@pytest.mark.usefixtures("gpu")
def test_auto_batches_what_it_trains_on_a_gpu(place: Path) -> None:
    assert enough(place, spec(LARGE)) == 4
    assert enough(place, spec(SMALL)) == 1
    assert enough(place, spec(LARGE, steps=10)) == 1
    assert enough(place, spec(LARGE, batch_size=8)) == 1
    assert enough(place, spec(LARGE, device="cpu")) == 1
    assert enough(place, spec(LARGE), kind="score") == 1


def test_without_a_gpu_auto_batches_nothing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "_may_have_gpu", lambda: False)
    batches._gpu_at_hand.cache_clear()
    assert enough(place, spec(LARGE)) == 1


def test_cuda_batches_everything(place: Path) -> None:
    assert enough(place, spec(SMALL, device="cuda")) == 4
    assert enough(place, spec(SMALL, device="cuda"), cores=10**9) == surroundings.MOST_IN_BATCH


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("device", ["auto", "cpu", "cuda"])
def test_who_asks_for_a_batch_gets_it(
    place: Path, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for size in (1, 3):
        monkeypatch.setenv(surroundings.BATCH, str(size))
        assert enough(place, spec(SMALL, device=device)) == size
        assert enough(place, spec(LARGE, device=device)) == size


@pytest.mark.usefixtures("gpu")
def test_a_job_that_cannot_be_understood_is_begun_alone(place: Path) -> None:
    """It says itself what is wrong with it."""
    assert enough(place, {}) == 1
    assert enough(place / "elsewhere", spec(LARGE)) == 1
