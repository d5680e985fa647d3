import base64
import hashlib
import itertools
import re
from html.parser import HTMLParser
from types import SimpleNamespace
from urllib.parse import unquote

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import made_up
import shown
from rafs.evaluation import metrics
from rafs.reporting import page, style, table_files
from rafs.reporting.claims import KINDS, as_json, judge
from rafs.reporting.page import answer, elements, plot, scores

EVIL = "<script>alert('1')</script> & \"two\""
DATASETS = ("he", "forrester", "rastrigin", "borehole", "abalone", "boston")
REPOSITORY = "https://example.org/some/one"
UCI = made_up.scores("uci", ("ae", "rafs"), ["uci_boston", "uci_wine"], 3)
EXPERIMENTS = ("main", "rafs_on", "ensemble_size")


def frames(seeds=8):
    """A few datasets; one of them could not be had, one run diverged, one method is hostile."""
    found = {
        "main": made_up.scores(datasets=DATASETS, seeds=seeds),
        "rafs_on": made_up.scores("rafs_on", ["de+rafs", "rp+rafs", "de_nll"], DATASETS, seeds),
    }
    main = found["main"]
    burst = (main["method"] == "de") & (main["dataset"] == "he") & (main["seed"] == 0)
    lost = made_up.lost("main", "de", "he", 0, "diverged", "diverged at step 40")
    found["main"] = pd.concat([main[~burst], pd.DataFrame([lost])], ignore_index=True)
    for name, frame in found.items():
        gone = frame["dataset"] == "boston"
        lost = [
            made_up.lost(name, row.method, "boston", row.seed, "missing", f"not found: {EVIL}")
            for row in frame[gone].itertuples()
        ]
        found[name] = pd.concat([frame[~gone], pd.DataFrame(lost)], ignore_index=True)
    added = found["rafs_on"]
    strange = added[added["method"] == "de_nll"].assign(method=EVIL, base=EVIL)
    found["rafs_on"] = pd.concat([added, strange], ignore_index=True)
    return found


def made(inputs=None, **more):
    inputs = inputs or made_up.Memory(frames())
    drawn = {
        name: style.render(shown.draw(name, inputs), "svg", shown.caption(name))
        for name in ("overview", "critical_difference", "controls")
    }
    content = {
        "experiments": EXPERIMENTS,
        "figures": drawn,
        "beside_answer": ["overview"],
        "tables": {
            "comparison": shown.stored("comparison", inputs),
            "why": shown.stored("why", inputs),
            "uci": shown.stored("uci", made_up.Memory({"uci": UCI})),
            "nll_vs_published": shown.stored("nll_vs_published", inputs, methods=made_up.METHODS),
        },
        "claims": as_json(judge(inputs))["claims"],
        "params": f"seeds: 10  # {EVIL}\n",
        "versions": {"rafs": "0.1.0", EVIL: "1"},
        "origin": {"Commit": "0123abcd", "Repository": REPOSITORY, "Edited parameters": EVIL},
    }
    return page.build(inputs, **(content | more))


@pytest.fixture(scope="module")
def text():
    return made()


class Reader(HTMLParser):
    """A strict reader: what is opened is closed, in order."""

    VOID = frozenset({"meta", "img", "input", "br"})

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.words = [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        assert len(attrs) == len(dict(attrs)), attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.words.append(data)

    def all(self, tag, **wanted):
        return [
            a for t, a in self.tags if t == tag and all(a.get(k) == v for k, v in wanted.items())
        ]


@pytest.fixture(scope="module")
def read(text):
    return Reader(text)


# ------------------------------------------------------------------------------ structure


def test_every_section_is_there_and_linked(read):
    ids = [a["id"] for _, a in read.tags if "id" in a]
    assert len(ids) == len(set(ids))
    for key in page.SECTIONS.keys() - {"intervals"}:
        assert key in ids
    for link in read.all("a"):
        if link.get("href", "").startswith("#"):
            assert link["href"][1:] in ids, link
    for name in DATASETS:
        assert f"dataset-{name}" in ids


def test_nothing_comes_from_outside(text, read):
    for tag, attributes in read.tags:
        for key in ("src", "srcset", "data", "poster", "action", "background"):
            assert attributes.get(key, "data:").startswith("data:"), (tag, key)
        assert tag not in ("link", "iframe", "object", "embed", "base")
        assert not any(key.startswith("on") for key in attributes)
        assert "style" not in attributes  # the policy would refuse it
    style_text = re.search("<style>(.*?)</style>", text, re.DOTALL)[1]
    assert "url(" not in style_text
    assert "@import" not in style_text
    links = [a["href"] for a in read.all("a") if not a.get("href", "#").startswith("#")]
    outside = [link for link in links if not link.startswith("data:text/csv")]
    assert all(link.startswith(("https://doi.org/10.", REPOSITORY)) for link in outside)


def test_every_table_of_the_report_can_be_saved(read):
    saved = {a["download"]: a.get("href") for a in read.all("a") if "download" in a}
    assert set(saved) == {
        "overview.svg",  # the script gives the picture to these two
        "critical_difference.svg",
        "controls.svg",
        "comparison.csv",
        "why.csv",
        "nll_vs_published.csv",
        "uci.csv",
    }
    content = unquote(saved["comparison.csv"].partition(",")[2])
    table = shown.build("comparison", made_up.Memory(frames()))
    assert content == table_files.csv(table)


def test_the_policy_allows_only_this_script_and_style(text, read):
    (policy,) = [a["content"] for a in read.all("meta") if a.get("http-equiv")]
    assert "default-src 'none'" in policy
    for tag in ("script", "style"):
        (content,) = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_it_is_small_and_the_same_every_time(text):
    assert len(text.encode()) < 5e6
    assert made() == text


def test_what_is_hostile_is_only_text(text, read):
    assert len(read.all("script")) == 1
    assert "<script>alert" not in text
    assert EVIL in " ".join(read.words)  # it is shown, as it is


@given(st.text(), st.text())
def test_any_text_survives_as_text(body, attribute):
    reader = Reader(elements.tag("p", body, title=attribute))
    assert "".join(reader.words) == body
    assert reader.tags == [("p", {"title": attribute})]


def test_images_can_be_read_without_eyes(read):
    images = [a for a in read.all("img") if "src" in a]
    assert len(images) == 3
    assert {a["alt"] for a in images} == {
        shown.caption("overview"),
        shown.caption("critical_difference"),
        shown.caption("controls"),
    }
    assert base64.b64decode(images[0]["src"].partition(",")[2]).lstrip().startswith(b"<?xml")


def test_tables_can_be_used_without_a_mouse(read):
    headings = read.all("th", scope="col")
    assert headings
    assert all(a["aria-sort"] == "none" for a in headings)
    assert all(a.get("tabindex") == "0" for a in read.all("div", role="region"))
    assert read.all("html", lang="en")
    assert any("width=device-width" in a.get("content", "") for a in read.all("meta"))


# --------------------------------------------------------------------------------- content


def test_headline_names_the_best_and_how_sure_we_are():
    said = "".join(Reader(elements.join(answer.headline(frames()["main"]))).words)
    assert "RAFs has the lowest mean rank 1.00 of 6 in NLL" in said
    assert "No method is shown to be better" in said  # five datasets are few
    assert "Not significantly different from it: DE," in said
    assert "Left out of the ranks, because a method has no score there: Boston housing" in said
    assert "against RP-param to 1.00" in said


def test_headline_follows_the_scores():
    level = {"rafs": 9.0, "de": 0.0}
    main = made_up.scores(seeds=6, nll=lambda m, d, s: level.get(m, 4.0) + 0.001 * (s + len(d + m)))
    said = "".join(Reader(elements.join(answer.headline(main))).words)
    assert "DE is the best: mean rank 1.00 of 6 in NLL (95 % interval 1.00 to 1.00)" in said
    assert "Every other method is significantly worse" in said


def test_headline_names_who_shares_the_top():
    rng = np.random.default_rng(0)
    level = {"rafs": 0.0, "rp": 0.0}
    main = made_up.scores(seeds=6, nll=lambda m, d, s: level.get(m, 4.0) + rng.normal())
    said = "".join(Reader(elements.join(answer.headline(main))).words)
    assert "shares the top with" in said
    top = {"RAFs", "RP-param"}
    assert any(f"{a} has the lowest" in said and f"from it: {b} (" in said
               for a in top for b in top - {a})  # fmt: skip


def test_headline_does_not_make_a_winner_out_of_noise():
    rng = np.random.default_rng(3)
    main = made_up.scores(datasets=DATASETS, seeds=5, nll=lambda m, d, s: rng.normal())
    said = "".join(Reader(elements.join(answer.headline(main))).words)
    assert "No method is shown to be better" in said
    assert "may be chance" in said


@pytest.mark.parametrize(
    "main", [made_up.scores(seeds=3).iloc[:0], made_up.scores(methods=["rafs"], seeds=2)]
)
def test_headline_without_rivals(main):
    assert "no two methods" in answer.headline(main)[0]


def test_every_verdict_has_its_badge():
    def verdict(kind):
        part = {"name": "p", "outcome": "shown", "detail": "d", "numbers": {}}
        return {"rule": "r", "verdict": kind, "kind": kind, "reason": "b", "parts": [part]}

    found = [
        {"number": k, "claim": "c", "paper": verdict("holds"), "ours": verdict(kind)}
        for k, kind in enumerate(KINDS)
    ]
    reader = Reader(elements.join(answer.claims(found)))
    kinds = {a["class"] for a in reader.all("span") if a.get("class", "").startswith("badge")}
    assert len(kinds) == len(KINDS) == 5
    assert " ".join(reader.words).count("not testable") == 2  # in the tally and at the claim


def test_cells_hold_ours_and_the_published_value(read):
    assert "paper 2.21" in read.words
    frame = frames()["main"]
    found = scores.scores(frame, "nll_paper", made_up.METHODS)
    he = found["he", "rafs"]
    ours = frame[(frame["dataset"] == "he") & (frame["method"] == "rafs")]["nll_paper"]
    assert np.isclose(he.summary.median, ours.median())
    assert (he.published, he.half_width, he.censored) == (2.21, 0.18, False)
    assert found["he", "de"].censored
    assert found["he", "de"].summary.diverged == 1
    assert he.best
    assert not found["he", "de"].best
    assert any("published: > 100 " in line for line in found["he", "de"].words)


def test_nearest_coverage_is_best():
    main = made_up.scores(datasets=("he",), seeds=8)
    far = {"de": 0.2, "rafs": 1.0, "rp": 0.94}
    main["coverage_95"] = [
        far.get(m, 0.6) + 0.001 * s for m, s in zip(main.method, main.seed, strict=True)
    ]
    found = scores.scores(main, "coverage_95", made_up.METHODS)
    assert {m for (_, m), score in found.items() if score.best} == {"rp"}


def test_lost_runs_are_counted_and_explained(read):
    words = " ".join(read.words)
    assert "81 of 480 runs have no scores: 1 diverged, 80 missing." in words
    assert "Experiment ensemble_size has not been run" in words
    assert f"There are no scores on this dataset: not found: {EVIL}" in words
    assert "1 lost" in words
    assert "8 lost" in words


def test_parameters_versions_and_citation_are_shown(read):
    words = " ".join(read.words)
    assert "seeds: 10" in words
    assert "0123abcd" in words
    assert read.all("a", href=REPOSITORY)
    assert "0.1.0" in words
    assert "10.1609/aaai.v37i12.26768" in words


def test_headings_go_down_one_step_at_a_time(read):
    levels = [int(tag[1]) for tag, _ in read.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[:2] == [1, 2]
    assert levels.count(3) > 10
    assert all(below - above <= 1 for above, below in itertools.pairwise(levels))


def test_no_name_of_a_column_is_shown_as_it_is(read):
    """Readers see labels; only settings, paths and params.yaml keep the names of the code."""
    raw = re.compile("|".join(sorted(name for name in metrics.BY_NAME if "_" in name)))
    seen = [words for words in read.words if raw.search(words) and not words.startswith('{"files"')]
    assert seen == []


def test_a_page_of_nothing_is_a_page():
    reader = Reader(page.build(made_up.Memory({}), experiments=["main"]))
    assert "Experiment main has not been run" in " ".join(reader.words)


def test_missing_figures_and_tables_leave_no_empty_section():
    reader = Reader(made(figures={}, tables={}))
    assert not [a for _, a in reader.tags if a.get("id") in ("figures", "tables")]


# ------------------------------------------------------------------------------ small parts


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_numbers_are_short_and_true(value):
    shown = elements.number(value)
    assert len(shown) <= 11
    if np.isfinite(value) and abs(value) < 1e300:
        read_back = float(shown.replace("−", "-"))
        assert abs(read_back - value) <= 0.0051 * max(1.0, abs(value))


@given(
    st.lists(
        st.tuples(*[st.floats(-1e12, 1e12) | st.just(float("nan"))] * 4), min_size=1, max_size=6
    )
)
def test_the_small_plot_stays_inside_its_frame(rows):
    drawn = plot.dots([plot.Row("m", "#000000", *row) for row in rows], "t")
    reader = Reader(drawn)
    for tag, attributes in reader.tags:
        for key in ("x1", "x2", "cx"):
            if key in attributes:
                place = float(attributes[key])
                assert plot.LEFT - 0.1 <= place <= plot.LEFT + plot.WIDTH + 0.1, (tag, key)


def test_a_censored_value_does_not_stretch_the_axis():
    """“> 100” says no place; it stands at the edge."""
    ours = plot.Row("a", "#000000", 1.0, 0.9, 1.1)
    drawn = [
        plot.dots([ours, plot.Row("b", "#000000", 2.0, 1.9, 2.1, published, True)], "t")
        for published in (np.nan, 100.0)
    ]
    places = [[a["cx"] for a in Reader(one).all("circle")] for one in drawn]
    assert places[0] == places[1]
    (mark,) = Reader(drawn[1]).all("path")
    assert mark["d"].startswith(f"M{plot.LEFT + plot.WIDTH}")


@given(*[st.floats(0, 1)] * 4)
def test_text_on_any_colour_can_be_read(red, green, blue, alpha):
    light = style.luminance([1 - alpha * (1 - part) for part in (red, green, blue)])
    text = {"white": 1.0, "black": 0.0}[style.on((red, green, blue), alpha)]
    high, low = max(light, text), min(light, text)
    assert (high + 0.05) / (low + 0.05) >= 4.5


@given(st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=9))
def test_the_small_plots_axis_keeps_the_order(values):
    axis = plot.Axis(values)
    places = [axis.place(value) for value in sorted(values)]
    assert places == sorted(places)
    assert len(axis.ticks()) <= 9


def test_leading_number_sorts_a_shown_table():
    table = SimpleNamespace(
        caption="c", head=["a", "b"], rows=[["x", "−1.5 ± 2"], None, ["y", "> 100"]], alignment="lc"
    )
    values = [a.get("data-value") for a in Reader(elements.shown_table(table)).all("td")]
    assert values == ["-1.5", "100.0"]


def test_what_recalibration_repairs_has_a_section_of_its_own():
    inputs = made_up.Memory(made_up.experiments(8, DATASETS))
    table = shown.stored("recalibration", inputs)
    svg = style.render(shown.draw("recalibration", inputs), "svg", "c")
    drawn = {"recalibration": svg}
    read = Reader(made(inputs, tables={"recalibration": table}, figures=drawn))
    ids = [a["id"] for _, a in read.tags if "id" in a]
    place = ids.index("intervals")
    assert ids[place : place + 4] == [
        "intervals", "figure-recalibration", "table-recalibration", "scores",
    ]  # fmt: skip
    assert table.notes[0] in " ".join(read.words)
    assert not Reader(made(inputs)).all("section", id="intervals")


def test_what_makes_random_activations_work_has_a_section_of_its_own():
    """Statements with verdicts, and figures that are not among the others."""
    found = made_up.Memory(made_up.experiments(8, DATASETS))
    read = Reader(made(found))
    (start,) = (
        k for k, (tag, a) in enumerate(read.tags) if (tag, a.get("id")) == ("section", "why")
    )
    inside = []
    for tag, attributes in read.tags[start + 1 :]:
        if tag == "section":
            break
        inside.append(attributes.get("id"))
    assert [name for name in inside if name] == [
        "why-diversity", "why-any", "why-activations", "why-members", "why-outside",
        "figure-controls",
    ]  # fmt: skip
    assert sum(a.get("id") == "figure-controls" for _, a in read.tags) == 1
    words = " ".join(read.words)
    assert "More members would do." in words
    without = Reader(made(found, tables={}, figures={}))
    assert not without.all("section", id="why")
    assert not without.all("a", href="#why")
