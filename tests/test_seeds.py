"""The scores of every run, in one small file per experiment."""

import gzip
import io
from typing import Any

import numpy as np
import pandas as pd
import pytest

import made_up
from rafs import paths
from rafs.evaluation import metrics
from rafs.pipeline.loading import load
from rafs.pipeline.plan import Plan
from rafs.reporting import seeds
from rafs.reporting.summary import plot_scores
from small_project import PROJECT, Copy

SHOWN = {metric.name for metric in metrics.METRICS if metric.shown}
KEYS = ["experiment", "method", "dataset", "seed"]


def read(content: bytes) -> pd.DataFrame:
    return pd.read_csv(io.BytesIO(content), compression="gzip")


def as_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if value == value} for row in
            frame.to_dict("records")]  # fmt: skip


@pytest.fixture(scope="module")
def main() -> pd.DataFrame:
    found = made_up.scores(datasets=["he", "abalone"], seeds=3)
    lost = pd.DataFrame([made_up.lost("main", "de", "naval", 0)])
    return pd.concat([lost, found], ignore_index=True)


def test_a_row_per_run(main: pd.DataFrame) -> None:
    found = read(seeds.compressed(as_rows(main)))
    assert len(found) == 6 * 2 * 3 + 1
    assert not found.duplicated(KEYS).any()
    assert set(found) > SHOWN
    assert "mae" not in found, "no report shows it"
    assert list(found)[:5] == [*KEYS, "status"]
    lost = found[found["status"] == "diverged"]
    assert len(lost) == 1
    assert lost[list(SHOWN)].isna().all(axis=None)


def test_values_survive_to_five_digits(main: pd.DataFrame) -> None:
    found = read(seeds.compressed(as_rows(main)))
    np.testing.assert_allclose(found["rmse"], main["rmse"], rtol=1e-4)
    assert (found["rmse"].dropna() != main["rmse"].dropna()).any(), "rounding keeps the file small"


def test_equal_scores_are_equal_bytes_without_a_date(main: pd.DataFrame) -> None:
    one, other = (seeds.compressed(as_rows(main)) for _ in range(2))
    assert one == other
    assert one[4:8] == bytes(4), "the field for the time of a gzip file"
    assert b"\r" not in gzip.decompress(one)


def test_an_experiment_without_runs() -> None:
    assert list(read(seeds.compressed([]))) == list(seeds.COLUMNS)


def test_an_experiment_that_is_run_by_name_keeps_its_file() -> None:
    """Nothing of the whole reproduction makes it, so that what a clone brings stays."""
    files = Plan(load(PROJECT / "params.yaml"), PROJECT).files
    assert paths.SEEDS.format(experiment="main") in files.all()
    by_name = paths.SEEDS.format(experiment="released")
    assert by_name in files.extra()
    assert by_name not in files.all()


def medians(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    ok = frame[frame["status"] == "ok"]
    return ok.pivot_table(index="dataset", columns="method", values=metric, aggfunc="median")


@pytest.mark.slow
@pytest.mark.workflow
@pytest.mark.parametrize("metric", ["nll_paper", "rmse"])
def test_medians_are_those_of_the_reports(reproduced: Copy, metric: str) -> None:
    """The file alone gives the numbers of reports/scores.csv."""
    found = pd.read_csv(reproduced.root / paths.SEEDS.format(experiment="main"))
    assert len(found) == 8
    shown = pd.read_csv(reproduced.root / "reports/scores.csv")
    expected = shown.pivot_table(index="dataset", columns="method", values=metric)
    pd.testing.assert_frame_equal(medians(found, metric), expected, rtol=1e-4, check_names=False)


def test_medians_of_made_up_scores() -> None:
    inputs = made_up.Memory()
    rows = as_rows(inputs.scores("main"))
    found = medians(read(seeds.compressed(rows)), "nll_paper")
    shown = plot_scores(inputs).pivot_table(index="dataset", columns="method", values="nll_paper")
    pd.testing.assert_frame_equal(found, shown, rtol=1e-4, check_names=False)


def test_what_the_repository_carries_is_small_and_whole() -> None:
    files = sorted((PROJECT / "reports/seeds").iterdir())
    assert sum(file.stat().st_size for file in files) < 1_000_000
    plan = Plan(load(PROJECT / "params.yaml"), PROJECT)
    known = {paths.SEEDS.format(experiment=name): name for name in plan.experiments}
    for file in files:
        name = known[file.relative_to(PROJECT).as_posix()]
        assert set(pd.read_csv(file)["experiment"]) == {name}
    expected = plan.experiments.default
    assert {paths.SEEDS.format(experiment=name) for name in expected} <= {
        file.relative_to(PROJECT).as_posix() for file in files
    }
