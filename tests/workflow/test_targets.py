"""Parts of the whole by name, the smoke test, and what people see while it runs."""

import json
import os
import pty
import re
import subprocess
from typing import Any

import pytest
import yaml

import golden
from rafs import methods
from rafs.pipeline.loading import load
from small_project import PROJECT, Copy, ran

pytestmark = [pytest.mark.workflow]


def on_a_terminal(copy: Copy, *command: str, term: str = "xterm") -> str:
    """Run a command as on a terminal of 100 columns and return all it writes."""
    parent, child = pty.openpty()
    env = {**copy.env, "COLUMNS": "100", "TERM": term}
    with subprocess.Popen(
        command, cwd=copy.root, env=env, stdin=child, stdout=child, stderr=child
    ) as process:
        os.close(child)
        output = b""
        try:
            while part := os.read(parent, 65536):
                output += part
        except OSError:  # the other side is closed
            pass
    os.close(parent)
    assert process.returncode == 0, output
    return output.decode()


def test_one_figure(project: Copy) -> None:
    """A target takes its share of the jobs; a terminal shows a bar, all else plain lines."""
    screen = on_a_terminal(project, "snakemake", "figure_training_points_1d")
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", screen)
    assert re.search(r"rafs [━╸╺]+ +[123]/3 +jobs, 0:\d\d:\d\d passed, [-:0-9]+ left", plain)
    assert "rafs: ran: 1 data, 1 figure" in plain
    assert "Finished jobid" not in plain
    assert (project.root / "reports/figures/training_points_1d.svg").is_file()
    done = project.run("snakemake", "data/processed/described/he/seed-1.npz", FORCE_COLOR="1")
    assert ran(done) == {"data": 1}
    assert "rafs: 1 of 1 jobs, 0:0" in done.stderr
    assert "\x1b" not in done.stderr
    assert len(done.stderr.splitlines()) < 25
    drawn = "data/processed/described/he/seed-2.npz"
    assert "rafs: 1 of 1 jobs, 0:0" in on_a_terminal(project, "snakemake", drawn, term="dumb")


def test_every_part_has_a_name(project: Copy) -> None:
    """One target per experiment, table and figure, besides `all` and `smoke`."""
    (project.root / "params.yaml").write_text((PROJECT / "params.yaml").read_text())
    params = load(project.root / "params.yaml")
    done = project.run("snakemake", "--list-target-rules")
    names = set((done.stdout + done.stderr).split())
    expected = {"all", "smoke", *params.experiments}
    expected |= {f"table_{name}" for name in params.tables}
    expected |= {f"figure_{name}" for name in params.figures}
    assert expected <= names


@pytest.mark.slow
def test_without_git_and_main_first(project: Copy) -> None:
    """As an archive, with .dvc alone, all of it works; main comes before what is listed before it.

    So it does when Snakemake considers few of the ready jobs at a time, as it must with thousands.
    """
    other = {"methods": ["rp"], "datasets": ["he"], "seeds": 3}
    project.edit(lambda params: params.update(experiments={"other": other} | params["experiments"]))
    done = project.run("snakemake", "--cores", "1", "--scheduler-subsample", "1")
    assert "no git repository with DVC here, so results were not committed to DVC" in done.stderr
    main = (project.root / "reports/tables/nll.csv").stat().st_mtime_ns
    others = project.snapshot("results/runs/other/**/predictions.npz")
    assert len(others) == 3
    assert all(main < stamp for stamp, _ in others.values())
    assert project.jobs("snakemake") == {}
    assert not (project.root / "dvc.lock").exists()
    project.run("snakemake", "--report", "report.html")
    text = (project.root / "report.html").read_text()
    assert all(part in text for part in ("Tables", "Figures", "Claims", "nll.csv", "overview.svg"))


def no_network() -> dict[str, str]:
    """Return an environment in which nothing can be downloaded."""
    nowhere = "http://127.0.0.1:9"
    return {
        **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), nowhere),
        "no_proxy": "", "NO_PROXY": "", "PIP_NO_INDEX": "1",
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.fault
def test_real_data_that_cannot_be_had(project: Copy) -> None:
    """The rest is made and nothing fails; it is said at the start, at the end and on the page."""

    def with_real_data(params: dict[str, Any]) -> None:
        params["experiments"]["main"] |= {"datasets": ["he", "boston"], "methods": ["rafs"]}
        params["figures"] = {}

    project.edit(with_real_data)
    done = project.run("snakemake", **no_network())
    assert "rafs: not on this machine, so their sources will be tried: boston" in done.stderr
    assert "rafs: missing: boston: " in done.stderr
    assert "boston" in (project.root / "reports/index.html").read_text()
    scores = (project.root / "results/scores/main.csv").read_text()
    assert scores.count(",ok,") == 2
    assert scores.count(",missing,") == 2
    again = project.run("snakemake", **no_network())
    assert ran(again) == {}
    assert "rafs: boston is missing and its runs with it" in again.stderr
    status = json.loads(project.run("rafs", "status", "--json", **no_network()).stdout)
    without = {kind: counts["without data"] for kind, counts in status["jobs"].items()}
    assert without == {"data": 3, "training": 2, "scoring": 1, "reports": 0}
    assert (status["jobs"]["training"]["done"], status["jobs"]["scoring"]["done"]) == (2, 1)
    assert (status["complete"], status["seconds_left"]) == (False, 0)
    shown = project.run("rafs", "status", **no_network()).stdout
    assert "2 runs are without data; all the rest is up to date" in shown
    assert "everything is up to date" not in shown
    project.edit(lambda params: params.update(strict=True))
    strict = project.run("snakemake", check=False, **no_network())
    assert strict.returncode != 0
    log = (project.root / "logs/fetch/boston.txt").read_text()
    assert "boston cannot be had and strict is true" in log
    assert "Traceback" not in log


@pytest.mark.slow
def test_smoke(smoked: Copy) -> None:
    """Every rule and every method of the whole, small, in a directory of its own."""
    smoke = smoked.root / "build/smoke"
    counts = ran((smoked.root / "smoke.txt").read_text())
    rules = {"fetch", "data", "train", "score", "aggregate", "table", "figure",
             "claims", "summary", "page", "verify"}  # fmt: skip
    assert rules <= set(counts)
    used = {path.name.partition("@")[0] for path in smoke.glob("results/runs/*/*")}
    written = yaml.safe_load((smoked.root / "params.yaml").read_text())["methods"]
    assert used >= set(written) - set(methods.controls())
    assert used >= {"de+rafs", "hde+rafs", "ntkgp+rafs", "rp+rafs", "de_nll+rafs"}
    assert used <= set(methods.names())
    assert not (smoked.root / "results").exists()
    assert smoked.jobs("rafs", "smoke", "--cores", "2") == {}


@pytest.mark.slow
def test_the_smoke_results_are_the_recorded_ones(smoked: Copy) -> None:
    """Byte for byte on the type of CPU of the manifest; the printed tables everywhere."""
    recorded = json.loads(golden.MANIFEST.read_text())
    found = golden.manifest(smoked.root / "build/smoke")
    assert found.keys() == recorded["files"].keys()
    same_cpu = golden.cpu() == recorded["cpu"]
    compared = [name for name in found if same_cpu or name.endswith(".md")]
    assert golden.differences({name: recorded["files"][name] for name in compared}, found) == []


def test_the_picture_shows_the_rules(project: Copy) -> None:
    """What `make rulegraph` would draw now, whatever the number of seeds, is what is shown."""
    params = yaml.safe_load((PROJECT / "params.yaml").read_text())
    (project.root / "params.yaml").write_text(yaml.safe_dump(params | {"seeds": 1}))
    makefile = (PROJECT / "Makefile").read_text()
    (line,) = re.findall(r"^\t(snakemake --rulegraph .*) > docs/", makefile, re.MULTILINE)
    drawn = project.run("bash", "-c", line).stdout
    assert all(f">{rule}<" in drawn for rule in ("fetch", "data", "train", "page"))
    assert drawn == (PROJECT / "docs/rulegraph.svg").read_text()
    for page, link in {
        "README.md": "docs/rulegraph.svg",
        "docs/architecture.md": "rulegraph.svg",
    }.items():
        assert f"]({link})" in (PROJECT / page).read_text()


def test_lint(project: Copy) -> None:
    """Also by the file where the workflow catalogue looks for it."""
    project.run("snakemake", "--lint")
    project.run("snakemake", "--snakefile", "workflow/Snakefile", "--lint")
    known = yaml.safe_load((PROJECT / ".snakemake-workflow-catalog.yml").read_text())
    assert known["usage"]["software-stack-deployment"] == {"conda": True}
    assert (PROJECT / "config/README.md").is_file()
    project.run("snakefmt", "--check", "Snakefile", "workflow")


def test_a_wrong_parameter_is_one_sentence(project: Copy) -> None:
    project.edit(lambda params: params["training"].update(stepz=3))
    done = project.run("snakemake", check=False)
    assert done.returncode == 2
    assert "training.stepz is not a parameter; did you mean 'steps'?" in done.stderr
    assert "Traceback" not in done.stderr
