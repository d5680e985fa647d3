"""Tables as files: CSV for machines, Markdown for readers, LaTeX for papers, JSON for the page."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rafs.errors import ParameterError
from rafs.files import read_json, write_text
from rafs.reporting.table import Cell, ReportTable, Row, ShownTable, StoredTable

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "−": r"$-$",
    "–": "--",
    "×": r"$\times$",
    "∞": r"$\infty$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    ">": r"$>$",
    "<": r"$<$",
    "½": r"$\frac{1}{2}$",
    "π": r"$\pi$",
    "²": r"$^2$",
    "→": r"$\to$",
    "†": r"\dag{}",
    "‡": r"\ddag{}",
    "š": r"\v{s}",
}
_POWER = re.compile(r"(\d(?:\.\d+)?)e(-?|−?)(\d+)\b")


def csv(table: ReportTable) -> str:
    """Return the tidy numbers at full precision."""
    return table.csv


def markdown(table: ShownTable) -> str:
    """Return a table that reads well as text and on a web page."""
    rows = [[_markdown(cell) for cell in row] for row in table.rows if row is not None]
    head = [_markdown(cell) for cell in table.head]
    widths = [max(3, *map(len, column)) for column in zip(head, *rows, strict=True)]
    dashes = map(_dashes, table.alignment, widths)
    lines = [_piped(head, widths), _piped(list(dashes), widths)]
    lines += [_piped(row, widths) for row in rows]
    notes = [f"- {note}" for note in table.notes]
    return "\n".join([table.caption, "", *lines, *([""] if notes else []), *notes, ""])


def latex(table: ShownTable) -> str:
    """Return a table with its caption and notes; needs `booktabs` and `threeparttable`."""
    lines = [r"\begin{table*}", r"\centering", r"\small", r"\begin{threeparttable}"]
    lines += [rf"\caption{{{_tex(table.caption)}}}", rf"\begin{{tabular}}{{{_columns(table)}}}"]
    lines += [r"\toprule", _aligned(table.head), r"\midrule"]
    lines += [r"\midrule" if row is None else _aligned(row) for row in table.rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    if table.notes:
        notes = [rf"\item {_tex(note)}" for note in table.notes]
        lines += [r"\begin{tablenotes}\footnotesize", *notes, r"\end{tablenotes}"]
    return "\n".join([*lines, r"\end{threeparttable}", r"\end{table*}", ""])


def as_json(table: ReportTable) -> str:
    """Return all that the page shows of a table; a bold cell is a list with one text."""
    rows = [None if row is None else [_stored(cell) for cell in row] for row in table.rows]
    content = {
        "caption": table.caption, "head": list(table.head), "rows": rows,
        "notes": list(table.notes), "align": table.align, "csv": table.csv,
    }  # fmt: skip
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def read(path: Path | str) -> StoredTable:
    """Return a table that was written as JSON."""
    return stored(read_json(path))


def stored(content: Mapping[str, Any]) -> StoredTable:
    """Return the table of what `as_json` says of one."""
    rows = [row and [_cell(written) for written in row] for row in content["rows"]]
    return StoredTable(**{**content, "rows": rows})


FORMATS: dict[str, Callable[[ReportTable], str]] = {
    "csv": csv,
    "md": markdown,
    "tex": latex,
    "json": as_json,
}


def write(table: ReportTable, path: Path | str) -> None:
    """Write a table to `path`, whose ending (csv, md, tex, json) says how."""
    form = Path(path).suffix.removeprefix(".")
    if form not in FORMATS:
        raise ParameterError(
            f"a table cannot be written as {form!r}; choose one of {', '.join(FORMATS)}"
        )
    write_text(path, FORMATS[form](table))


def _stored(cell: Cell | str) -> str | list[str]:
    if isinstance(cell, str):
        return cell
    return [cell.text] if cell.bold else cell.text


def _cell(written: str | list[str]) -> Cell:
    return Cell(written) if isinstance(written, str) else Cell(written[0], bold=True)


def _markdown(cell: Cell | str) -> str:
    text = cell if isinstance(cell, str) else cell.text
    text = text.replace("|", "\\|")
    return f"**{text}**" if isinstance(cell, Cell) and cell.bold and text else text


def _piped(cells: list[str], widths: list[int]) -> str:
    return f"| {' | '.join(c.ljust(w) for c, w in zip(cells, widths, strict=True))} |"


def _dashes(alignment: str, width: int) -> str:
    return "-" * (width - 1) + ":" if alignment == "c" else "-" * width


def _columns(table: ShownTable) -> str:
    width = 0.6 / max(1, table.alignment.count("p"))
    return table.alignment.replace("p", rf"p{{{width:.2f}\textwidth}}")


def _aligned(row: Row) -> str:
    cells = [cell if isinstance(cell, Cell) else Cell(cell) for cell in row]
    shown = [rf"\textbf{{{_tex(c.text)}}}" if c.bold and c.text else _tex(c.text) for c in cells]
    return " & ".join(shown) + r" \\"


def _tex(text: str) -> str:
    """Return text with LaTeX's own characters escaped and signs as mathematics."""
    pieces = []
    place = 0
    for power in _POWER.finditer(text):
        sign = "-" if power[2] else ""
        pieces += [_escaped(text[place : power.start()])]
        pieces += [rf"${power[1]}\times10^{{{sign}{power[3]}}}$"]
        place = power.end()
    return "".join([*pieces, _escaped(text[place:])])


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)
