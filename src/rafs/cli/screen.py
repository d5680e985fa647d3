"""Whether something that moves can be shown."""

from rich.console import Console


def is_live(console: Console) -> bool:
    """Say whether a bar can move there: on a terminal that is not dumb, and nowhere else.

    Rich takes a pipe for a terminal where FORCE_COLOR asks for colours.
    """
    return console.is_interactive and console.file.isatty()
