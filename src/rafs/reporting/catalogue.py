"""The available tables and figures, and their declarations.

A table is a module in `tables`, a figure one in `figures`; modules whose names begin with an
underscore are shared code. A module declares the following as literals, which are read without
importing it, because planning a workflow needs neither pandas nor matplotlib:

- `TITLE`: its heading on the page.
- `CAPTION`: its caption in Snakemake's report; files of figures contain it as well.
- `READS`: the results it is made from, any of
  `scores`, `costs`, `tuned`, `recalibrated`: the tables of its experiments;
  `predictions`, `data`: those of the runs on its `datasets` (and its `seed`, if it has one);
  `sources`: the specifications of all datasets, and the records of the files of user datasets.
- `PLACE`: the order of a figure on the page; 0 is the one beside the answer.
- `SECTION`: its section of the page (`why`, `uci`, `intervals`); by default that of all tables or
  all figures.
- `DATASETS`: the datasets that it shows by default; without it, all of its experiments.
- `SWEEP`: the setting that its experiments must sweep.
- `DIMENSION`: the number of variables of the functions that it can show.
"""

import ast
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from rafs import datasets
from rafs.errors import ParameterError, closest

FOLDER = Path(__file__).parent
KINDS = ("tables", "figures")
OF_EXPERIMENTS = ("scores", "costs", "tuned", "recalibrated")
READS = (*OF_EXPERIMENTS, "predictions", "data", "sources")


@dataclass(frozen=True)
class ReportDeclaration:
    """The declaration of a table or a figure."""

    title: str
    caption: str
    reads: tuple[str, ...]
    place: int = 1
    datasets: tuple[str, ...] = ()
    sweep: str = ""
    dimension: int | None = None
    section: str = ""


@dataclass(frozen=True)
class Offer:
    """The parts of one experiment that a table or a figure can choose from."""

    datasets: Sequence[str]
    methods: Sequence[str]
    seeds: Collection[int]
    sweep: Collection[str] = ()


@cache
def names(kind: str) -> tuple[str, ...]:
    """Return the names of all tables, or of all figures."""
    return tuple(sorted(path.stem for path in (FOLDER / kind).glob("[a-z]*.py")))


@cache
def declaration(kind: str, name: str) -> ReportDeclaration:
    """Return the declaration of a table or a figure."""
    known = {field.upper() for field in ReportDeclaration.__dataclass_fields__}
    found = literals(FOLDER / kind / f"{name}.py", known)
    return ReportDeclaration(**{"section": kind, **{k.lower(): v for k, v in found.items()}})


def literals(source: Path, wanted: Collection[str]) -> dict[str, Any]:
    """Return some constants of a module that is not imported."""
    return {
        target.id: ast.literal_eval(node.value)
        for node in ast.parse(source.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id in wanted
    }


def headings(kind: str, shown: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return heading and section on the page of some tables or figures, by name."""
    declared = {name: declaration(kind, name) for name in shown}
    return {name: (found.title, found.section) for name, found in declared.items()}


def figures_in_order(chosen: Iterable[str]) -> list[str]:
    """Return figures in the order of the page."""
    return sorted(chosen, key=lambda name: (declaration("figures", name).place, name))


def beside_answer() -> list[str]:
    """Return the figures beside the answer on the page."""
    return [name for name in names("figures") if declaration("figures", name).place == 0]


def claimed_predictions() -> list[str]:
    """Return the datasets whose predictions in the main experiment some claim reads."""
    sources = sorted((FOLDER / "claims").glob("[a-z]*.py"))
    found = (literals(source, {"PREDICTIONS"}).get("PREDICTIONS", ()) for source in sources)
    return list(dict.fromkeys(dataset for each in found for dataset in each))


def check(
    kind: str,
    name: str,
    options: Mapping[str, Any],
    experiments: Mapping[str, Offer],
    every: Offer,
) -> None:
    """Check the entry of a table or a figure in params.yaml.

    `every` is the choice of an entry without experiments.
    """
    where = f"{kind}.{name}"
    if name not in names(kind):
        raise ParameterError(f"{where}: there is no such one; {_nearest(name, names(kind))}")
    shown = declaration(kind, name)
    if not options["experiments"] and set(shown.reads) & set(OF_EXPERIMENTS):
        raise ParameterError(f"{where}.experiments: name the experiments that it shows")
    for experiment in options["experiments"]:
        if experiment not in experiments:
            raise ParameterError(
                f"{where}.experiments: {experiment!r} is no experiment; "
                f"{_nearest(experiment, experiments)}"
            )
        if shown.sweep and shown.sweep not in experiments[experiment].sweep:
            raise ParameterError(
                f"{where}.experiments: {experiment!r} does not sweep {shown.sweep!r}, which this "
                "shows"
            )
    _check_options(where, options, [experiments[name] for name in options["experiments"]], every)
    if shown.dimension is not None:
        for dataset in options.get("datasets", []):
            _check_function(where, dataset, shown.dimension)


def _check_options(
    where: str, options: Mapping[str, Any], shown: Sequence[Offer], every: Offer
) -> None:
    """Check that everything to be shown is run."""
    for option in ("datasets", "methods"):
        there = [name for offer in shown or [every] for name in getattr(offer, option)]
        for name in options.get(option, []):
            if name not in there:
                what = option.removesuffix("s")
                place = " of its experiments" if shown else ""
                raise ParameterError(
                    f"{where}.{option}: {name!r} is no {what}{place}; {_nearest(name, there)}"
                )
    seeds = {seed for offer in shown for seed in offer.seeds}
    if shown and "seed" in options and options["seed"] not in seeds:
        raise ParameterError(f"{where}.seed: its experiments have no seed {options['seed']}")


def _check_function(where: str, dataset: str, dimension: int) -> None:
    """Check that a dataset is a synthetic function of so many variables."""
    spec = datasets.spec(dataset) if dataset in datasets.names() else None
    if spec is None or not spec.synthetic or spec.dimension != dimension:
        variables = "one variable" if dimension == 1 else f"{dimension} variables"
        raise ParameterError(f"{where}.datasets: {dataset!r} is no function of {variables}")


def _nearest(name: str, known: Iterable[str]) -> str:
    near = closest(name, known)
    return f"did you mean {near!r}?" if near else "there is nothing to choose from"
