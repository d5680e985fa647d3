"""The same bytes on any number of cores, alone or in the workflow, anywhere, in any language."""

import contextlib
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import called
from rafs import methods
from rafs.experiments import Run
from rafs.pipeline.loading import load
from rafs.pipeline.plan import Plan
from small_project import Copy, copied

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

METHODS = list(methods.ensembles())
RUNS = [Run("main", method, "he", 1) for method in METHODS]
FILES = [
    *(run.path(f"results/runs/{{experiment}}/{{method}}/{{dataset}}/seed-{{seed}}/{name}")
      for run in RUNS
      for name in ("predictions.npz", "run.json", "metrics.json", "best.json", "trials.csv",
                   "held_out.npz")),
    "results/scores/main.csv", "results/tuned/main.csv", "reports/tables/nll.csv",
    "reports/tables/nll.tex", "reports/claims.json", "reports/figures/overview.svg",
    "reports/figures/overview.pdf", "reports/figures/overview.png",
]  # fmt: skip


def every_method(content: dict[str, Any]) -> None:
    """Run every method on one small dataset, with batches, so that their order counts too."""
    content["experiments"] = {"main": {"methods": METHODS, "datasets": ["he"], "seeds": [1]}}
    content["training"] |= {"steps": 12, "batch_size": 7}
    content["figures"] = {"overview": {"experiments": ["main"]}}
    content["tables"] = {"nll": {"experiments": ["main"]}}


def bytes_of(copy: Copy, names: list[str] = FILES) -> dict[str, bytes]:
    return {name: (copy.root / name).read_bytes() for name in names}


def turkish(folder: Path) -> dict[str, str]:
    """Return an environment with decimal commas and without UTF-8.

    Few machines have this language, so it is made; where it cannot be, it is an unknown one.
    """
    with contextlib.suppress(FileNotFoundError):
        folder.mkdir()
        made = ["localedef", "-i", "tr_TR", "-f", "ISO-8859-9", str(folder / "tr_TR.ISO-8859-9")]
        subprocess.run(made, check=False, capture_output=True)
    return {"LOCPATH": str(folder), **dict.fromkeys(("LC_ALL", "LANG"), "tr_TR.ISO-8859-9")}


def alone(copy: Copy) -> None:
    """Run every job of the sample in a plain process, without Snakemake."""
    plan = Plan(load(copy.root / "params.yaml"), copy.root)
    jobs = [called.data(plan, "he", 1)]
    jobs += [job(plan, run) for job in (called.train, called.score) for run in RUNS]
    (copy.root / "jobs.json").write_text(json.dumps([job.arguments() for job in jobs]))
    code = "import json; from rafs.cli import main; [main(j) for j in json.load(open('jobs.json'))]"
    copy.run("python", "-c", code, PYTHONHASHSEED="77", OMP_NUM_THREADS="2")


def test_the_same_bytes_everywhere(
    project: Copy, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    project.edit(every_method)
    project.run("snakemake", "--cores", "1")
    wanted = bytes_of(project)
    compared = 0

    # a clone in another directory, on two cores, in another language, time zone and hash seed
    project.run("git", "init", "--quiet")
    (project.root / ".gitignore").write_text("results\nreports\ndata\nlogs\n.snakemake\n")
    project.commit("all")
    there = tmp_path / "another place" / "ünïcode"
    project.run("git", "clone", "--quiet", ".", str(there))
    clone = Copy(there)
    assert not (there / "results").exists()
    clone.compile_like(project)
    clone.run(
        "snakemake", "--cores", "2", **turkish(tmp_path / "languages"), TZ="Asia/Kathmandu",
        PYTHONHASHSEED="12345", OMP_NUM_THREADS="2", COLUMNS="40",
    )  # fmt: skip
    assert bytes_of(clone) == wanted
    compared += len(wanted)

    # without the fork server, where only ASCII is known
    cold = copied(tmp_path / "cold")
    cold.edit(every_method)
    cold.compile_like(project)
    names = [name for name in FILES if "/ae/" in name or "/hde+rafs/" in name]
    targets = [name for name in names if name.endswith("metrics.json")]
    ascii = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    cold.run("snakemake", *targets, RAFS_NO_FORK_SERVER="1", TZ="America/Caracas", **ascii)
    assert bytes_of(cold, names) == {name: wanted[name] for name in names}
    compared += len(names)

    # all of them in one plain process
    shutil.rmtree(cold.root / "results")
    shutil.rmtree(cold.root / "data")
    alone(cold)
    names = [name for name in FILES if "/runs/" in name]
    assert bytes_of(cold, names) == {name: wanted[name] for name in names}
    compared += len(names)
    record_property("files compared", compared)
    record_property("methods", len(METHODS))
