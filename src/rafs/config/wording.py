"""Words for error messages: the path of a key, a shortened value, the nearest known name."""

from collections.abc import Iterable

from rafs.errors import closest

LONGEST_SENTENCE = 600


def nearest(name: object, known: Iterable[str]) -> str:
    """Return a question that suggests the known name most similar to another name."""
    near = closest(name, known)
    return f"did you mean {near!r}?" if near else "there is nothing to choose from"


def dotted(path: Iterable[object]) -> str:
    """Return the path of a key as it is written: ``training.steps``; a blank key in quotes."""
    return ".".join(cut(str(part)) if str(part).strip() else repr(part) for part in path) or (
        "the file"
    )


def short(value: object) -> str:
    """Return a value as it is quoted in a sentence."""
    return cut(repr(value))


def cut(text: str, length: int = 60) -> str:
    """Return the text, or its beginning if it is too long."""
    return text if len(text) <= length else text[: length - 3] + "..."


def one_line(text: str) -> str:
    """Return the text as one printable line of limited length."""
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return cut(shown, LONGEST_SENTENCE)
