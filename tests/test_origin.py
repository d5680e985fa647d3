"""Who made a report is found out when it is made, and is no part of what it is made from."""

import subprocess

import pytest

from rafs import __version__
from rafs.pipeline import origin


def git(*words):
    names = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *names, *words], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "params.yaml").write_text("seeds: 10\nmethods: {rafs: {size: 5}}\n")
    git("init", "--quiet")
    git("remote", "add", "origin", "https://me:secret@example.org/some/one.git")
    git("add", ".")
    git("commit", "--quiet", "--message", "one")
    return tmp_path


def test_a_commit_as_it_is(repository):
    found = origin.origin()
    assert found["Version"] == f"rafs {__version__}"
    assert len(found["Commit"]) == 40
    assert found["Repository"] == "https://example.org/some/one"
    assert found["Edited parameters"] == "none"
    assert found["Machine"]
    assert found["Date"].endswith("(UTC)")


def test_edited_parameters_are_named(repository):
    (repository / "params.yaml").write_text("seeds: 3\nmethods: {rafs: {size: 5}}\n")
    found = origin.origin()
    assert found["Commit"].endswith(", with uncommitted changes")
    assert found["Edited parameters"] == "seeds: 10 → 3"


def test_without_git(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert set(origin.origin()) == {"Version", "Date", "Machine"}
    monkeypatch.setenv("PATH", "")
    assert set(origin.origin()) == {"Version", "Date", "Machine"}
