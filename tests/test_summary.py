"""The small file for `dvc metrics show` and `dvc exp show`."""

import json
import math
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import yaml

import made_up
from rafs.reporting import labels, summary

ROOT = Path(__file__).resolve().parents[1]
SEVEN = (*made_up.METHODS, "de_nll")
WIDTH = 120


def test_the_skill_is_that_against_the_constant():
    main, constant = made_up.scores(seeds=3), made_up.scores("references", ["constant"], seeds=3)
    content = summary.summarise(made_up.Memory({"main": main, "references": constant}))
    middle = main.groupby(["method", "dataset"]).nll_paper.median().unstack("method")
    level = constant.groupby("dataset").nll_paper.median()
    for name in made_up.METHODS:
        expected = float(np.median(middle[name] - level))
        assert content["nll"][name] == pytest.approx(expected, rel=1e-3)
    assert list(content["nll"]) == labels.in_order(made_up.METHODS)
    assert content["runs"] == {"ok": 450}


def test_the_skill_of_a_method_depends_on_no_other():
    frame, constant = made_up.scores(seeds=3), made_up.scores("references", ["constant"], seeds=3)
    before = summary.summarise(made_up.Memory({"main": frame, "references": constant}))["nll"]
    frame.loc[frame.method == "rafs", "nll_paper"] -= 10
    after = summary.summarise(made_up.Memory({"main": frame, "references": constant}))["nll"]
    assert {name for name in before if before[name] != after[name]} == {"rafs"}


def test_without_the_constant_it_is_the_excess_over_the_best():
    content = summary.summarise(made_up.Memory({"main": made_up.scores(seeds=3)}))
    assert content["excess"]["rafs"] == 0.0
    assert content["excess"]["de"] == pytest.approx(2.6, abs=0.1)
    assert "nll" not in content


def test_no_runs():
    assert summary.summarise(made_up.Memory({})) == {"runs": {"ok": 0}}


def test_lost_runs():
    frame = made_up.scores(datasets=["he", "abalone"], seeds=3)
    frame.loc[(frame.method == "de") & (frame.dataset == "he"), "status"] = "diverged"
    frame.loc[frame.dataset == "abalone", "status"] = "missing"
    content = summary.summarise(made_up.Memory({"main": frame}))
    assert content["excess"]["de"] is None
    assert content["excess"]["rafs"] == 0.0
    assert content["runs"] == {"ok": 15, "diverged": 3, "missing": 18}
    json.dumps(content, allow_nan=False)


def widest(*command: str, root: Path) -> int:
    """Return the length of the longest line that a command prints."""
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert "nll.rafs" in done.stdout, done.stdout
    return max(map(len, done.stdout.splitlines()))


def test_dvc_shows_it_within_120_columns(tmp_path):
    """Two versions that differ in one setting and in the scores of one method."""
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]
    shutil.copy(ROOT / "dvc.yaml", tmp_path)
    (tmp_path / "reports").mkdir()
    for command in (["git", "init", "-q"], ["dvc", "init", "-q"]):
        subprocess.run(command, cwd=tmp_path, check=True)
    params = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    for version in range(2):
        frame = made_up.scores(methods=SEVEN, seeds=3)
        frame.loc[frame.method == "rafs", "nll_paper"] -= 10.111 * version
        references = made_up.scores("references", ["constant"], seeds=3)
        content = summary.summarise(made_up.Memory({"main": frame, "references": references}))
        (tmp_path / "reports/metrics.json").write_text(json.dumps(content))
        params["methods"]["rafs"]["learning_rate"] = 0.01 * (version + 1)
        (tmp_path / "params.yaml").write_text(yaml.safe_dump(params))
        if version == 0:
            subprocess.run([*git, "add", "--all"], cwd=tmp_path, check=True)
            subprocess.run([*git, "commit", "-qm", "one"], cwd=tmp_path, check=True)
    assert widest("dvc", "metrics", "show", root=tmp_path) < WIDTH
    assert widest("dvc", "metrics", "diff", root=tmp_path) < WIDTH
    assert widest("dvc", "exp", "show", "--only-changed", "--md", root=tmp_path) < WIDTH


def test_scores_to_plot():
    found = summary.plot_scores(made_up.Memory())
    assert found.shape == (150, 4)
    assert not found.isna().any(axis=None)
    assert math.isfinite(found.nll_paper.sum())
    assert summary.plot_scores(made_up.Memory({})).empty
