"""Reading and writing of the project's own files.

A file is written under a temporary name and renamed when it is complete. A file that cannot be read
back is reported as damaged, never used in part. Pickles are not loaded.
"""

import csv
import hashlib
import io
import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from rafs.errors import DamagedFileError

# Encloses every renaming. Jobs of a workflow set it, to write nothing once another run has begun.
renaming: Callable[[], AbstractContextManager[None]] = nullcontext


@contextmanager
def atomic(path: Path | str) -> Iterator[BinaryIO]:
    """Yield a binary file that takes the name `path` when, and only when, the block succeeds."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(
        dir=path.parent, prefix=f".{path.name[:60]}.", suffix=".tmp"
    )
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)  # noqa: PTH101
        with renaming():
            os.replace(name, path)  # noqa: PTH105
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_text(path: Path | str, text: str) -> None:
    """Write UTF-8 text in one piece."""
    with atomic(path) as file:
        file.write(text.encode())


def write_csv(path: Path | str, rows: list[dict[str, Any]], columns: Sequence[str] = ()) -> None:
    """Write rows as CSV with every value at full precision."""
    names = list(dict.fromkeys([*columns, *(name for entry in rows for name in entry)]))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(rows)
    write_text(path, text.getvalue())


def canonical_json(value: Any) -> str:
    """Return the canonical JSON text of a value: sorted keys, no spaces, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def write_json(path: Path | str, value: Any) -> None:
    """Write indented JSON with sorted keys; NaN is refused."""
    write_text(path, json.dumps(value, sort_keys=True, indent=1, allow_nan=False) + "\n")


def read_json(path: Path | str) -> Any:
    """Read JSON, or raise an error that names the damaged file."""
    try:
        return json.loads(Path(path).read_bytes())
    except (OSError, ValueError) as error:
        raise DamagedFileError(
            f"{path} cannot be read as JSON ({error}); delete it and run again"
        ) from error


def write_npz(path: Path | str, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write named arrays as a compressed npz; equal arrays give equal bytes."""
    with atomic(path) as file:
        np.savez_compressed(file, allow_pickle=False, **dict(arrays))


def read_npz(path: Path | str) -> dict[str, NDArray[Any]]:
    """Read named arrays, or raise an error that names the damaged file."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        if not all(isinstance(value, np.ndarray) for value in arrays.values()):
            raise ValueError("it holds something else than arrays")
        return arrays
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error) as error:
        raise DamagedFileError(
            f"{path} cannot be read as an npz file ({error}); delete it and run again"
        ) from error


def sha256(path: Path | str) -> str:
    """Return the SHA-256 of a file's bytes."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def unwritable(folders: Iterable[str]) -> str:
    """Return which directory is not writable, and why, or an empty string."""
    for folder in folders:
        there = next(path for path in (Path(folder), *Path(folder).parents) if path.is_dir())
        try:
            with tempfile.TemporaryFile(dir=there) as file:
                file.write(bytes(2**16))
        except OSError as error:
            return f"{folder} cannot be written to: {error.strerror}"
    return ""
