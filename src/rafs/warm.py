"""A warm parent process: what a short job does not pay for.

Importing numpy and numba and loading compiled code takes longer than many a run. While a workflow
runs on one machine, one parent process has all that done. It listens on a unix socket and forks
once per request; the child takes over the caller's arguments, directory, environment and output,
and its exit code becomes the caller's. The caller is `rafs job` itself, which imports next to
nothing before it asks. Without a parent (another machine, or it died) it does the job itself.

The parent ends with the process that started it, whatever ends that one.
"""

import array
import contextlib
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
from pathlib import Path

ADDRESS = "RAFS_WARM"
IMPORTS = (
    "rafs.jobs.aggregate",
    "rafs.jobs.data",
    "rafs.jobs.score",
    "rafs.jobs.train",
    "rafs.jobs.tune",
)


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
        answer = _read(parent, 4)
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


def start(address: Path) -> subprocess.Popen[bytes]:
    """Start a warm parent that ends with this process, and wait until it listens."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    environment.pop(ADDRESS, None)
    ready, told = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "rafs.warm", str(address), str(os.getpid()), str(told)],
        env=environment,
        pass_fds=[told],
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    os.close(told)
    with os.fdopen(ready, "rb") as pipe:
        pipe.read(1)
    os.environ[ADDRESS] = str(address)
    return process


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a warm parent."""
    os.environ.pop(ADDRESS, None)
    process.terminate()
    process.wait()


def serve(address: Path, owner: int, told: int) -> None:
    """Listen, and fork once per request, until the owner is gone."""
    from importlib import import_module

    for module in IMPORTS:
        import_module(module)
    _load_compiled_code()
    address.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(address))
        address.chmod(0o600)
        listener.listen(128)
        owner_end = os.pidfd_open(owner)
        os.write(told, b"1")
        os.close(told)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children are reaped by the kernel
        poll = select.poll()
        poll.register(listener, select.POLLIN)
        poll.register(owner_end, select.POLLIN)
        while True:
            events = dict(poll.poll())
            if owner_end in events:
                break
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                os.close(owner_end)
                _child(connection)
            connection.close()
    address.unlink(missing_ok=True)
    os.killpg(0, signal.SIGTERM)


def _load_compiled_code() -> None:
    """Train every method for a moment, so that its compiled code is in memory before any fork."""
    import numpy as np

    from rafs import methods
    from rafs.methods.base import Task, training

    x = np.linspace(-1.0, 1.0, 12)[:, None]
    for name in methods.names():
        method = methods.get(name)
        settings = method.resolve({"hidden": [4], "size": 2})
        for batch in (None, 4):
            plan = training(len(x), {"steps": 2, "batch_size": batch, "device": "cpu"})
            method.fit(Task(x, x[:, 0], 0.1, ("warm",)), settings, plan).predict(x)


def _child(connection: socket.socket) -> None:
    """Run one request and leave; a second fork waits for it and sends the exit code."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    size = array.array("i", [0, 0])
    message, ancillary, _, _ = connection.recvmsg(4, socket.CMSG_SPACE(2 * size.itemsize))
    for _, _, data in ancillary:
        size.frombytes(data[: 2 * size.itemsize])
    out, err = size[-2], size[-1]
    arguments, directory, environment = json.loads(
        _read(connection, struct.unpack("!I", message)[0])
    )
    worker = os.fork()
    if worker == 0:
        connection.close()
        os.dup2(out, 1)
        os.dup2(err, 2)
        os.chdir(directory)
        os.environ.clear()
        os.environ.update(environment)
        os.environ.pop(ADDRESS, None)
        code = 1
        with contextlib.suppress(BaseException):
            from rafs.cli import main

            code = main(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    poll = select.poll()
    worker_end = os.pidfd_open(worker)
    poll.register(worker_end, select.POLLIN)
    poll.register(connection, select.POLLHUP | select.POLLRDHUP)
    events = dict(poll.poll())
    if worker_end not in events:  # the caller is gone: so is its job
        os.kill(worker, signal.SIGKILL)
    _, status = os.waitpid(worker, 0)
    code = os.waitstatus_to_exitcode(status)
    with contextlib.suppress(OSError):
        connection.sendall(struct.pack("!i", code if code >= 0 else 128 - code))
    os._exit(0)


if __name__ == "__main__":
    serve(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
