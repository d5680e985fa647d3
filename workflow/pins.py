"""Complete the lock files after pip-compile, with data of the package index (`make lock`).

Every pin of requirements.lock and requirements-dev.lock gets the SHA-256 of its files, for the
Python versions and platforms below. pip-compile can add hashes too, but it uses an interface that
mirrors of the index lack, or else downloads every file. The other two locks contain only what is
not in requirements.lock. docs/install.md gets a table of the pins that have wheels.

requirements-torch.lock has no hashes: torch's builds (CUDA, CPU only) are different files of one
version, and indexes differ in which they offer.
"""

import re
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from packaging.specifiers import SpecifierSet
from packaging.tags import Tag, compatible_tags, cpython_tags, mac_platforms
from packaging.utils import parse_wheel_filename

ROOT = Path(__file__).resolve().parents[1]
LOCK, DEV, TORCH = (ROOT / f"requirements{part}.lock" for part in ("", "-dev", "-torch"))
HEADS = {
    LOCK: "What running needs, with the hash of every file (`make lock`).",
    DEV: "What testing, linting and the documentation need on top of requirements.lock and"
    " requirements-torch.lock (`make lock`).",
    TORCH: "What a GPU needs on top of requirements.lock (`make lock`). No hashes: builds for CUDA"
    " and for the CPU are different files.",
}
PAGE = ROOT / "docs/install.md"
BEGIN, END = "<!-- wheels: written by `make lock` -->\n", "<!-- end of wheels -->"
PIN = re.compile(r"^([a-z0-9-]+)==([^\s+]+)", re.MULTILINE)
PYTHONS = ((3, 11), (3, 12), (3, 13))
CUDA = re.compile(r"cuda-|nvidia-|triton$")  # a build of torch with CUDA names these itself
GLIBC = 28  # minor version 2.x of the oldest C library: Debian 10, RHEL 8, Ubuntu 20.04


def linux(machine: str) -> list[str]:
    """Return the platform tags of Linux with the C library above."""
    older = ("manylinux1", "manylinux2010", "manylinux2014")
    return [
        *(f"manylinux_2_{minor}_{machine}" for minor in range(GLIBC, 4, -1)),
        *(f"{name}_{machine}" for name in older),
        f"linux_{machine}",
    ]


PLATFORMS = {
    "Linux, x86-64": linux("x86_64"),
    "Linux, aarch64": linux("aarch64"),
    "macOS 14, arm64": list(mac_platforms((14, 0), "arm64")),
    "macOS 14, x86-64": list(mac_platforms((14, 0), "x86_64")),
}


def tags(python: tuple[int, int], platforms: list[str]) -> set[Tag]:
    """Return the tags of the wheels that a Python on a platform can install."""
    name = f"cp{python[0]}{python[1]}"
    return {*cpython_tags(python, None, platforms), *compatible_tags(python, name, platforms)}


TAGS = {(python, name): tags(python, PLATFORMS[name]) for python in PYTHONS for name in PLATFORMS}


class File(NamedTuple):
    """A file of a release on the index."""

    name: str
    sha256: str
    requires_python: str = ""

    @property
    def source(self) -> bool:
        """Whether this is a source archive rather than a wheel."""
        return not self.name.endswith(".whl")

    def suits(self, python: tuple[int, int], platform: str) -> bool:
        """Tell whether this is a wheel for a Python version and a platform."""
        return not self.source and not TAGS[python, platform].isdisjoint(
            parse_wheel_filename(self.name)[3]
        )

    def allows(self, version: str) -> bool:
        """Tell whether it may be installed on a version of Python."""
        return SpecifierSet(self.requires_python).contains(version)


Files = Mapping[str, list[File]]


def pins(lock: Path) -> dict[str, str]:
    """Return the locked versions."""
    return dict(PIN.findall(lock.read_text(encoding="utf-8")))


def ask(wanted: Mapping[str, str]) -> Files:
    """Return the usable files of every pin, from the index that pip is configured for."""
    from piptools.repositories import PyPIRepository

    found: dict[str, list[File]] = {}
    with tempfile.TemporaryDirectory() as cache:
        index = PyPIRepository([], cache_dir=cache)
        with index.allow_all_wheels():
            for name, version in wanted.items():
                links = [
                    c.link for c in index.find_all_candidates(name) if str(c.version) == version
                ]
                files = {
                    File(link.filename, str(link.hash), link.requires_python or "")
                    for link in links
                    if link.hash_name == "sha256" and not link.is_file
                }
                found[name] = sorted(file for file in files if usable(file))
    return found


def usable(file: File) -> bool:
    """Tell whether a file fits one of the Python versions and platforms."""
    return file.source or any(file.suits(*place) for place in TAGS)


def completed(text: str, head: str, files: Files, without: Iterable[str] = ()) -> str:
    """Return the output of pip-compile with a head and hashes, without pins of another lock."""
    parts = [f"# {head}\n"]
    for part in re.split(r"^(?=[a-z#])", text, flags=re.MULTILINE):
        pin = PIN.match(part)
        if pin and pin[1] not in without:
            hashes = sorted({f"--hash=sha256:{file.sha256}" for file in files.get(pin[1], ())})
            reasons = re.search(r"^ +#.*", part, re.MULTILINE | re.DOTALL)
            parts.append(
                " \\\n    ".join([pin[0], *hashes]) + "\n" + (reasons[0] if reasons else "")
            )
    return "".join(parts)


def table(files: Files) -> str:
    """Return the table of pins with wheels by platform."""
    lines = [row("pins with wheels", *PLATFORMS), row("---", *["---"] * len(PLATFORMS))]
    for lock in HEADS:
        names = pins(lock)
        cells = [summary({name: files[name] for name in names}, place) for place in PLATFORMS]
        lines.append(row(f"`{lock.name}`: {len(names)}", *cells))
    return "\n".join(lines) + "\n"


def summary(files: Files, platform: str) -> str:
    """Name the pins without a wheel, with Python versions if only some of them lack it."""
    lacking = []
    for name, found in files.items():
        without = [p for p in PYTHONS if not any(file.suits(p, platform) for file in found)]
        if without:
            some = f" (for {', '.join(f'{a}.{b}' for a, b in without)})"
            lacking.append(name + (some if len(without) < len(PYTHONS) else ""))
    return f"all but {', '.join(lacking)}" if lacking else "all"


def row(*cells: str) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(cells)} |"


def page(text: str, files: Files) -> str:
    """Return the page with the table inserted."""
    head, rest = text.split(BEGIN)
    return f"{head}{BEGIN}{table(files)}{END}{rest.split(END, 1)[1]}"


def main() -> None:
    """Complete the locks and the page."""
    files = ask({name: version for lock in HEADS for name, version in pins(lock).items()})
    if lost := [name for name, found in files.items() if not found]:
        sys.exit(f"the package index has no file with a checksum of {', '.join(lost)}")
    shared = pins(LOCK)
    for lock, head in HEADS.items():
        text = lock.read_text(encoding="utf-8")
        without = () if lock == LOCK else {*shared, *filter(CUDA.match, pins(lock))}
        text = completed(text, head, {} if lock == TORCH else files, without)
        lock.write_text(text, encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), files), encoding="utf-8")


if __name__ == "__main__":
    main()
