"""Archives of results: written after changes, unpacked after DVC has checked out others."""

import hashlib
import io
import tarfile
from pathlib import Path

import pytest

from rafs.errors import RafsError
from rafs.pipeline import packs
from rafs.pipeline.snakemake_compat import METADATA, about_one

RUN = "results/runs/main/{}/he/seed-0/run.json"
DE, RAFS, SCORES = RUN.format("de"), RUN.format("rafs"), "results/scores/main.csv"
PLACES = {"main/de/he": DE, "main/rafs/he": RAFS, "rest": SCORES}


def make(output: str, text: str) -> None:
    """Write an output and a record of its making."""
    for path in (Path(output), about_one(METADATA, output)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text} of {output}")


@pytest.fixture
def packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with results of two runs, which are packed, and return it."""
    monkeypatch.chdir(tmp_path)
    for output in PLACES.values():
        make(output, "first")
    assert packs.pack() == 3
    return tmp_path


def files() -> dict[str, str]:
    folders = (Path("results"), METADATA)
    found = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return {path.as_posix(): path.read_text() for path in found}


def archives() -> dict[str, bytes]:
    return {path.as_posix(): path.read_bytes() for path in packs.PACKS.rglob("*") if path.is_file()}


def bring(content: dict[str, bytes]) -> None:
    """Put archives in place as `dvc checkout` does."""
    for name, archive in content.items():
        Path(name).write_bytes(archive)


def test_an_archive_per_method_and_dataset(packed: Path) -> None:
    assert set(archives()) == {f"packed/{name}.tar.gz" for name in PLACES}
    for name, output in PLACES.items():
        with tarfile.open(packed / f"packed/{name}.tar.gz") as archive:
            assert archive.getnames() == sorted([about_one(METADATA, output).as_posix(), output])


def test_only_what_changed_is_packed_again(packed: Path) -> None:
    before = archives()
    assert packs.pack() == 0
    make(RAFS, "second")
    assert packs.pack() == 1
    changed = {name for name, content in archives().items() if content != before[name]}
    assert changed == {"packed/main/rafs/he.tar.gz"}
    make(RAFS, "first")
    assert packs.pack() == 1
    assert archives() == before, "equal files are equal bytes"


def test_what_is_no_more_is_not_packed(packed: Path) -> None:
    Path(DE).unlink()
    about_one(METADATA, DE).unlink()
    packs.pack()
    assert set(archives()) == {"packed/main/rafs/he.tar.gz", "packed/rest.tar.gz"}


def test_a_clone_gets_everything_once(packed: Path) -> None:
    before = files()
    for name in before:
        Path(name).unlink()
    packs.STAMPS.unlink()
    assert packs.unpack() == 3
    assert files() == before
    assert packs.unpack() == 0
    assert packs.pack() == 0


def test_another_version_replaces_files_and_removes_those_it_lacks(packed: Path) -> None:
    first, before = archives(), files()
    make(RAFS, "second")
    make(RAFS.replace("seed-0", "seed-1"), "second")
    packs.pack()
    bring(first)
    assert packs.unpack() == 1
    assert files() == before


def test_work_that_is_not_packed_is_not_lost(packed: Path) -> None:
    """Neither when DVC checks out nothing, nor when it checks out something else."""
    first = archives()
    make(RAFS, "second")
    packs.pack()
    make(RAFS, "third")
    now = files()
    assert packs.unpack() == 0
    assert files() == now
    bring(first)
    with pytest.raises(RafsError, match=r"packed/main/rafs/he\.tar\.gz, but .* have changed here"):
        packs.unpack()
    assert files() == now
    packs.pack()  # the second advice
    assert packs.unpack() == 0
    assert files() == now
    bring(first)
    make(RAFS, "fourth")
    assert packs.unpack(everything=True) == 1  # the first
    assert Path(RAFS).read_text() == f"first of {RAFS}"


def test_deleted_records_come_back(packed: Path) -> None:
    before = files()
    about_one(METADATA, DE).unlink()
    Path(SCORES).unlink()
    assert packs.unpack() == 0, "to be made again, as everything that was deleted"
    assert packs.unpack(everything=True) == 2
    assert files() == before


def test_unpacking_that_was_killed(packed: Path) -> None:
    before = files()
    packs.STAMPS.unlink()
    Path(RAFS).unlink()
    assert packs.unpack() == 3
    assert files() == before


def test_a_new_date_is_no_new_archive(packed: Path) -> None:
    """DVC may link or copy an archive anew."""
    bring(archives())
    assert packs.unpack() == 0


@pytest.mark.parametrize("cut", [0, 20, -12])
def test_a_damaged_archive(packed: Path, cut: int, capsys: pytest.CaptureFixture[str]) -> None:
    before, place = files(), packed / "packed/main/rafs/he.tar.gz"
    place.write_bytes(place.read_bytes()[:cut])
    assert packs.unpack() == 0
    assert files() == before
    assert "rafs: packed/main/rafs/he.tar.gz is damaged" in capsys.readouterr().err
    assert packs.pack() == 1


@pytest.mark.parametrize("name", ["../outside", "/tmp/outside", "results/../outside", "src/x.py"])
def test_an_archive_of_something_else(
    packed: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with tarfile.open(packed / "packed/rest.tar.gz", "w:gz") as archive:
        entry = tarfile.TarInfo(name)
        entry.size = 1
        archive.addfile(entry, io.BytesIO(b"x"))
    before = files()
    packs.unpack(everything=True)
    assert files() == before
    assert f"it holds {name}" in capsys.readouterr().err
    assert not (packed.parent / "outside").exists()


def test_stamps_that_cannot_be_read(packed: Path) -> None:
    """Then the files are compared with the archives."""
    packs.STAMPS.write_text("[]")
    before = files()
    assert packs.unpack() == 3
    assert files() == before
    packs.STAMPS.write_text('{"rest": {"size": 3}}')
    make(SCORES, "second")
    with pytest.raises(RafsError, match="have changed here as well"):
        packs.unpack()


def test_files_of_killed_jobs_are_left_out(packed: Path) -> None:
    Path(RAFS).with_name(".run.json.abcdefgh.tmp").write_text("half")
    assert packs.pack() == 0


def test_digest_of_the_stamp(packed: Path) -> None:
    stamp = packs.Stamp.of(packed / "packed/rest.tar.gz", [SCORES])
    content = (packed / "packed/rest.tar.gz").read_bytes()
    assert stamp.sha256 == hashlib.sha256(content).hexdigest()
