"""A job that outlives its fork server or its workflow changes nothing that a later run made."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from processes import has_ended, processes_below, running, wait_until
from rafs.files import write_text
from rafs.pipeline.forkserver import client, ownership
from small_project import Copy, unchanging

LONG = 20_000  # steps: a second or so per training job, enough to meet one


def command(process: int) -> list[str]:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_text().split("\0")
    return []


def output(process: int) -> str:
    with contextlib.suppress(OSError):
        return str(Path(f"/proc/{process}/fd/1").readlink())
    return ""


def fork_server(workflow: int) -> int:
    """Return the fork server of a workflow, which its jobs are children of; 0 if there is none."""
    found = [
        each
        for each in processes_below(workflow)
        if "rafs.pipeline.forkserver.server" in command(each)
    ]
    return min(found, default=0)


def training_jobs(workflow: int) -> list[int]:
    """Return the children of the fork server that train."""
    server = fork_server(workflow)
    below = processes_below(server) if server else []
    return [each for each in below if "results/runs" in output(each)]


def kill(process: int, with_signal: signal.Signals = signal.SIGKILL) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, with_signal)


def stop_one(workflow: int, stopped: list[int]) -> bool:
    """Stop a job that trains, if there is one."""
    for job in training_jobs(workflow):
        kill(job, signal.SIGSTOP)
        if "results/runs" in output(job):  # it had not ended before
            stopped.append(job)
            return True
    return False


@contextlib.contextmanager
def stopped_in_training(copy: Copy) -> Iterator[tuple[subprocess.Popen[bytes], int, int]]:
    """Run the workflow until a job trains, which is stopped; yield workflow, server and job."""
    copy.edit(lambda params: params["training"].update(steps=LONG))
    stopped: list[int] = []
    with running(copy) as workflow:
        wait_until(lambda: stop_one(workflow.pid, stopped), workflow)
        assert stopped, (copy.root / "output.txt").read_text()
        server = fork_server(workflow.pid)
        try:
            yield workflow, server, stopped[0]
        except BaseException:
            for process in (stopped[0], server):
                kill(process)
            raise


@pytest.mark.workflow
@pytest.mark.slow
@pytest.mark.parametrize("of_server", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
@pytest.mark.fault
def test_a_job_that_outlives_its_workflow(
    finished: Copy, reproduced: Copy, of_server: signal.Signals
) -> None:
    """Its server gone, its workflow killed, the parameters changed: the next run's bytes stay."""
    with stopped_in_training(finished) as (workflow, server, job):
        family = processes_below(workflow.pid)
        kill(server, of_server)
        workflow.kill()
        workflow.wait()
    finished.edit(lambda params: params["training"].update(steps=20))
    finished.run("snakemake")
    for process in (job, server):  # on they go, if they are still there
        kill(process, signal.SIGCONT)
        assert has_ended([process])
    assert has_ended(family)
    assert unchanging(finished) == unchanging(reproduced)
    assert finished.jobs("snakemake") == {}


@pytest.mark.workflow
@pytest.mark.slow
@pytest.mark.fault
def test_a_killed_fork_server(finished: Copy) -> None:
    """As an out-of-memory killer would: its jobs end with it and are done without it."""
    with stopped_in_training(finished) as (workflow, server, job):
        kill(server)
        assert has_ended([job]), "a job outlived its fork server"
        assert workflow.wait(timeout=3000) == 0, (finished.root / "output.txt").read_text()
    assert not list(finished.root.glob("results/**/*failed*"))
    assert finished.jobs("snakemake") == {}


# --- ownership itself -----------------------------------------------------------------------------


@pytest.fixture
def run_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Begin a run in an empty directory, and be a job of it."""
    import_module("rafs.pipeline.jobs")  # from here on files are written for the latest run only
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(ownership.RUN, "")  # to be restored
    monkeypatch.setenv(ownership.OWNER, ownership.identity(os.getpid()))
    (tmp_path / ".snakemake").mkdir()
    ownership.begin_run()
    return tmp_path


def test_a_job_of_the_latest_run_writes(run_here: Path) -> None:
    write_text("result", "mine")
    assert (run_here / "result").read_text() == "mine"


@pytest.mark.fault
@pytest.mark.parametrize("change", ["another run", "no run", "no owner", "id used again"])
def test_a_job_that_lost_its_run_writes_nothing(
    run_here: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    mine = os.environ[ownership.RUN]
    write_text("result", "first")
    if change == "another run":
        ownership.begin_run()
        write_text("result", "second")
        monkeypatch.setenv(ownership.RUN, mine)
    elif change == "no run":
        (run_here / ownership.TOKEN).unlink()
    elif change == "no owner":
        ended = subprocess.Popen(["true"])
        owner = ownership.identity(ended.pid)
        ended.wait()
        monkeypatch.setenv(ownership.OWNER, owner)
    else:
        monkeypatch.setenv(ownership.OWNER, f"{os.getpid()}@1")
    with pytest.raises(ownership.LostError):
        write_text("result", "late")
    assert (run_here / "result").read_text() == ("second" if change == "another run" else "first")
    assert sorted(path.name for path in run_here.iterdir()) == [".snakemake", "result"]


def test_without_a_workflow_everything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (ownership.RUN, ownership.OWNER):
        monkeypatch.delenv(name, raising=False)
    write_text("result", "mine")
    ownership.join_run()  # as a node of a cluster does where no run left a token
    assert ownership.RUN not in os.environ
    write_text("result", "again")


def test_a_node_of_a_cluster_joins_the_latest_run(
    run_here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether or not the scheduler hands over the environment, it is known whose job it is."""
    token = os.environ[ownership.RUN]
    monkeypatch.delenv(ownership.RUN)
    ownership.join_run()
    assert os.environ[ownership.RUN] == token
    ownership.begin_run()
    monkeypatch.setenv(ownership.RUN, token)
    ownership.join_run()
    assert os.environ[ownership.RUN] == token  # of an earlier run, and so it stays


def test_no_run_begins_while_an_output_is_renamed(run_here: Path) -> None:
    other = threading.Thread(target=ownership.begin_run)
    with ownership.owned():
        other.start()
        other.join(timeout=0.2)
        assert other.is_alive()
    other.join()


@pytest.mark.fault
def test_a_stopped_writer_is_told(run_here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ownership, "PATIENCE", 0.05)
    with ownership.owned(), pytest.raises(ownership.LostError, match="in the middle of writing"):
        ownership.begin_run()


CHILD = """
import os, time
from rafs.pipeline.forkserver.ownership import end_with_parent
parent = os.getpid()
if os.fork() == 0:
    end_with_parent(parent)
    print(os.getpid(), flush=True)
    time.sleep(600)
time.sleep(600)
"""


@pytest.mark.fault
def test_the_kernel_ends_a_child_with_its_parent() -> None:
    with subprocess.Popen([sys.executable, "-c", CHILD], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        kill(child, signal.SIGSTOP)  # even so
        parent.kill()
    assert has_ended([child])


@pytest.mark.fault
def test_a_parent_that_was_faster() -> None:
    """It may end before its child has asked the kernel; then it is another one's child."""
    code = "from rafs.pipeline.forkserver.ownership import end_with_parent as end; end(1); print(1)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, b"")


def test_a_listener_without_a_server_does_not_answer(tmp_path: Path) -> None:
    """A child that has just been forked holds the socket of its dead server for a while."""
    address = str(tmp_path / "socket")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        child = os.fork()
        if child == 0:
            time.sleep(0.5)
            os._exit(0)
    assert not client._answers(address)
    os.waitpid(child, 0)
    assert not client._answers(address)
