"""The scores of every method on every dataset: the large table, and a section per dataset."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from rafs import datasets, statistics
from rafs.errors import RafsError
from rafs.reporting import labels, published
from rafs.reporting.figures.style import look
from rafs.reporting.page.elements import Html, heading, number, scroll, tag
from rafs.reporting.page.plot import Row, dots

METRICS = {
    "nll_paper": "NLL in the paper's convention, without ½ ln 2π (nats per example); "
    "lower is better",
    "rmse": "RMSE (units of y); lower is better",
    "crps": "CRPS (units of y); lower is better",
    "coverage_95": "Share of test examples inside the 95 % interval; nearest to 0.95 is best",
    "calibration_error": "Calibration error: mean distance of quantiles from their level; "
    "lower is better",
}
TARGETS = {"coverage_95": 0.95}


@dataclass(frozen=True)
class Score:
    """One cell: ours and the paper's."""

    summary: statistics.Summary
    published: float = math.nan
    half_width: float = math.nan
    censored: bool = False
    best: bool = False

    @property
    def paper(self) -> str:
        """The printed value, or nothing."""
        if math.isnan(self.published):
            return ""
        return f"> {self.published:g}" if self.censored else number(self.published)

    @property
    def words(self) -> str:
        """All that is known of the cell, for those who point at it."""
        s = self.summary
        lines = [
            f"mean {number(s.mean)}, 95 % interval {number(s.low)} to {number(s.high)}",
            f"median {number(s.median)}, interquartile mean {number(s.iqm)}",
            f"{s.scored} scored, {s.diverged} diverged, {s.missing} missing",
        ]
        if self.paper:
            lines.append(f"published: {self.paper} ± {number(self.half_width)}")
        return "\n".join(lines)


Scores = dict[tuple[str, str], Score]


def scores(rows: pd.DataFrame, metric: str, rivals: Sequence[str]) -> Scores:
    """Return the cells of one metric, by dataset and method; the best is the best of `rivals`."""
    if metric in TARGETS:  # the nearest is the best
        rows = rows.assign(distance=(rows[metric] - TARGETS[metric]).abs())
    compared = rows[rows["method"].isin(list(rivals))]
    best = statistics.leaders(compared, "distance" if metric in TARGETS else metric)
    found: Scores = {}
    for cell in statistics.cells(rows, metric).to_dict("records"):
        dataset, method = str(cell.pop("dataset")), str(cell.pop("method"))
        found[dataset, method] = Score(
            statistics.Summary(**{str(key): value for key, value in cell.items()}),
            *_published(metric, dataset, method),
            best=method in best.get(dataset, ()),
        )
    return found


def _published(metric: str, dataset: str, method: str) -> tuple[float, float, bool]:
    names = {ours: theirs for theirs, ours in published.METRICS.items()}
    if metric in names:
        table = published.scores(names[metric])
        row = table[(table["dataset"] == dataset) & (table["method"] == method)]
        if len(row):
            one = row.iloc[0]
            return float(one["value"]), float(one["half_width"]), bool(one["censored"])
    return math.nan, math.nan, False


def table(metric: str, found: Scores, rows: pd.DataFrame) -> Html:
    """Return the table of one metric: a row per dataset, a column per method."""
    methods = labels.in_order(rows["method"])
    body = []
    for dataset in labels.in_order(rows["dataset"]):
        category = _category(rows, dataset)
        title = labels.dataset(dataset)
        name = tag("a", title, href=f"#dataset-{dataset}")
        cells = [_cell(found.get((dataset, method)), method) for method in methods]
        head = tag("th", name, scope="row")
        body.append(
            tag(
                "tr",
                head,
                tag("td", category, class_="kind"),
                cells,
                data_category=category,
                data_text=title,
            )
        )
    columns = [heading("Dataset"), heading("Category", class_="kind")]
    columns += [heading(labels.method(name), data_method=name) for name in methods]
    caption = METRICS.get(metric, labels.metric(metric))
    element = tag(
        "table",
        tag("caption", tag("span", caption)),
        tag("thead", tag("tr", columns)),
        tag("tbody", body),
        class_="sortable",
        data_metric=metric,
        data_label=labels.metric(metric),
    )
    return scroll(element, caption)


def _cell(score: Score | None, method: str) -> Html:
    if score is None:
        return tag("td", "–", data_method=method, class_="number")
    s = score.summary
    value = None if math.isnan(s.mean) else repr(s.mean)
    lost = s.diverged + s.missing
    interval = "" if math.isnan(s.half_width) else f" ± {number(s.half_width)}"
    return tag(
        "td",
        tag("strong" if score.best else "span", number(s.mean)),
        tag("span", interval, class_="interval") if interval else None,
        tag("span", f"{lost} lost", class_="lost") if lost else None,
        tag("span", "paper ", score.paper, class_="published") if score.paper else None,
        class_="number",
        data_value=value,
        data_method=method,
        title=score.words,
    )


def _category(rows: pd.DataFrame, dataset: str) -> str:
    if "category" not in rows:
        return ""
    return labels.category(str(rows.loc[rows["dataset"] == dataset, "category"].iloc[0]))


def explorer(rows: pd.DataFrame, cells: dict[str, Scores], shown: Sequence[str]) -> Html:
    """Return the tables of all metrics under one bar of filters; `shown` methods are ticked."""
    categories = dict.fromkeys(_category(rows, name) for name in labels.in_order(rows["dataset"]))
    bar = tag(
        "div",
        tag(
            "label",
            "Score ",
            tag(
                "select", [tag("option", labels.metric(m), value=m) for m in cells], class_="metric"
            ),
        ),
        tag("label", "Dataset ", tag("input", type="search", class_="text", placeholder="filter")),
        tag(
            "label",
            "Category ",
            tag(
                "select",
                tag("option", "all", value=""),
                [tag("option", name, value=name) for name in categories],
                class_="category",
            ),
        ),
        tag(
            "label",
            tag("input", type="checkbox", class_="beside", checked=True),
            " published values",
        ),
        class_="bar",
    )
    boxes = tag(
        "fieldset",
        tag("legend", "Methods"),
        [
            tag(
                "label",
                tag("input", type="checkbox", value=name, checked=name in shown, class_="method"),
                " ",
                labels.method(name),
            )
            for name in labels.in_order(rows["method"])
        ],
        class_="bar",
    )
    return tag(
        "div",
        bar,
        boxes,
        tag("p", class_="count", role="status"),
        [table(metric, found, rows) for metric, found in cells.items()],
        class_="explorer",
    )


def section(
    dataset: str,
    rows: pd.DataFrame,
    cells: dict[str, Scores],
    record: Mapping[str, Any] | None = None,
) -> Html:
    """Return what there is to know of one dataset, folded; `record` is what its file is like."""
    here = rows[rows["dataset"] == dataset]
    methods = labels.in_order(here["method"])
    metrics = [m for m in cells if any((dataset, name) in cells[m] for name in methods)]
    parts: list[Any] = [_facts(dataset, record)]
    if metrics and any(
        (score := cells[metrics[0]].get((dataset, name))) and score.summary.scored
        for name in methods
    ):
        parts.append(tag("div", _plot(dataset, methods, cells[metrics[0]], metrics[0])))
        parts.append(_table(dataset, methods, metrics, cells))
    else:
        messages = list(here["message"].dropna()) if "message" in here else []
        reason = f": {messages[0]}" if messages else ""
        parts.append(tag("p", f"There are no scores on this dataset{reason}."))
    category = _category(rows, dataset)
    return tag(
        "details",
        tag("summary", tag("strong", labels.dataset(dataset)), " ", tag("span", category)),
        tag("div", parts, class_="dataset"),
        id=f"dataset-{dataset}",
    )


def _facts(dataset: str, record: Mapping[str, Any] | None) -> Html:
    """Return sizes, ranges, source and licence from the catalogue, or what a table is like."""
    try:
        spec = datasets.spec(dataset)
    except RafsError:
        return _own_facts(dataset, record or {})
    facts: dict[str, Any] = {
        "Training rows": f"{spec.train:,}",
        "Test rows": f"{spec.test:,}",
        "Features": str(spec.dimension),
        "Target": f"{spec.target}{f' ({spec.target_unit})' if spec.target_unit else ''}",
        "Noise (sd)": "estimated" if spec.noise is None else f"{spec.noise:g}",
        "Source": spec.source,
        "Licence": spec.licence,
        "Citation": spec.citation,
    }
    if spec.doi:
        facts["DOI"] = tag("a", spec.doi, href=f"https://doi.org/{spec.doi}")
    return _list(facts)


def _own_facts(dataset: str, record: Mapping[str, Any]) -> Html:
    if "rows" not in record:
        return tag("p", f"The catalogue does not know {dataset}.")
    noise = record["noise"]
    return _list(
        {
            "Training rows": f"{record['train']:,}",
            "Test rows": f"{record['test']:,}",
            "Features": ", ".join(record["features"]),
            "Target": record["target"],
            "Noise (sd)": "estimated" if noise is None else f"{noise:g}",
            "Source": record["source"],
            "SHA-256": record["sha256"],
        }
    )


def _list(facts: Mapping[str, Any]) -> Html:
    return tag(
        "dl",
        [tag("div", tag("dt", k), tag("dd", v)) for k, v in facts.items() if v],
        class_="facts",
    )


def _plot(dataset: str, methods: Sequence[str], found: Scores, metric: str) -> Html:
    rows = [
        Row(
            labels.method(name),
            look(name).colour,
            score.summary.mean,
            score.summary.low,
            score.summary.high,
            score.published,
            score.censored,
        )
        for name in methods
        if (score := found.get((dataset, name)))
    ]
    title = f"{labels.metric(metric)} on {labels.dataset(dataset)}: mean and 95 % interval"
    note = "Dots: mean over seeds with its 95 % interval; open diamonds: published, > if censored."
    return tag("figure", dots(rows, title), tag("figcaption", f"{title}. {note}"))


def _table(
    dataset: str, methods: Sequence[str], metrics: Sequence[str], cells: dict[str, Scores]
) -> Html:
    """Return all scores on one dataset: a row per method, a column per metric."""
    body = [
        tag(
            "tr",
            tag("th", labels.method(name), scope="row"),
            [_cell(cells[metric].get((dataset, name)), name) for metric in metrics],
        )
        for name in methods
    ]
    caption = f"Scores on {labels.dataset(dataset)}: mean ± half the 95 % interval over seeds"
    columns = [heading("Method"), *(heading(labels.metric(metric)) for metric in metrics)]
    return scroll(
        tag(
            "table",
            tag("caption", tag("span", caption)),
            tag("thead", tag("tr", columns)),
            tag("tbody", body),
            class_="sortable",
        ),
        caption,
    )
