"""The cost of a whole reproduction, by kind of job: `python benchmarks/reproduction.py`.

The committed state of the project is cloned, everything is run there with the default parameters,
and CPU seconds are counted: of each kind of job, from the last line of every job's log, and of all
processes together, by the kernel. The difference is the overhead: Snakemake, DVC, starting and
watching jobs, loading compiled code. With `--keep FOLDER` the clone is kept.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from workflow import PROJECT, run

LAST_LINE = re.compile(r"^(\w+): ([\d.]+) s of CPU, (\d+) MB at most$", re.MULTILINE)


def jobs(root: Path) -> dict[str, list[tuple[float, float]]]:
    """Return CPU seconds and megabytes of every job, by kind."""
    found = defaultdict(list)
    for log in (*root.glob("logs/**/*.txt"), *root.glob("results/**/log.txt")):
        for kind, seconds, memory in LAST_LINE.findall(log.read_text())[-1:]:
            found[kind].append((float(seconds), float(memory)))
    return found


def measured(root: Path, cores: int) -> str:
    """Run everything and return the table."""
    subprocess.run(["git", "clone", "--quiet", str(PROJECT), str(root)], check=True)
    whole = run(root, "snakemake", "--cores", str(cores))
    again = run(root, "snakemake", "--cores", str(cores))
    lines = ["| part | jobs | CPU, s | share | CPU per job, s | most memory, MB |",
             "|---|---|---|---|---|---|"]  # fmt: skip
    done = jobs(root)
    for kind, costs in sorted(done.items(), key=lambda item: -sum(cpu for cpu, _ in item[1])):
        cpu = sum(seconds for seconds, _ in costs)
        memory = max(megabytes for _, megabytes in costs)
        lines.append(f"| {kind} | {len(costs)} | {cpu:.0f} | {cpu / whole.cpu:.1%} | "
                     f"{cpu / len(costs):.3f} | {memory:.0f} |")  # fmt: skip
    inside = sum(seconds for costs in done.values() for seconds, _ in costs)
    count = sum(map(len, done.values()))
    frame = whole.cpu - inside
    lines.append(f"| frame | {count} | {frame:.0f} | {frame / whole.cpu:.1%} | "
                 f"{frame / count:.3f} | |")  # fmt: skip
    training = sum(seconds for seconds, _ in done["train"])
    lines += [
        "",
        f"All: {whole.cpu / 3600:.2f} core-hours of CPU, {whole.wall / 60:.0f} minutes on {cores} "
        f"cores; of the CPU time {training / whole.cpu:.0%} is tuning and training. The largest "
        f"process took {whole.memory:.0f} MB. Once more, with nothing to do: {again.cpu:.0f} s of "
        f"CPU, {again.wall:.0f} s.",
    ]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="where the clone is made, and stays")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(measured(options.keep or Path(folder, "project"), options.cores))
    return 0


if __name__ == "__main__":
    sys.exit(main())
