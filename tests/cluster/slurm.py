"""A real Slurm on this machine's loopback: a controller, several nodes, and fake GPUs."""

import contextlib
import getpass
import os
import shutil
import signal
import socket
import stat
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol")
NODES = 3
CPUS = 2  # of each node, as configured in Slurm
SEARCH = os.pathsep.join(["/usr/sbin", "/sbin", os.environ.get("PATH", "")])


def absent() -> list[str]:
    """Return the programs that a cluster needs and that are missing."""
    return [name for name in PROGRAMS if not shutil.which(name, path=SEARCH)]


def free_ports(count: int) -> list[int]:
    """Return unused ports of the loopback."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def until(condition: Callable[[], object], seconds: float = 300.0) -> None:
    """Wait for a condition, with a time limit."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds:g} s in vain")
        time.sleep(0.1)


@dataclass
class Cluster:
    """A controller, nodes and their daemons, all in one folder."""

    folder: Path
    daemons: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def env(self) -> dict[str, str]:
        """What a command needs to find the cluster: its configuration, and in a Slurm job too."""
        return {"PATH": f"{self.folder / 'bin'}{os.pathsep}{SEARCH}", "SLURM_CONF": str(self.conf)}

    @property
    def conf(self) -> Path:
        """The configuration file."""
        return self.folder / "slurm.conf"

    def start(self) -> None:
        """Configure and start everything, and wait until the nodes are idle."""
        for name in ("state", "spool", "log", "bin"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        self.configure()
        munge = self.folder / "munge.key"
        munge.write_bytes(os.urandom(128))
        munge.chmod(stat.S_IRUSR)
        self.folder.chmod(0o755)
        self.daemon(
            "munged", "munged", "--foreground", "--force", f"--key-file={munge}",
            f"--socket={self.folder / 'munge.socket'}", f"--pid-file={self.folder / 'munge.pid'}",
            f"--log-file={self.folder / 'log/munge.txt'}", f"--seed-file={self.folder / 'seed'}",
        )  # fmt: skip
        until((self.folder / "munge.socket").exists)
        self.daemon("slurmctld", "slurmctld", "-D", "-f", str(self.conf))
        for node in self.nodes:
            self.start_node(node)
        until(lambda: self.states().count("idle") == NODES)

    @property
    def nodes(self) -> list[str]:
        """The names of the nodes."""
        return [f"node{k}" for k in range(1, NODES + 1)]

    def configure(self) -> None:
        """Write the configuration: everything on the loopback, no system service needed."""
        host, user = socket.gethostname(), getpass.getuser()
        controller, *ports = free_ports(NODES + 1)
        gpus = "/dev/zero" if Path("/dev/zero").exists() else "/dev/null"
        (self.folder / "gres.conf").write_text(f"Name=gpu File={gpus}\n")
        nodes = "\n".join(
            f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={CPUS}"
            " RealMemory=8192 Gres=gpu:1"
            for name, port in zip(self.nodes, ports, strict=True)
        )
        self.conf.write_text(f"""ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={self.folder / "munge.socket"}
CredType=cred/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
PropagateResourceLimits=NONE
MpiDefault=none
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
ReturnToService=2
MinJobAge=300
KillWait=2
SlurmdTimeout=10
BatchStartTimeout=20
SchedulerParameters=sched_interval=1,batch_sched_delay=0,default_queue_depth=1000
StateSaveLocation={self.folder / "state"}
SlurmdSpoolDir={self.folder / "spool"}/%n
SlurmctldPidFile={self.folder / "slurmctld.pid"}
SlurmdPidFile={self.folder / "slurmd"}.%n.pid
SlurmctldLogFile={self.folder / "log/slurmctld.txt"}
SlurmdLogFile={self.folder / "log/slurmd"}.%n.txt
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE OverTimeLimit=0 State=UP
""")

    def daemon(self, name: str, *command: str) -> None:
        """Start a daemon that stays in the foreground of its own session."""
        with (self.folder / "log" / f"{name}.out").open("ab") as output:
            self.daemons[name] = subprocess.Popen(
                command, env={**os.environ, **self.env}, stdout=output, stderr=output,
                stdin=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip

    def start_node(self, name: str) -> None:
        """Start the daemon of one node."""
        (self.folder / "spool" / name).mkdir(exist_ok=True)
        self.daemon(name, "slurmd", "-D", "-N", name, "-f", str(self.conf))

    def kill_node(self, name: str) -> None:
        """Take a node away at once, with all that runs on it, as a power cut would."""
        self.daemons.pop(name).kill()
        for pid in self.processes(name):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def processes(self, node: str = "") -> list[int]:
        """Return the processes of all jobs, or of those on one node, and their supervisors."""
        found: list[int] = []
        marks = (f"SLURMD_NODENAME={node}".encode(), f"SLURM_CONF={self.conf}".encode())
        for environment in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                content = environment.read_bytes()
                if all(mark in content for mark in marks):
                    found.append(int(environment.parent.name))
        for pid in list(found):
            with contextlib.suppress(OSError):
                parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
                if "slurmstepd" in Path(f"/proc/{parent}/cmdline").read_text():
                    found.append(parent)
        return found

    def run(self, *command: str) -> str:
        """Run one of Slurm's commands and return what it prints."""
        done = subprocess.run(
            command, env={**os.environ, **self.env}, text=True, capture_output=True, check=True,
            timeout=300,
        )  # fmt: skip
        return done.stdout

    def states(self) -> list[str]:
        """Return the states of the nodes."""
        try:
            return self.run("sinfo", "--noheader", "--Node", "--format=%t").split()
        except subprocess.CalledProcessError:
            return []

    def jobs(self, state: str = "RUNNING") -> list[str]:
        """Return the numbers of the jobs in a state."""
        return self.run("squeue", "--noheader", f"--states={state}", "--format=%i").split()

    def stop(self) -> None:
        """End everything."""
        for name in ("slurmctld", *self.nodes, "munged"):
            if name in self.daemons:
                process = self.daemons.pop(name)
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(timeout=10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
