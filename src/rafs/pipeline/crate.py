"""`rafs crate`: a finished reproduction as a Workflow Run RO-Crate, for an archive.

The crate contains the code and the parameters of the results, the reports, the scores of every run,
and a description of all of it in `ro-crate-metadata.json`: RO-Crate 1.1 with the profiles Process
Run Crate 0.5, Workflow Run Crate 0.5 and Workflow RO-Crate 1.0. It does not contain what DVC stores
(data, predictions, Snakemake's records); `dvc.lock` has the checksums. The crate of a run has the
same bytes every time.
"""

import json
import shutil
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

import yaml

from rafs import __version__, paths
from rafs.errors import RafsError
from rafs.files import atomic, sha256
from rafs.pipeline import provenance
from rafs.pipeline.lock import IN_USE, held_by
from rafs.pipeline.origin import git
from rafs.pipeline.plan import Plan
from rafs.pipeline.records import records
from rafs.pipeline.status import SETTLED, Status

DESCRIPTION = "ro-crate-metadata.json"
WORKFLOW = "Snakefile"
SPECIFICATION = "https://w3id.org/ro/crate/1.1"
CONTEXT = [f"{SPECIFICATION}/context", "https://w3id.org/ro/terms/workflow-run/context"]
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
LANGUAGE = "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"
LICENCE = "https://spdx.org/licenses/MIT"
BIOSCHEMAS = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
ACTION, AGENT, PARAMETERS = "#reproduction", "#agent", "#parameters"
TITLE = "Reproduction of 'Toward Robust Uncertainty Estimation with Random Activation Functions'"

# Files that the results were made with, their checksums, and files that are included if they exist.
FOLDERS = {
    "data/own/": "Datasets of users",
    "profiles/": "Options of Snakemake",
    "src/rafs/": "The Python package that the rules run",
    "workflow/": "Rules of the workflow, environments and the schema of params.yaml",
}
READ = {
    paths.PARAMS: "All parameters of the reproduction",
    paths.LOCK: "Versions and checksums of the packages",
    provenance.TORCH_LOCK: "Version of torch, which is needed for a GPU",
}
NOTED = {"dvc.lock": "Checksums of everything that was read and made, by DVC"}
BESIDE = {
    "README.md": "What the project is and what it finds",
    "LICENSE": "Licence",
    "CITATION.cff": "How to cite it",
    "dvc.yaml": "The stage that DVC keeps the results of",
    "pyproject.toml": "The package and its dependencies",
}
MADE = {
    paths.CLAIMS: "Verdicts on the claims of the paper",
    paths.SUMMARY: "The most important metrics",
    paths.PLOT_SCORES: "Median scores by dataset and method",
    paths.PAGE: "The report as one page",
    paths.COMPLETE: "Number of runs by how they ended",
}
FORMATS = {
    ".cff": "application/yaml", ".csv": "text/csv", ".gz": "application/gzip",
    ".html": "text/html", ".json": "application/json", ".lock": "text/plain",
    ".md": "text/markdown", ".pdf": "application/pdf", ".png": "image/png",
    ".svg": "image/svg+xml", ".tex": "application/x-tex", ".toml": "application/toml",
    ".yaml": "application/yaml",
}  # fmt: skip
LEFT_OUT = (".pyc", ".nbi", ".nbc", ".tmp")
OLDEST = (1980, 1, 1, 0, 0, 0)  # the date of every file in an archive: the earliest in zip

Json: TypeAlias = str | bool | Sequence["Json"] | Mapping[str, "Json"]
Entity = dict[str, Json]


def write(plan: Plan, output: Path, agent: str = "") -> int:
    """Write the crate to a zip file or an empty folder; return how many files it has."""
    refuse(plan, output)
    made = results(plan)
    files = sorted({WORKFLOW, *made, *present(READ), *present(BESIDE), *within(FOLDERS)})
    text = json.dumps(metadata(plan, made, agent), indent=1, ensure_ascii=False) + "\n"
    if output.suffix == ".zip":
        _archive(output, files, text)
    else:
        for name in files:
            (output / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(name, output / name)
        (output / DESCRIPTION).write_text(text, encoding="utf-8")
    return len(files) + 1


def refuse(plan: Plan, output: Path) -> None:
    """Raise an error with the reason if no crate can be made."""
    if output.suffix != ".zip" and output.exists() and not _empty(output):
        raise RafsError(f"{output} is there and is not an empty folder; name another with --output")
    if holder := held_by():
        raise RafsError(IN_USE.format(holder))
    states = Status(plan).states
    undone = [name for name, state in states.items() if state not in SETTLED]
    if undone:
        raise RafsError(
            f"the reproduction is not finished: {len(undone)} of {len(states)} jobs are not done, "
            f"the first is that of {undone[0]}; run `snakemake`, then this again"
        )
    if absent := [name for name in results(plan) if not Path(name).is_file()]:
        raise RafsError(f"{absent[0]} is missing; run `snakemake`, then this again")


def _empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


def _archive(output: Path, files: Iterable[str], text: str) -> None:
    with atomic(output) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in (DESCRIPTION, *files):
            content = text.encode() if name == DESCRIPTION else Path(name).read_bytes()
            entry = zipfile.ZipInfo(name, OLDEST)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)


# --- which files ----------------------------------------------------------------------------------


def results(plan: Plan) -> list[str]:
    """Return the files of the crate that the reproduction made."""
    reports = [name for name in plan.files.all() if Path(name).is_relative_to(paths.REPORTS)]
    return [*reports, paths.COMPLETE, *present(NOTED)]


def present(names: Iterable[str]) -> list[str]:
    """Return the files that exist."""
    return [name for name in names if Path(name).is_file()]


def within(folders: Iterable[str]) -> list[str]:
    """Return the files below some folders, without compiled files of Python and numba."""
    found = (path for folder in folders for path in Path(folder).rglob("*") if path.is_file())
    return [path.as_posix() for path in found if path.suffix not in LEFT_OUT]


# --- what is said about them ----------------------------------------------------------------------


def metadata(plan: Plan, made: list[str], agent: str) -> Entity:
    """Return the description of the crate as JSON-LD."""
    begun, ended = _times(plan)
    folders = [folder for folder in FOLDERS if within([folder])]
    read = [*present(READ), *folders]
    described = {**READ, **BESIDE, **MADE, **NOTED, **FOLDERS}
    names = [*made, *present({**READ, **BESIDE})]
    files = [_file(name, described.get(name, "")) for name in names]
    for entity in files:
        if entity["@id"] == paths.PARAMS:
            entity["exampleOfWork"] = _to(PARAMETERS)
        if entity["@id"] == "README.md":
            entity["about"] = _to("./")
    graph: list[Json] = [
        _descriptor(),
        _root([WORKFLOW, *names, *folders], ended, plan),
        *_profiles(),
        *_workflow(plan),
        _action(read, made, begun, ended, agent),
        *([{"@id": AGENT, "@type": "Person", "name": agent}] if agent else []),
        *({"@id": id, "@type": "Organization", "name": name} for id, name in _authors().items()),
        *files,
        *({"@id": name, "@type": "Dataset", "name": FOLDERS[name]} for name in folders),
    ]
    return {"@context": CONTEXT, "@graph": graph}


def _to(*names: str) -> Json:
    """Return a reference to one entity, or to several."""
    found: list[Json] = [{"@id": name} for name in names]
    return found[0] if len(found) == 1 else found


def _times(plan: Plan) -> tuple[str, str]:
    """Return when the first job of the reproduction began and the last one ended, in UTC."""
    known = records()
    jobs = [record for name in plan.files.all() if (record := known.get(name))]
    ends = (min(job.start for job in jobs), max(job.end for job in jobs))
    begun, ended = (datetime.fromtimestamp(end, UTC).isoformat(timespec="seconds") for end in ends)
    return begun, ended


def _descriptor() -> Entity:
    return {
        "@id": DESCRIPTION,
        "@type": "CreativeWork",
        "about": _to("./"),
        "conformsTo": _to(SPECIFICATION, "https://w3id.org/workflowhub/workflow-ro-crate/1.0"),
    }


def _root(parts: list[str], ended: str, plan: Plan) -> Entity:
    return {
        "@id": "./",
        "@type": "Dataset",
        "name": TITLE,
        "description": "Code, parameters, reports and scores of "
        f"{len(plan.experiments.runs)} runs of ensembles that estimate the uncertainty of a "
        f"regression. Experiments: {', '.join(plan.experiments.default)}.",
        "datePublished": ended,
        "license": _to(LICENCE),
        "conformsTo": _to(*PROFILES),
        "mainEntity": _to(WORKFLOW),
        "mentions": _to(ACTION),
        "hasPart": _to(*parts),
        **({"author": _to(*authors)} if (authors := _authors()) else {}),
    }


def _authors() -> dict[str, str]:
    """Return the names in CITATION.cff by their identifiers in the crate."""
    if not (path := Path("CITATION.cff")).is_file():
        return {}
    cited = yaml.safe_load(path.read_text(encoding="utf-8"))["authors"]
    return {f"#author-{place}": author["name"] for place, author in enumerate(cited, 1)}


def _profiles() -> Iterator[Entity]:
    for name, (title, version) in PROFILES.items():
        yield {"@id": name, "@type": "CreativeWork", "name": title, "version": version}
    yield {"@id": BIOSCHEMAS, "@type": "CreativeWork", "name": "ComputationalWorkflow"}
    yield {"@id": LICENCE, "@type": "CreativeWork", "name": "MIT License", "identifier": "MIT"}


def _workflow(plan: Plan) -> Iterator[Entity]:
    """Yield the workflow, its language, and the parameter that it is run with."""
    yield {
        **_file(WORKFLOW, "The workflow of the whole reproduction"),
        "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
        "name": "rafs",
        "version": __version__,
        "license": _to(LICENCE),
        "conformsTo": _to(BIOSCHEMAS),
        "programmingLanguage": _to(LANGUAGE),
        "input": _to(PARAMETERS),
    }
    yield {
        "@id": LANGUAGE,
        "@type": "ComputerLanguage",
        "name": "Snakemake",
        "identifier": _to("https://doi.org/10.1093/bioinformatics/bts480"),
        "url": _to("https://snakemake.readthedocs.io"),
        "version": provenance.pins(plan.specs.lock).get("snakemake", "?"),
    }
    yield {
        "@id": PARAMETERS,
        "@type": "FormalParameter",
        "additionalType": "File",
        "name": paths.PARAMS,
        "description": READ[paths.PARAMS],
        "encodingFormat": FORMATS[".yaml"],
        "valueRequired": True,
        "workExample": _to(paths.PARAMS),
    }


def _action(read: list[str], made: list[str], begun: str, ended: str, agent: str) -> Entity:
    return {
        "@id": ACTION,
        "@type": "CreateAction",
        "name": "The reproduction",
        "description": f"rafs {__version__}, run by `snakemake`{_commit()}",
        "instrument": _to(WORKFLOW),
        "object": _to(*read),
        "result": _to(*made),
        "startTime": begun,
        "endTime": ended,
        "actionStatus": "http://schema.org/CompletedActionStatus",
        **({"agent": _to(AGENT)} if agent else {}),
    }


def _file(name: str, description: str) -> Entity:
    """Describe a file by its name, format, size and checksum."""
    path = Path(name)
    return {
        "@id": name,
        "@type": "File",
        "name": path.name,
        **({"description": description} if description else {}),
        "encodingFormat": FORMATS.get(path.suffix, "text/plain"),
        "contentSize": str(path.stat().st_size),
        "sha256": sha256(path),
    }


# --- what git knows -------------------------------------------------------------------------------


def _commit() -> str:
    commit = git("describe", "--always", "--abbrev=40", "--exclude=*", "--dirty=, changed since")
    return f", at commit {commit}" if commit else ""


def user() -> str:
    """Return the user name that git is configured with, or nothing."""
    return git("config", "user.name")
