"""The golden manifests: hashes of the results of the smoke edition and of the full reproduction.

A refactoring changes no result, so it leaves both as they are. That of the smoke edition is a test.
That of the reproduction is compared with the results of a finished one by

    python tests/golden.py

and its printed tables, which are in git, by a test. A change that is meant to change results
records the manifests again, and the CHANGELOG says why:

    rafs smoke && snakemake && python tests/golden.py --record
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path

import llvmlite.binding
import numpy as np
import scipy.linalg  # noqa: F401 (has a BLAS of its own)
from threadpoolctl import threadpool_info

ORACLES = Path(__file__).parent / "oracles"
MANIFEST = ORACLES / "smoke_manifest.json"
REPRODUCTION = ORACLES / "reproduction_manifest.json"
PREDICTIONS = "results/runs/*/*/*/*/predictions.npz"
TABLES = "reports/tables/*"
RESULTS = ("results/scores/*.csv", TABLES)
TIMED = "cost"  # the one table whose numbers depend on the machine


def cpu() -> str:
    """Return the type of CPU, and the one that BLAS takes it for (`OPENBLAS_CORETYPE`).

    The last digits of a result depend on the vector instructions of both.
    """
    kernels = {info["architecture"] for info in threadpool_info() if info["user_api"] == "blas"}
    return f"{llvmlite.binding.get_host_cpu_name()}, BLAS {'+'.join(sorted(kernels))}"


def digest(file: Path) -> str:
    """Return the hash of a file; of its arrays if it is an archive of arrays.

    The header that Python's zipfile writes around the same arrays is not the same in 3.11.2 and
    in 3.11.7.
    """
    if file.suffix != ".npz":
        return hashlib.sha256(file.read_bytes()).hexdigest()
    hashed = hashlib.sha256()
    with np.load(file, allow_pickle=False) as arrays:
        for name, array in arrays.items():
            hashed.update(f"{name} {array.dtype} {array.shape}\n".encode())
            hashed.update(array.tobytes())
    return hashed.hexdigest()


def manifest(root: Path, patterns: Iterable[str] = (PREDICTIONS, *RESULTS)) -> dict[str, str]:
    """Return the hash of every result below a directory."""
    files = sorted(file for pattern in patterns for file in root.glob(pattern))
    return {str(file.relative_to(root)): digest(file) for file in files if file.stem != TIMED}


def by_cell(root: Path) -> dict[str, str]:
    """Return the hash of all predictions of a method on a dataset, for thousands of runs."""
    cells: dict[str, list[str]] = {}
    for name, found in manifest(root, [PREDICTIONS]).items():
        cells.setdefault(str(Path(name).parents[1]), []).append(f"{name} {found}")
    return {
        name: hashlib.sha256("\n".join(runs).encode()).hexdigest()[:16]
        for name, runs in cells.items()
    }


def reproduction(root: Path) -> dict[str, str]:
    """Return the hashes of a full reproduction."""
    return {**manifest(root, RESULTS), **by_cell(root)}


def differences(recorded: dict[str, str], found: dict[str, str]) -> list[str]:
    """Return the results that are not as recorded, those that are not there among them."""
    return [name for name in recorded if found.get(name) != recorded[name]]


def record(file: Path, found: dict[str, str]) -> None:
    """Write a manifest."""
    file.write_text(json.dumps({"cpu": cpu(), "files": found}, indent=1) + "\n")


def main() -> int:
    """Compare a full reproduction with its manifest, or record both manifests."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write the manifests anew")
    parser.add_argument("root", nargs="?", type=Path, default=Path(), help="the project")
    options = parser.parse_args()
    found = reproduction(options.root)
    if options.record:
        record(MANIFEST, manifest(options.root / "build/smoke"))
        record(REPRODUCTION, found)
        return 0
    recorded = json.loads(REPRODUCTION.read_text())
    changed = differences(recorded["files"], found)
    print(f"{len(recorded['files']) - len(changed)} of {len(recorded['files'])} are as recorded")
    if recorded["cpu"] != cpu():
        print(f"recorded on {recorded['cpu']}, this is {cpu()}: last digits may differ")
    print(*changed, sep="\n")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
