"""Files appear whole or not at all; streams depend on their names alone; code hashes on code."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from rafs import files, methods, seeding
from rafs.errors import DamagedFileError
from rafs.pipeline import provenance

ROOT = Path(__file__).resolve().parents[1]


class InterruptionError(Exception):
    pass


def write_half(path):
    with files.atomic(path) as file:
        file.write(b"half")
        raise InterruptionError


def test_a_file_that_fails_half_way_leaves_the_old_one_and_nothing_else(tmp_path):
    path = tmp_path / "a" / "b.json"
    files.write_json(path, {"x": 1})
    with pytest.raises(InterruptionError):
        write_half(path)
    assert files.read_json(path) == {"x": 1}
    assert [file.name for file in path.parent.iterdir()] == ["b.json"]


def test_equal_arrays_give_equal_bytes(tmp_path):
    arrays = {"a": np.arange(5.0), "b": np.array(["x", "yy"])}
    for name in ("one", "two"):
        files.write_npz(tmp_path / name, arrays)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    back = files.read_npz(tmp_path / "one")
    assert back["a"].tolist() == [0, 1, 2, 3, 4]
    assert back["b"].tolist() == ["x", "yy"]


@pytest.mark.parametrize("damage", ["empty", "truncated", "flipped", "text", "directory", "pickle"])
def test_a_damaged_file_is_named(damage, tmp_path):
    path = tmp_path / "file.npz"
    files.write_npz(path, {"a": np.random.default_rng(0).normal(size=200)})
    whole = path.read_bytes()
    if damage == "directory":
        path.unlink()
        path.mkdir()
    elif damage == "pickle":
        np.savez(path, a=np.array([{1: 2}], dtype=object))
    else:
        middle = len(whole) // 2
        path.write_bytes(
            {
                "empty": b"",
                "truncated": whole[:middle],
                "flipped": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
                "text": b"<html>not found</html>",
            }[damage]
        )
    with pytest.raises(DamagedFileError, match=re.escape(str(path))):
        files.read_npz(path)


def test_a_zip_that_is_no_npz_is_named(tmp_path):
    path = tmp_path / "file.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.npy", "nothing of the kind")
    with pytest.raises(DamagedFileError):
        files.read_npz(path)


def test_nan_never_gets_into_json(tmp_path):
    with pytest.raises(ValueError, match="JSON"):
        files.write_json(tmp_path / "x.json", {"nll": float("nan")})
    assert not list(tmp_path.iterdir())


@given(st.lists(st.one_of(st.text(), st.integers()), max_size=4))
def test_a_stream_is_a_function_of_its_key(key):
    first = seeding.generator(*key).standard_normal(3)
    seeding.generator("another").standard_normal(100)
    assert np.array_equal(first, seeding.generator(*key).standard_normal(3))
    assert not np.array_equal(first, seeding.generator(*key, "more").standard_normal(3))


def test_keys_that_look_alike_differ():
    assert len({seeding.integer(*key) for key in [("1",), (1,), ("1", ""), ("", "1"), (11,)]}) == 5


def test_a_known_stream_stays_what_it_is():
    """Every result of the project hangs on these numbers."""
    assert seeding.integer("data", "he", 0) == int.from_bytes(
        bytes.fromhex(
            subprocess.run(
                ["sha256sum"], input=b"str:data\x1fstr:he\x1fint:0", capture_output=True, check=True
            ).stdout.decode()[:16]
        ),
        "big",
    ) >> 1  # fmt: skip


@pytest.fixture
def package(tmp_path):
    """Return a copy of the package that may be changed, and a way to hash code in it."""
    import shutil

    shutil.copytree(
        ROOT / "src" / "rafs", tmp_path / "rafs", ignore=shutil.ignore_patterns("__pycache__")
    )
    (tmp_path / "lock").write_text("numpy==1.0\nnumba==2.0\nruff==3.0\n")

    def code(*roots: str) -> str:
        script = (
            "import sys, pathlib; from rafs.pipeline.provenance import code_hash;"
            f"print(code_hash({list(roots)!r}, pathlib.Path({str(tmp_path / 'lock')!r})))"
        )
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
        )  # fmt: skip
        return done.stdout

    return tmp_path, code


TRAIN = {
    name: ("rafs.pipeline.jobs.train", f"rafs.methods.{name}") for name in ("rafs", "random_prior")
}


def test_a_comment_a_docstring_and_the_formatting_are_no_change(package):
    root, code = package
    before = code(*TRAIN["rafs"])
    path = root / "rafs" / "methods" / "rafs.py"
    text = path.read_text().replace('"""', '"""Other words. ', 1)
    path.write_text(text + "\n\n\n# a comment\n")
    assert code(*TRAIN["rafs"]) == before


def test_a_method_s_code_is_its_own_and_what_it_imports(package):
    root, code = package
    before = {name: code(*roots) for name, roots in TRAIN.items()}
    with (root / "rafs" / "methods" / "rafs.py").open("a") as file:
        file.write("\nNEW = 1\n")
    after = {name: code(*roots) for name, roots in TRAIN.items()}
    assert after["rafs"] != before["rafs"]
    assert after["random_prior"] == before["random_prior"]
    with (root / "rafs" / "engine" / "fused" / "training.py").open("a") as file:
        file.write("\nNEW = 1\n")
    assert code(*TRAIN["random_prior"]) != before["random_prior"]


def test_a_new_method_changes_no_run_but_what_shows_its_label(package):
    root, code = package
    before, shown = code(*TRAIN["rafs"]), code("rafs.reporting.labels")
    new = root / "rafs" / "methods" / "new.py"
    new.write_text('class New:\n    name, label = "new", "New"\n')
    assert code(*TRAIN["rafs"]) == before
    assert code("rafs.reporting.labels") != shown


def test_the_code_that_finds_methods_is_part_of_every_run(package):
    root, code = package
    before = code(*TRAIN["rafs"])
    path = root / "rafs" / "methods" / "__init__.py"
    path.write_text(path.read_text().replace('SUFFIX = "+rafs"', 'SUFFIX = "+random"', 1))
    assert code(*TRAIN["rafs"]) != before


def test_scores_are_not_part_of_training(package):
    root, code = package
    before, scoring = code(*TRAIN["rafs"]), code("rafs.pipeline.jobs.score")
    for name in (
        "evaluation/metrics.py",
        "evaluation/statistics/scores.py",
        "reporting/inputs.py",
        "estimators/base.py",
        "gp.py",
    ):
        with (root / "rafs" / name).open("a") as file:
            file.write("\nNEW = 1\n")
    assert code(*TRAIN["rafs"]) == before
    assert code("rafs.pipeline.jobs.score") != scoring


def test_the_data_files_of_a_module_are_part_of_it(package):
    root, code = package
    roots = {"page": "rafs.pipeline.jobs.page", "table": "rafs.reporting.published"}
    before = {name: code(module) for name, module in roots.items()}
    with (root / "rafs" / "reporting" / "page" / "page.css").open("a") as file:
        file.write("/* another look */")
    assert code(roots["page"]) != before["page"]
    assert code(roots["table"]) == before["table"]
    with (root / "rafs" / "reporting" / "published" / "ranks.csv").open("a") as file:
        file.write("he,new,1,1\n")
    assert code(roots["table"]) != before["table"]


def test_only_locked_versions_of_imported_packages_count(package):
    root, code = package
    before = code(*TRAIN["rafs"])
    (root / "lock").write_text("numpy==1.0\nnumba==2.0\nruff==4.0\n")
    assert code(*TRAIN["rafs"]) == before
    (root / "lock").write_text("numpy==1.1\nnumba==2.0\nruff==4.0\n")
    assert code(*TRAIN["rafs"]) != before


def test_the_closure_follows_relative_and_nested_imports():
    modules, foreign = provenance.closure(["rafs.pipeline.jobs.train"])
    assert {"rafs.files", "rafs.methods.base", "rafs.engine.fused"} <= set(modules)
    assert "numpy" in foreign
    assert not any(name.startswith("rafs.reporting") for name in modules)


FROM_PARAMS = ("rafs.methods.estimator", "rafs.methods.predictions")  # define methods there


@pytest.mark.parametrize("module", [*map(methods.module_of, methods.names()), *FROM_PARAMS])
def test_an_edit_of_a_metric_retrains_no_method(module):
    modules, _ = provenance.closure(["rafs.pipeline.jobs.train", module])
    assert module in modules
    assert "rafs.evaluation.metrics" not in modules


def test_an_import_for_annotations_alone_is_no_dependency():
    modules, _ = provenance.closure(["rafs.datasets.catalogue.he"])
    assert {"rafs.datasets.core", "rafs.datasets.sampling"} <= set(modules)
    assert "rafs.datasets.sources" not in modules  # the core names it under `if TYPE_CHECKING`


def test_conda_installs_the_locked_versions():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    *conda, pip = environment["dependencies"]
    assert pip == {"pip": ["--requirement requirements.lock"]}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert conda == [f"python {project['requires-python']}", "pip"]
