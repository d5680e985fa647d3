"""`rafs job`: run one job of the workflow, as its rules do."""

import argparse
import json
import re
import resource
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from rafs.errors import ParameterError, RafsError, complain, sentence
from rafs.pipeline.forkserver.streams import silence

JOBS = Path(__file__).with_name("jobs")


def reported(command: Callable[[], int]) -> int:
    """Run a command; print an error as one sentence on stderr and return its exit code."""
    try:
        return command()
    except RafsError as error:
        return complain(str(error), error.exit_code)
    except KeyboardInterrupt:
        return complain("interrupted", 130)
    except BrokenPipeError:  # the reader of a pipe has closed it
        silence(sys.stdout.fileno())
        return 0
    except (MemoryError, OSError) as error:
        return complain(sentence(error))


def main(arguments: list[str]) -> int:
    """Run a job from its command line, `job NAME ...`."""
    return reported(lambda: run(_options(arguments)))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments of a job."""
    parser.add_argument("name", help="the job: a module of rafs.pipeline.jobs")
    parser.add_argument(
        "--spec", required=True, type=json.loads, help="what it depends on, as JSON"
    )
    parser.add_argument("--input", nargs="*", default=[], metavar="FILE", help="what it reads")
    parser.add_argument("--output", nargs="*", default=[], metavar="FILE", help="what it writes")
    parser.add_argument("--of", help="with the job `failed`: the job that it stands in for")
    parser.add_argument("--log", help="with the job `failed`: that job's log")


def run(options: argparse.Namespace) -> int:
    """Run a job by its name."""
    known = [module.name for module in iter_modules([str(JOBS)])]
    if options.name not in known:
        raise ParameterError(
            f"there is no job {options.name!r}; the jobs are {', '.join(sorted(known))}"
        )
    job = import_module(f"rafs.pipeline.jobs.{options.name}")
    spec, inputs, outputs = _safe(options.spec), options.input, options.output
    if options.name == "failed":
        job.run(job.FailedJob(options.of, Path(options.log), spec, inputs, outputs))
        return 0
    job.run(spec, inputs, outputs)
    print(closing_line(options.name))
    return 0


def parse(arguments: list[str]) -> tuple[Any, list[str], list[str]]:
    """Return the spec, inputs and outputs of a job from its command line, `job NAME ...`."""
    options = _options(arguments)
    return _safe(options.spec), options.input, options.output


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="rafs job")
    add_arguments(parser)
    return parser.parse_args(arguments[1:])


def closing_line(job: str) -> str:
    """Return the last line of a job's log: its CPU time and memory."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu, memory = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    return f"{job}: {cpu:.3f} s of CPU, {memory:.0f} MB at most"


def _safe(spec: object) -> dict[str, object]:
    """Return the spec if everything in it that becomes part of a file name is safe."""
    if not isinstance(spec, dict):
        raise ParameterError("--spec must be a JSON object")
    for key in ("experiment", "tuning", "method", "base", "dataset", "protocol", "name"):
        value = spec.get(key)
        if value is None or (key == "tuning" and isinstance(value, dict)):
            continue
        if not (isinstance(value, str) and re.fullmatch(r"\w[\w.@=+-]*", value, re.ASCII)):
            raise ParameterError(f"{value!r} cannot be the {key} of a job")
    for seed in (spec.get("seed", 0), *spec.get("seeds", ())):
        if not isinstance(seed, int):
            raise ParameterError(f"{seed!r} cannot be the seed of a job")
    return spec
