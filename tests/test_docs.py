"""The documentation builds without a warning, its links lead somewhere, and its code runs."""

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from documented import BLOCK, ROOT, blocks, commands
from rafs import cli, datasets, methods
from rafs.completion import commands as subcommands
from small_project import Copy

MAKEFILE = (ROOT / "Makefile").read_text()
PAGES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("*.md"))


class Links(HTMLParser):
    """What a page links to, what it loads, and what can be linked to in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        self.anchors |= {str(found[key]) for key in ("id", "name") if key in found}
        if tag == "a" and "href" in found:
            self.links.append(str(found["href"]))
        elif tag in ("img", "script") and "src" in found:
            self.loaded.append(str(found["src"]))
        elif tag == "link" and found.get("rel") in ("stylesheet", "icon", "preload"):
            self.loaded.append(str(found["href"]))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Links]:
    """Build the site as CI does, and return its pages."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT, capture_output=True, text=True, timeout=600,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    pages = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.html")}
    for name, text in pages.items():
        assert "arithmatex" not in text, name
        assert "<!-- generated:" not in text, name
    assert pages["methods.html"].count("<math") > 20
    assert all(f'id="{name}"' in pages["datasets.html"] for name in datasets.names())
    assert all(f"rafs {name}" in pages["cli.html"] for name in subcommands(cli.parser()))
    found = {name: Links(text) for name, text in pages.items() if name != "404.html"}
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    for name, page in found.items():
        for link in (*page.links, *page.loaded):
            parts = urlsplit(link)
            if parts.scheme in ("http", "https", "mailto"):
                assert link not in page.loaded, f"{name} loads {link} from elsewhere"
                continue
            target = unquote(parts.path) or name
            assert os.path.normpath(target) in files, f"{name} links to {link}"
            if parts.fragment and target in found:
                known = found[target].anchors | {"__comments"}
                assert unquote(parts.fragment) in known, f"{name} links to {link}"
    shutil.rmtree(folder)
    return found


@pytest.mark.slow
def test_the_site_is_whole(site: dict[str, Links]) -> None:
    assert {f"{Path(page).stem}.html" for page in PAGES} == set(site)


@pytest.mark.parametrize("page", [*PAGES, "README.md", "CONTRIBUTING.md"])
def test_commands_that_are_shown_exist(page: str) -> None:
    """Whatever page shows `rafs ...` or `make ...` shows something that can be typed."""
    text = (ROOT / page).read_text(encoding="utf-8")
    inline = [code.split() for code in re.findall(r"`(rafs [a-z][^`]*)`", BLOCK.sub("", text))]
    known = subcommands(cli.parser())
    for words in [*commands(page), *inline]:
        if words[0] != "rafs":
            continue
        assert words[1] in known, f"{page}: {words}"
        if len(words) > 2:
            assert callable(cli.parser().parse_args(words[1:]).command)
    for target in re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE):
        assert re.search(rf"^{target}:.*## ", MAKEFILE, re.MULTILINE), target


@pytest.mark.parametrize("page", ["docs/index.md", "docs/tutorial.md"])
def test_the_code_of_a_page_runs(page: str, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = "\n".join(block.text for block in blocks(page) if block.language == "python")
    assert "assert" in code
    exec(compile(code, page, "exec"), {})


@pytest.mark.workflow
def test_the_commands_of_the_tutorial_run(project: Copy) -> None:
    for words in commands("docs/tutorial.md"):
        project.run(*words)
    assert (project.root / "reports/figures/training_points_1d.svg").is_file()


@pytest.mark.slow
def test_the_comparisons_run_as_written(tmp_path: Path) -> None:
    (tmp_path / "data/own").mkdir(parents=True)
    (made,) = (b.text for b in blocks("docs/own-data.md") if b.title == "make_table.py")
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run([sys.executable, "-c", made], cwd=tmp_path, check=True)
    (words,) = (words for words in commands("docs/own-data.md") if words[:2] == ["rafs", "compare"])
    done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=800)
    assert done.returncode == 0, done.stderr
    shown = done.stdout.splitlines()
    assert f"rafs: {len(methods.REGISTRY) * 6} of {len(methods.REGISTRY) * 6}: " in done.stderr
    assert len(shown) == 1 + 1 + len(methods.REGISTRY) + 1
    assert (tmp_path / "waves-comparison/comparison.png").is_file()
