"""The small file for `dvc exp show`."""

import json
import math

import pytest

import made_up
from rafs.reporting import summary
from rafs.reporting.claims import VERDICTS


@pytest.fixture(scope="module")
def content():
    return summary.summarise(made_up.Memory(), claims=[])


def test_ranks_and_wins(content):
    assert content["mean_rank_nll"]["rafs"] == 1.0
    assert sum(content["mean_rank_nll"].values()) == pytest.approx(21)
    assert sum(content["wins_nll"].values()) == 25
    assert content["median_relative_rmse"]["rafs"] == 1.0
    # Demšar 2006: q = 2.850 for six methods
    assert content["critical_difference"] == pytest.approx(1.51, abs=0.005)
    for name in ("mean_nll_by_category", "mean_relative_rmse_by_category"):
        scores = content[name]
        assert set(scores) == set(content["mean_rank_nll"])
        assert set(scores["rafs"]) == {"PM", "MLM", "T", "O", "real"}
    assert content["runs"] == {"total": 1500, "ok": 1500}


def numbers(value):
    """Count the numbers at any depth: each is a column of `dvc metrics show`."""
    return sum(map(numbers, value.values())) if isinstance(value, dict) else 1


def test_it_is_small_and_plain(content):
    """With six methods and five categories; every verdict that occurs is a number more."""
    assert numbers(content) + len(VERDICTS) <= 100
    json.dumps(content, allow_nan=False)


def test_verdicts_are_counted():
    found = summary.summarise(made_up.Memory({}))
    assert found == {"claims": {"not_testable": 12}}


def test_lost_runs():
    frame = made_up.scores(datasets=["he", "abalone"], seeds=3)
    frame.loc[(frame.method == "de") & (frame.dataset == "he"), "status"] = "diverged"
    frame.loc[frame.dataset == "abalone", "status"] = "missing"
    content = summary.summarise(made_up.Memory({"main": frame}), claims=[])
    assert content["median_nll"]["de"] is None
    assert content["wins_nll"]["rafs"] == 1
    assert content["runs"] == {"total": 36, "ok": 15, "diverged": 3, "missing": 18}
    json.dumps(content, allow_nan=False)


def test_scores_to_plot():
    found = summary.plot_scores(made_up.Memory())
    assert found.shape == (150, 4)
    assert not found.isna().any(axis=None)
    assert math.isfinite(found.nll_paper.sum())
    assert summary.plot_scores(made_up.Memory({})).empty
