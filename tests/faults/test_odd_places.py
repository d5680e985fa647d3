"""Odd paths, streams and environments: a run goes on, or says why it does not start."""

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rafs.errors import DeviceError, ParameterError
from rafs.pipeline import surroundings
from small_project import Copy, Done, copied


def tiny(params: dict[str, Any]) -> None:
    """Reduce the parameters further, to one run."""
    params["seeds"] = 1
    params["experiments"] = {"main": {"methods": ["ae"], "datasets": ["he"]}}
    params["tables"] = {"nll": {"experiments": ["main"]}}
    params["figures"] = {}


@pytest.fixture
def one_run(project: Copy) -> Copy:
    project.edit(tiny)
    return project


def is_refused(done: Done, sentence: str, project: Copy) -> None:
    """Check that one line says why nothing was started."""
    lines = [line for line in (done.stdout + done.stderr).splitlines() if sentence in line]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("rafs: ")
    assert lines[0].endswith("nothing was started")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert not (project.root / "results").exists()


@pytest.mark.workflow
@pytest.mark.refusal
@pytest.mark.parametrize("name", ["a{seed}b", "{", "a}b"])
def test_braces_in_the_path_are_refused(tmp_path: Path, name: str) -> None:
    project = copied(tmp_path / name / "project")
    done = project.run("snakemake", check=False)
    is_refused(done, "Snakemake takes braces for wildcards; rename it", project)


@pytest.mark.workflow
@pytest.mark.refusal
def test_a_path_that_is_no_text_is_refused(tmp_path: Path) -> None:
    project = copied(tmp_path / os.fsdecode(b"\xff\xfe") / "project")
    done = project.run("snakemake", check=False)
    is_refused(done, "is not valid UTF-8, which DVC needs; rename it", project)


@pytest.mark.workflow
@pytest.mark.slow
def test_quotes_and_signs_of_the_shell_in_the_path(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """They are part of a name like any other, with git and DVC."""
    record_property("inputs", 1)
    project = copied(tmp_path / 'it\'s "mine" $HOME $(touch x) `y` a\\b *[1];&ä\n')
    project.edit(tiny)
    project.run("git", "init", "--quiet")
    project.commit("start")
    project.run("snakemake")
    assert (project.root / "results/complete.json").exists()
    assert project.jobs("dvc", "repro") == {}
    record_property("accepted", 1)


@pytest.mark.workflow
@pytest.mark.refusal
@pytest.mark.parametrize("stream", ["0<&-", "1>&-", "2>&-"])
def test_closed_streams_are_refused(one_run: Copy, stream: str) -> None:
    """Their numbers go to the next files that are opened, which others would then write to."""
    done = one_run.run("bash", "-c", f"snakemake {stream}", check=False)
    is_refused(done, "cannot be closed; use /dev/null instead", one_run)


@pytest.mark.workflow
@pytest.mark.fault
def test_nothing_starts_where_nobody_can_be_told(one_run: Copy) -> None:
    done = one_run.run("bash", "-c", "snakemake >&- 2>&-", check=False)
    assert done.returncode == 1
    assert not (one_run.root / "results").exists()


@pytest.mark.workflow
@pytest.mark.slow
@pytest.mark.fault
@pytest.mark.parametrize(
    "command", ["snakemake 2>&1 | head --lines 1", "snakemake > /dev/full"], ids=["head", "full"]
)
def test_a_run_goes_on_unheard(one_run: Copy, command: str) -> None:
    done = one_run.run("bash", "-o", "pipefail", "-c", command)
    assert len(done.stdout.splitlines()) <= 1
    assert (one_run.root / "results/complete.json").exists()


@pytest.mark.workflow
@pytest.mark.refusal
@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("NUMBA_DISABLE_JIT", "1", "NUMBA_DISABLE_JIT is set, and training needs compiled code"),
        ("RAFS_BATCH", "many", "RAFS_BATCH='many' is no number of jobs; give an integer from 1 to"),
    ],
)
def test_settings_that_cannot_work_are_refused(
    one_run: Copy, name: str, value: str, sentence: str
) -> None:
    is_refused(one_run.run("snakemake", check=False, **{name: value}), sentence, one_run)


@pytest.mark.refusal
@pytest.mark.parametrize("text", ["", "0", "-1", "1.5", "x", "٣", "1e3", "99999999999999", "1 2"])
def test_a_bad_batch_size(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv(surroundings.BATCH, text)
    with pytest.raises(ParameterError, match="is no number of jobs; give an integer from 1 to"):
        surroundings.batch_size()


def test_a_good_batch_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(surroundings.BATCH, raising=False)
    assert surroundings.batch_size() == 1
    monkeypatch.setenv(surroundings.BATCH, " 8 ")
    assert surroundings.batch_size() == 8


@pytest.mark.refusal
def test_training_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    from rafs import RAFsEnsemble

    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    with pytest.raises(DeviceError, match="NUMBA_DISABLE_JIT is set, and training needs compiled"):
        RAFsEnsemble(noise=0.1, steps=2).fit([[0], [1], [2]], [0, 1, 2])
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    RAFsEnsemble(noise=0.1, steps=2).fit([[0], [1], [2]], [0, 1, 2])


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("rafs completion bash > /dev/full", 1, "rafs: the output cannot be written: No space"),
        ("PYTHONUNBUFFERED=1 rafs completion bash > /dev/full", 1, "rafs: No space left on device"),
        ("rafs completion zsh > /dev/full", 1, "rafs: the output cannot be written: No space"),
        ("rafs completion bash | true; exit ${PIPESTATUS[0]}", 0, ""),
        ("rafs completion bash 0<&- >&- 2>&-", 0, ""),
    ],
)
@pytest.mark.fault
def test_commands_whose_output_goes_nowhere(command: str, code: int, said: str) -> None:
    """What is buffered is written, and fails, when the program ends."""
    env = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=False, env=env
    )
    assert done.returncode == code
    assert done.stderr.startswith(said)
    assert len(done.stderr.splitlines()) == bool(said)


def test_a_stream_that_breaks_goes_silent() -> None:
    reader, writer = os.pipe()
    stream = os.fdopen(writer, "w", buffering=1)
    unbroken = surroundings.Unbroken(stream)
    unbroken.write("heard\n")
    assert os.read(reader, 100) == b"heard\n"
    os.close(reader)
    assert signal.getsignal(signal.SIGPIPE) == signal.SIG_IGN
    assert unbroken.write("unheard\n") == 8
    unbroken.flush()
    stream.close()
