"""The documentation builds without a warning, its links lead somewhere, and its code runs."""

import html
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml

from documented import BLOCK, ROOT, block, blocks, commands
from rafs import cli, datasets, methods
from rafs.cli.completion import commands as subcommands
from small_project import Copy

sys.path[:0] = [str(ROOT / "docs"), str(ROOT / "tests/reporting")]
import browser  # noqa: E402
import reported  # noqa: E402

MAKEFILE = (ROOT / "Makefile").read_text()
API = (ROOT / "docs/api.md").read_text()
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


def build(folder: Path, root: Path = ROOT) -> dict[str, str]:
    """Build the site as `make site` does, check every link in it, and return its pages."""
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=root, capture_output=True, text=True, timeout=3000,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    pages = {name: (folder / name).read_text(encoding="utf-8") for name in sorted(files)
             if name.endswith(".html") and name != "404.html"}  # fmt: skip
    found = {name: Links(text) for name, text in pages.items()}
    for name, page in found.items():
        for link in (*page.links, *page.loaded):
            parts = urlsplit(link)
            if parts.scheme == "data":
                continue
            if parts.scheme:
                assert link not in page.loaded, f"{name} loads {link} from elsewhere"
                continue
            path = unquote(parts.path)
            target = os.path.normpath(Path(name).parent / path) if path else name
            assert target in files, f"{name} links to {link}"
            if parts.fragment and target in found and not name.startswith("reports/"):
                known = found[target].anchors | {"__comments"}
                assert unquote(parts.fragment) in known, f"{name} links to {link}"
    return pages


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site of this working directory."""
    folder = tmp_path_factory.mktemp("site")
    build(folder)
    return folder


@pytest.mark.slow
def test_the_site_is_whole(site: Path) -> None:
    pages = {path.name: path.read_text(encoding="utf-8") for path in site.glob("*.html")}
    assert {f"{Path(page).stem}.html" for page in PAGES} == set(pages) - {"404.html"}
    for name, text in pages.items():
        assert "arithmatex" not in text, name
        assert "<!-- generated:" not in text, name
    assert pages["methods.html"].count("<math") > 20
    assert all(f'id="{name}"' in pages["datasets.html"] for name in datasets.names())
    assert all(f"rafs {name}" in pages["cli.html"] for name in subcommands(cli.parser()))


@pytest.mark.slow
def test_the_site_holds_the_results(site: Path) -> None:
    """Every table, figure and summary can be downloaded, as it is in reports/."""
    committed = [*ROOT.glob("reports/[!.]*.*"), *ROOT.glob("reports/tables/*.csv"),
                 *ROOT.glob("reports/figures/*.svg")]  # fmt: skip
    assert len(committed) > 30
    for path in committed:
        assert (site / path.relative_to(ROOT)).read_bytes() == path.read_bytes()
    text = html.unescape((site / "results.html").read_text(encoding="utf-8"))
    for claim in json.loads((ROOT / "reports/claims.json").read_text())["claims"]:
        assert claim["claim"] in text


@pytest.mark.slow
def test_a_report_page_is_published_and_linked(tmp_path: Path) -> None:
    """The workflow makes it; without one the results page says so (see below)."""
    for name in ("docs", "reports"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("src", "mkdocs.yml", "params.yaml", "CHANGELOG.md", "CONTRIBUTING.md"):
        (tmp_path / name).symlink_to(ROOT / name)
    page = '<!doctype html><a href="tables/nll.csv">NLL</a><img src="figures/overview.svg">'
    (tmp_path / "reports/index.html").write_text(page)
    pages = build(tmp_path / "site", tmp_path)
    assert pages["reports/index.html"] == page
    assert 'href="reports/index.html"' in pages["results.html"]


def test_a_missing_report_page_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reported, "ROOT", tmp_path)
    assert "without the interactive report page" in reported.report_page()
    assert "(reports/index.html)" not in reported.report_page()


@pytest.mark.slow
def test_search_works_in_pages_opened_as_files(site: Path) -> None:
    """Browsers refuse workers and requests to such pages; nothing may be loaded from elsewhere."""
    if reason := browser.missing():
        pytest.skip(reason)
    with browser.Browser() as window:
        window.window(1280, 1000)
        window.open(site / "index.html")
        window.type("input.md-search__input", "calibration error")
        found = window.wait(
            "return [...document.querySelectorAll('.md-search-result__item a')].map(a => a.href)"
            ".join(' ')"
        )
        assert "glossary.html" in found
        assert window.errors() == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_the_table_of_datasets_is_not_cut(site: Path, width: int) -> None:
    if reason := browser.missing():
        pytest.skip(reason)
    with browser.Browser() as window:
        window.window(width, 1000)
        window.open(site / "datasets.html")
        row, page = window.run(
            "return ['article table tr', 'article'].map("
            "name => document.querySelector(name).getBoundingClientRect().right)"
        )
        assert row <= page


def test_everything_on_the_page_of_the_python_interface_exists() -> None:
    """MkDocs leaves out a member that does not exist, without a word."""
    shown = re.findall(r"(?m)^::: (\S+)(?:\n +options:\n +members: \[(.*)\])?", API)
    assert len(shown) == API.count(":::")
    for path, members in shown:
        found = pkgutil.resolve_name(path)
        assert [name for name in members.split(", ") if name and not hasattr(found, name)] == []


def test_the_site_is_published_with_pinned_actions() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/pages.yml").read_text())
    assert workflow[True] == {"push": {"branches": ["main"]}, "workflow_dispatch": None}  # on:
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    used = [step["uses"] for step in steps if "uses" in step]
    assert all(re.fullmatch(r"actions/[a-z-]+@v\d+\.\d+\.\d+", name) for name in used), used
    assert any("deploy-pages" in name for name in used)
    assert [step["run"] for step in steps if "run" in step] == ["make site"]


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


@pytest.mark.parametrize("page", ["docs/index.md", "docs/tutorial.md", "docs/intervals.md"])
def test_the_code_of_a_page_runs(page: str, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = "\n".join(block.text for block in blocks(page) if block.language == "python")
    assert "assert" in code
    exec(compile(code, page, "exec"), {})


@pytest.mark.parametrize("unit", ["runs", "core-hours"])
def test_the_tutorial_and_the_readme_give_the_same_cost(unit: str) -> None:
    said = [
        re.search(rf"([\d.,]*\d) {unit}", (ROOT / page).read_text(encoding="utf-8"))
        for page in ("docs/tutorial.md", "README.md")
    ]
    assert said[0] is not None
    assert said[1] is not None
    assert said[0][1] == said[1][1]


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
    (tmp_path / "my_module.py").write_text(block("docs/own-data.md", "my_module.py"))
    lines = [words for words in commands("docs/own-data.md") if words[:2] == ["rafs", "compare"]]
    for words, count in zip(lines, (len(methods.plain()), 4), strict=True):
        done = subprocess.run(
            words, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=3000
        )
        assert done.returncode == 0, done.stderr
        shown = done.stdout.splitlines()
        jobs = count * 10  # one per method and split
        assert f"rafs: {jobs} of {jobs}: " in done.stderr
        assert len(shown) == 1 + 1 + count + 1 + 1  # the test, the picture
        assert (tmp_path / "waves-comparison/comparison.png").is_file()


def test_scoring_predictions_runs_as_written(tmp_path: Path) -> None:
    """And the lines that `rafs score` prints are those of the page."""
    page = "docs/score-predictions.md"
    (tmp_path / "data/own").mkdir(parents=True)
    (tmp_path / "theirs.py").write_text(block(page, "theirs.py"))
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    shown = [
        subprocess.run(
            words, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=3000, check=True
        ).stdout
        for words in commands(page)
    ]
    added = block(page, "params.yaml: methods")
    assert f"methods:\n  {added}" in shown[1]
    assert "he, 50 test rows" in shown[1]
    assert json.loads(shown[2])["params"] == [added.strip()]
    assert (tmp_path / "scores/scores.csv").is_file()
