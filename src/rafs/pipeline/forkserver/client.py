"""Entry point of `rafs`, with few imports so that short jobs start fast.

A job is sent to the fork server (`rafs.pipeline.forkserver.server`) if there is one. Thousands of
jobs start here, so nothing is imported before it is needed: a start takes a third of the time of
importing `rafs.cli`, which is imported for all other commands and for jobs without a server.
"""

import array
import os
import select
import socket
import struct
import sys

from rafs.errors import RafsError
from rafs.pipeline.forkserver.ownership import end_with, open_owner
from rafs.pipeline.forkserver.streams import open_streams, silence

ADDRESS = "RAFS_FORK_SERVER"  # where the fork server listens
KILLED = 128 + 9  # the exit code that a shell reports for SIGKILL
GONE = 1  # the workflow of this job has ended


def entry() -> int:
    """Run as a program."""
    open_streams()
    if sys.argv[1:2] == ["job"]:
        code = ask(sys.argv[1:])
        if code is not None:
            return code
    import io

    from rafs.cli import main

    if isinstance(sys.stdout, io.TextIOWrapper):  # what a terminal cannot encode becomes ?
        sys.stdout.reconfigure(errors="replace")
    code = main()
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of a pipe has closed it
        silence(1)
    except OSError as error:
        silence(1)
        print(f"rafs: the output cannot be written: {error.strerror}", file=sys.stderr)
        return code or 1
    return code


def ask(arguments: list[str]) -> int | None:
    """Let the fork server run a job; return its exit code, or None to run it here.

    In either case the job ends with its workflow: a killed workflow cannot stop its jobs, and they
    must not write at the same time as those of the next one.
    """
    try:
        owner = open_owner()
    except RafsError:
        return GONE
    code = _asked(arguments, owner)
    if code is None and owner is not None:
        end_with(owner)
    return code


def _asked(arguments: list[str], owner: int | None) -> int | None:
    """Return the exit code that the fork server sends, or None if there is no server.

    The children of a killed server end with it; their jobs are run again here.
    """
    address = os.environ.get(ADDRESS, "")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as parent:
        try:
            parent.connect(address)
            send(parent, arguments)
            poll = select.poll()
            poll.register(parent, select.POLLIN)
            if owner is not None:
                poll.register(owner, select.POLLIN)
            if parent.fileno() not in dict(poll.poll()):
                return GONE
            answer = parent.recv(4)
        except OSError:  # it does not exist, or ended before it accepted the request
            return None
    if answer:
        return int(struct.unpack("!i", answer)[0])
    return KILLED if _answers(address) else None


def _answers(address: str) -> bool:
    """Tell whether there is a fork server that accepts requests.

    A child that was forked just before its server died still holds the listening socket, so a
    connection proves nothing. A server closes the connection of an empty request; without a server,
    the connection is reset when the last child has closed the socket.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(address)
            probe.shutdown(socket.SHUT_WR)
            probe.recv(1)
        except OSError:
            return False
    return True


def send(parent: socket.socket, arguments: list[str]) -> None:
    """Send the arguments, the directory, the environment, and the output streams."""
    environment = [name + b"=" + value for name, value in os.environb.items()]
    fields = [os.fsencode(text) for text in (os.getcwd(), str(len(arguments)), *arguments)]  # noqa: PTH109
    request = b"\0".join([*fields, *environment])
    streams = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [1, 2]))
    parent.sendmsg([struct.pack("!I", len(request))], [streams])
    parent.sendall(request)


if __name__ == "__main__":
    sys.exit(entry())
