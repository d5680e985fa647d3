"""The small file for `dvc exp show`."""

import json
import math

import pytest

import made_up
from rafs.reporting import summary
from rafs.reporting.claims import KINDS, as_json, judge, names


@pytest.fixture(scope="module")
def content():
    return summary.summarise(made_up.Memory(), claims=[])


def test_ranks_and_wins(content):
    assert content["mean_rank_nll"]["rafs"] == 1.0
    assert sum(content["mean_rank_nll"].values()) == pytest.approx(21)
    assert sum(content["lowest_nll"].values()) == 25
    assert content["median_excess_nll"]["rafs"] == 0.0
    assert content["median_excess_nll"]["de"] == pytest.approx(2.6, abs=0.1)
    assert content["mean_rank_nll_low"]["rafs"] <= 1.0 <= content["mean_rank_nll_high"]["rafs"]
    assert set(content["p_against_best_nll"]) == set(made_up.METHODS) - {"rafs"}
    assert max(content["p_against_best_nll"].values()) < 0.001
    assert content["skill_nll"]["rafs"] == pytest.approx(-3.1, abs=0.1)
    assert 0 < content["skill_crps"]["rafs"] < content["skill_crps"]["de"] < 1
    assert content["median_relative_rmse"]["rafs"] == 1.0
    # Demšar 2006: q = 2.850 for six methods
    assert content["critical_difference"] == pytest.approx(1.51, abs=0.005)
    assert content["runs"] == {"total": 1500, "ok": 1500}


def numbers(value):
    """Count the numbers at any depth: each is a column of `dvc metrics show`."""
    return sum(map(numbers, value.values())) if isinstance(value, dict) else 1


def test_it_is_small_and_plain(content):
    """With six methods; every verdict that occurs is a number more."""
    assert numbers(content) + len(KINDS) <= 100
    json.dumps(content, allow_nan=False)


def test_verdicts_are_counted():
    nothing = made_up.Memory({})
    found = summary.summarise(nothing, as_json(judge(nothing))["claims"])
    assert found == {"claims": {"not_testable": len(names())}}


def test_lost_runs():
    frame = made_up.scores(datasets=["he", "abalone"], seeds=3)
    frame.loc[(frame.method == "de") & (frame.dataset == "he"), "status"] = "diverged"
    frame.loc[frame.dataset == "abalone", "status"] = "missing"
    content = summary.summarise(made_up.Memory({"main": frame}), claims=[])
    assert content["median_excess_nll"]["de"] is None
    assert content["lowest_nll"]["rafs"] == 1
    assert content["runs"] == {"total": 36, "ok": 15, "diverged": 3, "missing": 18}
    json.dumps(content, allow_nan=False)


def test_scores_to_plot():
    found = summary.plot_scores(made_up.Memory())
    assert found.shape == (150, 4)
    assert not found.isna().any(axis=None)
    assert math.isfinite(found.nll_paper.sum())
    assert summary.plot_scores(made_up.Memory({})).empty
