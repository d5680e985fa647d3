"""The UCI tables: their values, and their canonical, gap and tail splits."""

import hashlib
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rafs import datasets
from rafs.datasets import fetch, uci
from rafs.errors import ParameterError
from rafs.experiments import SeedsOn
from rafs.files import read_json
from rafs.pipeline.loading import load
from rafs.pipeline.plan import Plan
from small_project import PROJECT, Copy, replan

TABLES = ("boston", "concrete", "energy", "kin8nm", "naval", "power", "protein", "wine", "yacht")
ROWS = (506, 1030, 768, 8192, 11934, 9568, 45730, 1599, 308)
SPLITS = {  # where not one per feature
    "gap": {"boston": 11, "concrete": 6, "energy": 3, "naval": 4, "yacht": 3},
    "tail": {"boston": 11, "concrete": 4, "energy": 5, "naval": 4, "yacht": 4},
}
THIRDS = [(kind, table) for kind in ("gap", "tail") for table in TABLES]


@pytest.fixture
def table(real_data, loadable):
    """Return features and target of a table as its file has them."""

    def read(name: str) -> tuple[np.ndarray, np.ndarray]:
        _, path = real_data(f"uci_{name}")
        loadable(f"uci_{name}")
        values = np.loadtxt(path)[:, :17]  # the last column of naval is another target
        return values[:, :-1], values[:, -1]

    return read


# --- tables -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "rows"), list(zip(TABLES, ROWS, strict=True)))
def test_the_three_datasets_of_a_table_share_one_file(name, rows):
    specs = [datasets.spec(f"uci_{kind}{name}") for kind in ("", "gap_", "tail_")]
    assert [spec.category for spec in specs] == ["uci", "uci_gap", "uci_tail"]
    assert {spec.train + spec.test for spec in specs} == {rows}
    assert all(spec.sources == {f"uci_{name}": specs[0].sources[f"uci_{name}"]} for spec in specs)
    assert datasets.raw_files()[f"uci_{name}"] == f"uci_{name}"
    assert specs[0].place is None


def test_a_table_is_fetched_once():
    assert [name for name in fetch.names() if "uci" in name] == [f"uci_{name}" for name in TABLES]


@pytest.mark.parametrize("name", TABLES)
def test_the_values_are_those_of_the_file_to_the_last_bit(name, table):
    x, y = table(name)
    digest = hashlib.sha256(np.column_stack([x, y]).astype("<f8").tobytes()).hexdigest()
    assert fetch.source_of(f"uci_{name}").values == digest
    assert datasets.spec(f"uci_{name}").dimension == x.shape[1]


# --- canonical splits ---------------------------------------------------------------------------


def legacy_permutations(n: int) -> Iterator[np.ndarray]:
    """Yield what numpy's RandomState(1) gives: Fisher and Yates' shuffle by the Mersenne Twister.

    The generator is Python's own, in the state that Matsumoto and Nishimura's `init_genrand(1)`
    sets; a number up to i is the first of its masked outputs that is not larger.
    """
    state = [1]
    for i in range(1, 624):
        state.append((1812433253 * (state[-1] ^ (state[-1] >> 30)) + i) % 2**32)
    twister = random.Random()
    twister.setstate((3, (*state, 624), None))
    while True:
        order = np.arange(n)
        for i in range(n - 1, 0, -1):
            mask = 2 ** i.bit_length() - 1
            while (j := twister.getrandbits(32) & mask) > i:
                pass
            order[[i, j]] = order[[j, i]]
        yield order


@pytest.mark.parametrize("name", TABLES)
def test_canonical_splits_are_those_of_numpys_legacy_generator(name, table):
    x, y = table(name)
    splits = datasets.spec(f"uci_{name}").splits
    assert splits == (5 if name == "protein" else 20)
    size = round(0.9 * len(y))
    for seed, order in zip(range(splits), legacy_permutations(len(y)), strict=False):
        data = datasets.load(f"uci_{name}", seed)
        assert np.array_equal(data.x_train, x[order[:size]])
        assert np.array_equal(data.y_train, y[order[:size]])
        assert np.array_equal(data.x_test, x[order[size:]])
        assert np.array_equal(data.y_test, y[order[size:]])
        assert (data.in_distribution, data.noise) == (None, None)


@pytest.mark.parametrize(
    ("name", "seed", "digest"),
    [
        ("yacht", 0, "634b2b89076dd51c39e2d0282dff94221ab549a64c6586daea852d84bc9617bd"),
        ("boston", 19, "b51d4330d720aaba2e4820b74d54beaa34b75c515872a9b955924cec5ef35cd9"),
        ("protein", 4, "bb3ba3448e16af183d2a18a0f0efed6bd76f61bf46b9d405b608db8021d9fb15"),
    ],
)
def test_recorded_canonical_splits(name, seed, digest, table):
    """SHA-256 of the test rows in order, as little-endian float64."""
    table(name)
    data = datasets.load(f"uci_{name}", seed)
    rows = np.column_stack([data.x_test, data.y_test]).astype("<f8")
    assert hashlib.sha256(rows.tobytes()).hexdigest() == digest


# --- gap and tail splits ------------------------------------------------------------------------


def rows_of(x: np.ndarray, y: np.ndarray) -> list[tuple[float, ...]]:
    return sorted(map(tuple, np.column_stack([x, y])))


def usable(x: np.ndarray, kind: str) -> list[int]:
    """Return the features whose split is a gap or a tail, and not that of an earlier feature."""
    seen: set[bytes] = set()
    found = []
    for j, column in enumerate(x.T):
        middle = np.zeros(len(x), dtype=bool)
        middle[uci.thirds(column)[1]] = True
        test = middle if kind == "gap" else ~middle
        apart = np.isin(column[test], column[~test]).mean() <= 0.5
        lost = (np.ptp(x[~test], axis=0) == 0) & (np.ptp(x, axis=0) > 0)
        if apart and not lost.any() and middle.tobytes() not in seen:
            found.append(j)
        seen.add(middle.tobytes())
    return found


@pytest.mark.parametrize(("kind", "name"), THIRDS)
def test_one_split_per_feature_whose_test_rows_lie_in_or_around_the_middle(kind, name, table):
    x, y = table(name)
    spec = datasets.spec(f"uci_{kind}_{name}")
    inputs = usable(x, kind)
    assert spec.splits == len(inputs) == SPLITS[kind].get(name, x.shape[1])
    for seed, j in enumerate(inputs):
        data = datasets.load(spec.name, seed)
        assert (len(data.y_train), len(data.y_test)) == (spec.train, spec.test)
        together = np.concatenate([data.x_train, data.x_test])
        targets = np.concatenate([data.y_train, data.y_test])
        if seed == 0:
            assert rows_of(together, targets) == rows_of(x, y)
        middle, outer = (
            (data.x_test, data.x_train) if kind == "gap" else (data.x_train, data.x_test)
        )
        assert len(middle) == pytest.approx(len(x) / 3, abs=1)
        low, high = middle[:, j].min(), middle[:, j].max()
        assert ((outer[:, j] <= low) | (outer[:, j] >= high)).all()
        assert (outer[:, j] <= low).sum() >= len(x) // 3 <= (outer[:, j] >= high).sum()
        assert data.in_distribution is not None
        assert not data.in_distribution.any()
        assert len(data.in_distribution) == len(data.y_test)


@given(arrays(float, st.integers(1, 60), elements=st.integers(-3, 3).map(float)))
def test_thirds_part_the_rows_and_keep_the_order_of_ties(column):
    outer, middle = uci.thirds(column)
    assert sorted([*outer, *middle]) == list(range(len(column)))
    ranks = sorted(range(len(column)), key=lambda row: (column[row], row))
    assert ranks[len(column) // 3 : 2 * len(column) // 3] == list(middle)


# --- refusals -----------------------------------------------------------------------------------


@pytest.mark.refusal
@pytest.mark.parametrize(
    ("name", "seed", "sizes", "message"),
    [
        ("uci_yacht", 20, {}, "'uci_yacht' has 20 splits and none with the number 20; .* 0 to 19"),
        ("uci_protein", 5, {}, "'uci_protein' has 5 splits"),
        ("uci_gap_naval", 4, {}, "'uci_gap_naval' has 4 splits"),
        ("uci_yacht", -1, {}, "none with the number -1"),
        ("uci_yacht", 0, {"train": 100}, "its splits are fixed, with 277 and 31, so leave"),
        ("uci_tail_yacht", 0, {"test": 10}, "its splits are fixed, with 103 and 205, so leave"),
    ],
)
def test_what_a_table_does_not_have_is_refused(name, seed, sizes, message, loadable):
    loadable(datasets.origins(name)[0])
    with pytest.raises(ParameterError, match=message):
        datasets.load(name, seed, **sizes)


# --- experiments --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("experiment", "dataset", "seeds"),
    [
        ("uci", "uci_wine", 20),
        ("uci", "uci_protein", 5),
        ("uci_gap", "uci_gap_boston", 11),
        ("uci_tail", "uci_tail_naval", 4),
    ],
)
def test_an_experiment_leaves_out_seeds_that_are_no_splits(experiment, dataset, seeds):
    runs = [
        run
        for run in Plan(load(PROJECT / "params.yaml")).experiments[experiment].runs
        if run.dataset == dataset
    ]
    assert {run.seed for run in runs} == set(range(seeds))
    assert len(runs) == seeds * len({run.method for run in runs})


def test_other_experiments_are_as_before():
    """None uses the tables, none has a word more in its specs, and each has one score rule."""
    plan = Plan(load(PROJECT / "params.yaml"))
    for name, experiment in plan.experiments.items():
        if name.startswith("uci"):
            continue
        assert not [dataset for dataset in experiment.datasets if dataset.startswith("uci")]
        assert '"fewer"' not in plan.specs.aggregate(name)
        assert name in plan.experiments.same_seeds()[SeedsOn(tuple(experiment.seeds), ())]
    assert not [name for name in plan.sources.catalogued() if name.startswith("uci")]


def test_tables_of_datasets_list_what_default_experiments_use():
    def change(content: dict[str, Any]) -> None:
        content["experiments"]["main"]["datasets"] = ["uci_gap_yacht", "he"]

    listed = replan(Plan(load(PROJECT / "params.yaml")), change).sources.catalogued()
    assert [name for name in listed if name.startswith("uci")] == ["uci_gap_yacht"]


@pytest.mark.slow
@pytest.mark.workflow
def test_a_workflow_with_datasets_of_fewer_splits(project: Copy, real_data) -> None:
    def change(params: dict[str, Any]) -> None:
        params["experiments"]["main"] |= {"datasets": ["uci_gap_power", "uci_yacht"], "seeds": 5}
        # runs of the other list of seeds on the same dataset must not be taken for these
        more = {"methods": ["linear"], "datasets": ["uci_yacht"], "seeds": 4, "tuning": None}
        params["experiments"]["more"] = more

    for name in ("uci_power", "uci_yacht"):
        file, path = real_data(name)
        place = project.root / "data/raw" / file.path
        place.parent.mkdir(parents=True)
        place.write_bytes(Path(path).read_bytes())
    project.edit(change)
    done = project.jobs("snakemake")
    expected = {"fetch": 2, "train": 2 * (4 + 5) + 4, "score": 2 + 2 + 1, "aggregate": 2}
    assert {rule: done.get(rule) for rule in expected} == expected
    assert project.jobs("snakemake") == {}
    assert '"complete": true' in project.run("rafs", "status", "--json").stdout
    scores = pd.read_csv(project.root / "results/scores/main.csv")
    assert set(scores["status"]) == {"ok"}
    splits = scores.groupby(["dataset", "method"])["seed"].apply(list)
    assert all(splits["uci_gap_power"].map(len) == 4)
    assert all(splits["uci_yacht"].map(len) == 5)
    gap = scores[scores["dataset"] == "uci_gap_power"]
    assert set(gap["n_inside"]) == {0}
    assert "in_nll" not in scores
    assert np.array_equal(gap["out_nll"], gap["nll"])
    assert read_json(project.root / "results/complete.json")["runs"] == 22
