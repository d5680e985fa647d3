"""The blocks of code in the documentation, for tests that run them as they are written."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]*)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One block: its language, its title and what is in it."""

    language: str
    title: str
    text: str


def blocks(page: str) -> list[Block]:
    """Return the blocks of a page, in order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [Block(*found) for found in BLOCK.findall(text)]


def block(page: str, title: str) -> str:
    """Return the text of the one block with this title."""
    (found,) = (block.text for block in blocks(page) if block.title == title)
    return found


def commands(page: str) -> list[list[str]]:
    """Return the words of every command line in the page's blocks of shell, without comments."""
    lines = (
        line.partition(" #")[0].strip()
        for block in blocks(page)
        if block.language == "sh"
        for line in block.text.splitlines()
    )
    return [line.split() for line in lines if line]
