"""Whether a progress bar can be shown."""

from rich.console import Console


def is_live(console: Console) -> bool:
    """Return whether a progress bar can be shown: only on a terminal that is not dumb.

    Rich treats a pipe as a terminal if FORCE_COLOR is set.
    """
    return console.is_interactive and console.file.isatty()
