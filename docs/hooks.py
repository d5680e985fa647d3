"""Hooks of mkdocs: parts that are generated from the code, and equations.

`<!-- generated: NAME [ARGUMENT] -->` at the end of a line is replaced by what the function of that
name, here or in reported.py, returns. Equations become MathML while the pages are built, so that a
browser needs no script for them. The files of reports/ are published beside the pages.
"""

import csv
import html
import os
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "docs")]

import reported  # noqa: E402

MARK = re.compile(r"<!-- generated: (\w+) ?(\S*) -->$", re.MULTILINE)
EQUATION = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)


def on_files(files: Any, config: Any) -> Any:
    """Publish the files of reports/ beside the pages."""
    from mkdocs.structure.files import File

    for path in reported.files():
        name = path.relative_to(ROOT).as_posix()
        files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Insert the generated parts."""
    return MARK.sub(lambda found: PARTS[found[1]](*filter(None, [found[2]])), markdown)


def on_page_content(html_text: str, **_: Any) -> str:
    """Turn equations into MathML."""
    from latex2mathml.converter import convert

    def replaced(found: re.Match[str]) -> str:
        display = "block" if found[2] == "[" else "inline"
        return convert(html.unescape(found[3]).strip(), display=display)

    return EQUATION.sub(replaced, html_text)


def row(*cells: object) -> str:
    """Return a row of a table."""
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def catalogue() -> str:
    """Return the table of datasets, and below it one entry for each."""
    from rafs import datasets
    from rafs.reporting.labels import category

    specs = [s for s in map(datasets.spec, datasets.names()) if s.splits is None]
    lines = [
        row("dataset", "category", "features", "train", "test", "noise"),
        row(*["---"] * 2, *["---:"] * 4),
    ]
    for s in specs:
        noise = "unknown" if s.noise is None else f"{s.noise:g}"
        name = f"[{s.name}](#{s.name})"
        lines.append(row(name, category(s.category), s.dimension, s.train, s.test, noise))
    return "\n".join([*lines, *(line for s in specs for line in entry(s))])


def uci() -> str:
    """Return the UCI tables with the numbers of their splits, and below them one entry for each."""
    from rafs import datasets

    every = [datasets.spec(name) for name in datasets.names()]
    lines = [
        row("dataset", "features", "train", "test", "splits", "gap splits", "tail splits"),
        row("---", *["---:"] * 6),
    ]
    specs = [s for s in every if s.category == "uci"]
    for s in specs:
        cells = [s.dimension, s.train, s.test, s.splits]
        for kind in ("gap", "tail"):
            name = s.name.replace("uci_", f"uci_{kind}_")
            other = datasets.spec(name)
            cells.append(
                f'<span id="{name}">{other.splits} ({other.train} + {other.test} rows)</span>'
            )
        lines.append(row(f"[{s.name}](#{s.name})", *cells))
    return "\n".join([*lines, *(line for s in specs for line in entry(s))])


def entry(spec: Any) -> list[str]:
    """Return the entry of a dataset."""
    target = spec.target + (f" ({spec.target_unit})" if spec.target_unit else "")
    about = f"Target: {target}. Source: {spec.source}. Reference: {spec.citation}."
    doi = [f"DOI [{spec.doi}](https://doi.org/{spec.doi})."] if spec.doi else []
    return [
        "",
        f"### {spec.title} {{ #{spec.name} }}",
        "",
        f"Name: `{spec.name}`. {about}",
        *doi,
        f"Licence: {spec.licence}.",
        "",
        *ranges(spec),
    ]


def ranges(spec: Any) -> list[str]:
    """Return the features of a dataset, with units and ranges where they are known."""
    if len(spec.features) > 12:
        return [f"Features: {', '.join(f'`{name}`' for name in spec.features)}."]
    lines = [row("feature", "unit", "training range", "test range"), row(*["---"] * 4)]
    for k, name in enumerate(spec.features):
        unit = spec.units[k] if spec.units else ""
        train, test = (
            f"{r[k][0]:.6g} to {r[k][1]:.6g}" if r else ""
            for r in (spec.train_ranges, spec.test_ranges)
        )
        if spec.clusters:
            train = " and ".join(f"{low:g} to {high:g}" for low, high in spec.clusters)
        lines.append(row(name, unit, train, test))
    return lines


def settings(name: str) -> str:
    """Return the settings of a method: defaults, what params.yaml sets, and what is tuned."""
    import yaml

    from rafs import methods
    from rafs.methods.settings import table

    params = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    entry = params["methods"].get(name, {})
    tuned = entry.get("search", {})
    lines = [row("setting", "default", "in params.yaml", "tuned", "meaning"), row(*["---"] * 5)]
    common = {key for key, _, _ in table(methods.get("de").schema)}
    for key, default, meaning in table(methods.get(name).schema):
        given = entry.get(key, "")
        if key in common and not given and key not in tuned and name != "de":
            continue
        space = next(iter(tuned.get(key, {}).items()), None)
        shown = f"{space[0].replace('_', '-')} {space[1]}" if space else ""
        lines.append(row(f"`{key}`", f"`{default}`", f"`{given}`" if given else "", shown, meaning))
    return "\n".join(lines)


def gate() -> str:
    """Return what every method was held against, one row per dataset."""
    with (ROOT / "docs" / "gate.csv").open(encoding="utf-8", newline="") as file:
        checks = list(csv.DictReader(file))
    lines = [
        row("method", "held against", "on", "metric", "there", "ours", "allowed", "met"),
        row(*["---"] * 4, *["---:"] * 3, "---"),
    ]
    place = ("method", "source", "dataset")
    for key in dict.fromkeys(tuple(check[name] for name in place) for check in checks):
        group = [check for check in checks if tuple(check[name] for name in place) == key]
        cells = [
            " / ".join(check[name] for check in group)
            for name in ("metric", "wanted", "ours", "allowed")
        ]
        met = "yes" if all(check["met"] == "True" for check in group) else "**no**"
        lines.append(row(*key, *cells, met))
    return "\n".join(lines)


def likelihood() -> str:
    """Return held-out scores of the variants of the Deep Ensemble of 2017, a column per dataset."""
    with (ROOT / "docs" / "likelihood.csv").open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    names = list(dict.fromkeys(entry["dataset"] for entry in found))
    settings = ("warm_up", "beta_nll", "l2")
    lines = [row(*(f"`{name}`" for name in settings), *names), row(*["---:"] * (3 + len(names)))]
    for key in dict.fromkeys(tuple(entry[name] for name in settings) for entry in found):
        same = [entry for entry in found if tuple(entry[name] for name in settings) == key]
        lines.append(row(*key, *(f"{entry['rmse']} / {entry['nll']}" for entry in same)))
    return "\n".join(lines)


def commands() -> str:
    """Return the help of every command."""
    os.environ["COLUMNS"] = "96"
    from rafs.cli import parser
    from rafs.cli.completion import commands as subcommands

    top = parser()
    parts = [("rafs", top.format_help())]
    parts += [(f"rafs {name}", sub.format_help()) for name, sub in subcommands(top).items()]
    return "\n\n".join(f"## {name}\n\n```text\n{text.rstrip()}\n```" for name, text in parts)


def claims() -> str:
    """Return the claims of the paper and the rules by which they are judged."""
    from rafs.reporting.claims import WORDS
    from rafs.reporting.claims import claims as all_claims

    lines = [row("", "claim", "the paper's rule", "our tests"), row("---:", "---", "---", "---")]
    lines += [row(c.number, c.statement, c.paper.text, c.ours.text) for c in all_claims()]
    lines += [f"\n“{word}”: {meaning}" for word, meaning in WORDS.items()]
    return "\n".join(lines)


def _few(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return some datasets of the paper by name, or, of most, those that are not among them."""
    from rafs import datasets

    paper = [name for name in datasets.names() if datasets.spec(name).place]
    others = [name for name in paper if name not in names]
    return names if not names or len(others) > 8 else (f"all but {', '.join(others)}",)


def quirks() -> str:
    """Return what the released code does otherwise than the text, and where it is on."""
    from rafs.datasets.quirks import PROTOCOLS, QUIRKS

    lines = [row("name", "where", "touches", "what", "effect", *PROTOCOLS), row(*["---"] * 7)]
    for name, q in QUIRKS.items():
        on = ("on" if protocol in q.protocols else "off" for protocol in PROTOCOLS)
        touches = ", ".join((*_few(q.datasets), *q.methods)) or "all"
        lines.append(row(f"`{name}`", q.where, touches, q.what, q.effect, *on))
    return "\n".join(lines)


def changes() -> str:
    """Return the change log."""
    return (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").partition("\n")[2]


def contributing() -> str:
    """Return the guide for contributors, its links made fit for this place."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("\n")[2]
    return re.sub(r"\]\(docs/", "](", text)


PARTS = {
    part.__name__: part
    for part in (
        catalogue,
        uci,
        settings,
        gate,
        likelihood,
        commands,
        claims,
        quirks,
        changes,
        contributing,
    )
} | reported.PARTS
