"""Real files for the tests that need them, and a web server that misbehaves on request."""

import http.server
import select
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rafs.datasets import fetch
from rafs.datasets.sources import File


@pytest.fixture(scope="session")
def real_data(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[File, Path]]:
    """Find a dataset's file wherever it is available, without writing into the project.

    Only a machine on which no source can be reached skips the tests that need the file.
    """
    raw = tmp_path_factory.mktemp("real") / "raw"
    found: dict[str, fetch.FetchResult] = {}

    def find(name: str) -> tuple[File, Path]:
        if name not in found:
            here = fetch.fetch(name, offline=True, copy=False)
            found[name] = fetch.fetch(name, raw=raw) if here.missing else here
        result = found[name]
        if result.missing:
            pytest.skip(f"{name} cannot be had on this machine: {result.message}")
        file = next(file for file in fetch.source_of(name).files if file.sha256 == result.sha256)
        return file, Path(result.path).resolve()

    return find


@pytest.fixture
def loadable(
    real_data: Callable[[str], tuple[File, Path]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], None]:
    """Let `rafs.datasets.load` find a dataset's file in a data directory of the test's own."""

    def provide(name: str) -> None:
        file, path = real_data(name)  # searches the user's directories, so before the next lines
        monkeypatch.setenv(fetch.DATA, str(tmp_path))
        monkeypatch.delenv(fetch.MIRROR, raising=False)
        place = tmp_path / "raw" / file.path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(path)

    return provide


Answer = Callable[[http.server.BaseHTTPRequestHandler], None]


class Server:
    """A web server on this machine; `answers` maps paths to what is done with a request."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.answers: dict[str, Answer] = {}
        self.requests: list[str] = []

    def serve(self, path: str, content: bytes, *, status: int = 200, announce: int = -1) -> str:
        """Answer with some bytes, having announced as many, or another number, or none."""

        def answer(request: http.server.BaseHTTPRequestHandler) -> None:
            request.send_response(status)
            request.send_header("Content-Length", str(len(content) if announce < 0 else announce))
            request.end_headers()
            request.wfile.write(content)

        self.answers[path] = answer
        return self.url + path

    def redirect(self, path: str, target: str) -> str:
        def answer(request: http.server.BaseHTTPRequestHandler) -> None:
            request.send_response(302)
            request.send_header("Location", target)
            request.send_header("Content-Length", "0")
            request.end_headers()

        self.answers[path] = answer
        return self.url + path

    def hang(self, path: str, content: bytes = b"") -> str:
        """Send a part, if any, and then nothing, until the client gives up."""

        def answer(request: http.server.BaseHTTPRequestHandler) -> None:
            if content:
                request.send_response(200)
                request.send_header("Content-Length", "1000")
                request.end_headers()
                request.wfile.write(content)
                request.wfile.flush()
            select.select([request.connection], [], [], 60)  # until the client disconnects

        self.answers[path] = answer
        return self.url + path


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("certificate")
    key, signed = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost "
        f"-addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout {key} -out {signed}".split(),
        check=True,
        capture_output=True,
    )
    return key, signed


@pytest.fixture
def server(certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """An HTTPS server whose certificate is trusted for the time of the test."""
    key, signed = certificate

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            made.requests.append(self.path)
            made.answers.get(self.path, lambda request: request.send_error(404))(self)

        def log_message(self, *arguments: object) -> None:
            pass

    listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(signed, key)
    listening.socket = context.wrap_socket(
        listening.socket, server_side=True, do_handshake_on_connect=False
    )
    made = Server(f"https://localhost:{listening.server_port}")
    thread = threading.Thread(target=listening.serve_forever, args=(0.05,))
    thread.start()
    monkeypatch.setenv("SSL_CERT_FILE", str(signed))
    monkeypatch.setenv("no_proxy", "*")
    yield made
    listening.shutdown()
    listening.server_close()
    thread.join()
