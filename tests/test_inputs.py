"""Reading of results, and the names that they are shown under."""

import numpy as np
import pytest

import made_up
from rafs import methods
from rafs.errors import DamagedFileError, DataError
from rafs.files import write_npz
from rafs.reporting import labels
from rafs.reporting.inputs import Inputs
from rafs.sampled import write_missing


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    frames = {"main": made_up.scores(datasets=["he", "abalone"], seeds=2)}
    return made_up.write(tmp_path_factory.mktemp("results"), frames=frames)


def test_scores_survive_the_file_exactly(written):
    expected = made_up.scores(datasets=["he", "abalone"], seeds=2)
    found = written.scores("main")
    assert len(found) == 24
    assert (found.nll_paper.to_numpy() == expected.nll_paper.to_numpy()).all()
    assert written.collect(["main", "main"]).shape[0] == 48
    assert written.costs("main").cpu_seconds.between(1, 2).all()


def test_predictions_and_data(written):
    found = written.predictions("main", "rafs", "he", 1)
    assert found["mean"].shape == (200,)
    assert written.predictions("main", "rafs", "he", 9) is None
    data = written.data("he", 1)
    assert data.x_train.shape == (20, 1)
    assert data.noise == 0.1
    assert data.in_distribution.any()
    assert written.data("abalone", 1).in_distribution is None
    assert written.data("he", 9) is None


def test_absent_experiment_is_none_or_an_error(written):
    assert written.find("nothing") is None
    with pytest.raises(DataError, match="no scores of experiment 'nothing'"):
        written.scores("nothing")


def test_what_could_not_be_had_is_none(tmp_path):
    write_missing(tmp_path / "data/processed/described/naval/seed-0.npz", "not reachable")
    assert Inputs(tmp_path).data("naval", 0) is None
    write_npz(tmp_path / "results/runs/main/de/naval/seed-0/predictions.npz", {})
    assert Inputs(tmp_path).predictions("main", "de", "naval", 0) is None
    assert Inputs(tmp_path).costs("main").empty


def test_a_read_that_was_not_declared_is_refused(written):
    """Also of a file that is there: what a rule does not list, a change would not reach."""
    run = ("main", "rafs", "he", 1)
    scores = "results/scores/main.csv"
    predictions = "results/runs/main/rafs/he/seed-1/predictions.npz"
    declared = Inputs(written.root, files=[scores])
    assert len(declared.scores("main")) == 24
    with pytest.raises(DataError, match=f"{predictions} is read but is no input of this job"):
        declared.predictions(*run)
    for read in (declared.costs, declared.tuned):
        with pytest.raises(DataError, match=r"main\.csv is read but is no input"):
            read("main")
    with pytest.raises(DataError, match="declare it in READS"):
        declared.data("he", 1)
    with pytest.raises(DataError, match=r"other\.csv is read"):
        declared.find("other")
    assert Inputs(written.root, files=[scores, predictions]).predictions(*run)
    assert Inputs(written.root, files=[scores], experiments=["main"]).find("other") is None


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"\xff\xfe\x00"])
def test_damaged_scores_are_named(tmp_path, content):
    path = tmp_path / "results/scores/main.csv"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with pytest.raises(DamagedFileError, match=r"main\.csv"):
        Inputs(tmp_path).scores("main")


def test_labels_fall_back_to_identifiers():
    assert labels.method("unheard_of") == "unheard_of"
    assert labels.method("unheard_of+rafs@size=3") == "unheard_of + RAFs (size 3)"
    assert labels.dataset("unheard_of") == "unheard_of"
    assert labels.category("MLM") == "Many local minima"
    assert labels.metric("some_score") == "some score"


def test_labels_are_those_of_the_methods():
    for name in methods.names():
        assert labels.method(name) == methods.get(name).label


def test_paper_order():
    assert labels.in_order(["rafs", "x", "de", "a", "ae", "de"]) == ["de", "ae", "rafs", "x", "a"]


def test_made_up_results_differ_by_seed_and_are_the_same_twice():
    once, twice = made_up.scores(datasets=["he"]), made_up.scores(datasets=["he"])
    assert once.equals(twice)
    assert once.nll_paper.nunique() == len(once)
    first, second = made_up.data("friedman", 0), made_up.data("friedman", 1)
    assert not np.array_equal(first.x_train, second.x_train)
