"""Draw the graph of the rules: `snakemake --rulegraph mermaid-js | python workflow/rulegraph.py`.

Writes SVG. All scoring rules are shown as `score`. Three things are left out: arrows implied by
others, the rule `all`, and the arrow from `train` to itself (runs that use the tuned values of
others).
"""

import re
import sys

WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN = 92, 34, 34, 18, 10
STYLE = (
    "rect{fill:#eef3f8;stroke:#35618f}"
    "text{font:14px sans-serif;fill:#1a1a1a;text-anchor:middle}"
    "path{fill:none;stroke:#555}marker path{fill:#555}"
)


def read(text: str) -> tuple[list[str], set[tuple[str, str]]]:
    """Return the rules and the arrows between them."""
    found = re.findall(r"(id\d+)\[(\w+)\]", text)
    names = {key: "score" if name.startswith("score_") else name for key, name in found}
    arrows = {(names[a], names[b]) for a, b in re.findall(r"(id\d+) --> (id\d+)", text)}
    rules = [name for name in dict.fromkeys(names.values()) if name != "all"]
    return rules, {(a, b) for a, b in arrows if "all" not in (a, b) and a != b}


def reduced(arrows: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the transitive reduction: without arrows that a longer path replaces."""

    def reaches(start: str, end: str, but: tuple[str, str]) -> bool:
        ways = [arrow for arrow in arrows if arrow[0] == start and arrow != but]
        return any(b == end or reaches(b, end, but) for _, b in ways)

    return {arrow for arrow in arrows if not reaches(*arrow, but=arrow)}


def columns(rules: list[str], arrows: set[tuple[str, str]]) -> dict[str, int]:
    """Return the depth of each rule: the longest path that leads to it."""

    def depth(rule: str) -> int:
        return max((depth(a) + 1 for a, b in arrows if b == rule), default=0)

    return {rule: depth(rule) for rule in rules}


def draw(rules: list[str], arrows: set[tuple[str, str]]) -> str:
    """Return the picture: columns from left to right, each centred."""
    column = columns(rules, arrows)
    stacks = [sorted(r for r in rules if column[r] == i) for i in range(max(column.values()) + 1)]
    tallest = max(map(len, stacks))
    place = {}
    for i, stack in enumerate(stacks):
        for j, rule in enumerate(stack):
            offset = (tallest - len(stack)) / 2 + j
            place[rule] = (MARGIN + i * (WIDTH + GAP_X), MARGIN + offset * (HEIGHT + GAP_Y))
    parts = []
    for a, b in sorted(arrows):
        x, y = place[a][0] + WIDTH, place[a][1] + HEIGHT / 2
        u, v = place[b][0] - 2, place[b][1] + HEIGHT / 2
        curve = f"M{x},{y}C{(x + u) / 2},{y} {(x + u) / 2},{v} {u},{v}"
        parts.append(f'<path marker-end="url(#tip)" d="{curve}"/>')
    for rule, (x, y) in place.items():
        parts.append(f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="6"/>')
        parts.append(f'<text x="{x + WIDTH / 2}" y="{y + HEIGHT / 2 + 5}">{rule}</text>')
    width = 2 * MARGIN + len(stacks) * (WIDTH + GAP_X) - GAP_X
    height = 2 * MARGIN + tallest * (HEIGHT + GAP_Y) - GAP_Y
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img"><title>The rules of the workflow</title>'
        f'<style>{STYLE}</style><defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" '
        'markerWidth="7" markerHeight="7" orient="auto"><path d="M0,0L8,4L0,8z"/></marker></defs>'
    )
    return "\n".join([head, *parts, "</svg>\n"])


if __name__ == "__main__":
    found, between = read(sys.stdin.read())
    sys.stdout.write(draw(found, reduced(between)))
