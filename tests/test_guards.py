"""What the guards make of the files that they look at."""

from base64 import urlsafe_b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest

from rafs import guards, paths
from rafs.experiments import Plan
from rafs.files import write_json
from rafs.params import load
from rafs.status import Status
from small_project import PROJECT


def test_an_output_is_finished_while_we_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Snakemake writes its record and then takes its mark away: it is seen by the one or other."""
    monkeypatch.chdir(tmp_path)
    mark = guards.INCOMPLETE / urlsafe_b64encode(b"results/x.json").decode()
    guards.mark_incomplete(["results/x.json"])
    look = guards.about

    def look_and_finish(top: Path) -> Iterator[tuple[str, Path]]:
        yield from list(look(top))
        if mark.exists():
            guards.METADATA.mkdir(parents=True)
            mark.rename(guards.METADATA / mark.name)

    monkeypatch.setattr(guards, "about", look_and_finish)
    assert guards.recorded() == {"results/x.json"}


@pytest.mark.parametrize("content", [None, [], "x", 7, {"starttime": 1}])
@pytest.mark.fault
def test_records_that_say_nothing(
    content: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JSON, but no record: of a dataset's file and of Snakemake's."""
    monkeypatch.chdir(tmp_path)
    plan = Plan(load(PROJECT / "params.yaml", "smoke"), PROJECT)
    write_json(paths.FETCHED.format(dataset="boston"), content)
    drawn = plan.drawn("he", 0)
    write_json(guards.METADATA / urlsafe_b64encode(drawn.encode()).decode(), content)
    assert guards.Guard(None, plan, PROJECT).missing() == []
    assert guards.records() == {drawn: None}
    assert Status(plan).as_dict(cores=1)["jobs"]["data"]["done"] == 0


def test_without_the_command_dvc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where DVC's files are but DVC is not, the results stay as they are."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")
    for name in (".git", ".dvc", "dvc.yaml"):
        (tmp_path / name).mkdir()
    guard = guards.Guard(None, Plan(load(PROJECT / "params.yaml"), PROJECT), PROJECT)
    guard.damaged = {"results/x.json": "it was damaged"}
    guard.repair_cache()
    guard.commit()
    assert capsys.readouterr().err.startswith("rafs: DVC is not installed, so it was not told")
