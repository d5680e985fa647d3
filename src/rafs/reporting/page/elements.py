"""HTML elements: text becomes HTML only through `tag`, which escapes it."""

import html
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from rafs.reporting.numbers import NONE
from rafs.reporting.numbers import number as number_of_table
from rafs.reporting.table import Cell, ShownTable


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


VOID = {"br", "img", "input", "meta"}


def tag(name: str, *children: Any, **attributes: Any) -> Html:
    """Return an element; children are escaped unless they are elements, lists are joined.

    A trailing underscore of an attribute is dropped, others become hyphens; None and False leave it
    out, True leaves it bare.

    >>> tag("a", "<script>", href='"', class_="b", hidden=True, title=None)
    '<a href="&quot;" class="b" hidden>&lt;script&gt;</a>'
    """
    parts = [name]
    for key, value in attributes.items():
        key = key.rstrip("_").replace("_", "-")
        if value is True:
            parts.append(key)
        elif value is not None and value is not False:
            parts.append(f'{key}="{html.escape(str(value))}"')
    opening = f"<{' '.join(parts)}>"
    return Html(opening if name in VOID else f"{opening}{join(children)}</{name}>")


def join(children: Iterable[Any]) -> Html:
    """Return children one after another; None is nothing."""
    parts = []
    for child in children:
        if isinstance(child, Html):
            parts.append(str(child))
        elif isinstance(child, list | tuple):
            parts.append(join(child))
        elif child is not None:
            parts.append(html.escape(str(child)))
    return Html("".join(parts))


def number(value: float) -> str:
    """Return a number with three significant digits, by the rule of all tables."""
    return number_of_table(value, decimals=None)


def shown(figures: Sequence[Html], tables: Sequence[str] = ()) -> list[Html]:
    """Return the figures of a section, and links to its tables."""
    parts = [tag("div", list(figures), class_="gallery")] if figures else []
    links = [tag("a", name.replace("_", " "), href=f"#table-{name}") for name in tables]
    return parts + ([tag("p", "Tables: ", [[link, " "] for link in links])] if links else [])


def scroll(table: Html, label: str) -> Html:
    """Return a table that scrolls if the screen is too narrow for it."""
    return tag("div", table, class_="scroll", tabindex="0", role="region", aria_label=label)


def facts(known: Mapping[str, Any]) -> Html:
    """Return names and values side by side; names without a value are left out."""
    pairs = [
        tag("div", tag("dt", name), tag("dd", value)) for name, value in known.items() if value
    ]
    return tag("dl", pairs, class_="facts")


def heading(text: Any, **attributes: Any) -> Html:
    """Return a column heading that sorts its table when clicked."""
    return tag(
        "th", tag("button", text, type="button"), scope="col", aria_sort="none", **attributes
    )


def cell(value: Any, name: str = "td", **attributes: Any) -> Html:
    """Return a cell of any value; numbers are right-aligned and contain their value for sorting."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        missing = value is None or value is pd.NA
        return tag(name, NONE if missing else value, **attributes)
    shown = str(value) if isinstance(value, int) else number(float(value))
    exact = None if isinstance(value, float) and math.isnan(value) else repr(float(value))
    attributes["class_"] = f"number {attributes.get('class_', '')}".strip()
    return tag(name, shown, data_value=exact, **attributes)


def shown_table(table: ShownTable) -> Html:
    """Return a table of the report for readers; columns sort by the first number of a cell."""
    sides = table.alignment
    heads = [
        heading(name, class_=None if side == "l" else "number")
        for name, side in zip(table.head, sides, strict=True)
    ]
    body = []
    for row in table.rows:
        if row is None:
            continue
        first, *rest = (part if isinstance(part, Cell) else Cell(part) for part in row)
        cells = [_shown(part, side != "l") for part, side in zip(rest, sides[1:], strict=True)]
        name = tag("th", first.text, scope="row", data_value=leading(first.text, whole=True))
        body.append(tag("tr", name, cells))
    element = tag(
        "table",
        tag("caption", tag("span", table.caption)),
        tag("thead", tag("tr", heads)),
        tag("tbody", body),
        class_="sortable",
    )
    return scroll(element, table.caption)


def _shown(part: Cell, numeric: bool) -> Html:
    text = tag("strong", part.text) if part.bold else part.text
    if not numeric:
        return tag("td", text)
    return tag("td", text, class_="number", data_value=leading(part.text))


def leading(text: str, whole: bool = False) -> str | None:
    """Return the number at the beginning of a text (or with `whole` all of it), or None.

    >>> leading("−1.2e3 ± 4"), leading("> 100 [3.2]"), leading("diverged")
    ('-1200.0', '100.0', None)
    """
    match = re.fullmatch if whole else re.match
    found = match(r"[<>\s]*([-−+]?\d[\d,]*\.?\d*(?:e[-−]?\d+)?)", text)
    return repr(float(found[1].replace("−", "-").replace(",", ""))) if found else None


def frame_table(frame: pd.DataFrame, caption: str) -> Html:
    """Return a table of any data, sortable by each column."""
    columns = [str(column) for column in frame.columns]
    body = []
    for row in frame.itertuples(index=False, name=None):
        first, *rest = (value.item() if hasattr(value, "item") else value for value in row)
        body.append(tag("tr", cell(first, "th", scope="row"), [cell(value) for value in rest]))
    table = tag(
        "table",
        tag("caption", tag("span", caption)),
        tag("thead", tag("tr", [heading(column) for column in columns])),
        tag("tbody", body),
        class_="sortable",
    )
    return scroll(table, caption)
