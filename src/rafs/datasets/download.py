"""Downloads over HTTPS: with retries, limits on time and size, and a progress bar.

pooch would be another dependency, and does not limit the size of a response.
"""

import http.client
import ssl
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Any, BinaryIO

from rafs import __version__
from rafs.errors import DataError

LARGEST = 64 * 2**20  # far above any file or archive of the project
_RETRIED = (408, 425, 429, 500, 502, 503, 504)


@dataclass
class Network:
    """Time limits, and the unreachable servers, which are not tried again.

    Without a network, all downloads together give up within a minute: a server is tried for about
    `patience` seconds, as is the package registry, and neither is tried again.
    """

    timeout: float = 8.0  # seconds without a byte
    patience: float = 20.0  # no further attempt after so many seconds
    longest: float = 600.0  # seconds for one file that does arrive
    pauses: tuple[float, ...] = (1.0, 3.0)  # before the second and the third attempt
    progress: bool = True  # on a terminal
    unreachable: dict[str, str] = field(default_factory=dict)


class _PassingError(Exception):
    """A transient error; `silent` if the server did not respond at all."""

    def __init__(self, sentence: str, silent: bool = True) -> None:
        self.silent = silent
        super().__init__(sentence)


class _HttpsRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Any,
        url: str,
    ) -> urllib.request.Request | None:
        if not url.startswith("https://"):
            raise DataError(f"{req.full_url} redirects to {url}, which is not HTTPS; not followed")
        return super().redirect_request(req, fp, code, msg, headers, url)


def _opener() -> urllib.request.OpenerDirector:
    opener = urllib.request.OpenerDirector()  # without the handlers of http, ftp and file
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPSHandler(context=ssl.create_default_context()),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _HttpsRedirects(),
    ):
        opener.add_handler(handler)
    return opener


def download(url: str, file: BinaryIO, network: Network) -> None:
    """Write what `url` serves to `file`, or raise a DataError."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme != "https":
        raise DataError(f"{url} is not an HTTPS address; nothing else is downloaded")
    host = parts.netloc
    if host in network.unreachable:
        raise DataError(network.unreachable[host])
    begun = time.monotonic()
    for pause in (*network.pauses, None):
        try:
            _attempt(url, file, network)
            return
        except _PassingError as fault:
            if pause is None or time.monotonic() - begun + pause > network.patience:
                if fault.silent:
                    network.unreachable[host] = f"{host} cannot be reached ({fault})"
                raise DataError(f"{url} could not be downloaded: {fault}") from fault
            time.sleep(pause)
            file.seek(0)
            file.truncate()


def _attempt(url: str, file: BinaryIO, network: Network) -> None:
    request = urllib.request.Request(  # noqa: S310 (only https comes here)
        url, headers={"User-Agent": f"rafs/{__version__}"}
    )
    end = time.monotonic() + network.longest
    try:
        with _opener().open(request, timeout=network.timeout) as response:
            announced = int(response.headers.get("Content-Length") or 0)
            if announced > LARGEST:
                raise DataError(f"{url} would send {announced} bytes, far more than expected")
            received = 0
            with _shown(url, announced, network.progress) as advance:
                while block := response.read(2**16):
                    received += len(block)
                    if received > LARGEST:
                        raise DataError(f"{url} sends more than {LARGEST} bytes; stopped")
                    if time.monotonic() > end:
                        raise DataError(f"{url} was not complete after {network.longest:g} seconds")
                    file.write(block)
                    advance(len(block))
            if received < announced:
                raise _PassingError(f"cut off after {received} of {announced} bytes", silent=False)
    except urllib.error.HTTPError as error:
        sentence = f"the server answered {error.code} {error.reason}"
        if error.code in _RETRIED:
            raise _PassingError(sentence, silent=False) from error
        raise DataError(f"{url} could not be downloaded: {sentence}") from error
    except urllib.error.URLError as error:
        if isinstance(error.reason, ssl.SSLCertVerificationError):
            raise DataError(
                f"{url} could not be downloaded: its certificate is not trusted "
                f"({error.reason.verify_message})"
            ) from error
        raise _PassingError(str(error.reason)) from error
    except TimeoutError as error:
        raise _PassingError(f"nothing was received for {network.timeout:g} seconds") from error
    except (http.client.HTTPException, ConnectionError, ssl.SSLError) as error:
        raise _PassingError(f"the connection broke ({type(error).__name__})") from error


@contextmanager
def _shown(url: str, total: int, wanted: bool) -> Iterator[Callable[[int], object]]:
    """Yield a function to call with received bytes; on a terminal it advances a bar."""
    if not (wanted and sys.stderr.isatty()):
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TransferSpeedColumn

    columns = ("[progress.description]{task.description}", BarColumn(), DownloadColumn())
    with Progress(
        *columns, TransferSpeedColumn(), console=Console(stderr=True), transient=True
    ) as progress:
        task = progress.add_task(url.rsplit("/", 1)[-1], total=total or None)
        yield lambda size: progress.advance(task, size)
