"""The limits of the machine, and how close the engine and a short job come to them.

    python benchmarks/floor.py

One thread, float32. The engine's rate counts 6 multiply-adds' worth of operations per parameter,
row and step (forward, backward to the values, backward to the weights; the first layer needs no
second). Activations, optimiser and shuffling are not counted, so they lower this rate.
"""

import os
import resource
import subprocess
import sys
import time
from itertools import pairwise

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import special

from engine import CASES, best, engine, problem


def seconds(function, repeats: int = 5) -> float:
    """Return the shortest CPU time of several calls."""
    found = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        found.append(time.process_time() - start)
    return min(found)


def matrix_rate(n: int, k: int, m: int) -> float:
    """Return GFLOP/s of a matrix product of the BLAS that numpy brings."""
    a, b = np.ones((n, k), np.float32), np.ones((k, m), np.float32)
    times = max(1, int(2e9 / (2 * n * k * m)))
    return 2e-9 * n * k * m * times / seconds(lambda: [a @ b for _ in range(times)])


def element_rate(function) -> float:
    """Return millions of values per second of an element-wise function, in cache."""
    x = np.linspace(-3, 3, 20_000, dtype=np.float32)
    out = np.empty_like(x)
    return 1e-6 * x.size * 100 / seconds(lambda: [function(x, out) for _ in range(100)])


def start_up(code: str) -> float:
    """Return the CPU seconds of a Python process that runs some code."""
    found = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(found)


def operations(case) -> float:
    """Return the floating-point operations of a case, in units of 1e9."""
    widths = (case.d, *case.hidden, 1)
    weights = [a * b for a, b in pairwise(widths)]
    per_row = 6 * sum(weights) - 2 * weights[0]
    return 1e-9 * per_row * case.n * case.steps * case.members


def main() -> None:
    machine = Table("floor", "rate", title="the machine, one thread")
    for size in ((2000, 2000, 2000), (200, 100, 100), (200, 128, 128)):
        shape = " x ".join(map(str, size))
        machine.add_row(f"matrix product {shape}", f"{matrix_rate(*size):.0f} GFLOP/s")
    for name, function in (("tanh", np.tanh), ("erf", special.erf), ("multiply", _twice)):
        machine.add_row(f"{name}, element by element", f"{element_rate(function):.0f} M/s")
    for name, code in (
        ("python", "pass"),
        ("python, numpy", "import numpy"),
        ("python, torch", "import torch"),
        ("the client of the fork server", "import rafs.pipeline.forkserver.client"),
        ("a job without fork server", "import rafs.pipeline.jobs.train, rafs.engine.fused"),
    ):
        machine.add_row(f"start of {name}", f"{start_up(code):.3f} s")
    Console(width=100).print(machine)

    table = Table("what", "n", "d", "hidden", "CPU, s", "GFLOP/s", title="the engine")
    for case in CASES:
        x, y, members = problem(case.n, case.d, case.hidden, case.members, case.dropout)
        engine(x, y, members, 2)
        spent = best(engine, 3, x, y, members, case.steps)
        rate = f"{operations(case) / spent:.1f}"
        hidden = "x".join(map(str, case.hidden))
        table.add_row(case.what, str(case.n), str(case.d), hidden, f"{spent:.3g}", rate)
    Console(width=100).print(table)


def _twice(x, out):
    return np.multiply(x, 2, out=out)


if __name__ == "__main__":
    main()
