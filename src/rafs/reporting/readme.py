"""The headline of README.md, taken from the committed reports: no number in it is typed by hand."""

import math
from pathlib import Path
from typing import Any

import pandas as pd

from rafs import paths
from rafs.errors import DataError
from rafs.evaluation.metrics import HEADLINE, shown
from rafs.files import read_json, write_text
from rafs.reporting import catalogue, labels
from rafs.reporting.claims import KINDS
from rafs.reporting.tables import rafs_on

START = "<!-- headline: written by `make readme` from reports/ -->"
END = "<!-- end of headline -->"
LEVEL = 0.05


def block(
    metrics: dict[str, Any], claims: list[dict[str, Any]], categories: pd.DataFrame | None = None
) -> str:
    """Return the headline: the answer, methods, overview and the verdicts on the claims."""
    verdicts = [
        f"| {c['number']} | {c['claim']} | {c['paper']['verdict']} | {c['ours']['verdict']} |"
        for c in claims
    ]
    said = filter(None, [answer(metrics), activations(metrics), counts(claims)])
    return "\n".join(
        [
            *(f"- {sentence}" for sentence in said),
            "",
            *_methods(metrics),
            "",
            *_parts(categories),
            *(
                f"![{name}]({paths.FIGURE.format(figure=name, format='png')})\n"
                for name in catalogue.beside_answer()
            ),
            f"{metrics['datasets']} datasets, {metrics['seeds']} seeds each. Everything is by the "
            "median over seeds: mean ranks with 95 % intervals that resample datasets and seeds; "
            "on how many datasets a method has the lowest NLL; medians over datasets of the NLL "
            "above that of the best method, of the coverage of the 95 % interval and of the RMSE "
            "as a multiple of the best; and, against a constant prediction (training mean and "
            "standard deviation), the median difference in NLL and the mean ratio of CRPS. "
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


def counts(claims: list[dict[str, Any]]) -> str:
    """Return in a sentence how many claims hold by either rule."""
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
    return ", ".join(
        f"{kinds.count(kind)} {words.get(kind, kind)}" for kind in KINDS if kind in kinds
    )


def answer(metrics: dict[str, Any]) -> str:
    """Say which methods share the top: the best is named alone only where the tests say so."""
    ranks: dict[str, float] = metrics["mean_rank_nll"]
    best, *others = sorted(ranks, key=ranks.__getitem__)
    p: dict[str, float | None] = metrics["p_against_best_nll"]
    known = {name: math.nan if value is None else value for name, value in p.items()}
    worse = [name for name in others if known.get(name, math.nan) < LEVEL]
    near = [name for name in others if name not in worse]
    test = (
        f"Wilcoxon's signed-rank test over {metrics['datasets']} datasets, Holm's correction over "
        f"{labels.FAMILY}, 5 %"
    )
    lowest = f"{labels.method(best)}, {_interval(metrics, best)}"
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


def activations(metrics: dict[str, Any]) -> str:
    """Say what random activations change on each base method."""
    return rafs_on.sentence(metrics.get("random_activations", {}))


def _methods(metrics: dict[str, Any]) -> list[str]:
    """Return the table of methods, the lowest mean rank first."""
    columns = {
        "lowest NLL on": ("lowest_nll", "d"),
        "NLL above the best": ("median_excess_nll", ".2f"),
        "NLL − constant": ("skill_nll", ".2f"),
        "mean rank, CRPS": ("mean_rank_crps", ".2f"),
        "CRPS / constant": ("skill_crps", ".2f"),
        "95 % coverage": ("median_coverage_95", ".2f"),
        "mean rank, RMSE": ("mean_rank_rmse", ".2f"),
        "RMSE, best = 1": ("median_relative_rmse", ".2f"),
    }
    columns = {head: entry for head, entry in columns.items() if entry[0] in metrics}
    ranks: dict[str, float] = metrics["mean_rank_nll"]
    lines = [
        f"| method | mean rank, NLL | {' | '.join(columns)} |",
        f"|---|---:|{'---:|' * len(columns)}",
    ]
    for name in sorted(ranks, key=ranks.__getitem__):
        cells = [_shown(metrics[key].get(name), form) for key, form in columns.values()]
        lines.append(
            f"| {labels.method(name)} | {_interval(metrics, name)} | {' | '.join(cells)} |"
        )
    return lines


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


def _interval(metrics: dict[str, Any], name: str) -> str:
    """Return a mean rank with its interval."""
    low, high = (metrics[f"mean_rank_nll_{end}"][name] for end in ("low", "high"))
    shown = f"{metrics['mean_rank_nll'][name]:.2f}"
    return shown if low is None else f"{shown} [{low:.2f}, {high:.2f}]"


def _shown(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form).replace("-", "−")


def updated(text: str, content: str) -> str:
    """Return the README with the headline between its two marks replaced."""
    before, found, rest = text.partition(START)
    _, ended, after = rest.partition(END)
    if not (found and ended):
        raise DataError(f"README.md has no place for the headline ({START} ... {END})")
    return f"{before}{START}\n{content}\n{END}{after}"


def current(root: Path) -> str:
    """Return the README as it should be for the reports below `root`."""
    claims = read_json(root / paths.CLAIMS)["claims"]
    table = root / paths.TABLE.format(table="categories", format="csv")
    categories = pd.read_csv(table) if table.exists() else None
    content = block(read_json(root / paths.SUMMARY), claims, categories)
    return updated((root / "README.md").read_text(encoding="utf-8"), content)


if __name__ == "__main__":
    write_text("README.md", current(Path()))
