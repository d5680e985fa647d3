"""The notebook runs from its first cell to its last, and shows what its text says."""

import json
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import nbformat
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOK = ROOT / "examples/estimators.ipynb"


def test_it_is_a_notebook_without_outputs():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        assert cell.cell_type == "markdown" or (not cell.outputs and cell.execution_count is None)


@pytest.mark.slow
def test_it_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mpl.use("agg")
    names: dict = {}
    with mpl.rc_context():
        for number, cell in enumerate(json.loads(NOTEBOOK.read_text())["cells"]):
            if cell["cell_type"] == "code":
                exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
    mpl.pyplot.close("all")
    assert (tmp_path / "forrester.npz").is_file()
    table = names["table"]
    assert len(table) == 4
    assert table.notna().all().all()
    away = ~names["data"].in_distribution[names["order"]]
    width = {
        name: model.predict(names["grid"], return_std=True)[1][away].mean()
        for name, model in names["models"].items()
    }
    assert width["Deep Ensemble"] < width["RAFs Ensemble"]  # as the text says
    assert np.array_equal(
        names["again"].predict(names["grid"]), names["rafs"].predict(names["grid"])
    )
    assert 0 < names["estimated"].noise_ < names["y"].std() + 1e-9


def test_the_repository_s_lint_looks_at_it():
    subprocess.run([sys.executable, "-m", "ruff", "check", str(NOTEBOOK)], check=True, cwd=ROOT)
