"""What only whole processes show: equal bits on any number of cores, imports, memory."""

import os
import subprocess
import sys

import pytest

TRAIN = """
import hashlib, os, sys
if len(sys.argv) > 1:
    os.sched_setaffinity(0, set(map(int, sys.argv[1].split(","))))
import numpy as np
from rafs.engine import Members, Training, fit, outputs
from rafs.engine.activations import PAPER
rng = np.random.default_rng(0)
x = rng.normal(size=(150, 3)); y = np.sin(x.sum(1))
digest = hashlib.sha256()
for hidden, P in (((100,), 501), ((24, 16), 513)):
    theta = rng.normal(size=(7, P)) * 0.3
    members = Members((3, *hidden, 1), PAPER, theta, np.full(7, 0.01), np.arange(7),
                      centre=theta, gamma=np.ones((7, P)))
    for batch_size in (None, 32):
        result = fit(members, x, y, Training(steps=60, batch_size=batch_size, device="cpu"))
        digest.update(result.theta.tobytes() + outputs(members, result.theta, x).tobytes())
print(digest.hexdigest(), "torch" in sys.modules)
"""

MEMORY = """
import resource, sys
import numpy as np
from rafs.engine import Members, Training, fit
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
def train(n):
    x = np.zeros((n, 1), dtype=np.float32)
    members = Members((1, 128, 128, 1), ("tanh",), np.full((1, 16897), 0.01), [0.01], [1])
    fit(members, x, x[:, 0], Training(steps=1, device="cpu", backend=sys.argv[1]))
train(50_000)
before = peak()
train(500_000)
print(peak() - before)
"""


def run(code, *arguments, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_the_same_bits_on_one_and_two_cores():
    cores = sorted(os.sched_getaffinity(0))
    first, torch = run(TRAIN, str(cores[0]), OMP_NUM_THREADS="1")
    assert torch == "False"
    every = ",".join(map(str, cores))
    assert run(TRAIN, every, OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2")[0] == first
    assert run(TRAIN, str(cores[-1]), OMP_NUM_THREADS="4", PYTHONHASHSEED="7")[0] == first


@pytest.mark.slow
def test_the_same_bits_from_new_machine_code(tmp_path):
    """Code that was just compiled and code that was kept give the same numbers."""
    first = run(TRAIN, NUMBA_CACHE_DIR=str(tmp_path))
    # each in a file of its own, so that processes that start together cannot mix them up
    assert len(list(tmp_path.rglob("*.nbc"))) == len(list(tmp_path.rglob("*.nbi"))) >= 9
    assert run(TRAIN, NUMBA_CACHE_DIR=str(tmp_path)) == first
    assert run(TRAIN) == first


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["fused", "torch"])
def test_memory_does_not_hold_the_activations_of_all_rows(engine):
    """450,000 more rows: two layers of 128 in float32 would be 460 MB, and as much for slopes."""
    (growth,) = run(MEMORY, engine)
    assert float(growth) < 80
