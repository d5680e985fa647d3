"""Tables and figures are found by being there, and read what they declare."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import made_up
import shown
from rafs import paths
from rafs.errors import ParameterError
from rafs.pipeline import loading
from rafs.pipeline.plan import Plan
from rafs.reporting import catalogue
from rafs.reporting.catalogue import Offer

PROJECT = Path(__file__).parents[2]
ALL = [(kind, name) for kind in catalogue.KINDS for name in catalogue.names(kind)]
EXPERIMENTS = {
    "main": Offer(["he", "friedman"], ["ae", "rafs"], [0, 1]),
    "sizes": Offer(["he"], ["rafs"], [0, 1, 2], {"size": [1, 2]}),
}
EVERY = Offer(["he", "forrester", "friedman"], ["ae", "rafs", "de"], ())


@pytest.mark.parametrize(("kind", "name"), ALL)
def test_no_other_code_imports_a_table_or_a_figure(kind, name):
    module = f"rafs.reporting.{kind}.{name}"
    imported = re.compile(rf"{module}\b|from rafs.reporting.{kind} import .*\b{name}\b")
    sources = (PROJECT / "src").rglob("*.py")
    assert not [source for source in sources if imported.search(source.read_text())]


class Watched(made_up.Memory):
    """Results that note what of them is read."""

    def __init__(self):
        super().__init__(made_up.experiments(2, ("he", "forrester", "friedman", "abalone")))
        self.read = set()

    def find(self, experiment):
        self.read.add("scores")
        return super().find(experiment)

    def costs(self, experiment):
        self.read.add("costs")
        return super().costs(experiment)

    def tuned(self, experiment):
        self.read.add("tuned")
        return super().tuned(experiment)

    def recalibrated(self, experiment):
        self.read.add("recalibrated")
        return super().recalibrated(experiment)

    def predictions(self, *run):
        self.read.add("predictions")
        return super().predictions(*run)

    def data(self, *place):
        self.read.add("data")
        return super().data(*place)


def test_everything_of_the_parameters_is_there():
    found = loading.load(PROJECT / "params.yaml")
    for kind in catalogue.KINDS:
        assert set(getattr(found, kind)) == set(catalogue.names(kind))


@pytest.mark.parametrize(("kind", "name"), ALL)
def test_each_declares_what_it_reads(kind, name):
    declared = catalogue.declaration(kind, name)
    assert declared.reads
    assert set(declared.reads) <= set(catalogue.READS)
    inputs = Watched()
    (shown.build if kind == "tables" else shown.draw)(name, inputs)
    assert inputs.read == set(declared.reads) - {"sources"}


def test_places_of_figures_differ_and_one_is_beside_the_answer():
    places = [catalogue.declaration("figures", name).place for name in catalogue.names("figures")]
    assert len(set(places)) == len(places)
    assert catalogue.beside_answer() == ["overview"]
    assert catalogue.figures_in_order(["cardinality", "overview"]) == ["overview", "cardinality"]


def test_sections_are_those_of_the_page():
    for kind, name in ALL:
        assert catalogue.declaration(kind, name).section in {kind, "why", "uci", "intervals"}
    assert catalogue.declaration("tables", "nll").section == "tables"
    assert catalogue.declaration("tables", "recalibration").section == "intervals"


def test_declarations_are_read_without_importing_what_they_are_about():
    code = (
        "import sys; from rafs.reporting import catalogue;"
        "[catalogue.declaration(kind, name) for kind in catalogue.KINDS"
        " for name in catalogue.names(kind)];"
        "catalogue.claimed_predictions();"
        "sys.exit(bool({'pandas', 'scipy', 'matplotlib'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_jobs_wait_for_what_is_declared():
    plan = Plan(loading.load(PROJECT / "params.yaml", "smoke"), PROJECT)
    costs = [f"results/costs/{name}.csv" for name in ("main", "references")]
    assert plan.files.shown_inputs("tables", "cost") == costs
    assert plan.files.shown_inputs("tables", "datasets") == []
    runs = [run for run in plan.experiments["main"].runs if run.dataset == "friedman"]
    assert set(plan.files.shown_inputs("figures", "confidence_error")) == {
        "results/scores/main.csv",
        *(run.path(paths.PREDICTIONS) for run in runs),
        *(plan.files.data_of(run) for run in runs),
    }
    assert plan.files.shown_inputs("figures", "training_points_1d") == [plan.files.sample("he", 0)]


@pytest.mark.parametrize(
    ("kind", "name", "options", "problem"),
    [
        ("tables", "nll", {}, ""),
        ("figures", "ensemble_size", {"experiments": ["sizes"], "seed": 2}, ""),
        ("figures", "training_points_1d", {"experiments": [], "datasets": ["forrester"]}, ""),
        ("tables", "nll", {"experiments": []},
         "tables.nll.experiments: name the experiments that it shows"),
        ("tables", "nlls", {}, "tables.nlls: there is no such one; did you mean 'nll'?"),
        ("tables", "nll", {"experiments": ["man"]},
         "tables.nll.experiments: 'man' is no experiment; did you mean 'main'?"),
        ("figures", "ensemble_size", {},
         "figures.ensemble_size.experiments: 'main' does not sweep 'size', which this shows"),
        ("tables", "nll", {"datasets": ["hee"]},
         "tables.nll.datasets: 'hee' is no dataset of its experiments; did you mean 'he'?"),
        ("tables", "sizes", {"experiments": [], "methods": ["dee"]},
         "tables.sizes.methods: 'dee' is no method; did you mean 'de'?"),
        ("figures", "overview", {"seed": 2},
         "figures.overview.seed: its experiments have no seed 2"),
        ("figures", "uncertainty_1d", {"datasets": ["friedman"]},
         "figures.uncertainty_1d.datasets: 'friedman' is no function of one variable"),
    ],
)  # fmt: skip
def test_entries_are_checked(kind, name, options, problem):
    entry = {"experiments": ["main"], **options}
    if not problem:
        catalogue.check(kind, name, entry, EXPERIMENTS, EVERY)
        return
    with pytest.raises(ParameterError) as error:
        catalogue.check(kind, name, entry, EXPERIMENTS, EVERY)
    assert str(error.value) == problem
