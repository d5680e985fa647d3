"""A warm parent process: what a short job does not pay for.

Importing numpy, numba or matplotlib and loading compiled code takes longer than many a job. While
a workflow runs on one machine, one parent process does it once, when the first job of a kind comes.
It listens on a unix socket and forks once per request; the child takes over the caller's arguments,
directory, environment and output, and its exit code becomes the caller's. The caller is `rafs job`
itself, which imports next to nothing before it asks. Without a parent (another machine, or it died)
it does the job itself.

The parent and all jobs end with the workflow that started them, whatever ends that one.
"""

import array
import contextlib
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
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

ADDRESS = "RAFS_WARM"  # where the parent listens
OWNER = "RAFS_OWNER"  # the process whose jobs these are
REPORTS = ("claims", "figures", "page", "summary", "tables")


def end_with_owner() -> bool:
    """Let this process end when the workflow it belongs to does; return whether that has ended.

    A killed workflow cannot stop its jobs, and the next one must not meet them.
    """
    owner = os.environ.get(OWNER)
    if not owner:
        return False
    try:
        end = os.pidfd_open(int(owner))
    except ProcessLookupError:
        return True

    def watch() -> None:
        select.select([end], [], [])
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()
    return False


def ask(arguments: list[str]) -> int | None:
    """Let the warm parent run a command; return its exit code, or None if there is no parent."""
    address = os.environ.get(ADDRESS)
    if not address:
        return None
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as parent:
        try:
            parent.connect(address)
        except OSError:
            return None
        request = json.dumps([arguments, str(Path.cwd()), dict(os.environ)]).encode()
        streams = array.array("i", [1, 2])
        control = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, streams)]
        parent.sendmsg([struct.pack("!I", len(request))], control)
        parent.sendall(request)
        try:
            answer = _read(parent, 4)
        except ConnectionError:  # the parent died before it took the request
            return None
        if len(answer) < 4:  # the child was killed
            return 128 + signal.SIGKILL
        code: int = struct.unpack("!i", answer)[0]
        return code


def _read(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            break
        data += part
    return data


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


def serve(listener: socket.socket, owner: int) -> None:
    """Fork once per request until the owner is gone."""
    owner_end = os.pidfd_open(owner)
    poll = select.poll()
    poll.register(listener, select.POLLIN)
    poll.register(owner_end, select.POLLIN)
    while owner_end not in dict(poll.poll()):
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:  # so that their time counts as this process's
                pass
        connection, _ = listener.accept()
        with connection, contextlib.suppress(OSError, ValueError, struct.error):
            streams, request = _receive(connection)
            _prepare(request[0])
            if os.fork() == 0:
                listener.close()
                os.close(owner_end)
                _child(connection, streams, request)
            for stream in streams:
                os.close(stream)
    shutil.rmtree(Path(listener.getsockname()).parent, ignore_errors=True)
    os.killpg(0, signal.SIGKILL)


def _receive(connection: socket.socket) -> tuple[list[int], list[Any]]:
    """Return the caller's two streams, and what it asks for."""
    message, streams, _, _ = socket.recv_fds(connection, 4, 2)
    return streams, json.loads(_read(connection, struct.unpack("!I", message)[0]))


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


def _child(connection: socket.socket, streams: list[int], request: list[Any]) -> None:
    """Run one request in a process of its own, wait for it and send its exit code."""
    arguments, directory, environment = request
    worker = os.fork()
    if worker == 0:
        connection.close()
        os.dup2(streams[0], 1)
        os.dup2(streams[1], 2)
        os.chdir(directory)
        os.environ.clear()
        os.environ.update(environment)
        os.environ.pop(ADDRESS, None)
        code = 1
        try:
            from rafs.cli import main

            code = main(arguments)
        except BaseException:
            sys.excepthook(*sys.exc_info())
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    poll = select.poll()
    worker_end = os.pidfd_open(worker)
    poll.register(worker_end, select.POLLIN)
    poll.register(connection, select.POLLHUP | select.POLLRDHUP)
    if worker_end not in dict(poll.poll()):  # the caller is gone: so is its job
        os.kill(worker, signal.SIGKILL)
    _, status = os.waitpid(worker, 0)
    code = os.waitstatus_to_exitcode(status)
    with contextlib.suppress(OSError):
        connection.sendall(struct.pack("!i", code if code >= 0 else 128 - code))
    os._exit(0)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2]))
