"""The scores of every method on every dataset: the large table, and a section per dataset."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from rafs import datasets
from rafs.errors import RafsError
from rafs.evaluation import metrics, statistics
from rafs.reporting import labels, published
from rafs.reporting.page.elements import Html, facts, heading, number, scroll, tag
from rafs.reporting.page.plot import Row, dots
from rafs.reporting.style import look


@dataclass(frozen=True)
class Score:
    """One cell: our score and the paper's."""

    summary: statistics.Summary
    published: float = math.nan
    half_width: float = math.nan
    censored: bool = False
    best: bool = False
    alone: bool = False
    loss: float = math.nan  # the best has the lowest

    @property
    def paper(self) -> str:
        """The printed value, or nothing."""
        if math.isnan(self.published):
            return ""
        return published.printed(math.inf if self.censored else self.published)

    @property
    def words(self) -> list[str]:
        """A description of the cell for its dialog."""
        s = self.summary
        lines = [
            f"median {number(s.median)}, 95 % interval {number(s.low)} to {number(s.high)}",
            f"mean of the runs with a score {number(s.mean)}",
            f"{s.scored} scored, {s.diverged} diverged, {s.missing} missing",
        ]
        if self.paper:
            lines.append(f"published: {self.paper} ± {number(self.half_width)}")
        return lines


Scores = dict[tuple[str, str], Score]


def scores(rows: pd.DataFrame, metric: str, rivals: Sequence[str]) -> Scores:
    """Return the cells of one metric, by dataset and method; the best is the best of `rivals`."""
    rivals = [name for name in rivals if name not in labels.REFERENCES]
    winners = statistics.winners(rows[rows["method"].isin(rivals)], metric)
    best = dict(zip(winners["dataset"], winners["method"], strict=True))
    alone = set(winners.loc[winners["alone"], "dataset"])
    losses = statistics.medians(rows, metric).to_dict()
    found: Scores = {}
    for cell in statistics.cells(rows, metric).to_dict("records"):
        dataset, method = str(cell.pop("dataset")), str(cell.pop("method"))
        found[dataset, method] = Score(
            statistics.Summary(**{str(key): value for key, value in cell.items()}),
            *_published(metric, dataset, method),
            best=best.get(dataset) == method,
            alone=best.get(dataset) == method and dataset in alone,
            loss=float(losses.get(method, {}).get(dataset, math.nan)),
        )
    return found


def _published(metric: str, dataset: str, method: str) -> tuple[float, float, bool]:
    if printed := metrics.BY_NAME[metric].published:
        table = published.scores(printed)
        row = table[(table["dataset"] == dataset) & (table["method"] == method)]
        if len(row):
            one = row.iloc[0]
            return float(one["value"]), float(one["half_width"]), bool(one["censored"])
    return math.nan, math.nan, False


def table(metric: str, found: Scores, rows: pd.DataFrame, rivals: Sequence[str]) -> Html:
    """Return the table of one metric: a row per dataset, a column per method, and mean ranks.

    The browser recomputes mean ranks and bold type for the methods and datasets that are shown.
    """
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
                data_dataset=dataset,
            )
        )
    columns = [heading("Dataset"), heading("Category", class_="kind")]
    columns += [
        heading(
            labels.method(name),
            data_method=name,
            data_rival=name in rivals,
            data_reference=name in labels.REFERENCES,
        )
        for name in methods
    ]
    ranks = [tag("td", "–", class_="number", data_method=name) for name in methods]
    foot = tag("tr", tag("th", "Mean rank", scope="row"), tag("td", class_="kind"), ranks)
    entry = metrics.BY_NAME[metric]
    caption = f"{entry.axis[:1].upper()}{entry.axis[1:]}; {entry.goal}. {entry.rewards}".strip()
    element = tag(
        "table",
        tag("caption", tag("span", caption)),
        tag("thead", tag("tr", columns)),
        tag("tbody", body),
        tag("tfoot", foot),
        class_="sortable",
        data_metric=metric,
        data_label=labels.metric(metric),
    )
    return scroll(element, caption)


def _cell(score: Score | None, method: str, **place: str) -> Html:
    """Return a cell that opens its details when clicked; `place` completes its identity."""
    if score is None:
        return tag("td", "–", data_method=method, class_="number")
    s = score.summary
    value = _exact(s.median)
    loss = _exact(score.loss)
    lost = s.diverged + s.missing
    interval = "" if math.isnan(s.low) else f" [{number(s.low)}, {number(s.high)}]"
    kinds = ["number", *(["best"] if score.best else []), *(["alone"] if score.alone else [])]
    return tag(
        "td",
        tag("button", tag("b", number(s.median)), type="button", class_="cell"),
        tag("span", interval, class_="interval") if interval else None,
        tag("span", f"{lost} lost", class_="lost") if lost else None,
        tag("span", "paper ", score.paper, class_="published") if score.paper else None,
        class_=" ".join(kinds),
        data_value=value,
        data_loss=loss if loss != value else None,
        data_alone=score.alone,
        data_method=method,
        **{f"data_{key}": name for key, name in place.items()},
    )


def _exact(value: float) -> str | None:
    """Return a number in the notation of JavaScript; nothing if there is none."""
    return None if math.isnan(value) else "Infinity" if math.isinf(value) else repr(value)


def _category(rows: pd.DataFrame, dataset: str) -> str:
    if "category" not in rows:
        return ""
    return labels.category(str(rows.loc[rows["dataset"] == dataset, "category"].iloc[0]))


def explorer(rows: pd.DataFrame, cells: dict[str, Scores], shown: Sequence[str]) -> Html:
    """Return the tables of all metrics with one filter bar; `shown` methods are selected."""
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
    methods = [
        _box("method", name, labels.method(name), name in shown)
        for name in labels.in_order(rows["method"])
    ]
    picked = [
        _box("picked", name, labels.dataset(name), True)
        for name in labels.in_order(rows["dataset"])
    ]
    return tag(
        "div",
        bar,
        tag("fieldset", tag("legend", "Methods"), methods, class_="bar"),
        tag(
            "details",
            tag("summary", "Choose datasets one by one"),
            tag("fieldset", tag("legend", "Datasets"), picked, class_="bar"),
            class_="choice",
        ),
        tag("p", class_="count", role="status"),
        [table(metric, found, rows, shown) for metric, found in cells.items()],
        class_="explorer",
    )


def _box(kind: str, value: str, label: str, checked: bool) -> Html:
    """Return a checkbox with its label."""
    box = tag("input", type="checkbox", value=value, checked=checked, class_=kind)
    return tag("label", box, " ", label)


def section(
    dataset: str,
    rows: pd.DataFrame,
    cells: dict[str, Scores],
    record: Mapping[str, Any] | None = None,
) -> Html:
    """Return the collapsed details of one dataset; `record` describes its file."""
    here = rows[rows["dataset"] == dataset]
    methods = labels.in_order(here["method"])
    known = [m for m in cells if any((dataset, name) in cells[m] for name in methods)]
    parts: list[Any] = [_facts(dataset, record)]
    if known and any(
        (score := cells[known[0]].get((dataset, name))) and score.summary.scored for name in methods
    ):
        parts.append(tag("div", _plot(dataset, methods, cells[known[0]], known[0])))
        parts.append(_table(dataset, methods, known, cells))
    else:
        messages = list(here["message"].dropna()) if "message" in here else []
        reason = f": {messages[0]}" if messages else ""
        parts.append(tag("p", f"There are no scores on this dataset{reason}."))
    category = _category(rows, dataset)
    return tag(
        "details",
        tag("summary", tag("h3", labels.dataset(dataset)), " ", tag("span", category)),
        tag("div", parts, class_="dataset"),
        id=f"dataset-{dataset}",
    )


def _facts(dataset: str, record: Mapping[str, Any] | None) -> Html:
    """Return sizes, ranges, source and licence from the catalogue, or those of a user dataset."""
    try:
        spec = datasets.spec(dataset)
    except RafsError:
        return _own_facts(dataset, record or {})
    found: dict[str, Any] = {
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
        found["DOI"] = tag("a", spec.doi, href=f"https://doi.org/{spec.doi}")
    return facts(found)


def _own_facts(dataset: str, record: Mapping[str, Any]) -> Html:
    if "rows" not in record:
        return tag("p", f"The catalogue does not know {dataset}.")
    noise = record["noise"]
    return facts(
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


def _plot(dataset: str, methods: Sequence[str], found: Scores, metric: str) -> Html:
    rows = [
        Row(
            labels.method(name),
            look(name).colour,
            score.summary.median,
            score.summary.low,
            score.summary.high,
            score.published,
            score.censored,
        )
        for name in methods
        if (score := found.get((dataset, name)))
    ]
    title = f"{labels.metric(metric)} on {labels.dataset(dataset)}: median and 95 % interval"
    note = "Dots: median over seeds with its 95 % interval; diamonds: published, > if censored."
    return tag("figure", dots(rows, title), tag("figcaption", f"{title}. {note}"))


def _table(
    dataset: str, methods: Sequence[str], columns: Sequence[str], cells: dict[str, Scores]
) -> Html:
    """Return all scores on one dataset: a row per method, a column per metric."""
    body = [
        tag(
            "tr",
            tag("th", labels.method(name), scope="row"),
            [
                _cell(cells[metric].get((dataset, name)), name, metric=metric, dataset=dataset)
                for metric in columns
            ],
        )
        for name in methods
    ]
    caption = f"Scores on {labels.dataset(dataset)}: median and its 95 % interval over seeds"
    head = [heading("Method"), *(heading(labels.metric(metric)) for metric in columns)]
    return scroll(
        tag(
            "table",
            tag("caption", tag("span", caption)),
            tag("thead", tag("tr", head)),
            tag("tbody", body),
            class_="sortable",
        ),
        caption,
    )
