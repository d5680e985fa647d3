"""`rafs crate`: what the profiles of a Workflow Run RO-Crate demand, and what an archive needs."""

import hashlib
import json
import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from small_project import Copy

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

Entity = dict[str, Any]
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5", "https://w3id.org/ro/wfrun/workflow/0.5",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(reproduced: Copy, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the crate of a small reproduction."""
    place = tmp_path_factory.mktemp("crate") / "new"
    done = reproduced.run("rafs", "crate", "--output", str(place), "--agent", "Ada Lovelace")
    assert "ro-crate-metadata.json describes them" in done.stdout
    return place


@pytest.fixture(scope="module")
def graph(folder: Path) -> dict[str, Entity]:
    """Return the entities of the crate by their identifiers, of which each is there once."""
    found = json.loads((folder / "ro-crate-metadata.json").read_text())
    assert found["@context"][0] == "https://w3id.org/ro/crate/1.1/context"
    entities = {entity["@id"]: entity for entity in found["@graph"]}
    assert len(entities) == len(found["@graph"])
    return entities


def named(value: Any) -> list[str]:
    """Return the identifiers that a property refers to."""
    found = value if isinstance(value, list) else [value]
    return [entry["@id"] for entry in found if isinstance(entry, dict)]


def kinds(entity: Entity) -> set[str]:
    kind = entity["@type"]
    return {kind} if isinstance(kind, str) else set(kind)


def data(graph: dict[str, Entity]) -> Iterator[Entity]:
    """Yield the files and folders of the crate, without the crate itself."""
    for name, entity in graph.items():
        if name != "./" and kinds(entity) & {"File", "Dataset"}:
            yield entity


def test_ro_crate(graph: dict[str, Entity]) -> None:
    """What RO-Crate 1.1 says of the descriptor and the root; identifiers refer to what is there."""
    descriptor, root = graph["ro-crate-metadata.json"], graph["./"]
    assert kinds(descriptor) == {"CreativeWork"}
    assert named(descriptor["about"]) == ["./"]
    assert "https://w3id.org/ro/crate/1.1" in named(descriptor["conformsTo"])
    assert kinds(root) == {"Dataset"}
    assert root["name"]
    assert root["description"]
    assert graph[root["license"]["@id"]]["identifier"] == "MIT"
    assert datetime.fromisoformat(root["datePublished"]).tzinfo is not None
    described_elsewhere = {"https://w3id.org/ro/crate/1.1"}
    for entity in graph.values():
        assert kinds(entity)
        for key, value in entity.items():
            for name in named(value):
                known = name in graph or name in described_elsewhere
                assert known or key in ("url", "identifier"), (entity["@id"], key, name)


def test_parts(graph: dict[str, Entity], folder: Path) -> None:
    """Every file or folder is part of the root and is there, with the size and hash it has."""
    parts = list(data(graph))
    assert sorted(named(graph["./"]["hasPart"])) == sorted(entity["@id"] for entity in parts)
    for entity in parts:
        path = folder / entity["@id"]
        if "Dataset" in kinds(entity):
            assert path.is_dir()
            assert entity["@id"].endswith("/")
            continue
        content = path.read_bytes()
        assert entity["contentSize"] == str(len(content))
        assert entity["sha256"] == hashlib.sha256(content).hexdigest()
        assert entity["encodingFormat"]


def test_every_file_is_described(graph: dict[str, Entity], folder: Path) -> None:
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    folders = tuple(name for name, entity in graph.items() if kinds(entity) == {"Dataset"})
    loose = {name for name in files if not name.startswith(tuple(set(folders) - {"./"}))}
    assert loose <= set(graph)
    assert not [name for name in files if "__pycache__" in name or name.endswith(".nbi")]


def test_workflow(graph: dict[str, Entity]) -> None:
    """What Workflow RO-Crate 1.0 demands of the main entity."""
    (main,) = named(graph["./"]["mainEntity"])
    workflow = graph[main]
    assert kinds(workflow) == {"File", "SoftwareSourceCode", "ComputationalWorkflow"}
    assert workflow["name"]
    (language,) = named(workflow["programmingLanguage"])
    assert kinds(graph[language]) == {"ComputerLanguage"}
    assert graph[language]["version"][0].isdigit()


def test_run(graph: dict[str, Entity]) -> None:
    """What Process Run Crate and Workflow Run Crate 0.5 demand of the action."""
    assert set(named(graph["./"]["conformsTo"])) == PROFILES
    assert all(kinds(graph[name]) == {"CreativeWork"} for name in PROFILES)
    assert all(graph[name]["version"] for name in PROFILES)
    (name,) = named(graph["./"]["mentions"])
    action = graph[name]
    assert kinds(action) == {"CreateAction"}
    assert named(action["instrument"]) == named(graph["./"]["mainEntity"])
    assert datetime.fromisoformat(action["startTime"]) < datetime.fromisoformat(action["endTime"])
    assert graph[action["agent"]["@id"]]["name"] == "Ada Lovelace"
    made = set(named(action["result"]))
    assert {"reports/tables/nll.csv", "reports/seeds/main.csv.gz", "dvc.lock"} <= made
    assert "params.yaml" in named(action["object"])


def test_parameters(graph: dict[str, Entity]) -> None:
    """Inputs of the workflow are formal parameters, which the files of the run are examples of."""
    (name,) = named(graph["Snakefile"]["input"])
    assert kinds(graph[name]) == {"FormalParameter"}
    assert graph[name]["additionalType"] == "File"
    assert named(graph[name]["workExample"]) == ["params.yaml"]
    assert named(graph["params.yaml"]["exampleOfWork"]) == [name]


def test_an_archive_has_the_same_bytes_every_time(
    reproduced: Copy, folder: Path, tmp_path: Path
) -> None:
    for name in ("one.zip", "other.zip"):
        place = str(tmp_path / name)
        reproduced.run("rafs", "crate", "--output", place, "--agent", "Ada Lovelace")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "other.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        files = {path for path in folder.rglob("*") if path.is_file()}
        assert {folder / name for name in archive.namelist()} == files
        for path in files:
            assert archive.read(path.relative_to(folder).as_posix()) == path.read_bytes()


def refused(copy: Copy, *options: str) -> str:
    """Return the sentence with which a crate is refused."""
    done = copy.run("rafs", "crate", *options, check=False)
    assert done.returncode == 1
    assert not done.stdout
    (sentence,) = done.stderr.splitlines()
    return sentence


@pytest.mark.refusal
def test_nothing_is_finished(project: Copy) -> None:
    assert "the reproduction is not finished: 25 of 25 jobs are not done" in refused(project)
    assert not (project.root / "rafs-crate.zip").exists()


@pytest.mark.refusal
def test_something_is_stale_missing_or_in_the_way(finished: Copy) -> None:
    (finished.root / "reports/scores.csv").unlink()
    assert "reports/scores.csv is missing; run `snakemake`" in refused(finished)
    assert "is not an empty folder" in refused(finished, "--output", "src")
    finished.edit(lambda params: params["methods"]["rafs"].update(learning_rate=0.02))
    assert "is not finished" in refused(finished)
