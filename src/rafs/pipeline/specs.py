"""The specs of jobs.

A job's `spec` is a canonical JSON text with everything that its result depends on besides its input
files: resolved settings, and the hash of its code. The job gets the same text that Snakemake
compares, so it cannot use a setting that does not trigger it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from rafs import __version__, paths
from rafs.config.models import DESCRIBED
from rafs.config.parameters import Params
from rafs.experiments import Experiments, Run, dotted
from rafs.files import canonical_json, sha256
from rafs.pipeline import provenance
from rafs.pipeline.artefacts import Artefacts
from rafs.pipeline.job_specs import (
    AggregateSpec,
    ClaimsSpec,
    DataSpec,
    FetchSpec,
    PageSpec,
    ScoreSpec,
    ShownOptions,
    ShownSpec,
    SummarySpec,
    TrainSpec,
    VerifySpec,
)  # fmt: skip
from rafs.pipeline.memory import once
from rafs.pipeline.sources import Sources
from rafs.reporting import catalogue

VERSIONS = ("numba", "numpy", "pandas", "scipy", "torch")  # that the page shows


@dataclass(frozen=True)
class Specs:
    """The specs of all jobs."""

    params: Params
    experiments: Experiments
    sources: Sources
    files: Artefacts
    lock: Path

    def _spec(self, roots: Sequence[str], content: Mapping[str, object]) -> str:
        return canonical_json({**content, "code": self._code(tuple(roots))})

    @once
    def _code(self, roots: tuple[str, ...]) -> str:
        return provenance.code_hash(list(roots), self.lock)

    # --- data -----------------------------------------------------------------------------------

    @once
    def fetch(self, source: str) -> str:
        """Spec of getting a file of a dataset."""
        spec = FetchSpec(dataset=source, strict=self.params.strict)
        if content := self.sources.content([source]):
            spec["content"] = content
        roots = ["rafs.pipeline.jobs.fetch", self.sources.module_of_source(source)]
        return self._spec(roots, {**spec, **self.sources.origin(source).identity()})

    @once
    def data(self, protocol: str, dataset: str, seed: int) -> str:
        """Spec of sampling a dataset."""
        roots = ["rafs.pipeline.jobs.data", self.sources.module(dataset)]
        if protocol != DESCRIBED:
            roots.append("rafs.datasets.released")
        sources = self.sources.of(dataset, protocol)
        spec = DataSpec(
            protocol=protocol,
            dataset=dataset,
            seed=int(seed),
            entry=dict(self.sources.entry(dataset)),
            sources=list(sources),
        )
        if content := self.sources.content(sources):
            spec["content"] = content
        return self._spec(roots, spec)

    # --- runs -----------------------------------------------------------------------------------

    @once
    def train(self, run: Run) -> str:
        """Spec of one run."""
        experiment = self.experiments[run.experiment]
        variant, search = experiment.variant(run.method), experiment.search(run)
        taken = experiment.tuning if experiment.tuning != run.experiment else None
        spec = TrainSpec(
            experiment=run.experiment,
            method=run.method,
            base=run.base,
            dataset=run.dataset,
            seed=run.seed,
            tuning=vars(search) if search else taken,
            protocol=experiment.data_protocol(run),
            settings=experiment.settings(run),
            sweep=dict(dotted(variant.settings)),
            training=experiment.training(run).written(),
        )
        if "unscaled" in experiment.quirks(run):
            spec["scaled"] = False
        method = self.params.method(run.base)
        if uses := method.identity(spec["settings"]):
            spec["uses"] = uses
        return self._spec(["rafs.pipeline.jobs.train", type(method).__module__], spec)

    @once
    def score(self, runs: tuple[Run, ...]) -> str:
        """Spec of scoring runs of a method on a dataset."""
        run = runs[0]
        experiment = self.experiments[run.experiment]
        odd = experiment.quirks(run)
        spec = ScoreSpec(
            experiment=run.experiment,
            method=run.method,
            dataset=run.dataset,
            seeds=[run.seed for run in runs],
            protocol=experiment.data_protocol(run),
        )
        if "boston_sorted" in odd:
            spec["misaligned"] = True
        if "interval_of_means" in odd:
            spec["interval"] = True
        return self._spec(["rafs.pipeline.jobs.score"], spec)

    @once
    def aggregate(self, name: str, asked: frozenset[str] | None = frozenset()) -> str:
        """Spec of the table of all scores of an experiment; `asked` is that of `gathered`."""
        experiment = self.experiments[name]
        variants, datasets = experiment.variants, experiment.datasets
        left_out = [
            [method, dataset]
            for dataset in datasets
            for method in variants
            if not experiment.includes(method, dataset)
        ]
        spec = AggregateSpec(
            experiment=name,
            categories={each: self.sources.described[each].category for each in datasets},
            methods=list(variants),
            sweep={method: each.swept for method, each in variants.items() if each.swept},
            datasets=datasets,
            seeds=experiment.seeds,
            space=experiment.ranges(),
        )
        if left_out:
            spec["left_out"] = left_out
        on = {each: experiment.seeds_on(each) for each in datasets}
        if fewer := {each: seeds for each, seeds in on.items() if seeds != experiment.seeds}:
            spec["fewer"] = fewer
        if len(self.files.gathered(name, asked)) < len(experiment.runs):
            spec["partial"] = experiment.entry.cost
        return self._spec(["rafs.pipeline.jobs.aggregate"], spec)

    # --- reports --------------------------------------------------------------------------------

    def shown(self, kind: str, name: str) -> str:
        """Spec of a table or a figure (kind: "tables" or "figures")."""
        options = cast("ShownOptions", self.files.shown[kind][name].written())
        code = [f"rafs.pipeline.jobs.{kind}", f"rafs.reporting.{kind}.{name}"]
        if "sources" in catalogue.declaration(kind, name).reads:
            listed, entries = self.sources.catalogued(), self.sources.entries
            code += list(dict.fromkeys(self.sources.module(dataset) for dataset in listed))
            options.setdefault("datasets", listed)
            options["entries"] = {name: dict(entries[name]) for name in listed if name in entries}
        return self._spec(code, ShownSpec(name=name, options=options))

    def claims(self) -> str:
        """Spec of the verdicts on the paper's claims."""
        spec = ClaimsSpec(experiments=self.experiments.default)
        return self._spec(["rafs.pipeline.jobs.claims"], spec)

    def summary(self) -> str:
        """Spec of the small metrics file that DVC compares."""
        experiments = self.experiments
        spec = SummarySpec(headline=experiments.headline, experiments=experiments.default)
        return self._spec(["rafs.pipeline.jobs.summary"], spec)

    def page(self) -> str:
        """Spec of the report page."""
        seen, headline = self._seen(), self.experiments.headline
        shown = {kind: self.files.page_shown(kind) for kind in catalogue.KINDS}
        pins = provenance.pins(self.lock)
        spec = PageSpec(
            params=self.params.written(),
            experiments=[*self.experiments.default, *seen],
            tables=shown["tables"],
            figures=catalogue.figures_in_order(shown["figures"]),
            headings={kind: catalogue.headings(kind, names) for kind, names in shown.items()},
            beside_answer=catalogue.beside_answer(),
            compared=[headline, *(e for e in self.experiments.alongside if e != headline)],
            versions={"rafs": __version__, **{name: pins.get(name, "?") for name in VERSIONS}},
        )
        if seen:
            spec["seen"] = seen
        if made := self.files.page_made_by_name():
            spec["made"] = {file: sha256(file) for file in made}
        return self._spec(["rafs.pipeline.jobs.page"], spec)

    def _seen(self) -> dict[str, str]:
        """Return the experiments by name only that have been run, each with its scores' hash.

        The page shows their existing results. It is made again when their scores change, but never
        makes them run.
        """
        return {name: sha256(paths.SCORES.format(experiment=name)) for name in self.files.seen()}

    def verify(self) -> str:
        """Spec of the final check that no job failed."""
        data: dict[str, list[int]] = {}
        for protocol, dataset, seed in self.experiments.samples(self.experiments.default):
            data.setdefault(f"{protocol}/{dataset}", []).append(seed)
        spec = VerifySpec(
            runs=len(self.experiments.runs), experiments=self.experiments.default, data=data
        )
        return self._spec(["rafs.pipeline.jobs.verify"], spec)
