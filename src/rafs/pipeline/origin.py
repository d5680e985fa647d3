"""How a report was made: date, commit, machine and edited parameters.

None of this is part of a spec, so another commit or machine causes no reruns.
"""

import os
import platform
import re
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from rafs import __version__, paths

SOURCES = ("Snakefile", "workflow", "src", paths.PARAMS, paths.LOCK)


def origin() -> dict[str, str]:
    """Return how a report was made, in the order to show it."""
    found = {
        "Version": f"rafs {__version__}",
        "Commit": _commit(),
        "Repository": web_address(git("remote", "get-url", "origin")),
        "Date": f"{datetime.now(UTC):%Y-%m-%d} (UTC)",
        "Machine": machine(),
        "Edited parameters": _edited(),
    }
    return {key: value for key, value in found.items() if value}


def git(*words: str) -> str:
    """Return the output of git; nothing without git or a repository."""
    try:
        done = subprocess.run(["git", *words], check=False, capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _commit() -> str:
    commit = git("rev-parse", "HEAD")
    there = [name for name in SOURCES if Path(name).exists()]
    changed = commit and there and git("status", "--porcelain", "--", *there)
    return f"{commit}, with uncommitted changes" if changed else commit


def web_address(remote: str) -> str:
    """Return the address of a repository in a browser, without credentials; nothing if local.

    >>> web_address("git@example.org:some/one.git"), web_address("/home/me/one")
    ('https://example.org/some/one', '')
    >>> web_address("https://me:secret@example.org/some/one.git")
    'https://example.org/some/one'
    """
    pattern = r"(?:https?://|ssh://|git://)(?:[^@/]*@)?([\w.-]+)(?::\d+)?/(.+)"
    found = re.fullmatch(pattern, remote) or re.fullmatch(r"[\w.-]+@([\w.-]+):(.+)", remote)
    return f"https://{found[1]}/{found[2].removesuffix('.git').strip('/')}" if found else ""


def machine() -> str:
    """Return operating system, processor and Python."""
    info = Path("/proc/cpuinfo")
    text = info.read_text(encoding="utf-8", errors="replace") if info.exists() else ""
    model = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    processor = model[1] if model else platform.processor() or "unknown processor"
    system = f"{platform.system()} {platform.machine()}"
    return f"{system}, {processor}, {os.cpu_count()} cores, Python {platform.python_version()}"


def _edited() -> str:
    """Describe which parameters differ from those of the commit."""
    committed, here = git("show", f"HEAD:./{paths.PARAMS}"), Path(paths.PARAMS)
    if not (committed and here.exists()):
        return ""
    before, now = (yaml.safe_load(text) for text in (committed, here.read_text("utf-8")))
    return ", ".join(differences(before, now)) or "none"


def differences(before: Any, now: Any, name: str = "") -> Iterator[str]:
    """Yield each parameter that differs, as `key.key: old → new`.

    >>> list(differences({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}, "d": 4}))
    ['a.c: 2 → 3', 'd: unset → 4']
    """
    if isinstance(before, dict) and isinstance(now, dict):
        for key in {**before, **now}:
            inner = f"{name}.{key}" if name else str(key)
            yield from differences(before.get(key, "unset"), now.get(key, "unset"), inner)
    elif before != now:
        yield f"{name}: {before} → {now}"
