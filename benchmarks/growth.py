"""Growth of CPU time with rows, members, parameters, dimensions, seeds and runs.

    python benchmarks/growth.py --figure benchmarks/growth.svg --json benchmarks/growth.json

The engine's time is that of one step of RAFs (float32, full batch); the workflow's is that of whole
runs of small copies of the project, whose jobs are trivial. A power of the size is fitted along
every axis; an exponent of one means that time is proportional to size.
"""

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from engine import best, engine, problem
from workflow import copied, run

ENGINE = {  # n, d, hidden, members
    "rows": [(n, 8, (100,), 5) for n in (250, 500, 1000, 2000, 4000, 8000, 16000, 32000)],
    "members": [(500, 8, (100,), m) for m in (7, 14, 28, 56)],
    "parameters": [(500, 8, (h, h), 2) for h in (32, 64, 128, 256, 512)],
    "dimensions": [(500, d, (100,), 5) for d in (8, 16, 32, 64, 128, 256)],
}
RUNS = (150, 300, 600)  # of the workflow; 15 runs for each seed


def of_engine(axis: str) -> tuple[list[int], list[float]]:
    """Return sizes and CPU seconds of one step along an axis."""
    sizes, seconds = [], []
    for n, d, hidden, count in ENGINE[axis]:
        x, y, members = problem(n, d, hidden, count)
        steps = max(40, int(3e9 / (n * count * members.n_parameters * 30)))
        engine(x, y, members, 2)
        spent = best(engine, 3, x, y, members, steps) - best(engine, 3, x, y, members, 0)
        size = {"rows": n, "members": count, "parameters": members.n_parameters, "dimensions": d}
        sizes.append(size[axis])
        seconds.append(spent / steps)
    return sizes, seconds


def of_workflow() -> tuple[list[int], list[float]]:
    """Return numbers of runs and CPU seconds of whole workflows."""
    seconds = []
    for runs in RUNS:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder, "project")
            copied(root, runs)
            seconds.append(run(root, "snakemake").cpu)
    return list(RUNS), seconds


def measured() -> list[dict]:
    """Return one record per axis."""
    records = []
    for axis in (*ENGINE, "runs"):
        sizes, seconds = of_workflow() if axis == "runs" else of_engine(axis)
        records.append({"axis": axis, "sizes": sizes, "seconds": seconds})
        if axis == "runs":  # one more seed is fifteen more runs
            seeds = [size // 15 for size in sizes]
            records.append({"axis": "seeds", "sizes": seeds, "seconds": seconds})
    for record in records:
        slope = np.polyfit(np.log(record["sizes"]), np.log(record["seconds"]), 1)[0]
        record["exponent"] = float(slope)
    return records


def draw(records: list[dict], path: Path) -> None:
    """Draw one panel per axis, both scales logarithmic, with the fitted power."""
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "growth"
    figure, panels = plt.subplots(2, 3, figsize=(9, 5), layout="constrained")
    for panel, record in zip(panels.flat, records, strict=True):
        sizes, seconds = np.array(record["sizes"]), np.array(record["seconds"])
        middle = np.exp(np.log(sizes).mean()), np.exp(np.log(seconds).mean())
        panel.loglog(sizes, middle[1] * (sizes / middle[0]) ** record["exponent"], color="0.6")
        panel.loglog(sizes, seconds, "o", color="#0072B2")
        panel.set_title(f"{record['axis']}: exponent {record['exponent']:.2f}", fontsize=10)
        whole = record["axis"] in ("runs", "seeds")
        panel.set_xlabel(record["axis"])
        panel.set_ylabel("CPU s, workflow" if whole else "CPU s per step")
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="write the numbers to this file")
    parser.add_argument("--figure", type=Path, help="draw them into this file")
    options = parser.parse_args()
    records = measured()
    table = Table("axis", "sizes", "CPU milliseconds", "exponent")
    for record in records:
        times = " ".join(f"{1e3 * s:.3g}" for s in record["seconds"])
        sizes = " ".join(map(str, record["sizes"]))
        table.add_row(record["axis"], sizes, times, f"{record['exponent']:.2f}")
    Console(width=140).print(table)
    if options.json:
        options.json.write_text(json.dumps(records, indent=1) + "\n")
    if options.figure:
        draw(records, options.figure)


if __name__ == "__main__":
    main()
