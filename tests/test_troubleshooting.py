"""The messages that the troubleshooting page quotes are those of the code."""

import ast

import pytest

from documented import ROOT, blocks

PAGE = "docs/troubleshooting.md"
QUOTED = [block.text.strip() for block in blocks(PAGE) if block.title == "message"]


@pytest.fixture(scope="module")
def said() -> list[str]:
    """Return every string in the sources, wherever they are, and the text of the Makefile."""
    found = [(ROOT / "Makefile").read_text(encoding="utf-8")]
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(node.value.replace("{}", "…"))
    return found


@pytest.mark.parametrize("message", QUOTED)
def test_a_quoted_message_is_in_the_code(message: str, said: list[str]) -> None:
    """`…` stands for what is filled in; every other part is searched for by itself."""
    parts = [part.strip() for part in message.split("…")]
    fragments = [part for part in parts if len(part) > 3]
    assert fragments
    for fragment in fragments:
        assert any(fragment in text for text in said), f"nothing says {fragment!r} any more"


def test_messages_are_quoted() -> None:
    assert len(QUOTED) > 15
