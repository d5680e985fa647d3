"""The README says what is so: its code runs, its targets and links exist."""

import html
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

import made_up
import shown as reports
from documented import block, blocks, commands
from rafs.evaluation import statistics
from rafs.pipeline.loading import load
from rafs.pipeline.plan import Plan
from rafs.reporting import labels, readme
from rafs.reporting.page import answer, elements
from rafs.reporting.tables import headline
from small_project import Copy

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_python_example_runs():
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    assert np.shape(names["mean"]) == (500,)
    assert (np.asarray(names["sd"]) > 0.1).all()  # never below the known noise


@pytest.mark.parametrize(
    "target", sorted(set(re.findall(r"(?:^|`)make ([a-z]+)", TEXT, re.MULTILINE)))
)
def test_every_make_target_exists_and_is_explained(target):
    helped = subprocess.run(
        ["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert re.search(rf"^{target}\s+\S", helped, re.MULTILINE)


def test_linked_files_exist():
    for link in re.findall(r"\]\(([^)#:]+)\)", TEXT):
        assert (ROOT / link).exists(), link


def test_the_yaml_is_that_of_the_documentation():
    table, method = (
        yaml.safe_load(block.text) for block in blocks("README.md") if block.language == "yaml"
    )
    assert table == yaml.safe_load(block("docs/own-data.md", "params.yaml"))
    documented = yaml.safe_load(block("docs/any-estimator.md", "params.yaml: methods"))
    assert method["methods"]["knn"] == documented["knn"]


def test_the_numbers_of_jobs_are_those_of_params():
    plan = Plan(load(ROOT / "params.yaml"), ROOT)
    assert f"{len(plan.experiments.runs):,} runs" in TEXT


ELSEWHERE = {  # commands that other tests run, or that are not ours
    "make test": "what runs this",
    "make smoke": "`rafs smoke`, in test_targets",
    "make docs": "`mkdocs build`, in test_docs",
    "make site": "`make docs` and a sentence",
    "make readme": "its result is compared below",
    "source": "of the shell",
    "$EDITOR": "of the shell",
    "rafs compare": "test_docs runs the same line",
    "rafs score": "test_docs runs it on its own file",
    "rafs smoke": "test_targets",
    "snakemake --profile": "tests/cluster",
    "make torch": "installs a package",
    "snakemake steps": "an experiment by name: test_by_name",
    "snakemake uci_all": "experiments by name, too",
    "snakemake tuning_luck": "an experiment by name: test_by_name",
    "snakemake why": "an experiment by name: test_why_experiments",
    "snakemake released": "test_by_name",
    "snakemake released_quick": "test_by_name",
}


def shown() -> list[list[str]]:
    """Return every command of the README: those in blocks, and those in its tables and text."""
    inline = re.findall(r"`((?:snakemake|dvc|rafs|make) [^`]+|snakemake)`", TEXT)
    found = [*commands("README.md"), *(line.split() for line in inline)]
    return [list(words) for words in dict.fromkeys(map(tuple, found))]


@pytest.mark.workflow
@pytest.mark.slow
def test_every_command_runs(finished: Copy) -> None:
    """In a small project in which everything is made; the words are those of the README."""
    ran = set()
    alone = [words for words in shown() if words[0] not in ELSEWHERE]
    alone = [words for words in alone if " ".join(words[:2]) not in ELSEWHERE]
    assert len(alone) > 12
    (finished.root / ".venv").symlink_to(sys.prefix)
    shutil.copy2(ROOT / "Makefile", finished.root)
    for words in sorted(alone, key=lambda words: words[:3] == ["dvc", "exp", "run"]):
        installed = ["--old-file=.venv/installed"] if words[0] == "make" else []
        done = finished.run(*words, *installed, check=False, **OFFLINE)
        text = done.stdout + done.stderr
        if words[:2] == ["rafs", "fetch"]:  # says what is missing, and that is an error
            assert "boston" in text
        else:
            assert done.returncode == 0, (words, text)
        ran.add(tuple(words[:2]))
    assert {
        ("make", "reproduce"),
        ("make", "help"),
        ("dvc", "repro"),
        ("dvc", "exp"),
        ("snakemake", "-n"),
        ("rafs", "status"),
    } <= ran


OFFLINE = {
    **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9"),
    "no_proxy": "", "NO_PROXY": "", "PIP_NO_INDEX": "1",
}  # fmt: skip


def test_the_comparison_is_that_of_the_documentation():
    line = ["rafs", "compare", "data/own/waves.csv", "--target", "y", "--categorical", "kind"]
    assert line in commands("README.md")
    assert line in commands("docs/own-data.md")


def test_the_headline_is_that_of_the_reports():
    assert readme.current(ROOT) == TEXT


def methods(top: dict[str, float]) -> pd.DataFrame:
    """Return the methods of made-up results with these levels of NLL; all others are worse."""
    rng = np.random.default_rng(0)
    frame = made_up.scores(
        seeds=3, nll=lambda m, d, s: top.get(m, 3.0) + (0.0 if len(top) == 1 else rng.normal())
    )
    references = made_up.scores("references", ["constant"], seeds=3)
    return short({"main": frame, "references": references})


def short(frames: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the table of methods of some experiments."""
    return headline.build(made_up.Memory(frames), {"experiments": list(frames)}).frame


@pytest.mark.parametrize(
    ("top", "words"),
    [
        ({"rp": 0.0}, "The best mean rank in NLL is that of RP-param, 1.00 [1.00, 1.00]: signific"),
        ({"rp": 0.0, "rafs": 0.0}, "No method is shown to be the best alone in NLL."),
        (dict.fromkeys(made_up.METHODS, 0.0), "No method is shown to be the best in NLL."),
    ],
)
def test_the_best_is_named_only_where_a_test_says_so(top, words):
    said = readme.answer(methods(top))
    assert said.startswith(words)
    if len(top) == 2:
        near, worse = said.partition("from it: ")[2].split("; significantly worse: ")
        assert near in ("RAFs", "RP-param")
        assert worse.startswith("AE, ") or worse.count(",") >= 3


def marginal(seed: int) -> made_up.Memory:
    """Return results in which the size of the family decides what is significant."""
    rng = np.random.default_rng(seed)
    level = dict(zip(made_up.METHODS, (0.9, 0.8, 0.7, 0.5, 0.3, 0.0), strict=True))
    shift = {(m, d): rng.normal() for m in made_up.METHODS for d in made_up.PAPER}
    frame = made_up.scores(seeds=3, nll=lambda m, d, s: level[m] + shift[m, d] + 0.01 * s)
    return made_up.Memory({"main": frame})


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_readme_page_and_tables_agree_on_what_is_significant(seed):
    inputs = marginal(seed)
    main = inputs.find("main")
    table = short({"main": main})
    best = table.method[table.mean_rank_nll.idxmin()]
    assert best == "rafs", "the table `comparison` compares with RAFs"
    pairs = reports.build("pairwise", inputs)
    tested = pairs.frame[pairs.frame.metric == "nll"]
    tested = tested[(tested.method == best) | (tested.rival == best)]
    rival = tested.method.where(tested.method != best, tested.rival)
    apart = {labels.method(name) for name in rival[tested.p_holm < 0.05]}
    near = {labels.method(name) for name in rival} - apart
    assert apart, "the test needs a method that is worse"
    assert near, "the test needs a method that is not"
    alone = statistics.holm(tested.p)
    assert (alone < 0.05).sum() > len(apart), "a smaller family would claim more"

    said = readme.answer(table)
    level, _, rest = said.partition("different from it: ")[2].partition("; significantly worse: ")
    assert set(level.split(", ")) == near
    assert set(rest.partition(" (")[0].split(", ")) == apart
    (note,) = [note for note in pairs.notes if note.startswith("NLL: lowest")]
    assert set(note.partition("different from it: ")[2].rstrip(".").split(", ")) == near
    page = str(elements.join(answer.headline(main)))
    named = page.partition("Not significantly different from it: ")[2].partition(" (")[0]
    assert {name for part in named.split(", ") for name in part.split(" and ")} == near
    against = reports.build("comparison", inputs).frame
    against = against[(against.metric == "nll") & (against.p_holm < 0.05)]
    assert {labels.method(name) for name in against.method} == apart


VERDICTS = [{"kind": kind, "verdict": kind} for kind in ("holds", "contradicted", "holds")]


def test_the_effect_of_random_activations_is_that_of_its_table():
    inputs = made_up.Memory()
    known = ("main", "references", "rafs_on")
    said = readme.activations(short({name: inputs.frames[name] for name in known}))
    table = reports.build("rafs_on", inputs)
    rows = {row[0]: row[1:] for row in table.rows if row}
    for column, base in enumerate(("DE", "HDE", "AE", "NTKGP-param", "RP-param")):
        change = rows["Change, median over datasets"][column]
        lower = rows["Lower, higher on"][column].partition(",")[0]
        assert f"{base} {change}, {lower} of 25" in said
    assert "significant" not in said.lower()
    page = str(
        elements.join(
            answer.activations(pd.concat(inputs.frames[name] for name in ("main", "rafs_on")))
        )
    )
    assert said in html.unescape(page)
    alone = inputs.frames["main"]
    assert readme.activations(short({"main": alone[alone.method != "rafs"]})) == ""


def test_the_headline_shows_ranks_skill_and_parts():
    table = methods({"rp": 0.0, "rafs": 0.0})
    parts = reports.build("categories", made_up.Memory()).frame
    verdicts = [{"number": k, "claim": "c", "paper": v, "ours": v} for k, v in enumerate(VERDICTS)]
    lines = readme.block(table, verdicts, parts).splitlines()
    assert lines[0] == f"- {readme.answer(table)}"
    assert lines[1] == f"- {readme.activations(table)}"
    assert lines[2] == (
        "- Of the paper's 3 claims, by its own rule (ties where intervals overlap) 2 hold, "
        "1 are contradicted; by our tests 2 hold, 1 are contradicted."
    )
    assert readme.counts([]) == ""
    head = next(line for line in lines if line.startswith("| Method | Mean rank, NLL"))
    assert "NLL − constant" in head
    assert "95 % coverage" in head
    (row,) = [k for k, line in enumerate(lines) if line.startswith("| method | All (25) | Phys")]
    assert row < 20, "the ranks by category are on the first screen"
    text = readme.block(table.assign(skill_nll=np.nan, skill_crps=np.nan), [])
    assert "constant |" not in text
    assert "All (25)" not in text
