"""Nothing foreign is executed, nothing is loaded that could execute, nothing is written outside."""

import ast
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rafs.datasets import fetch
from small_project import PROJECT, Copy, copied

SOURCE = sorted((PROJECT / "src").rglob("*.py"))
MODULES = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve", "telnetlib"}
CALLS = {"eval", "exec", "__import__", "os.system", "os.popen", "torch.load", "pd.read_pickle",
         "pandas.read_pickle", "tempfile.mktemp", "urllib.request.urlopen",
         "urllib.request.urlretrieve"}  # fmt: skip
METHODS = {"extractall", "extract", "read_pickle", "to_pickle", "unsafe_load", "full_load"}


def faults(tree: ast.AST) -> Iterator[str]:
    """Yield what in some code loads pickles, runs text as code, or unpacks archives to disk."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [getattr(node, "module", "") or "", *(alias.name for alias in node.names)]
            yield from (name for name in names if name.split(".")[0] in MODULES)
        elif isinstance(node, ast.Call):
            yield from _faults(ast.unparse(node.func), node)


def _faults(name: str, node: ast.Call) -> Iterator[str]:
    given = {option.arg: ast.unparse(option.value) for option in node.keywords}
    if name in CALLS or name.rpartition(".")[2] in METHODS:
        yield name
    if name in ("np.load", "numpy.load") and given.get("allow_pickle") != "False":
        yield f"{name} without allow_pickle=False"
    if name == "yaml.load" and given.get("Loader") not in ("_Loader", "yaml.SafeLoader"):
        yield f"{name} without a safe loader"
    if given.get("shell", "False") != "False":
        yield f"{name} with a shell"
    if given.get("allow_pickle", "False") != "False":
        yield f"{name} with pickles"


def test_no_code_is_loaded_from_data() -> None:
    found = [
        f"{path.relative_to(PROJECT)}: {fault}"
        for path in SOURCE
        for fault in faults(ast.parse(path.read_bytes()))
    ]
    assert found == []


@pytest.mark.parametrize(
    "code",
    ["import pickle", "from pickle import loads", "import joblib.parallel", "np.load(f)", "eval(x)",
     "np.load(f, allow_pickle=True)", "torch.load(f)", "yaml.load(f)", "yaml.full_load(f)",
     "yaml.load(f, Loader=yaml.Loader)", "archive.extractall()", "subprocess.run(x, shell=True)",
     "os.system(x)", "pd.read_pickle(f)", "frame.to_pickle(f)"],
)  # fmt: skip
def test_the_search_finds_what_it_looks_for(code: str) -> None:
    assert list(faults(ast.parse(code)))


def test_every_value_in_a_shell_command_is_quoted() -> None:
    """The rules hand values to commands as {name:q}; a number of threads needs no quotes."""
    commands = []
    for path in (PROJECT / "workflow/rules").glob("*.smk"):
        commands += re.findall(r'shell:\n((?:\s+"[^"]*"\n)+)', path.read_text())
    assert len(commands) >= 13
    fields = re.findall(r"\{([^{}]+)\}", "".join(commands))
    assert {field for field in fields if not field.endswith(":q")} == {"threads"}


def test_every_download_has_a_pinned_checksum_and_a_size() -> None:
    for name in fetch.names():
        for file in fetch.source_of(name).files:
            assert re.fullmatch("[0-9a-f]{64}", file.sha256), name
            assert 0 < file.size < 2**26, name
            assert not Path(file.path).is_absolute(), name
            assert ".." not in Path(file.path).parts, name
            assert file.url == "" or file.url.startswith("https://"), name
            if file.package:
                assert re.fullmatch("[0-9a-f]{64}", file.package.sha256), name
                assert "==" in file.package.requirement, name


HOSTILE = "$(touch x); .."


@pytest.mark.parametrize(
    ("job", "spec"),
    [
        ("data", {"dataset": HOSTILE, "protocol": "described", "seed": 0, "overrides": {}}),
        ("data", {"dataset": "../../he", "protocol": "described", "seed": 0, "overrides": {}}),
        ("score", {"experiment": "/tmp", "method": "ae", "dataset": "he", "seeds": [0]}),
        ("score", {"experiment": "main", "method": "ae", "dataset": "he", "seeds": ["../../0"]}),
        ("tables", {"name": "..os", "options": {}}),
        ("figures", {"name": HOSTILE, "options": {}}),
        ("failed", {"experiment": "..", "method": "ae", "dataset": "he", "protocol": "described"}),
        ("../jobs", {}),
        ("data", ["he"]),
    ],
    ids=str,
)
@pytest.mark.refusal
def test_a_job_takes_names_and_no_paths(
    job: str, spec: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    from rafs.cli import main

    monkeypatch.chdir(tmp_path)
    assert main(["job", job, "--of", "train", "--log", "x", "--spec", json.dumps(spec)]) in (1, 2)
    said = capsys.readouterr().err
    assert said.startswith("rafs: ")
    assert said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


WATCH = """
import os, sys

def watch(event, arguments):
    if event == "open":
        path, mode, flags = arguments
        if not isinstance(path, (str, bytes)) or not flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            return
    elif event in ("os.rename", "os.link", "os.symlink", "shutil.move"):
        path = arguments[1]
    elif event in ("os.mkdir", "os.remove", "os.rmdir", "os.truncate"):
        path = arguments[0]
    else:
        return
    if not isinstance(path, int):
        line = os.path.abspath(os.fsdecode(path)) + "\\n"
        descriptor = os.open(LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(descriptor, line.encode())
        os.close(descriptor)

LOG = os.environ["WATCH_LOG"]
sys.addaudithook(lambda event, arguments: LOG in map(str, arguments) or watch(event, arguments))
"""


@pytest.mark.slow
@pytest.mark.workflow
def test_a_hostile_directory_and_no_file_outside_it(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """In a directory whose name is a shell command, jobs run, and write in the project alone."""
    home, temporary, hook = (tmp_path / name for name in ("home", "tmp", "hook"))
    for folder in (home, temporary, hook):
        folder.mkdir()
    (hook / "sitecustomize.py").write_text(WATCH)
    log = tmp_path / "written.txt"
    copy: Copy = copied(tmp_path / 'it\'s $(touch x); & "so" `touch y`')
    watched = {
        "HOME": str(home), "TMPDIR": str(temporary), "WATCH_LOG": str(log),
        "XDG_CACHE_HOME": str(home / "cache"), "PYTHONPATH": f"{hook}:{copy.root / 'src'}",
    }  # fmt: skip
    metrics = "results/runs/main/ae/he/seed-0/metrics.json"
    done = copy.run("snakemake", metrics, "figure_training_points_1d", **watched)
    assert "Traceback" not in done.stderr
    assert json.loads((copy.root / metrics).read_text())["status"] == "ok"
    assert not list(tmp_path.rglob("[xy]"))
    written = set(log.read_text().splitlines())
    assert str(copy.root / metrics) in written
    inside = tuple(f"{folder}/" for folder in (copy.root, home, temporary, "/dev"))
    assert [name for name in written if not f"{name}/".startswith(inside)] == []
    assert list(temporary.rglob("*")) == []  # what was temporary is gone
    record_property("files", len(written))


@pytest.mark.workflow
def test_a_temporary_directory_with_a_long_name(project: Copy, tmp_path: Path) -> None:
    """A socket's name has at most 107 characters; without a fork server all goes on."""
    long = tmp_path / ("d" * 120)
    long.mkdir()
    done = project.run("snakemake", "data/processed/described/he/seed-0.npz", TMPDIR=str(long))
    assert "jobs start on their own, and slower: no fork server" in done.stderr
    assert "Traceback" not in done.stderr
