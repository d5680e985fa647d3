"""The fork server: jobs without the cost of starting Python and importing everything.

Importing numpy, numba or matplotlib and loading compiled code takes longer than many jobs. While a
workflow runs on a machine, the server does this once, when the first job of each kind arrives. It
listens on a Unix socket and forks once per request; the child takes over the caller's arguments,
directory, environment and output, and its exit code becomes the caller's. The caller is `rafs job`
(`rafs.pipeline.forkserver.client`), which imports little. Without a server (on another machine, or
if it has ended) the caller runs the job itself.

Training jobs can be trained as one batch: the server holds them until it has enough, or until none
has arrived for half a second, and one child trains all of them. This makes full use of a GPU: jobs
that train on a GPU are batched, as many as Snakemake has cores. RAFS_BATCH=n batches any n training
jobs.

The server and all jobs end with the workflow that started them, and all jobs end with the server,
even if it is killed (`rafs.pipeline.forkserver.ownership`).
"""

import contextlib
import gc
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from rafs.errors import RafsError, complain
from rafs.pipeline.command import closing_line, main, parse
from rafs.pipeline.forkserver.client import ADDRESS
from rafs.pipeline.forkserver.ownership import end_with, end_with_parent
from rafs.pipeline.surroundings import batch_size

PATIENCE = 0.5  # seconds without another request after which waiting jobs begin
REPORTS = ("claims", "figures", "page", "summary", "tables")


def folder() -> Path:
    """Return a directory that does not exist yet, for the socket of a fork server."""
    return Path(tempfile.gettempdir(), f"rafs-{os.urandom(6).hex()}")


def start(place: Path, cores: int) -> subprocess.Popen[bytes]:
    """Start a fork server for the jobs of this process, with its socket in a new directory."""
    place.mkdir(mode=0o700)
    address = place / "socket"
    environment = {
        **os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
        # Let torch look for a GPU without initialising CUDA, which no forked child could then use.
        "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
    }  # fmt: skip
    environment.pop(ADDRESS, None)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(address))
    address.chmod(0o600)
    listener.listen(128)
    with listener:
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "rafs.pipeline.forkserver.server",
                str(listener.fileno()),
                str(os.getpid()),
                str(cores),
            ],
            env=environment,
            pass_fds=[listener.fileno()],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
    os.environ[ADDRESS] = str(address)
    return process


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a fork server."""
    address = Path(os.environ.pop(ADDRESS))
    process.terminate()
    process.wait()
    shutil.rmtree(address.parent, ignore_errors=True)


@dataclass(frozen=True)
class Request:
    """A job requested by a caller."""

    caller: socket.socket
    streams: list[int]  # its standard output and standard error
    directory: str
    arguments: list[str]
    environment: dict[bytes, bytes]

    @classmethod
    def receive(cls, caller: socket.socket) -> "Request":
        """Read what `rafs.pipeline.forkserver.client.send` sent."""
        message, streams, _, _ = socket.recv_fds(caller, 4, 2)
        size, data = struct.unpack("!I", message)[0], b""
        while len(data) < size:
            part = caller.recv(size - len(data))
            if not part:
                raise ConnectionError("the caller is gone")
            data += part
        directory, count, *rest = data.split(b"\0")
        arguments = [os.fsdecode(text) for text in rest[: int(count)]]
        variables = (text.partition(b"=")[::2] for text in rest[int(count) :])
        return cls(caller, streams, os.fsdecode(directory), arguments, dict(variables))

    @property
    def kind(self) -> str:
        """The name of the job."""
        return self.arguments[1]

    def close(self) -> None:
        """Close the connection; a caller that got no answer treats its job as killed."""
        self.caller.close()
        for stream in self.streams:
            os.close(stream)

    def take_over(self) -> None:
        """Take the directory, environment and output of the caller."""
        os.chdir(self.directory)
        os.environb.clear()
        os.environb.update(self.environment)
        os.environ.pop(ADDRESS, None)
        self.speak()

    def speak(self) -> None:
        """Redirect printed output to the caller from now on."""
        sys.stdout.flush()
        sys.stderr.flush()
        os.dup2(self.streams[0], 1)
        os.dup2(self.streams[1], 2)

    def answer(self, code: int) -> None:
        """Send the exit code."""
        sys.stdout.flush()
        sys.stderr.flush()
        with contextlib.suppress(OSError):
            self.caller.sendall(struct.pack("!i", code))


class Server:
    """Accepts requests, forks for them, and watches callers and children."""

    def __init__(self, listener: socket.socket, owner: int, cores: int) -> None:
        self.listener = listener
        self.owner = os.pidfd_open(owner)
        self.batch = batch_size()
        self.batch_on_gpu = batch_size(otherwise=cores)
        self.waiting: list[Request] = []  # training jobs, until there are enough
        self.children: dict[int, tuple[int, list[Request]]] = {}  # by pidfd: pid and requests
        self.poll = select.poll()
        self.poll.register(listener, select.POLLIN)
        self.poll.register(self.owner, select.POLLIN)

    def serve(self) -> None:
        """Serve requests until the owner exits."""
        while True:
            events = dict(self.poll.poll(PATIENCE * 1000 if self.waiting else None))
            if self.owner in events:
                return
            for event in events:
                if event in self.children:
                    self.end(event)
                elif event != self.listener.fileno():
                    self.abandon(event)
            if self.listener.fileno() in events:
                self.accept()
            elif not events and self.waiting:
                self.begin_waiting()

    def accept(self) -> None:
        """Accept a request, and begin it or let it wait for others."""
        caller, _ = self.listener.accept()
        try:
            request = Request.receive(caller)
        except (OSError, ValueError, IndexError, struct.error):
            caller.close()
            return
        _prepare(request)
        self.poll.register(caller, select.POLLHUP | select.POLLRDHUP)
        enough = self.enough(request)
        if enough == 1:
            self.begin([request])
            return
        self.waiting.append(request)
        if len(self.waiting) >= enough:
            self.begin_waiting()

    def enough(self, request: Request) -> int:
        """Return the batch size for requests like this one."""
        if request.kind != "train":
            return 1
        return self.batch_on_gpu if _trains_on_gpu(request) else self.batch

    def begin_waiting(self) -> None:
        """Begin the waiting training jobs as one batch."""
        requests, self.waiting = self.waiting, []
        self.begin(requests)

    def begin(self, requests: list[Request]) -> None:
        """Fork a child for some requests."""
        gc.freeze()  # so that garbage collection in a child does not copy shared memory
        server = os.getpid()
        pid = os.fork()
        if pid == 0:
            end_with_parent(server)
            self.leave_others()
            work(requests)
        child = os.pidfd_open(pid)
        self.children[child] = pid, requests
        self.poll.register(child, select.POLLIN)

    def leave_others(self) -> None:
        """In a child, close the sockets of other callers."""
        self.listener.close()
        end_with(self.owner)
        for request in [*self.waiting, *(r for _, each in self.children.values() for r in each)]:
            request.close()

    def end(self, child: int) -> None:
        """Clean up after a child that has ended and close its callers' connections."""
        pid, requests = self.children.pop(child)
        self.poll.unregister(child)
        os.close(child)
        os.waitpid(pid, 0)
        for request in requests:
            self.poll.unregister(request.caller)
            request.close()

    def abandon(self, caller: int) -> None:
        """Drop a disconnected caller; kill its job if no other caller waits."""
        for pid, requests in [(0, self.waiting), *self.children.values()]:
            for request in [each for each in requests if each.caller.fileno() == caller]:
                self.poll.unregister(caller)
                requests.remove(request)
                request.close()
                if pid and not requests:
                    os.kill(pid, signal.SIGKILL)


def serve(listener: socket.socket, owner: int, cores: int) -> None:
    """Run the fork server until its owner exits, then kill all jobs."""
    Server(listener, owner, cores).serve()
    shutil.rmtree(Path(listener.getsockname()).parent, ignore_errors=True)
    os.killpg(0, signal.SIGKILL)


def _prepare(request: Request) -> None:
    """Import a job's modules in advance; errors are left to the job."""
    with contextlib.suppress(Exception):
        kind, (spec, *_) = request.kind, parse(request.arguments)
        import_module(f"rafs.pipeline.jobs.{kind}")
        if kind == "train":
            from rafs.methods.runs import load_compiled_code

            load_compiled_code(spec.get("base", spec["method"]))
        elif kind in REPORTS:
            import_module("scikit_posthocs")
            if "name" in spec:
                import_module(f"rafs.reporting.{kind}.{spec['name']}")


def _trains_on_gpu(request: Request) -> bool:
    """Tell whether a training job runs on a GPU; errors are left to the job."""
    with contextlib.suppress(Exception):
        from rafs.pipeline.forkserver.batches import trains_on_gpu

        spec, (data, *_), _ = parse(request.arguments)
        return trains_on_gpu(spec, Path(request.directory, data))
    return False


def work(requests: list[Request]) -> NoReturn:
    """Run the requested jobs, answer their callers, and exit."""
    requests[0].take_over()
    try:
        if len(requests) == 1:
            requests[0].answer(main(requests[0].arguments))
        else:
            train_together(requests)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        for request in requests:
            request.answer(1)
    os._exit(0)


def train_together(requests: list[Request]) -> None:
    """Train several runs as one batch; each caller gets the outcome of its own run."""
    from rafs.pipeline.jobs.train import TrainingJob, run_all

    outcomes: Sequence[RafsError | None]
    try:
        outcomes = run_all([TrainingJob.of(*parse(request.arguments)) for request in requests])
    except RafsError as error:  # of the whole batch, such as a missing device
        outcomes = [error] * len(requests)
    for request, outcome in zip(requests, outcomes, strict=True):
        request.speak()
        if outcome is None:
            print(f"{closing_line('train')}, in a batch of {len(requests)}")
        request.answer(0 if outcome is None else complain(str(outcome), outcome.exit_code))


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])), *map(int, sys.argv[2:]))
