"""A warm parent process: what a short job does not pay for.

Importing numpy, numba or matplotlib and loading compiled code takes longer than many a job. While
a workflow runs on one machine, one parent process does it once, when the first job of a kind comes.
It listens on a unix socket and forks once per request; the child takes over the caller's arguments,
directory, environment and output, and its exit code becomes the caller's. The caller is `rafs job`
(`rafs.client`), which imports next to nothing. Without a parent (another machine, or it died) it
does the job itself.

Training jobs that come together can be done together: with RAFS_BATCH=n the parent waits for a
moment until it has n of them, and one child trains all of them as one batch. This fills a GPU.

The parent and all jobs end with the workflow that started them, whatever ends that one.
"""

import contextlib
import gc
import json
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from rafs.client import ADDRESS
from rafs.errors import RafsError

BATCH = "RAFS_BATCH"  # how many training jobs are done as one
PATIENCE = 0.5  # seconds without a further request after which those that wait are begun
REPORTS = ("claims", "figures", "page", "summary", "tables")


def end_with(owner: int) -> None:
    """Let this process end when another does, which is known by its pidfd."""

    def watch() -> None:
        select.select([owner], [], [])
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def start() -> subprocess.Popen[bytes]:
    """Start a warm parent for the jobs of this process."""
    address = Path(tempfile.mkdtemp(prefix="rafs-")) / "socket"
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    environment.pop(ADDRESS, None)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(address))
    address.chmod(0o600)
    listener.listen(128)
    with listener:
        process = subprocess.Popen(
            [sys.executable, "-m", "rafs.warm", str(listener.fileno()), str(os.getpid())],
            env=environment,
            pass_fds=[listener.fileno()],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
    os.environ[ADDRESS] = str(address)
    return process


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a warm parent."""
    address = Path(os.environ.pop(ADDRESS))
    process.terminate()
    process.wait()
    shutil.rmtree(address.parent, ignore_errors=True)


@dataclass(frozen=True)
class Request:
    """A job that a caller waits for."""

    caller: socket.socket
    streams: list[int]  # its standard output and standard error
    directory: str
    arguments: list[str]
    environment: dict[bytes, bytes]

    @classmethod
    def receive(cls, caller: socket.socket) -> "Request":
        """Read what `rafs.client.send` sent."""
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
        """Let go of the caller: without an answer, it takes its job for killed."""
        self.caller.close()
        for stream in self.streams:
            os.close(stream)

    def take_over(self) -> None:
        """Become the process that the caller would have been."""
        os.chdir(self.directory)
        os.environb.clear()
        os.environb.update(self.environment)
        os.environ.pop(ADDRESS, None)
        self.speak()

    def speak(self) -> None:
        """Let what is printed from now on be the caller's."""
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


class Parent:
    """Takes requests, forks for them, and watches over callers and children."""

    def __init__(self, listener: socket.socket, owner: int) -> None:
        self.listener = listener
        self.owner = os.pidfd_open(owner)
        self.batch = int(os.environ.get(BATCH, "1"))
        self.waiting: list[Request] = []  # training jobs, until they are enough
        self.children: dict[int, tuple[int, list[Request]]] = {}  # by pidfd: pid, and what it does
        self.poll = select.poll()
        self.poll.register(listener, select.POLLIN)
        self.poll.register(self.owner, select.POLLIN)

    def serve(self) -> None:
        """Go on until the owner is gone."""
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
        """Take a request, and begin it or let it wait for others."""
        caller, _ = self.listener.accept()
        try:
            request = Request.receive(caller)
        except (OSError, ValueError, IndexError, struct.error):
            caller.close()
            return
        _prepare(request.arguments)
        self.poll.register(caller, select.POLLHUP | select.POLLRDHUP)
        if self.batch == 1 or request.kind != "train":
            self.begin([request])
            return
        self.waiting.append(request)
        if len(self.waiting) >= self.batch:
            self.begin_waiting()

    def begin_waiting(self) -> None:
        """Begin the training jobs that wait, as one."""
        requests, self.waiting = self.waiting, []
        self.begin(requests)

    def begin(self, requests: list[Request]) -> None:
        """Fork a child for some requests."""
        gc.freeze()  # so that no collection in a child copies what it shares with this process
        pid = os.fork()
        if pid == 0:
            self.listener.close()
            work(requests)
        child = os.pidfd_open(pid)
        self.children[child] = pid, requests
        self.poll.register(child, select.POLLIN)

    def end(self, child: int) -> None:
        """Let go of a child that has ended and of its callers."""
        pid, requests = self.children.pop(child)
        self.poll.unregister(child)
        os.close(child)
        os.waitpid(pid, 0)
        for request in requests:
            self.poll.unregister(request.caller)
            request.close()

    def abandon(self, caller: int) -> None:
        """Forget a caller that is gone, and kill what is done for nobody any more."""
        for pid, requests in [(0, self.waiting), *self.children.values()]:
            for request in [each for each in requests if each.caller.fileno() == caller]:
                self.poll.unregister(caller)
                requests.remove(request)
                request.close()
                if pid and not requests:
                    os.kill(pid, signal.SIGKILL)


def serve(listener: socket.socket, owner: int) -> None:
    """Be a warm parent until the owner is gone; then end, with all jobs."""
    Parent(listener, owner).serve()
    shutil.rmtree(Path(listener.getsockname()).parent, ignore_errors=True)
    os.killpg(0, signal.SIGKILL)


def _prepare(arguments: list[str]) -> None:
    """Import what a job needs; whatever is wrong with it is the job's to tell, not the parent's."""
    with contextlib.suppress(Exception):
        kind, spec = arguments[1], json.loads(arguments[arguments.index("--spec") + 1])
        import_module(f"rafs.jobs.{kind}")
        if kind in ("train", "tune"):
            load_compiled_code(spec.get("base", spec["method"]))
        elif kind in REPORTS:
            import_module("scikit_posthocs")
            if "name" in spec:
                import_module(f"rafs.reporting.{kind}.{spec['name']}")


@cache
def load_compiled_code(name: str) -> None:
    """Train a method for a moment, so that its compiled code is in memory before the fork."""
    import numpy as np

    from rafs import methods
    from rafs.methods.base import Task, training

    x = np.linspace(-1.0, 1.0, 12)[:, None]
    method = methods.get(name)
    settings = method.resolve({"hidden": [4], "size": 2})
    for batch in (None, 4):
        plan = training(len(x), {"steps": 2, "batch_size": batch, "device": "cpu"})
        method.fit(Task(x, x[:, 0], 0.1, ("warm",)), settings, plan).predict(x)


def work(requests: list[Request]) -> NoReturn:
    """Do what was asked for, answer, and end."""
    requests[0].take_over()
    try:
        if len(requests) == 1:
            from rafs.cli import main

            requests[0].answer(main(requests[0].arguments))
        else:
            train_together(requests)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        for request in requests:
            request.answer(1)
    os._exit(0)


def train_together(requests: list[Request]) -> None:
    """Train several runs as one batch; each caller hears of its own alone."""
    from rafs.cli import closing_line, complain, job_spec
    from rafs.jobs.train import run_all

    outcomes: Sequence[RafsError | None]
    try:
        outcomes = run_all([job_spec(request.arguments) for request in requests])
    except RafsError as error:  # of the batch, such as a device that is not there
        outcomes = [error] * len(requests)
    for request, outcome in zip(requests, outcomes, strict=True):
        request.speak()
        if outcome is None:
            print(f"{closing_line('train')}, in a batch of {len(requests)}")
        request.answer(0 if outcome is None else complain(str(outcome), outcome.exit_code))


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2]))
