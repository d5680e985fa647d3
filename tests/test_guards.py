"""How the guards treat the files that they check."""

from base64 import urlsafe_b64encode
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from rafs import paths
from rafs.files import write_json
from rafs.pipeline import dvc, guards, records
from rafs.pipeline.forkserver import ownership, server
from rafs.pipeline.loading import load
from rafs.pipeline.plan import Plan
from rafs.pipeline.status import Status
from small_project import PROJECT


def test_an_output_is_finished_while_we_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Snakemake writes its record and then takes its mark away: it is seen by the one or other."""
    monkeypatch.chdir(tmp_path)
    mark = records.INCOMPLETE / urlsafe_b64encode(b"results/x.json").decode()
    records.mark_incomplete(["results/x.json"])
    look = records.about

    def look_and_finish(top: Path) -> Iterator[tuple[str, Path]]:
        yield from list(look(top))
        if mark.exists():
            records.METADATA.mkdir(parents=True)
            mark.rename(records.METADATA / mark.name)

    monkeypatch.setattr(records, "about", look_and_finish)
    assert records.recorded() == {"results/x.json"}


def test_a_checksum_is_noted_once_and_of_what_is_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = ["a.csv", "long/" * 80 + "b.csv", "incomplete.csv", "damaged.csv", "gone.csv"]
    for name in names:
        write_json(records.about_one(records.METADATA, name), {"starttime": 1, "endtime": 2})
        write_json(name, "content")
    records.mark_incomplete(["incomplete.csv"])
    records.about_one(records.METADATA, "damaged.csv").write_text("7")
    Path("gone.csv").unlink()
    records.seal([*names, "unknown.csv"])
    seals = {name: record and record.seal for name, record in records.records().items()}
    before = records.checksum("a.csv")
    assert seals == {**dict.fromkeys(names[:2], before), "damaged.csv": None, "gone.csv": None}
    write_json("a.csv", "other")
    records.seal(names)
    record = records.records()["a.csv"]
    assert record is not None
    assert record.seal == before != records.checksum("a.csv")


@pytest.mark.parametrize("content", [None, [], "x", 7, {"starttime": 1}])
@pytest.mark.fault
def test_records_that_say_nothing(
    content: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JSON, but no record: of a dataset's file and of Snakemake's."""
    monkeypatch.chdir(tmp_path)
    plan = Plan(load(PROJECT / "params.yaml", "smoke"), PROJECT)
    write_json(paths.FETCHED.format(dataset="boston"), content)
    drawn = plan.files.sample("he", 0)
    write_json(records.METADATA / urlsafe_b64encode(drawn.encode()).decode(), content)
    assert guards.Guard(None, plan, PROJECT).missing() == []
    assert records.records() == {drawn: None}
    assert Status(plan).as_dict(cores=1)["jobs"]["data"]["done"] == 0


def test_without_the_command_dvc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where DVC's files are but DVC is not, the results stay as they are."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")
    for name in (".git", ".dvc", "dvc.yaml"):
        (tmp_path / name).mkdir()
    dvc.repair_cache(["results/x.json"])
    dvc.commit()
    assert capsys.readouterr().err.startswith(
        "rafs: DVC is not installed, so results were not committed"
    )


@pytest.mark.parametrize("cores", [3, None])
def test_the_fork_server_hears_how_many_cores_there_are(cores, monkeypatch):
    resources = SimpleNamespace(cores=cores)
    workflow = SimpleNamespace(resource_settings=resources, is_main_process=False)
    monkeypatch.setenv(ownership.OWNER, "")
    seen = []
    monkeypatch.setattr(server, "start", lambda place, cores: seen.append(cores))
    guards.Guard(workflow, SimpleNamespace(), Path()).start_server()
    assert seen == [cores or 1]
