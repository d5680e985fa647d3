"""The parameters of a workflow: params.yaml, with checks for Snakemake and the reports."""

from pathlib import Path

from rafs import config
from rafs.config.parameters import Params, listed
from rafs.datasets import user
from rafs.errors import ParameterError
from rafs.reporting import catalogue
from rafs.reporting.catalogue import Offer

# The rules of workflow/rules: their names are targets already.
RULES = {
    "all", "fetch", "data", "train", "score", "aggregate",
    "table", "figure", "claims", "summary", "page", "verify", "smoke",
}  # fmt: skip
PREFIXES = ("table_", "figure_", "score_")  # of other rules and targets, such as `table_nll`


def load(path: Path | str, edition: str | None = None) -> Params:
    """Return parameters that are valid and can be turned into a workflow."""
    return config.load(path, edition, check)


def check(params: Params) -> None:
    """Raise a ParameterError if Snakemake or the reports cannot handle the parameters."""
    _check_paths(params)
    _check_names(params)
    _check_shown(params)


def _check_paths(params: Params) -> None:
    """Refuse braces in the path of an input: Snakemake would interpret them as a wildcard."""
    for name, dataset in params.datasets.items():
        origins = params.described[name].sources.items()
        files = [file for source, origin in origins for file in origin.supplied(source)]
        if set("{}") & set("".join(files)):
            raise ParameterError(
                f"datasets.{name}.{user.kind(dataset.written())}: Snakemake takes {{ and }} in a "
                "path for wildcards; rename the file"
            )


def _check_names(params: Params) -> None:
    """Refuse the name of a rule, or of a table or figure as a target, for experiments."""
    for name in params.experiments:
        if name in RULES or name.startswith(PREFIXES):
            raise ParameterError(
                f"experiments.{name}: {name!r} is the name of a target already; choose another"
            )
    for name in params.together:
        if name in RULES or name.startswith(PREFIXES):
            raise ParameterError(f"together.{name}: the name is taken; choose another")


def _check_shown(params: Params) -> None:
    """Refuse a table or figure that does not exist, or shows something that is not run."""
    experiments = {
        name: Offer(
            params.dataset_names(entry.datasets),
            entry.methods,
            listed(entry.seeds or params.seeds),
            entry.sweep,
        )
        for name, entry in params.experiments.items()
    }
    every = Offer(list(params.described), params.method_names, ())
    for kind, entries in (("tables", params.tables), ("figures", params.figures)):
        for name, entry in entries.items():
            catalogue.check(kind, name, entry.written(), experiments, every)
