"""Results travel with git and DVC, and what has travelled is known to be up to date."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from small_project import Copy, Done, ran, unchanging

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

RATE = "methods.rafs.learning_rate"
ONE_METHOD = {"train": 4, "score": 2, "aggregate": 1, "table": 2,
              "figure": 1, "claims": 1, "summary": 1, "page": 1, "verify": 1}  # fmt: skip
LATER = ("aggregate", "table", "figure", "claims", "summary", "page", "verify")


def test_clone_and_pull(finished: Copy, tmp_path: Path) -> None:
    clone = finished.pulled(tmp_path)
    assert clone.jobs("snakemake") == {}
    assert clone.jobs("dvc", "repro") == {}
    assert not clone.run("git", "status", "--porcelain").stdout
    clone.compile_like(finished)
    untouched = clone.snapshot("results/*/main/ae/**/*")
    clone.edit(lambda params: params["methods"]["rafs"].update(learning_rate=0.02))
    assert clone.jobs("dvc", "repro") == ONE_METHOD
    assert clone.snapshot("results/*/main/ae/**/*") == untouched


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder as any static host does, and yield its address."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def test_pull_from_a_static_host(finished: Copy, tmp_path: Path) -> None:
    """A folder that DVC has pushed to can be put on a web server as it is."""
    clone = finished.pushed(tmp_path)
    stored = [path for path in (tmp_path / "store").rglob("*") if path.is_file()]
    assert len(stored) == 4 + 1 + 4 + 1 + 2  # results by cell, the rest, data, page, two lists
    with served(tmp_path / "store") as address:
        clone.run("dvc", "remote", "add", "--local", "--default", "web", address)
        clone.run("dvc", "pull", "--quiet")
    assert clone.jobs("snakemake") == {}
    assert unchanging(clone) == unchanging(finished)
    assert clone.jobs("dvc", "repro") == {}


def test_clone_alone(finished: Copy, tmp_path: Path) -> None:
    """A clone brings reports but nothing that they were made from: all of it is to be made."""
    finished.run("git", "clone", "--quiet", ".", str(tmp_path / "clone"))
    clone = Copy(tmp_path / "clone")
    assert (clone.root / "reports/tables/nll.csv").exists()
    linted = clone.run("snakemake", "--lint")
    assert "reports came without their records and will be made again" in linted.stderr
    planned = clone.run("snakemake", "--dry-run")
    for rule, count in {"train": 8, "table": 2, "figure": 2, "claims": 1}.items():
        assert re.search(rf"^{rule} +{count}$", planned.stdout, re.MULTILINE)


def test_experiments(finished: Copy) -> None:
    """Experiments in the workspace, elsewhere and queued run their share and can be compared."""
    done = finished.run("dvc", "exp", "run", "--name", "here", "-S", f"{RATE}=0.02")
    assert ran(done) == ONE_METHOD
    done = finished.run("dvc", "exp", "run", "--name", "beside", "--temp", "-S", f"{RATE}=0.03")
    assert ran(done) == ONE_METHOD
    finished.run("dvc", "exp", "run", "--name", "later", "--queue", "-S", "seeds=1")
    finished.run("dvc", "queue", "start")
    queued = finished.run("dvc", "queue", "logs", "--follow", "later")
    assert ran(queued) == {"score": 4, **{rule: ONE_METHOD[rule] for rule in LATER}}
    finished.run("dvc", "queue", "stop")
    table = json.loads(finished.run("dvc", "exp", "show", "--json").stdout)
    found = {
        experiment["name"]: experiment["revs"][0]["data"]
        for commit in table
        for experiment in commit["experiments"] or []
    }
    assert set(found) == {"here", "beside", "later"}
    rates = {
        name: entry["params"]["params.yaml"]["data"]["methods"]["rafs"]["learning_rate"]
        for name, entry in found.items()
    }
    assert rates == {"here": 0.02, "beside": 0.03, "later": 0.02}
    metrics = {name: entry["metrics"]["reports/metrics.json"] for name, entry in found.items()}
    assert metrics["here"] != metrics["beside"]
    assert metrics["later"]["data"]["runs"] == {"ok": 4}


def test_commits_are_compared_and_visited(finished: Copy) -> None:
    """Tables for people say what changed and nothing else; both commits stay up to date."""
    finished.edit(lambda params: params["methods"]["rafs"].update(learning_rate=0.02))
    assert finished.jobs("dvc", "repro") == ONE_METHOD
    assert rows(finished.run("dvc", "params", "diff", "--md")) == [RATE]
    changed = rows(finished.run("dvc", "metrics", "diff", "--md"))
    assert any(name.startswith("excess.") for name in changed)
    columns = finished.run("dvc", "metrics", "show").stdout.splitlines()[0].split()
    assert set(changed) < set(columns)
    finished.run("dvc", "plots", "diff", "HEAD", "--out", "build/plots")
    page = (finished.root / "build/plots/index.html").read_text()
    assert "NLL by dataset and method" in page
    assert page.count('"rev": "HEAD"') == page.count('"rev": "workspace"') == 8
    finished.run("dvc", "plots", "show", "--out", "build/shown")
    page = (finished.root / "build/shown/index.html").read_text()
    assert "RMSE by dataset and method" in page
    assert page.count("overview.svg") >= 1
    shown = finished.run("dvc", "exp", "show", "--only-changed", "--csv").stdout.splitlines()[0]
    assert set(shown.split(",")) == {"rev", "Created", RATE, *changed}

    finished.commit("another rate")
    predictions = {}
    for commit in ("main~1", "main"):
        finished.run("git", "checkout", "--quiet", commit)
        finished.run("dvc", "checkout", "--quiet")
        assert finished.jobs("snakemake") == {}
        predictions[commit] = finished.snapshot("results/runs/main/rafs/he/seed-0/predictions.npz")
    assert predictions["main~1"] != predictions["main"]
    assert finished.jobs("dvc", "repro") == {}


def rows(done: Done) -> list[str]:
    """Return the second column of a table in Markdown."""
    return [line.split("|")[2].strip() for line in done.stdout.splitlines()[2:] if line]
