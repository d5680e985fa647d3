"""The section on why random activations work: findings with verdicts, and figures."""

from collections.abc import Mapping, Sequence

from rafs.reporting.page.answer import badge
from rafs.reporting.page.elements import Html, shown, tag
from rafs.reporting.sentences import decided
from rafs.reporting.table import StoredTable


def section(tables: Mapping[str, StoredTable], figures: Sequence[Html]) -> list[Html]:
    """Return the section; nothing if its experiments were not run."""
    judged = {name: table for name, table in tables.items() if "finding" in table.frame}
    content = []
    for table in judged.values():
        content.append(tag("p", "Statements of ours, judged over datasets as the claims are."))
        content.append(tag("ol", _findings(table), class_="claims"))
    return content + shown(figures, [name for name in tables if name not in judged])


def _findings(table: StoredTable) -> list[Html]:
    """Return each statement with its verdict and the reasons."""
    groups: dict[str, list[dict[str, str]]] = {}
    for row in table.texts:
        groups.setdefault(row["finding"], []).append(row)
    return [
        tag(
            "li",
            tag("p", rows[0]["statement"], class_="said"),
            badge(rows[0]["verdict"], rows[0]["kind"]),
            tag(
                "ul", [tag("li", part) for part in dict.fromkeys(map(decided, rows))], class_="rule"
            ),
            id=f"why-{name}",
        )
        for name, rows in groups.items()
    ]
