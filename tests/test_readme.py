"""The README says what is so: its code runs, its targets and links exist."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_python_example_runs():
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    assert np.shape(names["mean"]) == (500,)
    assert (np.asarray(names["sd"]) > 0.1).all()  # never below the known noise


@pytest.mark.parametrize(
    "target", sorted(set(re.findall(r"(?:^|`)make ([a-z]+)", TEXT, re.MULTILINE)))
)
def test_every_make_target_exists_and_is_explained(target):
    helped = subprocess.run(
        ["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert re.search(rf"^{target}\s+\S", helped, re.MULTILINE)


def test_linked_files_exist():
    for link in re.findall(r"\]\(([^)#:]+)\)", TEXT):
        assert (ROOT / link).exists(), link
