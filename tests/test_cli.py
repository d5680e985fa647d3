"""The command `rafs`: help that helps, completion that completes, colours for people only."""

import argparse
import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from rafs import cli, compare, config, methods
from rafs.cli.completion import bash, commands
from rafs.datasets import tabular

NAMES = sorted(commands(cli.parser()))


@pytest.mark.parametrize("name", NAMES)
def test_every_command_explains_itself(name, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main([name, "--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    examples = shown.partition("examples:\n")[2].splitlines()
    assert examples
    parser = cli.parser()
    for line in examples:  # each is a command line that is understood
        words = line.strip().partition(" | ")[0].partition(" > ")[0]
        words = words.removeprefix("source <(").removesuffix(")")
        assert words.startswith(f"rafs {name}")
        assert callable(parser.parse_args(shlex.split(words)[1:]).command)
    for action in commands(parser)[name]._actions:
        assert action.help, action
        assert action.help == argparse.SUPPRESS or len(action.help) > 5


@pytest.mark.parametrize("name", ["foo", "../train", "rafs.pipeline.jobs", "__init__"])
def test_a_job_that_there_is_not_is_one_sentence(name, capsys):
    assert cli.main(["job", name, "--spec", "{}"]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"rafs: there is no job {name!r}; the jobs are aggregate, claims, data")
    assert error.endswith(", train, verify\n")


def completed(line: str, folder: Path) -> list[str]:
    """Return what a real bash would offer at the end of a line."""
    script = f"""
    source <({sys.executable} -m rafs.pipeline.forkserver.client completion bash)
    COMP_WORDS=({line}"${{EMPTY}}")
    COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
    _rafs
    printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, cwd=folder, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout.split()


def test_bash_completes_commands_options_values_and_files(tmp_path):
    (tmp_path / "table.csv").touch()
    offered = completed("rafs ", tmp_path)
    assert set(offered) == {*NAMES, "--help", "--version"} - {"job"}
    assert completed("rafs com", tmp_path) == ["compare", "completion"]
    assert completed("rafs compare --t", tmp_path) == ["--target", "--trials"]
    assert completed("rafs compare ", tmp_path) == ["table.csv"]
    assert completed("rafs compare table.csv --methods de ra", tmp_path) == ["rafs"]
    assert set(completed("rafs compare t.csv --methods ", tmp_path)) == set(methods.names())
    assert completed("rafs fetch --only bo", tmp_path) == ["boston"]
    assert completed("rafs completion ", tmp_path) == ["bash", "zsh"]


def test_the_script_follows_the_commands():
    script = bash(cli.parser())
    for name in set(NAMES) - {"job"}:
        assert f"        {name}) words='--help" in script


def test_zsh_takes_the_script_of_bash(capsys):
    """By its own `bashcompinit`, which has to be loaded before."""
    assert cli.main(["completion", "zsh"]) == 0
    before, _, rest = capsys.readouterr().out.partition("\nbashcompinit\n")
    assert "autoload -Uz compinit bashcompinit" in before
    assert rest == bash(cli.parser())


def on_a_terminal(*command: str, **more: str) -> str:
    parent, child = pty.openpty()
    with subprocess.Popen(
        command, stdin=child, stdout=child, stderr=child, env={**os.environ, **more}
    ) as process:
        os.close(child)
        output = b""
        try:
            while part := os.read(parent, 65536):
                output += part
        except OSError:  # the other side is closed
            pass
    os.close(parent)
    assert process.returncode == 2
    return output.decode()


def test_an_error_is_red_on_a_terminal_only(tmp_path):
    command = (
        sys.executable,
        "-m",
        "rafs.pipeline.forkserver.client",
        "check",
        str(tmp_path / "none.yaml"),
    )
    assert "\x1b[31mrafs: none.yaml" in on_a_terminal(*command, NO_COLOR="", TERM="xterm")
    assert "\x1b" not in on_a_terminal(*command, NO_COLOR="1", TERM="xterm")
    plain = subprocess.run(command, capture_output=True, text=True)
    assert plain.stderr.startswith("rafs: none.yaml")


def test_the_defaults_in_the_help_are_those_of_the_parameters():
    text = commands(cli.parser())["compare"].format_help()
    params = config.load(compare.DEFAULTS)
    for option, default in {
        "--split SHARE": tabular.SPLIT,
        "--seeds N": params.seeds,
        "--trials N": params.tuning.trials,
        "--steps N": params.training.steps,
    }.items():
        assert re.search(rf"{option}\s+[a-z ]+ \({default}\)", text), option
