"""`dvc plots show` draws its plots without a network."""

from html.parser import HTMLParser
from pathlib import Path

import browser
import pytest

from small_project import Copy

pytestmark = [pytest.mark.workflow, pytest.mark.slow]


class Loaded(HTMLParser):
    """What a page loads as it is read: nothing in a <template> is."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.inert = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.inert += tag == "template"
        for name, value in attributes:
            if name in ("src", "href") and not self.inert:
                self.found.append(str(value))

    def handle_endtag(self, tag: str) -> None:
        self.inert -= tag == "template"


@pytest.fixture(scope="module")
def page(reproduced: Copy, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plots")
    reproduced.run("dvc", "plots", "show", "--out", str(folder))
    return folder / "index.html"


def test_nothing_is_loaded_from_elsewhere(page: Path) -> None:
    found = Loaded(page.read_text()).found
    assert len(found) == 1
    assert found[0].endswith("overview.svg")
    assert (page.parent / found[0]).is_file()


def test_the_plots_are_drawn(page: Path) -> None:
    """A dot per method and dataset in each of two plots, named for who points at it."""
    if reason := browser.missing():
        pytest.skip(reason)
    with browser.Browser() as window:
        window.open(page)
        assert window.run("return document.querySelectorAll('svg circle').length") == 2 * 2 * 2
        titles = window.run("return [...document.querySelectorAll('h2')].map(h => h.textContent)")
        assert titles == ["NLL by dataset and method", "RMSE by dataset and method"]
        shown = window.run("return document.querySelector('circle title').textContent")
        assert shown.startswith("he, ")
        ends = window.run(
            "return [...document.querySelectorAll('circle')].map(c => Number(c.getAttribute('cx')))"
        )
        assert all(130 <= end <= 430 for end in ends), "inside the panel"
        loaded = window.run("return performance.getEntriesByType('resource').map(e => e.name)")
        assert all(name.startswith("file:") for name in loaded)
        assert window.errors() == []
