"""The headline of README.md, taken from the committed reports: no number in it is typed by hand."""

from pathlib import Path
from typing import Any

from rafs import paths
from rafs.errors import DataError
from rafs.files import read_json, write_text
from rafs.reporting import labels

START = "<!-- headline: written by `make readme` from reports/ -->"
END = "<!-- end of headline -->"
FIGURE = "overview"


def block(metrics: dict[str, Any], claims: list[dict[str, Any]]) -> str:
    """Return the headline: the answer, methods, overview, and the verdicts on the claims."""
    ranks: dict[str, float] = metrics["mean_rank_nll"]
    rows = [
        f"| {labels.method(name)} | {ranks[name]:.2f} | {metrics['wins_nll'][name]} "
        f"| {metrics['median_nll'][name]:.2f} | {metrics['mean_rank_rmse'][name]:.2f} "
        f"| {metrics['median_relative_rmse'][name]:.2f} |"
        for name in sorted(ranks, key=ranks.__getitem__)
    ]
    best, *others = sorted(ranks, key=ranks.__getitem__)
    distance = metrics["critical_difference"]
    near = [labels.method(name) for name in others if ranks[name] - ranks[best] < distance]
    verdicts = [f"| {c['number']} | {c['claim']} | {c['verdict']} |" for c in claims]
    return "\n".join(
        [
            f"{labels.method(best)} has the best mean rank in NLL; not told apart from it (Nemenyi "
            f"test at 5 %, critical difference {distance:.2f}): {', '.join(near) or 'none'}.",
            "",
            "| method | mean rank, NLL | lowest NLL on | median NLL | mean rank, RMSE "
            "| median RMSE, best = 1 |",
            "|---|---:|---:|---:|---:|---:|",
            *rows,
            "",
            f"{metrics['datasets']} datasets, {metrics['seeds']} seeds each; ranks and medians "
            "over datasets of the median over seeds (the picture ranks every seed by itself); NLL "
            "is without the constant ½ ln 2π, as in the paper; lower is better. Intervals, tests "
            "and every dataset: "
            "[reports/tables](reports/tables) and `reports/index.html`.",
            "",
            f"![{FIGURE}]({paths.FIGURE.format(figure=FIGURE, format='png')})",
            "",
            "What our runs say of the paper's claims ([reasons](reports/tables/claims.md), [rules "
            "and numbers](reports/claims.json)); what a test over the seeds does not show is "
            "counted as not holding:",
            "",
            "| | claim | verdict |",
            "|---|---|---|",
            *verdicts,
        ]
    )


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
    content = block(read_json(root / paths.SUMMARY), claims)
    return updated((root / "README.md").read_text(encoding="utf-8"), content)


if __name__ == "__main__":
    write_text("README.md", current(Path()))
