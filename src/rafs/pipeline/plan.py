"""The plan of a workflow: its experiments, their files, and the specs and needs of their jobs."""

from pathlib import Path

from rafs import datasets, paths
from rafs.config.parameters import Params
from rafs.experiments import Experiments, Run
from rafs.methods.base import training
from rafs.pipeline.artefacts import Artefacts
from rafs.pipeline.effort import Effort, effort_of, networks, tuning_trainings
from rafs.pipeline.sources import Sources
from rafs.pipeline.specs import Specs

UNKNOWN_SHAPE = (20_000, 50)  # assumed training rows and features before a dataset's file is read


class Plan:
    """The work defined by the parameters of a project."""

    def __init__(self, params: Params, root: Path | str = ".") -> None:
        written = {name: entry.written() for name, entry in params.datasets.items()}
        entries = datasets.resolve(written, root)
        self.params = params
        self.experiments = Experiments(params)
        self.sources = Sources(entries, params.described, self.experiments)
        self.files = Artefacts(params, self.experiments, self.sources)
        self.specs = Specs(
            params, self.experiments, self.sources, self.files, Path(root) / paths.LOCK
        )

    def effort(self, run: Run) -> Effort:
        """Return the effort of a run: tuning, then training."""
        experiment = self.experiments[run.experiment]
        settings, described = experiment.settings(run), self.params.described[run.dataset]
        rows, features = UNKNOWN_SHAPE
        if described.train:
            rows, features = described.train, described.dimension
        trained = float(networks(settings))
        if search := experiment.search(run):
            trained += settings.get("size", 1) * tuning_trainings(rows, search)
        how = training(rows, experiment.training(run).written())
        return effort_of(rows, features, settings, how, trained)

    @property
    def gres(self) -> str:
        """The resource that training jobs request from Slurm besides cores and memory: a GPU."""
        return "gpu:1" if self.params.device == "cuda" else ""
