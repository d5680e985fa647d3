"""A fitted estimator as one file: an npz of arrays and a JSON header, and no pickle.

The header, stored as the bytes of its JSON text under the name ``header``, contains the format, its
version, the estimator's class, the part of its state that JSON can express, and a SHA-256 over all
of it. A damaged file, another version or another class is refused with an error message.
A checksum detects damage, not tampering: code that builds a model from loaded values reads them
with `array`, `number` and `whole`, which check type, shape, finiteness and range.
"""

import hashlib
import json
import math
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rafs.errors import DamagedFileError, ParameterError
from rafs.files import canonical_json, write_npz

FORMAT = "rafs-estimator"
VERSION = 1
Arrays = dict[str, NDArray[Any]]

_UNREADABLE = (
    OSError, ValueError, KeyError, TypeError, IndexError, EOFError, MemoryError, OverflowError,
    NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


def save(path: Path | str, kind: str, state: Mapping[str, Any], arrays: Arrays) -> None:
    """Write the state (JSON values) and the arrays of an estimator of the class `kind`."""
    try:
        header = {
            "format": FORMAT,
            "version": VERSION,
            "class": kind,
            "state": dict(state),
            "digest": _digest(kind, state, arrays),
        }
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"this {kind} cannot be saved, because a parameter is not a plain value ({error}); "
            "use numbers, strings, lists and dicts"
        ) from error
    text = canonical_json(header).encode()
    write_npz(path, {"header": np.frombuffer(text, dtype=np.uint8), **arrays})


def load(path: Path | str, kind: str | None = None) -> tuple[str, dict[str, Any], Arrays]:
    """Read class, state and arrays back; with `kind`, only of that class."""
    if not Path(path).is_file():
        raise DamagedFileError(f"there is no file {path}; check the path")
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header = json.loads(arrays.pop("header").tobytes())
        if header["format"] != FORMAT:
            raise ValueError(f"its format is {header['format']!r}")
        version, found, state = header["version"], header["class"], header["state"]
        intact = version != VERSION or header["digest"] == _digest(found, state, arrays)
    except _UNREADABLE as error:
        raise DamagedFileError(
            f"{path} is damaged or was not written by save ({error}); save the estimator again"
        ) from error
    if version != VERSION:
        raise DamagedFileError(
            f"{path} has version {version} of the file format and this rafs reads version "
            f"{VERSION}; load it with the rafs that wrote it"
        )
    if not intact:
        raise DamagedFileError(
            f"{path} is damaged: its contents do not match their checksum; save the estimator again"
        )
    if kind is not None and found != kind:
        raise DamagedFileError(f"{path} holds a {found} and no {kind}; load it with {found}.load")
    return found, state, arrays


def array(
    arrays: Mapping[str, Any], name: str, *shape: int, positive: bool = False
) -> NDArray[np.float64]:
    """Return the array of that name if it has that shape and only finite numbers."""
    found = arrays.get(name)
    if not isinstance(found, np.ndarray):
        raise ValueError(f"{name} is missing")
    if found.dtype != np.float64:
        raise ValueError(f"{name} holds {found.dtype} and should hold float64")
    if found.shape != shape:
        raise ValueError(f"{name} has shape {found.shape} and should have {shape}")
    if not np.isfinite(found).all():
        raise ValueError(f"{name} holds values that are not finite")
    if positive and not (found > 0).all():
        raise ValueError(f"{name} holds values that are not above 0")
    return found


def number(values: Mapping[str, Any], name: str) -> float:
    """Return a finite number of at least 0."""
    found = values[name]
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found < math.inf:
        raise ValueError(f"{name} is not a finite number of 0 or more")
    return float(found)


def whole(value: Any, name: str, least: int, most: int = 2**31) -> int:
    """Return an integer of that range."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError(f"{name} is not an integer between {least} and {most}")
    return value


def _digest(kind: str, state: Mapping[str, Any], arrays: Arrays) -> str:
    """Return a SHA-256 over the class, the state and the arrays: names, types, shapes, values."""
    total = hashlib.sha256(canonical_json([kind, dict(state)]).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        total.update(f"{name}\0{array.dtype.str}\0{array.shape}\0".encode())
        total.update(array.tobytes())
    return total.hexdigest()


def to_json(value: Any) -> Any:
    """Return a parameter as JSON, with tuples marked so that they come back as tuples."""
    if isinstance(value, tuple):
        return {"tuple": to_json(list(value))}
    if isinstance(value, Mapping):
        return {"dict": [[key, to_json(entry)] for key, entry in value.items()]}
    if isinstance(value, list | np.ndarray):
        return [to_json(entry) for entry in value]
    return value.item() if isinstance(value, np.generic) else value


def from_json(value: Any) -> Any:
    """Return the parameter that `to_json` wrote."""
    if isinstance(value, list):
        return [from_json(entry) for entry in value]
    if isinstance(value, dict):
        ((kind, content),) = value.items()
        content = from_json(content)
        return tuple(content) if kind == "tuple" else dict(content)
    return value
