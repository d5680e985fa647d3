"""Pack results into few files: one archive per experiment, method and dataset, one for the rest.

A reproduction has tens of thousands of small files, results and Snakemake's records of them. DVC
stores and transfers the archives in `packed/` instead. They are written when everything is
complete. After DVC has restored other archives, the next run of the workflow unpacks them. `STAMPS`
records which archive the local files belong to, and the state of these files at that time.
"""

import contextlib
import gzip
import hashlib
import io
import os
import tarfile
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rafs import paths
from rafs.errors import DamagedFileError, RafsError
from rafs.files import atomic, canonical_json, read_json, sha256, write_json
from rafs.pipeline.messages import say
from rafs.pipeline.snakemake_compat import METADATA, about

PACKS = Path("packed")
RESULTS = "results"
REST = "rest"  # the archive of files that belong to no run
STAMPS = Path(paths.SNAKEMAKE, "packs.json")
SUFFIX = ".tar.gz"


@dataclass(frozen=True)
class Stamp:
    """The state of an archive and its files when one was made from the other."""

    sha256: str
    size: int
    date: int
    files: str  # see `_state`

    @staticmethod
    def of(pack: Path, files: Iterable[str]) -> "Stamp":
        """Return the stamp of an archive and files with equal content."""
        found = pack.stat()
        return Stamp(sha256(pack), found.st_size, found.st_mtime_ns, _state(files))

    def fits(self, pack: Path) -> bool:
        """Tell whether the archive is still the same; DVC may have changed its date."""
        try:
            found = pack.stat()
        except OSError:
            return False
        same = (found.st_size, found.st_mtime_ns) == (self.size, self.date)
        return same or (found.st_size == self.size and sha256(pack) == self.sha256)


def pack() -> int:
    """Write the archives whose files have changed; return how many."""
    stamps, found, written = _stamps(), _contents(), 0
    for name, files in found.items():
        place, old = _place(name), stamps.get(name)
        if old and old.files == _state(files) and old.fits(place):
            continue
        with atomic(place) as file:
            _write(file, files)
        stamps[name] = Stamp.of(place, files)
        written += 1
    for place in _packs():
        if _name(place) not in found:
            place.unlink()
    _keep({name: stamp for name, stamp in stamps.items() if name in found})
    return written


def unpack(*, everything: bool = False) -> int:
    """Unpack the new archives; return how many.

    With `everything`, files that have changed since are replaced too. Without it, they are an error
    unless their archive is the one that they were made from, or was not restored by DVC.
    """
    packs = list(_packs())
    if not packs:
        return 0
    stamps, here, taken, changed = _stamps(), None, 0, []
    for place in packs:
        name = _name(place)
        old = stamps.get(name)
        fits = old is not None and old.fits(place)
        if fits and not everything:
            continue
        here = _contents() if here is None else here
        files = here.get(name, [])
        as_stamped = old is not None and old.files == _state(files)
        if fits and as_stamped:
            continue
        try:
            held = _read(place)
        except DamagedFileError as error:
            say(f"{error}; what it holds will be made again")
            continue
        if not (everything or as_stamped or _part_of(files, held)):
            changed.append(name)
            continue
        _replace(files, held)
        stamps[name] = Stamp.of(place, held)
        taken += 1
    if taken:
        _keep(stamps)
    if changed:
        raise RafsError(
            f"DVC has restored {_place(changed[0])}{_others(changed)}, but the files in it have "
            "changed here as well: `rafs unpack` replaces them, `rafs pack` keeps them"
        )
    return taken


def _others(names: list[str]) -> str:
    return f" and {len(names) - 1} more" if len(names) > 1 else ""


# --- which files ----------------------------------------------------------------------------------


def _contents() -> dict[str, list[str]]:
    """Return the files of each archive by its name: results, and the records of outputs."""
    found: dict[str, list[str]] = defaultdict(list)
    for folder, _, names in os.walk(RESULTS):
        for name in names:
            if not name.endswith(".tmp"):  # of a job that was killed
                file = f"{folder}/{name}"
                found[_archive_of(file)].append(file)
    for output, record in about(METADATA):
        found[_archive_of(output)].append(record.as_posix())
    return {name: sorted(found[name]) for name in sorted(found)}


def _archive_of(output: str) -> str:
    """Return the name of the archive of an output: experiment, method and dataset of its run."""
    parts = output.split("/")
    return "/".join(parts[2:5]) if parts[:2] == [RESULTS, "runs"] and len(parts) > 5 else REST


def _packs() -> Iterator[Path]:
    """Yield the existing archives, that of the rest last: its files were made from the others."""
    yield from sorted(PACKS.rglob(f"*{SUFFIX}"), key=lambda place: (_name(place) == REST, place))


def _place(name: str) -> Path:
    return PACKS / f"{name}{SUFFIX}"


def _name(place: Path) -> str:
    return place.relative_to(PACKS).as_posix().removesuffix(SUFFIX)


def _state(files: Iterable[str]) -> str:
    """Return a hash of names, sizes and dates, which changes when a file does."""
    stats = [(file, os.stat(file)) for file in sorted(files)]  # noqa: PTH116
    listed = [[file, found.st_size, found.st_mtime_ns] for file, found in stats]
    return hashlib.sha256(canonical_json(listed).encode()).hexdigest()


def _stamps() -> dict[str, Stamp]:
    """Return the stamps by name of the archive; none if they cannot be read."""
    with contextlib.suppress(DamagedFileError, TypeError, AttributeError):
        if STAMPS.exists():
            return {name: Stamp(**stamp) for name, stamp in read_json(STAMPS).items()}
    return {}


def _keep(stamps: dict[str, Stamp]) -> None:
    write_json(STAMPS, {name: vars(stamp) for name, stamp in stamps.items()})


# --- archives -------------------------------------------------------------------------------------


def _write(file: Any, files: Iterable[str]) -> None:
    """Write an archive; equal files give equal bytes."""
    with (
        gzip.GzipFile(fileobj=file, mode="wb", filename="", compresslevel=6, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for name in files:
            content = Path(name).read_bytes()
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o644
            archive.addfile(entry, io.BytesIO(content))


def _read(place: Path) -> dict[str, bytes]:
    """Return the files of an archive, or report that it is damaged."""
    try:
        content = gzip.decompress(place.read_bytes())  # to the end, which has the checksum
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            members = archive.getmembers()
            held = {entry.name: archive.extractfile(entry) for entry in members}
            found = {name: file.read() for name, file in held.items() if file is not None}
    except (OSError, EOFError, ValueError, tarfile.TarError, zlib.error) as error:
        raise DamagedFileError(f"{place} is damaged ({error})") from error
    inside = (f"{RESULTS}/", f"{METADATA.as_posix()}/")
    if strays := [name for name in found if not name.startswith(inside) or ".." in name.split("/")]:
        raise DamagedFileError(f"{place} is not an archive of results: it holds {strays[0]}")
    return found


def _part_of(files: Iterable[str], held: dict[str, bytes]) -> bool:
    """Tell whether all files are as in the archive, as after an unpacking that was killed."""
    return all(file in held and Path(file).read_bytes() == held[file] for file in files)


def _replace(files: Iterable[str], held: dict[str, bytes]) -> None:
    """Replace files by those of an archive, records first."""
    for file in set(files) - set(held):
        Path(file).unlink()
    for name in sorted(held, key=lambda name: (name.startswith(RESULTS), name)):
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(f".{path.name[:60]}.unpacked.tmp")  # see rafs.pipeline.guards.sweep
        new.write_bytes(held[name])
        new.replace(path)
