"""The page in a real browser: it renders, sorts and filters, and the console stays silent."""

import browser
import pytest
import test_page


@pytest.fixture(scope="module")
def window(tmp_path_factory):
    if reason := browser.missing():
        pytest.skip(reason)
    path = tmp_path_factory.mktemp("page") / "index.html"
    path.write_text(test_page.made(), encoding="utf-8")
    with browser.Browser() as found:
        found.path = path
        yield found


@pytest.fixture
def opened(window):
    """The page, fresh, in a wide window; whatever a test does, it must not upset the console."""
    window.window(1280, 900)
    window.open(window.path)
    yield window
    assert window.errors() == []


def column(window, heading, metric="nll_paper"):
    """Return the visible rows of a column of the explorer's table, as numbers or text."""
    return window.run(
        """
        const table = document.querySelector(`.explorer table[data-metric="${arguments[1]}"]`);
        const index = [...table.tHead.rows[0].cells].findIndex(
          (th) => th.textContent.trim() === arguments[0]);
        return [...table.tBodies[0].rows].filter((row) => row.checkVisibility()).map((row) =>
          row.cells[index].dataset.value ?? row.cells[index].textContent.trim());
        """,
        heading,
        metric,
    )


def press(window, heading):
    window.run(
        """
        const found = [...document.querySelectorAll(".explorer .scroll:not([hidden]) thead button")]
          .find((button) => button.textContent.trim() === arguments[0]);
        found.id = "pressed";
        """,
        heading,
    )
    window.click("#pressed")
    return window.run(
        "const th = document.getElementById('pressed').closest('th');"
        "document.getElementById('pressed').removeAttribute('id');"
        "return th.getAttribute('aria-sort');"
    )


def test_a_heading_sorts_up_and_down_with_gaps_last(opened):
    assert press(opened, "RAFs") == "ascending"
    *known, missing = column(opened, "RAFs")
    assert missing.startswith("–")  # boston, which has no scores
    assert [*map(float, known)] == sorted(map(float, known))
    assert press(opened, "RAFs") == "descending"
    *known, missing = column(opened, "RAFs")
    assert missing.startswith("–")
    assert [*map(float, known)] == sorted(map(float, known), reverse=True)
    assert press(opened, "Dataset") == "ascending"
    assert column(opened, "Dataset") == sorted(column(opened, "Dataset"))


def test_headings_work_from_the_keyboard(opened):
    opened.run("document.querySelector('.explorer thead th:nth-child(3) button').focus()")
    opened.keys("\ue007")  # Enter
    sort = opened.run(
        "return document.querySelector('.explorer thead th:nth-child(3)').getAttribute('aria-sort')"
    )
    assert sort == "ascending"


def test_filters_by_name_and_category(opened):
    assert len(column(opened, "Dataset")) == 6
    opened.type(".explorer input.text", "RR")
    assert column(opened, "Dataset") == ["Forrester et al. 1D"]
    assert opened.run("return document.querySelector('.count').textContent") == "1 of 6 datasets"
    for _ in "RR":
        opened.type(".explorer input.text", "\ue003")  # backspace
    opened.choose(".explorer select.category", "Many")
    assert column(opened, "Dataset") == ["Rastrigin 3D"]
    opened.choose(".explorer select.category", "\ue011")  # Home: all of them
    assert len(column(opened, "Dataset")) == 6


def test_methods_and_published_values_come_and_go(opened):
    shown = "return [...document.querySelectorAll('.explorer thead th')].filter("
    shown += "(th) => th.checkVisibility()).map((th) => th.textContent.trim())"
    methods = ["DE", "HDE", "AE", "NTKGP-param", "RP-param", "RAFs"]
    assert opened.run(shown) == ["Dataset", "Category", *methods]
    opened.click(".explorer input.method[value=de]")
    opened.click(".explorer input.method[value='rp+rafs']")
    assert opened.run(shown) == ["Dataset", "Category", *methods[1:], "RP-param + RAFs"]
    beside = "return [...document.querySelectorAll('.explorer .published')].some("
    beside += "(e) => e.checkVisibility())"
    assert opened.run(beside)
    opened.click(".explorer input.beside")
    assert not opened.run(beside)


def test_another_score_is_another_table(opened):
    opened.choose(".explorer select.metric", "RMSE")
    shown = "return [...document.querySelectorAll('.explorer table')].filter("
    shown += "(t) => t.checkVisibility()).map((t) => t.dataset.metric)"
    assert opened.run(shown) == ["rmse"]
    assert len(column(opened, "RAFs", "rmse")) == 6


def test_a_figure_opens_in_full_size_and_closes(opened):
    opened.click("#figure-critical_difference button.enlarge")
    assert opened.run("return document.getElementById('large').open")
    width = opened.run("return document.querySelector('#large img').getBoundingClientRect().width")
    small = opened.run(
        "return document.querySelector('#figure-critical_difference img').clientWidth"
    )
    assert width > 1.5 * small
    opened.keys("\ue00c")  # Escape
    assert not opened.run("return document.getElementById('large').open")


def test_a_link_unfolds_what_it_leads_to(opened):
    opened.click(".explorer tbody a[href='#dataset-rastrigin']")
    opened.wait("return document.getElementById('dataset-rastrigin').open")
    opened.open(opened.path, "#dataset-he")
    opened.wait("return document.getElementById('dataset-he').open")


def test_images_are_shown_and_nothing_is_fetched(opened):
    opened.run("document.querySelectorAll('img').forEach((image) => { image.loading = 'eager'; })")
    loaded = "return [...document.querySelectorAll('figure img')].every("
    loaded += "(image) => image.complete && image.naturalWidth > 100)"
    opened.wait(loaded)
    fetched = opened.run("return performance.getEntriesByType('resource').map((e) => e.name)")
    assert all(name.startswith("data:") for name in fetched)


@pytest.mark.parametrize("width", [320, 390, 768])
def test_nothing_sticks_out_of_a_small_screen(opened, width):
    opened.window(width, 800)
    opened.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert opened.run("return document.documentElement.scrollWidth") <= width
    wide = opened.run("return document.querySelector('.explorer .scroll').scrollWidth")
    assert wide > 320  # the table scrolls inside of its frame


def test_light_and_dark(opened):
    colour = "return getComputedStyle(document.body).backgroundColor"
    before = opened.run(colour)
    opened.click("#theme")
    assert opened.run(colour) != before
    opened.click("#theme")
    assert opened.run(colour) == before


def test_hostile_names_do_nothing(opened):
    assert opened.run("return document.querySelectorAll('script').length") == 1
    assert opened.run("return document.title") == "Random activation functions: the results"
