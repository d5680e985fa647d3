"""The shape of the code: no class or module grows without bound, and rooms keep to themselves."""

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

from rafs import paths
from rafs.datasets.core import CATEGORIES
from rafs.pipeline import artefacts
from rafs.pipeline.jobs import aggregate, score, summary, train

PROJECT = Path(__file__).resolve().parents[1]
SOURCE = PROJECT / "src" / "rafs"
MOST_LINES, MOST_METHODS = 450, 25
SCIENCE = ("config", "datasets", "engine", "methods", "evaluation", "experiments")


def classes():
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                yield path.relative_to(SOURCE), node


def test_no_two_classes_share_a_name():
    names = Counter(node.name for _, node in classes())
    assert len(names) > 50
    assert [name for name, count in names.items() if count > 1] == []


def test_no_class_has_too_many_methods():
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    counts = {
        f"{path}: {node.name}": sum(isinstance(part, kinds) for part in node.body)
        for path, node in classes()
    }
    assert max(counts.values()) > 10
    assert {name: count for name, count in counts.items() if count > MOST_METHODS} == {}


def test_no_module_is_too_long():
    lines = {
        str(path.relative_to(SOURCE)): len(path.read_text().splitlines())
        for path in SOURCE.rglob("*.py")
    }
    assert max(lines.values()) > 200
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_every_room_may_know_what_the_documentation_says():
    """Import-linter holds the rules; only the command line may know everything."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())
    rules = {path.stem: set() for path in SOURCE.glob("[a-z]*") if path.suffix in ("", ".py")}
    for contract in project["tool"]["importlinter"]["contracts"]:
        for room in contract["source_modules"]:
            rules[room.removeprefix("rafs.")] |= {
                name.removeprefix("rafs.") for name in contract["forbidden_modules"]
            }
    told, forbidden = {}, set()
    rows = re.findall(
        r"^\| (`.*`) \| .* \| ?(.*?) ?\|$",
        (PROJECT / "docs/architecture.md").read_text().partition("## The graph")[0],
        re.MULTILINE,
    )
    for first, last in rows:
        rooms = re.findall(r"`(\w+)`", first)
        if last == "all others":
            forbidden = set(rules) - set(rooms)
        elif last.startswith("all but "):
            forbidden = set(rules) - set(rooms) - set(re.findall(r"`(\w+)`", last))
        elif last != "the same":
            forbidden = set(re.findall(r"`(\w+)`", last))
        told |= dict.fromkeys(rooms, forbidden)
    assert told == rules
    assert [room for room, others in rules.items() if not others] == ["cli"]


def test_categories_of_datasets_are_listed_in_one_module():
    listing = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict)
        if len(set(CATEGORIES) & texts(node)) > 3
    }
    assert listing == {"datasets/core.py"}


def texts(node):
    """Return the texts in a literal, those in its inner ones not included."""
    parts = node.keys if isinstance(node, ast.Dict) else node.elts
    return {part.value for part in parts if isinstance(part, ast.Constant)}


REFUSING = """
import importlib, pkgutil, sys

class Refusal:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("snakemake", "dvc"):
            raise ImportError(f"{name} is refused")

sys.meta_path.insert(0, Refusal())
for name in sys.argv[1:]:
    room = importlib.import_module(f"rafs.{name}")
    for found in pkgutil.walk_packages(getattr(room, "__path__", []), room.__name__ + "."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
"""


def test_science_is_imported_without_snakemake_and_dvc(tmp_path):
    def imported(*names):
        command = [sys.executable, "-c", REFUSING, *names]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    done = imported(*SCIENCE)
    assert done.returncode == 0, done.stderr
    assert "snakemake is refused" in imported("pipeline.progress").stderr


def named_files(rule: str, directive: str) -> list[str]:
    """Return the names of the inputs or outputs of a rule, in order."""
    text = "".join(path.read_text() for path in sorted((PROJECT / "workflow/rules").glob("*.smk")))
    block = text[text.index(rule) :]
    start = re.search(rf"^( +){directive}:\n", block, re.MULTILINE)
    inside = block[start.end() :].split(f"\n{start[1]}log:")[0].split(f"\n{start[1]}output:")[0]
    return re.findall(rf"^{start[1]}    (\w+)=", inside, re.MULTILINE)


def test_the_rules_name_files_in_the_order_in_which_the_jobs_take_them():
    """A job is given the files of its rule in order, without their names."""
    assert named_files("rule train:", "input") == list(train.TrainingInputs._fields)
    assert named_files("rule train:", "output") == list(train.TrainingOutputs._fields)
    assert named_files("rule aggregate:", "output") == list(aggregate.AggregateOutputs._fields)
    read = list(score.ScoredRun._fields[:-1])
    assert named_files("score_rule_name(on", "input") == read
    assert named_files("rule score_alone:", "input") == read
    assert named_files("rule summary:", "output") == list(summary.SummaryOutputs._fields)
    assert list(artefacts.PER_EXPERIMENT) == list(aggregate.AggregateOutputs._fields)
    templates = {getattr(paths, name.upper()) for name in train.TrainingOutputs._fields}
    assert set(paths.TRAINED) == templates
