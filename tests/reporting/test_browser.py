"""The page in a real browser: it renders, sorts and filters, and the console stays silent."""

import time

import browser
import pytest
import test_page

import made_up
from rafs.evaluation import statistics
from rafs.reporting import labels


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


def shown_ranks(window):
    """Return the mean ranks below the visible table, by the heading of their column."""
    return window.run(
        """
        const table = [...document.querySelectorAll(".explorer table")].find(
          (found) => found.checkVisibility());
        return Object.fromEntries([...table.tFoot.rows[0].cells].slice(2)
          .filter((cell) => cell.checkVisibility())
          .map((cell) => [table.tHead.rows[0].cells[cell.cellIndex].textContent.trim(),
            Number(cell.textContent)]));
        """
    )


def bold(window, row="he"):
    """Return the methods whose score is bold in the visible row of a dataset."""
    return window.run(
        """
        const row = [...document.querySelectorAll(`.explorer tr[data-dataset=${arguments[0]}]`)]
          .find((found) => found.checkVisibility());
        return [...row.querySelectorAll("td.number")].filter((cell) => cell.checkVisibility()
          && Number(getComputedStyle(cell.querySelector("b")).fontWeight) >= 700)
          .map((cell) => cell.dataset.method);
        """,
        row,
    )


def expected_ranks(metric, methods, datasets):
    rows = test_page.frames()["main"]
    rows = rows[rows["method"].isin(methods) & rows["dataset"].isin(datasets)]
    found = statistics.ranking(rows, metric, list(methods)).mean_ranks
    return {labels.method(name): pytest.approx(rank, abs=0.006) for name, rank in found.items()}


def test_bold_and_ranks_follow_the_selection(opened):
    assert shown_ranks(opened) == expected_ranks("nll_paper", made_up.METHODS, test_page.DATASETS)
    assert bold(opened) == ["rafs"]
    opened.click(".explorer input.method[value=rafs]")
    opened.click(".explorer input.method[value=de]")
    opened.choose(".explorer select.metric", "RMSE")
    opened.click(".choice summary")
    opened.click(".explorer input.picked[value=abalone]")
    few = [name for name in made_up.METHODS if name not in ("de", "rafs")]
    rest = [name for name in test_page.DATASETS if name != "abalone"]
    assert shown_ranks(opened) == expected_ranks("rmse", few, rest)
    count = "return [...document.querySelectorAll('.explorer tfoot th')].find("
    count += "(th) => th.checkVisibility()).textContent"
    assert opened.run(count) == "Mean rank (4 datasets)"  # and none has scores on Boston
    (best,) = bold(opened)
    assert best in few


def test_the_address_and_the_browser_keep_what_was_chosen(opened):
    """Filter, sort and selection are in the address, the colours in the browser."""
    opened.click("#theme")
    colour = "return getComputedStyle(document.body).backgroundColor"
    dark = opened.run(colour)
    opened.choose(".explorer select.metric", "RMSE")
    opened.type(".explorer input.text", "e")
    opened.click(".explorer input.method[value=de]")
    opened.click(".choice summary")
    opened.click(".explorer input.picked[value=forrester]")
    assert press(opened, "HDE") == "ascending"
    assert press(opened, "HDE") == "descending"
    opened.click("nav a[href='#scores']")
    before = column(opened, "Dataset", "rmse"), shown_ranks(opened)
    assert len(before[0]) == 3  # He, Borehole and Abalone
    opened.wait("return location.hash.startsWith('#scores?')")
    address = opened.run("return location.hash")
    opened.run("location = 'about:blank'")
    opened.open(opened.path, address)
    assert (column(opened, "Dataset", "rmse"), shown_ranks(opened)) == before
    assert opened.run(colour) == dark
    opened.click("#theme")
    assert opened.run(colour) != dark


HEAD = """
const frame = document.querySelector(".explorer .scroll:not([hidden])");
frame.scrollTop = 150;
frame.scrollLeft = 100;
const box = frame.getBoundingClientRect();
const place = (selector) => {
  const found = frame.querySelector(selector).getBoundingClientRect();
  return [Math.round(found.left - box.left), Math.round(found.top - box.top)];
};
return { scrolled: [frame.scrollLeft, frame.scrollTop], corner: place("thead th"),
  name: place("tbody tr:last-child th"), head: place("thead th[data-method]") };
"""


@pytest.mark.parametrize("width", [390, 1280])
def test_heads_stay_in_sight(opened, width):
    opened.window(width, 420)
    for name in ("de+rafs", "rp+rafs", "de_nll"):
        opened.click(f".explorer input.method[value='{name}']")
    found = opened.run(HEAD)
    assert min(found["scrolled"]) >= 100
    assert found["corner"] == [1, 1]  # beside the border of the frame, both ways
    assert found["name"][0] == 1
    assert found["head"][1] == 1


def test_a_cell_opens_what_is_behind_it(opened):
    cell = ".explorer tr[data-dataset=he] td[data-method=de] button.cell"
    said = "return document.getElementById('behind').open"
    said += " && document.getElementById('behind').innerText"
    opened.run(f"document.querySelector('{cell}').focus()")
    opened.keys("\ue007")  # Enter
    text = opened.run(said)
    for part in (
        "DE on He et al. 1D: NLL",
        "published: > 100",
        "7 scored, 1 diverged",
        "Tuned: learning_rate",
        "results/runs/main/de/he/seed-{0,1,2,3,4,5,6,7}/predictions.npz",
        "snakemake --cores all results/runs/main/de/he/seed-",
        "learning_rate: (tuned)",
        "size: 5",
        "Predictions (SHA-256)",
        "0" + b"de".hex() + "b",
    ):
        assert part in text
    points = "return document.querySelectorAll('#behind svg circle').length"
    assert opened.run(points) == 7
    opened.keys("\ue00c")  # Escape
    assert not opened.run(said)
    opened.window(390, 800)
    opened.run(f"document.querySelector('{cell}').scrollIntoView({{block: 'center'}})")
    opened.touch(cell)
    assert "DE on He" in opened.run(said)
    opened.click("#behind form button")
    opened.run("document.getElementById('dataset-abalone').open = true")
    opened.click("#dataset-abalone td[data-metric=rmse][data-method=rafs] button.cell")
    assert "RAFs on Abalone: RMSE" in opened.run(said)


def test_paper_shows_all_columns_and_all_that_is_folded(opened):
    opened.click("#theme")  # dark
    opened.media("print")
    opened.window(1047, 720)  # A4 on its side, within its margins
    opened.run(
        "document.querySelectorAll('input.method:not(:checked)').forEach((box) => box.click())"
    )
    cut = """
    return [...document.querySelectorAll(".scroll")].filter((frame) => frame.checkVisibility()
      && (getComputedStyle(frame).overflow !== "visible"
        || frame.firstElementChild.getBoundingClientRect().right > innerWidth + 1)).length
    """
    empty = """
    return [...document.querySelectorAll("details:not(.choice) > :not(.downloads)")].filter(
      (part) => !part.checkVisibility()).length
    """
    paper = "return getComputedStyle(document.body).backgroundColor"
    try:
        assert opened.run("return document.querySelectorAll('details:not([open])').length") > 5
        assert opened.run(cut) == 0
        assert opened.run(empty) == 0
        assert opened.run(paper) == "rgb(255, 255, 255)"
    finally:
        opened.media("screen")
        opened.click("#theme")


@pytest.mark.parametrize("width", [390, 1280])
def test_a_figure_opens_larger_and_closes(opened, width):
    opened.window(width, 900)
    for name in ("overview", "critical_difference"):
        opened.click(f"#figure-{name} button.enlarge")
        size = "return document.querySelector(arguments[0]).getBoundingClientRect().width"
        assert opened.run(size, "#large img") >= 1.5 * opened.run(size, f"#figure-{name} img")
        opened.keys("\ue00c")  # Escape
        assert not opened.run("return document.getElementById('large').open")


def test_tables_and_figures_can_be_saved(opened, tmp_path):
    opened.save_to(tmp_path)
    opened.click("#figure-overview a[download]")
    opened.click(".explorer input.method[value=de]")
    opened.click(".explorer .scroll:not([hidden]) + .downloads button")
    opened.run("document.getElementById('table-comparison').open = true")
    opened.click("#table-comparison a[download]")
    names = {"overview.svg", "nll_paper.csv", "comparison.csv"}
    until = time.monotonic() + 60
    while {path.name for path in tmp_path.iterdir()} != names:
        assert time.monotonic() < until, list(tmp_path.iterdir())
        time.sleep(0.05)
    assert "<svg" in (tmp_path / "overview.svg").read_text()
    head, first, *_ = (tmp_path / "nll_paper.csv").read_text().splitlines()
    assert head == "Dataset,Category,HDE,AE,NTKGP-param,RP-param,RAFs"
    assert first.startswith("He et al. 1D,Trigonometric,")
    tables = "return [...document.querySelectorAll('.scroll')].filter((frame) =>"
    tables += " !frame.nextElementSibling?.matches('.downloads')).length"
    assert opened.run(tables) == 0


CONTRAST = """
const light = (colour) => {
  const parts = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255).map((c) =>
    c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
};
const behind = (element) => {
  const colour = getComputedStyle(element).backgroundColor;
  return colour.endsWith(", 0)") ? behind(element.parentElement) : colour;
};
const found = new Map();
for (const element of document.querySelectorAll("body *")) {
  if (element.closest("svg, .enlarge, dialog, select, template")) continue;
  if (!element.checkVisibility()) continue;
  if (![...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
  const [a, b] = [getComputedStyle(element).color, behind(element)];
  const [high, low] = [light(a), light(b)].sort((x, y) => y - x);
  found.set(`${a} on ${b}`, (high + 0.05) / (low + 0.05));
}
return Object.fromEntries(found);
"""


def test_text_can_be_read_in_light_and_dark(opened):
    for theme in ("light", "dark"):
        opened.run("document.documentElement.dataset.theme = arguments[0]", theme)
        found = opened.run(CONTRAST)
        assert len(found) > 5
        assert min(found.values()) >= 4.5, found


def test_facts_stand_side_by_side(opened):
    opened.run("document.getElementById('dataset-abalone').open = true")
    tops = opened.run(
        "return [...document.querySelectorAll('#dataset-abalone .facts > div')]"
        ".map((part) => part.getBoundingClientRect().top)"
    )
    assert tops[0] == tops[1]


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


def test_hostile_names_do_nothing(opened):
    assert opened.run("return document.querySelectorAll('script').length") == 1
    assert opened.run("return document.title") == "Random activation functions: the results"
