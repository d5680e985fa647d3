"""The parameters of a workflow: params.yaml, its tables and figures included."""

from pathlib import Path

from rafs import config
from rafs.config.parameters import Params, listed
from rafs.reporting import catalogue
from rafs.reporting.catalogue import Offer


def load(path: Path | str, edition: str | None = None) -> Params:
    """Return checked parameters whose tables and figures exist and can be made."""
    return config.load(path, edition, check_shown)


def check_shown(params: Params) -> None:
    """Refuse a table or figure that does not exist, or shows what is not run."""
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
