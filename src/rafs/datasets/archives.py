"""Extract one file from a zip or tar archive in memory; names in archives are never written to."""

import tarfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from rafs.errors import DataError


def member(archive: Path, name: str, size: int) -> bytes:
    """Return the file `name` of `size` bytes from an archive; a bare name is found in any folder.

    Raises a DataError for an archive that is damaged, holds no such file or several, holds names
    that point outside it, or holds more bytes under that name than it should.
    """
    try:
        if zipfile.is_zipfile(archive):
            return _from_zip(archive, name, size)
        if tarfile.is_tarfile(archive):
            return _from_tar(archive, name, size)
    except (
        zipfile.BadZipFile,
        tarfile.TarError,
        zlib.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
    ) as error:
        raise DataError(f"the archive is damaged ({error})") from error
    raise DataError(f"{describe(archive.read_bytes())} instead of an archive")


def _from_zip(archive: Path, name: str, size: int) -> bytes:
    with zipfile.ZipFile(archive) as opened:
        chosen = _choose([entry.filename for entry in opened.infolist()], name)
        _check_size(name, opened.getinfo(chosen).file_size, size)
        with opened.open(chosen) as file:
            content = file.read(size + 1)  # without trusting the header
    _check_size(name, len(content), size)
    return content


def _from_tar(archive: Path, name: str, size: int) -> bytes:
    with tarfile.open(archive) as opened:
        chosen = opened.getmember(_choose(opened.getnames(), name))
        _check_size(name, chosen.size, size)
        file = opened.extractfile(chosen) if chosen.isfile() else None
        if file is None:
            raise DataError(f"{name} in the archive is not a file")
        return file.read(size + 1)


def _choose(members: list[str], name: str) -> str:
    for entry in members:
        path = PurePosixPath(entry.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or entry[1:2] == ":":
            raise DataError(f"the archive holds {entry!r}, a name that points outside it; refused")
    found = [entry for entry in members if entry == name or PurePosixPath(entry).name == name]
    if len(found) != 1:
        held = ", ".join(map(repr, members[:5])) + (", ..." if len(members) > 5 else "")
        count = "no file" if not found else f"{len(found)} files"
        raise DataError(f"the archive holds {count} named {name!r} (it holds {held or 'nothing'})")
    return found[0]


def _check_size(name: str, size: int, expected: int) -> None:
    if size > expected:
        raise DataError(
            f"{name} in the archive has more than the expected {expected} bytes; not unpacked"
        )


def describe(content: bytes) -> str:
    """Describe bytes that are not the expected ones."""
    if not content:
        return "an empty file"
    if content[:512].lstrip().lower().startswith((b"<!doctype html", b"<html", b"<?xml")):
        return "a web page"
    return f"a file of {len(content)} bytes with other content"
