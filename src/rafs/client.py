"""The command `rafs`, as light as a job of a moment needs it.

A job goes to the warm parent (`rafs.warm`) if there is one. Thousands of jobs start here, so
nothing is imported before it is needed: a start costs a third of what `rafs.cli` would.
"""

import array
import os
import select
import socket
import struct
import sys

ADDRESS = "RAFS_WARM"  # where the parent listens
OWNER = "RAFS_OWNER"  # the process whose jobs these are
KILLED = 128 + 9  # what a shell says of a process that got SIGKILL
GONE = 1  # the workflow that wanted this job has ended


def entry() -> int:
    """Run as a program."""
    if sys.argv[1:2] == ["job"]:
        code = ask(sys.argv[1:])
        if code is not None:
            return code
    import io

    from rafs.cli import main

    if isinstance(sys.stdout, io.TextIOWrapper):  # a sign that a terminal has not becomes ?
        sys.stdout.reconfigure(errors="replace")
    return main()


def ask(arguments: list[str]) -> int | None:
    """Let the warm parent run a job; return its exit code, or None to do it here.

    Wherever it is done, it ends when the workflow does: a killed workflow cannot stop its jobs, and
    the next one must not meet them.
    """
    owner = None
    if os.environ.get(OWNER):
        try:
            owner = os.pidfd_open(int(os.environ[OWNER]))
        except ProcessLookupError:
            return GONE
    code = _asked(arguments, owner)
    if code is None and owner is not None:
        from rafs.warm import end_with

        end_with(owner)
    return code


def _asked(arguments: list[str], owner: int | None) -> int | None:
    """Return the exit code that the warm parent sends, or None if there is none."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as parent:
        try:
            parent.connect(os.environ.get(ADDRESS, ""))
            send(parent, arguments)
            poll = select.poll()
            poll.register(parent, select.POLLIN)
            if owner is not None:
                poll.register(owner, select.POLLIN)
            if parent.fileno() not in dict(poll.poll()):
                return GONE
            answer = parent.recv(4)
        except OSError:  # it is not there, or died before it took the request
            return None
        return struct.unpack("!i", answer)[0] if answer else KILLED


def send(parent: socket.socket, arguments: list[str]) -> None:
    """Hand over the arguments, the directory, the environment, and where output goes."""
    environment = [name + b"=" + value for name, value in os.environb.items()]
    fields = [os.fsencode(text) for text in (os.getcwd(), str(len(arguments)), *arguments)]  # noqa: PTH109
    request = b"\0".join([*fields, *environment])
    streams = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [1, 2]))
    parent.sendmsg([struct.pack("!I", len(request))], [streams])
    parent.sendall(request)


if __name__ == "__main__":
    sys.exit(entry())
