"""Parts of the documentation that are generated from the committed results in reports/.

Every number on the pages of results comes from here. Only files below reports/ are read, so the
pages agree with the tables even if the code has changed since.
"""

import csv
import json
import math
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from statistics import median

from rafs.evaluation.statistics import ALPHA
from rafs.reporting.judgement.differences import NATS

ROOT = Path(__file__).resolve().parents[1]
REPORTS = ROOT / "reports"
PAGE = "reports/index.html"  # made by the workflow, not in git
SHOWN_IN_PAGES = (".csv", ".gz", ".html", ".json", ".parquet", ".pdf", ".png", ".svg", ".tex")
NOMINAL = 0.95
MARGIN = NATS.margin

Row = dict[str, str]


def files(reports: Path = REPORTS) -> list[Path]:
    """Return the files of reports/ that are published beside the documentation."""
    found = (path for path in reports.rglob("*") if path.suffix in SHOWN_IN_PAGES)
    return sorted(path for path in found if path.is_file())


def rows(name: str, **wanted: str) -> list[Row]:
    """Return the rows of a table that have the wanted values."""
    return [row for row in _rows(name) if all(row[key] == value for key, value in wanted.items())]


@cache
def _rows(name: str) -> list[Row]:
    with (REPORTS / "tables" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read(name: str) -> dict:
    """Return one of the JSON files of reports/."""
    return json.loads((REPORTS / name).read_text(encoding="utf-8"))


def label(method: str) -> str:
    """Return the name of a method as the tables print it."""
    from rafs.reporting import labels

    return labels.method(method)


def listed(methods: Iterable[str]) -> str:
    """Return some methods as a phrase: DE, AE and RAFs."""
    from rafs.reporting import sentences

    return sentences.listed([label(name) for name in methods])


def line(*cells: object) -> str:
    """Return a row of a Markdown table."""
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def number(value: float) -> str:
    """Return a number with two decimals and a proper minus sign."""
    return f"{value:.2f}".replace("-", "−")


def grid(
    head: Iterable[str], body: Iterable[tuple[str, list[float]]], best: list[str] | None = None
) -> str:
    """Return a table of numbers, one row per method.

    `best` says for each column which number is set in bold: lowest, highest, or none.
    """
    head, body = list(head), list(body)
    columns = list(zip(*(values for _, values in body), strict=True))
    lines = [line(*head), line("---", *["---:"] * len(columns))]
    marks = best or ["none"] * len(columns)
    chosen = [
        {"lowest": min, "highest": max}.get(mark, lambda _: math.nan)(column)
        for mark, column in zip(marks, columns, strict=True)
    ]
    for name, values in body:
        cells = [
            f"**{number(v)}**" if v == c else number(v) for v, c in zip(values, chosen, strict=True)
        ]
        lines.append(line(name, *cells))
    return "\n".join(lines)


# --- whole tables and figures ---------------------------------------------------------------------


def table(name: str) -> str:
    """Return a table of reports/ with caption, notes and links to its files."""
    text = (REPORTS / "tables" / f"{name}.md").read_text(encoding="utf-8").strip()
    return f"{text}\n\n[{name}.csv](reports/tables/{name}.csv)"


def figure(name: str) -> str:
    """Return a figure of reports/ that opens in full size when clicked."""
    path = f"reports/figures/{name}"
    words = name.replace("_", " ").capitalize()
    return f"[![{words}]({path}.svg)]({path}.svg)\n\n[SVG]({path}.svg), [PDF]({path}.pdf)"


def caption(name: str) -> str:
    """Return the first sentence above a table."""
    text = (REPORTS / "tables" / f"{name}.md").read_text(encoding="utf-8")
    first = re.split(r"(?<=[a-z)])\. ", text.partition("\n")[0].strip(), maxsplit=1)[0]
    short, _, rest = first.rstrip(".").partition(": ")
    return short if len(short) > 30 or not rest else f"{short}: {rest}"


def downloads() -> str:
    """Return links to every table, figure and summary."""
    tables = sorted(path.stem for path in (REPORTS / "tables").glob("*.csv"))
    figures = sorted(path.stem for path in (REPORTS / "figures").glob("*.svg"))
    lines = [line("table", "contents"), line("---", "---")]
    lines += [line(f"[{name}.csv](reports/tables/{name}.csv)", caption(name)) for name in tables]
    shown = (
        f"[{name}](reports/figures/{name}.svg) ([PDF](reports/figures/{name}.pdf))"
        for name in figures
    )
    others = (
        f"[{path.name}](reports/{path.name})"
        for path in files()
        if path.parent == REPORTS and path.name != Path(PAGE).name
    )
    more = ["", f"Figures: {', '.join(shown)}.", "", f"Also: {', '.join(others)}."]
    return "\n".join([*lines, *more])


def report_page() -> str:
    """Link to the interactive page, or say that this copy lacks it."""
    if (ROOT / PAGE).is_file():
        return f"The [report page]({PAGE}) has all of this in one file, to sort, filter and print."
    return (
        "This copy is without the interactive report page, which a run of the workflow makes: "
        f"`make reproduce`, then open `{PAGE}`."
    )


# --- the answer -----------------------------------------------------------------------------------


def answer() -> str:
    """Return the answer in NLL, as README.md has it."""
    from rafs.reporting import readme

    return readme.answer(readme.read(ROOT, "headline"))


def against(method: str, metric: str) -> dict[str, float]:
    """Return the corrected p of a method against every other one."""
    found = {}
    for pair in rows("pairwise", metric=metric):
        both = (pair["method"], pair["rival"])
        if method in both:
            found[both[1 - both.index(method)]] = float(pair["p_holm"])
    return found


def mean_ranks(metric: str) -> dict[str, float]:
    """Return the mean rank of every method, the lowest first."""
    ranks = {row["method"]: float(row[f"mean_rank_{metric}"]) for row in rows("headline")}
    return dict(sorted(ranks.items(), key=lambda entry: entry[1]))


def lowest_rank(metric: str) -> str:
    """Return the method of lowest mean rank."""
    return next(iter(mean_ranks(metric)))


def methods_table() -> str:
    """Return the methods with their ranks and scores, the lowest mean rank in NLL first."""
    text = (REPORTS / "tables/headline.md").read_text(encoding="utf-8")
    lines = [entry for entry in text.splitlines() if entry.startswith("|")]
    best = rows("headline")[0]
    note = (
        f"{float(best['datasets']):.0f} datasets, {float(best['seeds']):.0f} seeds each; every "
        "score is the median over seeds, ranks and ratios to the constant are means over datasets, "
        "and all else is the median over datasets."
    )
    return "\n".join([*lines, "", note])


def one_metric(metric: str) -> str:
    """Say who has the lowest mean rank in a metric, and who is significantly different from it."""
    best = lowest_rank(metric)
    found = against(best, metric)
    worse = [name for name, p in found.items() if p < ALPHA]
    lowest = f"{label(best)} has the lowest mean rank ({number(mean_ranks(metric)[best])})"
    least = min(found.values())
    if not worse:
        return (
            f"{metric.upper()}: {lowest}, and no method is significantly different from it "
            f"(smallest corrected p: {number(least)}; table `pairwise`)."
        )
    near = [name for name in found if name not in worse]
    rest = f" Not significantly different: {listed(near)}." if near else ""
    return (
        f"{metric.upper()}: {lowest}. Significantly worse: {listed(worse)}.{rest} (Table "
        f"`pairwise`, Holm's correction over all its {len(rows('pairwise'))} tests.)"
    )


# --- by kind of data ------------------------------------------------------------------------------


def choice() -> str:
    """Return, for each kind of data, the lowest mean ranks and the significant wins."""
    found = rows("categories")
    kinds = {row["category"] for row in rows("nll")}
    stars = Counter((row["category"], row["method"]) for row in rows("nll", significant="True"))
    head = ("data", "datasets", "lowest mean ranks in NLL", "significantly best on single datasets")
    lines = [line(*head), line("---", "---:", "---", "---")]
    for part in dict.fromkeys(row["part"] for row in found):
        named = [kind for kind in kinds if part == "All" or _category(kind) == part]
        wins = {name: sum(stars[kind, name] for kind in named) for name in mean_ranks("nll")}
        won = ", ".join(f"{label(name)} on {count}" for name, count in wins.items() if count)
        tested = (won or "none") if named else "–"
        datasets = rows("categories", part=part)[0]["datasets"]
        lines.append(line(part, datasets, _lowest(part), tested))
    return "\n".join(lines)


def _lowest(part: str) -> str:
    """Return the three lowest mean ranks in NLL of a part of the data, ties included."""
    found = sorted(rows("categories", part=part), key=lambda row: float(row["mean_rank"]))
    least = [(r["method"], float(r["mean_rank"])) for r in found]
    return ", ".join(f"{label(m)} {number(rank)}" for m, rank in least if rank <= least[2][1])


def _category(name: str) -> str:
    from rafs.reporting import labels

    return labels.category(name)


def few_datasets() -> str:
    """Explain why no test is made within a category."""
    counts = {row["part"]: int(row["datasets"]) for row in rows("categories", metric="nll")}
    most = max(count for part, count in counts.items() if part != "All")
    methods = len(mean_ranks("nll"))
    pairs = methods * (methods - 1) // 2
    least = 2.0 ** (1 - most)
    return (
        f"Within a category nothing is tested: the largest has {most} datasets, where the smallest "
        f"p that a signed-rank test can give is {least:.3f}, and {pairs} pairs multiply it to "
        f"{min(1.0, pairs * least):.2f}. Its mean ranks describe these datasets and no others."
    )


def beside_constant() -> str:
    """Say on how many datasets each method is no better than a constant prediction."""
    scores = [row for row in rows("nll") if row["method"] in mean_ranks("nll")]
    count = Counter(row["method"] for row in scores if row["not_better_than_constant"] == "True")
    shown = ", ".join(f"{label(name)} on {count[name]}" for name in mean_ranks("nll"))
    datasets = len({row["dataset"] for row in scores})
    return (
        f"In NLL, no better than a constant prediction (training mean and standard deviation), of "
        f"{datasets} datasets: {shown}."
    )


def _seconds() -> dict[str, float]:
    """Return the CPU time of a run by method (median over datasets), the cheapest first."""
    found = {
        name: median(float(row["median"]) for row in rows("cost", method=name))
        for name in mean_ranks("nll")
    }
    return dict(sorted(found.items(), key=lambda entry: entry[1]))


def cost() -> str:
    """Return the CPU time of a run, and its ratio to the cheapest method."""
    seconds = _seconds()
    least = min(seconds.values())
    lines = [line("method", "CPU seconds", "cheapest = 1"), line("---", "---:", "---:")]
    lines += [
        line(label(name), number(value), number(value / least)) for name, value in seconds.items()
    ]
    most = max(rows("cost"), key=lambda row: float(row["median"]))
    note = (
        f"No method takes more than {float(most['median']):.1f} CPU seconds for a run on any of "
        "the datasets (median over seeds)."
    )
    return "\n".join([*lines, "", note])


def _covered(metric: str, datasets: Iterable[str] | None = None) -> str:
    """Return the range over methods of a coverage."""
    found = [_coverage(name, metric, datasets) for name in mean_ranks("nll")]
    return f"{number(min(found))} to {number(max(found))}"


def advice(situation: str) -> str:
    """Return the advice for one situation of a user."""
    if situation == "split":
        part = _category("real")
        stars = Counter(row["method"] for row in rows("nll", category="real", significant="True"))
        wins = ", ".join(f"{label(name)} on {count}" for name, count in stars.items())
        tables = _by_category()[part]
        return (
            f"Lowest mean ranks in NLL on the {len(tables)} real tables: {_lowest(part)}. "
            f"Significantly better than every other method there: {wins or 'none'}. The nominal "
            f"95 % intervals cover {_covered('coverage_95', tables)} of the test rows."
        )
    if situation == "outside":
        return (
            f"Lowest mean ranks in NLL outside the training range: {_lowest('Outside')}. The "
            f"nominal 95 % intervals cover {_covered('out_coverage_95')} of the targets there."
        )
    (cheap, least), *_, (dear, most) = _seconds().items()
    return (
        f"{label(cheap)} is the cheapest ({number(least)} CPU seconds for a run with its tuning), "
        f"{label(dear)} the most expensive ({number(most / least)} times as much)."
    )


# --- coverage -------------------------------------------------------------------------------------


def _coverage(method: str, metric: str, datasets: Iterable[str] | None = None) -> float:
    """Return the median over datasets of a coverage (each the median over seeds)."""
    found = rows("calibration", metric=metric, method=method)
    wanted = None if datasets is None else set(datasets)
    values = [
        float(row["median"])
        for row in found
        if row["median"] and (wanted is None or row["dataset"] in wanted)
    ]
    return median(values)


def _by_category() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in rows("nll"):
        names = found.setdefault(_category(row["category"]), [])
        if row["dataset"] not in names:
            names.append(row["dataset"])
    return found


def coverage() -> str:
    """Return the coverage of the nominal 95 % interval by category of data."""
    parts = _by_category()
    body = [
        (label(m), [_coverage(m, "coverage_95", names) for names in parts.values()])
        for m in mean_ranks("nll")
    ]
    head = ["method", *(f"{part} ({len(names)})" for part, names in parts.items())]
    return grid(head, body)


def in_and_out() -> str:
    """Return the coverage of nominal 95 % intervals inside and outside the training range."""
    real = _covered("coverage_95", _by_category()[_category("real")])
    return (
        "Inside the training range the nominal 95 % interval covers "
        f"{_covered('in_coverage_95')} of the targets, depending on the method; on the real "
        f"tables, whose test rows are a random part of the same table, {real}. Outside the range "
        f"it covers {_covered('out_coverage_95')}. All are medians over datasets of medians over "
        "seeds."
    )


def too_narrow() -> str:
    """Return on how many datasets the coverage is below its nominal level, by method."""
    lines = [
        line("method", "datasets", "interval below 95 %", "interval contains 95 %",
             "interval above 95 %"),
        line("---", *["---:"] * 4),
    ]  # fmt: skip
    for name in mean_ranks("nll"):
        found = rows("coverage", method=name)
        below = sum(float(row["high"]) < NOMINAL for row in found)
        above = sum(float(row["low"]) > NOMINAL for row in found)
        lines.append(line(label(name), len(found), below, len(found) - below - above, above))
    return "\n".join(lines)


def recalibration(part: str) -> str:
    """Return the table or the figure of recalibration, if it was made."""
    show = {"table": table, "figure": figure}[part]
    if _made(f"{part}s", "recalibration"):
        return show("recalibration")
    return f"`snakemake {part}_recalibration` makes this {part}, which these results are without."


# --- claims ---------------------------------------------------------------------------------------


def verdicts() -> str:
    """Return the claims of the paper with both verdicts, and how often each occurs."""
    found = read("claims.json")["claims"]
    words = {"holds": "hold", "in part": "hold in part"}
    counts = {}
    for rule in ("paper", "ours"):
        kinds = Counter(claim[rule]["kind"] for claim in found).most_common()
        counts[rule] = ", ".join(f"{count} {words.get(kind, kind)}" for kind, count in kinds)
    lines = [line("", "claim", "by the paper's rule", "by our tests"), line("---:", *["---"] * 3)]
    lines += [
        line(c["number"], c["claim"], c["paper"]["verdict"], c["ours"]["verdict"]) for c in found
    ]
    summary = (
        f"{len(found)} claims of the paper are judged. By the paper's own rule (methods tie where "
        f"their intervals overlap): {counts['paper']}. By our tests: {counts['ours']}."
    )
    return "\n".join([summary, "", *lines])


# --- why random activations work ----------------------------------------------------------------


def _made(kind: str, name: str) -> bool:
    """Whether a table or figure of an experiment that is run by name is among the results."""
    return (REPORTS / kind / f"{name}.{'csv' if kind == 'tables' else 'svg'}").is_file()


NOT_RUN = "These results are without the experiments of this page: `snakemake {}` adds them."


def findings() -> str:
    """Return the statements about why it works with their verdicts, or that none was tested."""
    from rafs.reporting import readme

    if not _made("tables", "why"):
        return NOT_RUN.format("why")
    return "\n".join(f"- {said}" for said in readme.findings(rows("why")))


def why_table(name: str) -> str:
    """Return a table of the controls, if it was made."""
    return table(name) if _made("tables", name) else NOT_RUN.format("why")


def made_figure(name: str) -> str:
    """Return a figure of an experiment that is run by name, if it was made."""
    return figure(name) if _made("figures", name) else ""


def worse_than_anchored() -> str:
    """Name the datasets on which RAFs has a higher NLL than AE."""
    medians = {
        name: {row["dataset"]: float(row["median"]) for row in rows("nll", method=name)}
        for name in ("rafs", "ae")
    }
    both = [name for name in medians["rafs"] if name in medians["ae"]]
    worse = {name: medians["rafs"][name] - medians["ae"][name] for name in both}
    shown = [f"{_title(name)} (by {number(gap)})" for name, gap in worse.items() if gap > 0]
    return (
        f"RAFs has a higher median NLL than AE on {len(shown)} of {len(both)} datasets"
        f"{': ' if shown else ''}{', '.join(shown)}."
    )


def why_inside() -> str:
    """Say what RAFs gains over AE inside and outside the training range."""
    if not _made("tables", "single_activation"):
        return NOT_RUN.format("why")
    parts, found = [], {}
    for part in ("inside", "outside"):
        (row,) = rows("single_activation", rival="ae", part=part)
        found[part] = row
        low, high = (number(float(row[end])) if row[end] else "–" for end in ("low", "high"))
        gap = number(float(row["difference"]))
        parts.append(f"{gap} nats [{low}, {high}] {part} ({row['datasets']} datasets)")
    little = float(found["inside"]["high"] or "nan") > -MARGIN
    rest = (
        " Where test rows are like the training rows, different activations are not shown to help."
        if little
        else ""
    )
    return f"RAFs minus AE in NLL is {' and '.join(parts)} the training range.{rest}"


def _title(dataset: str) -> str:
    from rafs.reporting import labels

    return labels.dataset(dataset)


# --- the UCI tables -----------------------------------------------------------------------------


def uci_answer() -> str:
    """Return what the results on the UCI tables say, or that there are none."""
    from rafs.reporting import readme, uci

    found = {name: readme.read(ROOT, name) for name in uci.READ if _made("tables", name)}
    return "\n\n".join(uci.sentences(found)) or NOT_RUN.format("uci_all")


def uci_table(name: str) -> str:
    """Return a table of the UCI experiments, if it was made."""
    return table(name) if _made("tables", name) else NOT_RUN.format("uci_all")


PARTS = {
    part.__name__: part
    for part in (
        table, figure, downloads, report_page, answer, methods_table, one_metric,
        choice, few_datasets, beside_constant, advice, cost, coverage, in_and_out, too_narrow,
        recalibration, verdicts, findings, why_table, made_figure, worse_than_anchored, why_inside,
        uci_answer, uci_table,
    )
}  # fmt: skip
