"""The golden manifest: hashes of every result of the smoke edition.

A refactoring changes no result, so it leaves this manifest as it is. A change that is meant to
change results records it again, and the CHANGELOG says why:

    rafs smoke && python tests/golden.py
"""

import hashlib
import json
from pathlib import Path

import llvmlite.binding
import numpy as np
import scipy.linalg  # noqa: F401 (has a BLAS of its own)
from threadpoolctl import threadpool_info

MANIFEST = Path(__file__).parent / "oracles/smoke_manifest.json"
RESULTS = ("results/runs/**/predictions.npz", "results/scores/*.csv", "reports/tables/*")
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


def manifest(root: Path) -> dict[str, str]:
    """Return the hash of every result below a directory."""
    files = sorted(file for pattern in RESULTS for file in root.glob(pattern))
    return {str(file.relative_to(root)): digest(file) for file in files if file.stem != TIMED}


if __name__ == "__main__":
    found = {"cpu": cpu(), "files": manifest(Path("build/smoke"))}
    MANIFEST.write_text(json.dumps(found, indent=1) + "\n")
