"""The headline of README.md, taken from the committed reports: no number in it is typed by hand."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from rafs import paths
from rafs.errors import DataError
from rafs.evaluation.metrics import HEADLINE, shown
from rafs.evaluation.statistics import ALPHA
from rafs.files import read_json, write_text
from rafs.reporting import catalogue, labels, method_summary, random_activations, uci
from rafs.reporting.claims import KINDS
from rafs.reporting.sentences import FAMILY, decided
from rafs.reporting.table import Row, records

START = "<!-- headline: written by `make readme` from reports/ -->"
END = "<!-- end of headline -->"
METHODS, CATEGORIES, WHY = "headline", "categories", "why"
"""The tables whose files are read, with those of `uci.READ`."""

SMALL = tuple(name for name in uci.CELLS if name not in ("p", uci.AGAINST["rmse"]))


def block(
    methods: pd.DataFrame,
    claims: list[dict[str, Any]],
    categories: pd.DataFrame | None = None,
    why: pd.DataFrame | None = None,
    of_uci: Mapping[str, pd.DataFrame] | None = None,
) -> str:
    """Return the headline: the answer, methods, overview and the verdicts on the claims.

    `methods`, `categories` and `why` are the tables `headline`, `categories` and `why`, `of_uci`
    those of `uci.READ` that were made, by name.
    """
    of_uci = of_uci or {}
    verdicts = [
        f"| {c['number']} | {c['claim']} | {c['paper']['verdict']} | {c['ours']['verdict']} |"
        for c in claims
    ]
    said = filter(
        None,
        [
            answer(methods), activations(methods), reasons(why), " ".join(uci.sentences(of_uci)),
            counts(claims),
        ],
    )  # fmt: skip
    return "\n".join(
        [
            *(f"- {sentence}" for sentence in said),
            "",
            *_methods(methods),
            "",
            *_parts(categories),
            *_on_uci(of_uci.get(uci.SHORT)),
            *(
                f"![{name}]({paths.FIGURE.format(figure=name, format='png')})\n"
                for name in catalogue.beside_answer()
            ),
            f"{_most(methods, 'datasets')} datasets, {_most(methods, 'seeds')} seeds each. "
            f"{method_summary.EXPLAINED} "
            f"{' '.join(metric.rewards for metric in shown(HEADLINE))} Intervals, tests and every "
            "dataset: [reports/tables](reports/tables) and `reports/index.html`.",
            "",
            "The claims in detail. “Not shown”: the runs do not decide it. “Contradicted”: "
            "a test shows the opposite ([reasons](reports/tables/claims.md), [rules, effect "
            "sizes and intervals](reports/claims.json)).",
            "",
            "| | claim | by the paper's rule | by our tests |",
            "|---|---|---|---|",
            *verdicts,
        ]
    )


def reasons(why: pd.DataFrame | None) -> str:
    """Return the verdicts on why random activations work in a sentence, if they were tested."""
    if why is None or why.empty:
        return ""
    verdicts = dict(zip(why["statement"], why["verdict"], strict=True))
    shown = "; ".join(f"“{text.rstrip('.')}”: {in_words(v)}" for text, v in verdicts.items())
    return (
        "What makes random activations work, by experiments of our own ([more](docs/why.md)): "
        f"{shown}."
    )


def in_words(verdict: str) -> str:
    """Return a verdict as part of a sentence: "2 of 3 parts" is "holds in 2 of 3 parts"."""
    if not verdict[:1].isdigit():
        return verdict
    parts, _, rest = verdict.partition(" parts")
    if rest.strip() == "contradicted":
        return f"contradicted in {parts} parts"
    return f"holds in {verdict}"


def findings(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return what makes random activations work: each statement, its verdict and the reasons.

    `rows` are those of the table `why`, one per part of a statement and rival.
    """
    said: dict[str, list[str]] = {}
    for row in rows:
        head = f"**{str(row['statement']).rstrip('.')}**: {in_words(str(row['verdict']))}."
        part = decided(row)
        part = part[:1].upper() + part[1:]
        said.setdefault(head, []).append(part)
    return [f"{head} {'; '.join(dict.fromkeys(parts))}." for head, parts in said.items()]


def counts(claims: list[dict[str, Any]]) -> str:
    """Return a sentence on how many claims hold by either rule."""
    if not claims:
        return ""
    paper, ours = (_counted([c[rule]["kind"] for c in claims]) for rule in ("paper", "ours"))
    return (
        f"Of the paper's {len(claims)} claims, by its own rule (ties where intervals overlap) "
        f"{paper}; by our tests {ours}."
    )


def _counted(kinds: list[str]) -> str:
    """Return how often each verdict occurs, in words."""
    words = {"holds": "hold", "in part": "hold in part"}
    words |= {kind: f"are {kind}" for kind in KINDS if kind not in words}
    return ", ".join(
        f"{kinds.count(kind)} {words.get(kind, kind)}" for kind in KINDS if kind in kinds
    )


def answer(methods: pd.DataFrame) -> str:
    """Say which methods are the best: one is named alone only if the tests show it."""
    best, *others = records(methods)
    worse = [row["method"] for row in others if row["p_against_best_nll"] < ALPHA]
    near = [row["method"] for row in others if row["method"] not in worse]
    test = (
        f"Wilcoxon's signed-rank test over {_most(methods, 'datasets')} datasets, Holm's "
        f"correction over {FAMILY}, 5 %"
    )
    lowest = f"{labels.method(best['method'])}, {method_summary.rank(best)}"
    if not near:
        return (
            f"The best mean rank in NLL is that of {lowest}: significantly better than every other "
            f"method ({test})."
        )
    if not worse:
        return (
            f"No method is shown to be the best in NLL. The lowest mean rank is that of {lowest}, "
            f"and no other is significantly different from it ({test})."
        )
    return (
        "No method is shown to be the best alone in NLL. The lowest mean rank is that of "
        f"{lowest}; not significantly different from it: {', '.join(map(labels.method, near))}; "
        f"significantly worse: {', '.join(map(labels.method, worse))} ({test})."
    )


def activations(methods: pd.DataFrame) -> str:
    """Return a sentence on the effect of random activations on each base method."""
    known = methods[methods["activations_datasets"] > 0]
    known = known.set_index("method").loc[labels.in_order(known["method"])]
    columns = {name: known[f"activations_{name}"] for name in random_activations.EFFECT}
    return random_activations.sentence(
        {base: {name: columns[name][base] for name in columns} for base in known.index}
    )


def _most(methods: pd.DataFrame, column: str) -> int:
    return int(methods[column].max())


def _methods(methods: pd.DataFrame) -> list[str]:
    """Return the table of methods, the lowest mean rank first."""
    return _piped(method_summary.head(methods), method_summary.rows(methods))


def _piped(heads: Sequence[str], rows: Iterable[Row | None]) -> list[str]:
    """Return a Markdown table of methods."""
    cells = [[str(cell) for cell in row] for row in rows if row]
    return [
        f"| {' | '.join(row)} |" for row in (heads, ["---", *["---:"] * (len(heads) - 1)], *cells)
    ]


def _parts(categories: pd.DataFrame | None) -> list[str]:
    """Return the mean ranks by category, and inside and outside the training range."""
    if categories is None or categories.empty:
        return []
    counts = categories.drop_duplicates("part").set_index("part")["datasets"]
    ranks = categories.set_index(["method", "part"])["mean_rank"]
    heads = [f"{part} ({count})" for part, count in counts.items()]
    methods = sorted(set(categories["method"]), key=lambda name: ranks[name, counts.index[0]])
    lines = [f"| method | {' | '.join(heads)} |", f"|---|{'---:|' * len(heads)}"]
    for name in methods:
        shown = [labels.method(name), *(f"{ranks[name, part]:.2f}" for part in counts.index)]
        lines.append(f"| {' | '.join(shown)} |")
    return [
        "It depends on the data: mean rank in NLL by category, and inside and outside the range of "
        "the training data (in brackets the number of datasets):",
        "",
        *lines,
        "",
    ]


def _on_uci(found: pd.DataFrame | None) -> list[str]:
    """Return the methods on the UCI tables, beside printed results."""
    if found is None or found.empty:
        return []
    return [
        "The UCI tables of the literature ([more](docs/uci.md)): mean ranks; on how many tables "
        "a method has scores; on how many its NLL, and its RMSE, is lower than a printed one; and, "
        "split by split against tuned MC dropout, on how many its NLL is significantly better, not "
        "different, and worse:",
        "",
        *_piped(["Method", *SMALL], uci.rows(found, SMALL)),
        "",
    ]


def updated(text: str, content: str) -> str:
    """Return the README with the headline between its two marks replaced."""
    before, found, rest = text.partition(START)
    _, ended, after = rest.partition(END)
    if not (found and ended):
        raise DataError(f"README.md has no place for the headline ({START} ... {END})")
    return f"{before}{START}\n{content}\n{END}{after}"


def read(root: Path, table: str) -> pd.DataFrame:
    """Return the numbers of a table that was made below `root`."""
    path = root / paths.TABLE.format(table=table, format="csv")
    if not path.exists():
        raise DataError(f"{path} is not there; run the workflow, or `snakemake table_{table}`")
    return pd.read_csv(path)


def current(root: Path) -> str:
    """Return the README as it should be for the reports below `root`."""
    claims = read_json(root / paths.CLAIMS)["claims"]
    made = {
        name: read(root, name)
        for name in (WHY, *uci.READ)
        if (root / paths.TABLE.format(table=name, format="csv")).exists()
    }
    why = made.pop(WHY, None)
    content = block(read(root, METHODS), claims, read(root, CATEGORIES), why, made)
    return updated((root / "README.md").read_text(encoding="utf-8"), content)


if __name__ == "__main__":
    write_text("README.md", current(Path()))
