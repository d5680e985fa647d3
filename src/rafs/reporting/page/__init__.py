"""The report page: all results in one HTML file that needs only a browser.

Everything is in the file, and a content security policy keeps the browser from fetching or running
anything else; scripts and styles are allowed by their hash. The same results give the same bytes.
The template has no loops, which are in Python, so `string.Template` serves as well as Jinja2.
"""

import base64
import hashlib
import html
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from string import Template
from typing import Any, TypeVar
from urllib.parse import quote

import pandas as pd

from rafs.evaluation import metrics
from rafs.reporting import labels
from rafs.reporting.catalogue import declaration
from rafs.reporting.inputs import KEYS, Inputs
from rafs.reporting.page import answer, details, intervals, scores, uci, why
from rafs.reporting.page.elements import Html, facts, frame_table, join, shown, shown_table, tag
from rafs.reporting.table import StoredTable

Part = TypeVar("Part")

CITATION = """@inproceedings{stoyanova2023toward,
  title     = {Toward Robust Uncertainty Estimation with Random Activation Functions},
  author    = {Stoyanova, Yana and Ghandi, Soroush and Tavakol, Maryam},
  booktitle = {Proceedings of the AAAI Conference on Artificial Intelligence},
  volume    = {37},
  number    = {12},
  pages     = {15152--15160},
  year      = {2023},
  doi       = {10.1609/aaai.v37i12.26768}
}"""

SECTIONS = {
    "answer": ("Answer", "The answer"),
    "claims": ("Claims", "The paper's claims"),
    "why": ("Why", "What makes random activations work"),
    "uci": ("UCI", "UCI benchmark tables"),
    "intervals": ("Intervals", "Intervals that hold"),
    "scores": ("Scores", "Scores"),
    "figures": ("Figures", "Figures"),
    "tables": ("Tables", "All tables"),
    "datasets": ("Datasets", "Datasets"),
    "gaps": ("Missing", "Failures and missing data"),
    "reading": ("Reading", "How to read the numbers"),
    "made": ("Making", "How this was made"),
    "cite": ("Citing", "How to cite"),
}


def build(
    inputs: Inputs,
    *,
    experiments: Sequence[str] = ("main",),
    compared: Sequence[str] = ("main", "rafs_on"),
    figures: Mapping[str, bytes] | None = None,
    beside_answer: Sequence[str] = (),
    tables: Mapping[str, StoredTable] | None = None,
    claims: Sequence[Mapping[str, Any]] = (),
    params: str = "",
    versions: Mapping[str, str] | None = None,
    origin: Mapping[str, str] | None = None,
) -> str:
    """Return the page.

    `experiments` are all requested ones (their lost runs are listed), `compared` those whose
    methods are shown side by side in the table of scores; the first of them decides the headline.
    `figures` are SVG files by name in the order of the page, of which those `beside_answer` come
    first; like `tables`, the others are in the sections that they declare. `params` is the text of
    the parameter file, `origin` says who made the page, where and when.
    """
    rows = _rows(inputs, compared).drop_duplicates(["method", "dataset", "seed"])
    main = _rows(inputs, compared[:1])
    methods = labels.in_order(main["method"])
    explored = [metric.name for metric in metrics.shown(metrics.EXPLORER)]
    cells = {m: scores.scores(rows, m, methods) for m in explored if m in rows}
    drawn = {name: _figure(name, svg) for name, svg in (figures or {}).items()}
    beside = [drawn.pop(name) for name in beside_answer if name in drawn]
    placed = {key: list(_of(key, "figures", drawn).values()) for key in SECTIONS}
    tables = tables or {}
    recalibrated = _of("intervals", "tables", tables)
    folded = {name: _further(name, table) for name, table in tables.items()}
    content: dict[str, list[Any]] = {
        "answer": [*answer.headline(main), *answer.activations(rows), *beside],
        "claims": answer.claims(claims),
        "why": why.section(_of("why", "tables", tables), placed["why"]),
        "uci": uci.section(_of("uci", "tables", tables), placed["uci"]),
        "intervals": intervals.section(
            list(recalibrated.values()),
            placed["intervals"],
            [folded.pop(name) for name in recalibrated],
        ),
        "scores": [
            scores.explorer(rows, cells, methods),
            details.stored(inputs, rows, cells),
        ],
        "figures": shown(placed["figures"]),
        "tables": list(folded.values()),
        "datasets": [
            scores.section(name, rows, cells, inputs.record(name))
            for name in labels.in_order(rows["dataset"])
        ],
        "gaps": _gaps(
            _rows(inputs, experiments), [n for n in experiments if inputs.find(n) is None]
        ),
        "reading": _reading(),
        "made": _made(params, versions or {}, origin or {}),
        "cite": _cite(versions or {}),
    }
    parts = {key: [part for part in parts if part] for key, parts in content.items()}
    body = [
        tag("section", tag("h2", title), parts[key], id=key)
        for key, (_, title) in SECTIONS.items()
        if parts[key]
    ]
    links = [tag("a", short, href=f"#{key}") for key, (short, _) in SECTIONS.items() if parts[key]]
    return _page(join(links), join(body))


def _of(section: str, kind: str, named: Mapping[str, Part]) -> dict[str, Part]:
    """Return those of the tables or figures that declare a section of the page."""
    chosen = (name for name in named if declaration(kind, name).section == section)
    return {name: named[name] for name in chosen}


def _page(links: Html, body: Html) -> str:
    """Put the parts into the template, with the hashes of its own style and script."""
    folder = resources.files(__package__)
    style, script = ((folder / name).read_text("utf-8") for name in ("page.css", "page.js"))
    return Template((folder / "page.html").read_text("utf-8")).substitute(
        style=style,
        style_hash=_hash(style),
        script=script,
        script_hash=_hash(script),
        links=links,
        body=body,
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _rows(inputs: Inputs, experiments: Sequence[str]) -> pd.DataFrame:
    """Return the runs of all those experiments that were run."""
    frames = [frame for name in experiments if (frame := inputs.find(name)) is not None]
    if not frames:
        return pd.DataFrame(columns=list(KEYS))
    return pd.concat(frames, ignore_index=True)


def _figure(name: str, svg: bytes) -> Html:
    """Return a figure that opens in full size when clicked."""
    caption = _caption(svg)
    source = "data:image/svg+xml;base64," + base64.b64encode(svg).decode()
    image = tag("img", src=source, alt=caption, loading="lazy", decoding="async")
    title = declaration("figures", name).title
    button = tag("button", image, type="button", class_="enlarge", aria_label=f"Enlarge: {title}")
    return tag(
        "figure",
        tag("h3", title),
        button,
        tag("figcaption", caption),
        _download("SVG", name),
        id=f"figure-{name}",
    )


def _download(form: str, name: str, content: str | None = None) -> Html:
    """Return a link that saves a file; without `content` it saves the picture beside it."""
    source = content and f"data:text/csv;charset=utf-8,{quote(content)}"
    link = tag("a", f"Download {form}", href=source, download=f"{name}.{form.lower()}")
    return tag("p", link, class_="downloads")


def _caption(svg: bytes) -> str:
    """Return the caption that the file of a figure contains."""
    found = re.search(r"<dc:description>(.*?)</dc:description>", svg.decode(), re.DOTALL)
    return html.unescape(found[1]) if found else ""


def _further(name: str, table: StoredTable) -> Html:
    return tag(
        "details",
        tag("summary", tag("h3", declaration("tables", name).title)),
        shown_table(table),
        _download("CSV", name, table.csv),
        tag("ul", [tag("li", note) for note in table.notes], class_="notes")
        if table.notes
        else None,
        id=f"table-{name}",
    )


def _gaps(rows: pd.DataFrame, not_run: Sequence[str]) -> list[Html]:
    """Return a table of the runs that have no scores, and the experiments that were not run."""
    parts = [
        tag("p", f"Experiment {name} has not been run; nothing of it is on this page.")
        for name in not_run
    ]
    lost = rows[rows["status"] != "ok"]
    if lost.empty:
        words = f"All {len(rows):,} runs have scores." if len(rows) else "There are no runs."
        return [*parts, tag("p", words)]
    lost = lost.assign(message=lost["message"].fillna("") if "message" in lost else "")
    keys = ["status", "experiment", "dataset", "method", "message"]
    grouped = lost.groupby(keys, sort=False)["seed"].apply(
        lambda seeds: ", ".join(str(seed) for seed in sorted(seeds))
    )
    frame = grouped.reset_index().rename(columns={"seed": "seeds"})
    frame["dataset"] = [labels.dataset(name) for name in frame["dataset"]]
    frame["method"] = [labels.method(name) for name in frame["method"]]
    frame.columns = pd.Index([name.capitalize() for name in frame.columns])
    counts = lost["status"].value_counts(sort=False)
    words = ", ".join(f"{number:,} {status}" for status, number in counts.items())
    parts.append(tag("p", f"{len(lost):,} of {len(rows):,} runs have no scores: {words}."))
    return [*parts, frame_table(frame, "Runs without scores")]


def _reading() -> list[Html]:
    """Explain the numbers."""
    words = (
        "A cell is the median over seeds and, from six seeds on, its exact 95 % interval. Bold: "
        "the lowest median among the methods that are shown; a star: significantly better than "
        "every other method of the main experiment (exact signed-rank test over the same seeds, on "
        "real data Nadeau and Bengio's corrected t-test over the splits; 5 %, Holm's correction "
        "over all datasets). A press on a cell shows every seed, tuned values, settings, hashes, "
        "files and the command that makes them again.",
        "Mean ranks below the table of scores are over the datasets and methods that are shown, "
        "without references and without datasets on which one of these has no score. The address "
        "keeps the selection.",
        "Published values are those the paper prints, one run each; “>” means that it prints only "
        "“> 100”. Its intervals do not describe the spread of the scores, ours do.",
        "The table gives NLL in the paper's convention, without the constant ½ ln 2π; add 0.919 "
        "for the full value. Ranks and differences are the same in both.",
        "A diverged run is worse than any score where only order counts (medians, ranks, wins), "
        "and is left out of the mean; the number of lost runs stands in the cell.",
    )
    return [tag("p", sentence) for sentence in words]


def _made(params: str, versions: Mapping[str, str], origin: Mapping[str, str]) -> list[Html]:
    """Return the author of the page, versions and parameters."""
    parts = []
    if origin:
        known: dict[str, Any] = dict(origin)
        if address := origin.get("Repository"):
            known["Repository"] = tag("a", address, href=address)
        parts.append(facts(known))
    if versions:
        frame = pd.DataFrame({"What": list(versions), "Version": list(versions.values())})
        parts.append(frame_table(frame.sort_values("What"), "Versions"))
    if params:
        pre = tag("pre", params, tabindex="0")
        parts.append(tag("details", tag("summary", tag("h3", "params.yaml")), pre, id="params"))
    return parts


def _cite(versions: Mapping[str, str]) -> list[Html]:
    version = f" (version {versions['rafs']})" if "rafs" in versions else ""
    words = f"Cite the paper, and say that the numbers are those of the reproduction rafs{version}."
    return [tag("p", words), tag("pre", CITATION, tabindex="0")]
