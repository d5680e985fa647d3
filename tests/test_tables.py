"""Tables: their numbers, how they look, and what they say about runs that are not there."""

import math
import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import made_up
import shown
from rafs import paths
from rafs.errors import DataError, ParameterError
from rafs.evaluation import statistics
from rafs.reporting import catalogue
from rafs.reporting import table as t
from rafs.reporting import table_files as write
from rafs.reporting.claims import judge
from rafs.reporting.judgement.table import table as claims_table
from rafs.reporting.numbers import number

NAMES = (*catalogue.names("tables"), "claims")
SOME = ("he", "schaffer4", "friedman", "borehole", "welch", "abalone", "naval", "parkinsons")


def build(name, inputs=None, **options):
    inputs = made_up.Memory() if inputs is None else inputs
    return claims_table(judge(inputs)) if name == "claims" else shown.build(name, inputs, **options)


def texts(table):
    """Return the shown cells by row title."""
    rows = [[c if isinstance(c, str) else c.text for c in row] for row in table.rows if row]
    return {row[0]: row[1:] for row in rows}


def bold(table, title):
    (row,) = [row for row in table.rows if row and row[0] == title]
    return [
        head
        for head, cell in zip(table.head, row, strict=True)
        if isinstance(cell, t.Cell) and cell.bold
    ]


def few(datasets=("he", "naval"), **options):
    """Return a small main experiment to be damaged by a test."""
    return made_up.scores(datasets=list(datasets), **options)


# ------------------------------------------------------------------------------- every table


@pytest.fixture(scope="module")
def built():
    inputs = made_up.Memory(made_up.experiments(datasets=SOME))
    return {name: build(name, inputs) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_every_table_is_whole_in_every_format(built, name, tmp_path):
    table = built[name]
    assert table.caption.endswith(".")
    if name != "claims":
        assert table.caption.startswith(catalogue.declaration("tables", name).caption)
    assert len(table.frame)
    assert all(len(row) == len(table.head) for row in table.rows if row is not None)
    for form in paths.TABLE_FORMATS:
        write.write(table, tmp_path / f"{name}.{form}")
    again = pd.read_csv(tmp_path / f"{name}.csv")
    assert list(again.columns) == list(table.frame.columns)
    for column in table.frame.select_dtypes("float"):
        assert np.array_equal(again[column], table.frame[column], equal_nan=True)
    markdown = (tmp_path / f"{name}.md").read_text()
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1
    latex = (tmp_path / f"{name}.tex").read_text()
    assert latex.count("{") == latex.count("}")
    for part in (r"\toprule", r"\midrule", r"\bottomrule", r"\caption{"):
        assert part in latex
    assert not re.search(r"\bnan\b", markdown.lower())


@pytest.mark.parametrize("name", NAMES)
def test_the_same_results_give_the_same_bytes(built, name):
    again = build(name, made_up.Memory(made_up.experiments(datasets=SOME)))
    for form in write.FORMATS.values():
        assert form(again) == form(built[name])


@pytest.mark.parametrize("name", NAMES)
def test_the_page_reads_what_was_written_for_it(built, name, tmp_path):
    table = built[name]
    write.write(table, tmp_path / "table.json")
    again = write.read(tmp_path / "table.json")
    assert again.csv == write.csv(table)
    for form in (write.markdown, write.latex):
        assert form(again) == form(table)
    for column in table.frame.select_dtypes("float"):
        assert np.array_equal(again.frame[column], table.frame[column], equal_nan=True)


UNSCORED = ("sizes", "datasets", "claims", "cost", "tuned_values")


@pytest.mark.parametrize("name", [n for n in NAMES if n not in UNSCORED])
def test_runs_that_are_not_there_are_counted(name):
    experiments = made_up.experiments(4, SOME)
    for frame in experiments.values():
        frame.loc[frame.seed == 1, "status"] = "diverged"
        frame.loc[frame.seed == 2, "status"] = "missing"
        scores = frame.columns[frame.columns.get_loc("message") + 1 :]
        frame.loc[frame.status != "ok", scores] = math.nan
    table = build(name, made_up.Memory(experiments))
    notes = " ".join(table.notes)
    assert "Diverged runs: " in notes
    assert "Missing runs: " in notes


@pytest.mark.parametrize("name", NAMES)
def test_nothing_but_lost_runs(name):
    experiments = made_up.experiments(2, SOME)
    for key, frame in experiments.items():
        lost = [
            made_up.lost(key, row.method, row.dataset, row.seed, "missing")
            for row in frame.itertuples()
        ]
        experiments[key] = pd.DataFrame(lost).dropna(axis=1, how="all")  # no metric at all
    table = build(name, made_up.Memory(experiments))
    for form in write.FORMATS.values():
        assert form(table)


# ----------------------------------------------------------------------------------- scores


def test_score_table_shows_medians_and_bolds_the_lowest():
    frame = few()
    rafs = frame.method == "rafs"
    near = frame.loc[rafs, "nll_paper"].to_numpy() + np.tile([0.01, -0.009], 10)
    frame.loc[(frame.method == "rp") & (frame.dataset == "he"), "nll_paper"] = near[:10]
    table = build("nll", made_up.Memory({"main": frame}))
    part = frame[(frame.method == "de") & (frame.dataset == "he")].nll_paper.sort_values()
    shown = texts(table)["He et al. 1D"]
    assert shown[0] == f"{part.median():.2f} [{part.iloc[1]:.2f}, {part.iloc[-2]:.2f}]"
    lowest = frame[frame.dataset == "he"].groupby("method").nll_paper.median().idxmin()
    assert bold(table, "He et al. 1D") == [t.labels.method(lowest)]
    assert not any("*" in cell for cell in shown)  # RP-param and RAFs do not differ there
    assert bold(table, "Naval propulsion") == ["RAFs"]
    assert texts(table)["Naval propulsion"][5].endswith("]*")
    assert "which is so in 1 of 2 rows" in table.notes[0]
    assert None in table.rows  # a line between generated and real data
    cell = table.frame.set_index(["dataset", "method"]).loc[("he", "de")]
    assert cell["mean"] == pytest.approx(part.mean(), rel=1e-12)
    assert cell["median"] == part.median()


def with_references(frame, levels):
    """Add a constant and a linear model with a given NLL."""
    known = list(dict.fromkeys(frame.dataset))
    more = made_up.scores(
        "references", ["constant", "linear"], known, 3, lambda m, d, s: levels[m] + 0.01 * s
    )
    return made_up.Memory({"main": frame, "references": more})


def test_references_stand_apart_and_mark_what_does_not_beat_them():
    frame = few(["he", "friedman"], nll=lambda m, d, s: made_up.SKILL[m] + 0.01 * s)
    inputs = with_references(frame, {"constant": 1.1, "linear": -5.0})
    options = {"experiments": ["main", "references"]}
    table = build("nll", inputs, **options)
    assert table.head[-2:] == ["Constant (reference)", "Linear (reference)"]
    assert bold(table, "He et al. 1D") == ["RAFs"]  # and not linear, which is lower
    where = "has a lower median than the one in bold on: He et al. 1D, Friedman 5D."
    assert where in " ".join(table.notes)
    high = with_references(frame, {"constant": 9.0, "linear": 9.0})
    assert where[:20] not in " ".join(build("nll", high, **options).notes)
    marked = [head for head, cell in zip(table.head[1:], texts(table)["He et al. 1D"], strict=True)
              if "‡" in cell]  # fmt: skip
    assert marked == ["DE", "HDE", "NTKGP-param"]
    skill = texts(table)["Minus the constant, median"]
    assert skill[:2] == ["1.93", "1.43"]
    assert skill[-2:] == ["–", "−6.10"]
    assert texts(table)["Not better than the constant on"] == [
        "2",
        "2",
        "0",
        "2",
        "0",
        "0",
        "–",
        "0",
    ]
    crps = texts(build("crps", inputs, **options))
    middle = pd.concat(inputs.frames.values()).groupby(["dataset", "method"]).crps.median()
    ratios = [middle[d, "rafs"] / middle[d, "constant"] for d in ("he", "friedman")]
    expected = math.sqrt(ratios[0] * ratios[1])
    assert crps["Ratio to the constant, geometric mean"][5] == number(expected, None)
    shares = build("coverage", inputs, **options)
    assert not any("‡" in cell for cell in texts(shares)["He et al. 1D"])
    for name in ("ranks", "comparison", "pairwise", "categories", "members"):
        assert "linear" not in write.markdown(build(name, inputs, **options))


def test_bold_of_coverage_is_the_nearest_to_nominal():
    frame = few(["he"], methods=("de", "ae"))
    frame["coverage_95"] = frame.method.map({"de": 1.0, "ae": 0.93}) + 0.001 * frame.seed
    table = build("coverage", made_up.Memory({"main": frame}))
    assert bold(table, "He et al. 1D") == ["AE"]
    assert "95 % coverage rewards" in table.caption


def test_lost_runs_are_marked_in_the_cell():
    frame = few()
    frame.loc[(frame.method == "de") & (frame.seed < 2), "status"] = "diverged"
    frame.loc[(frame.method == "ae") & (frame.dataset == "he"), "status"] = "diverged"
    frame.loc[frame.dataset == "naval", "status"] = "missing"
    table = build("nll", made_up.Memory({"main": frame}))
    he = texts(table)["He et al. 1D"]
    assert he[0].endswith(", ∞] (8/10)")
    assert he[2] == "no score"
    assert set(texts(table)["Naval propulsion"]) == {"missing"}
    assert t.PARTIAL in table.notes
    assert "AE on He et al. 1D (10)" in " ".join(table.notes)


def test_exploding_seeds_are_readable():
    frame = few(["he"])
    mine = frame.method == "de"
    frame.loc[mine & (frame.seed > 3), "nll_paper"] = 1.5e7 + frame.seed
    table = build("nll", made_up.Memory({"main": frame}))
    assert re.fullmatch(r"1\.50e7 \[[34]\.\d\d, 1\.50e7\]", texts(table)["He et al. 1D"][0])
    assert r"$1.50\times10^{7}$" in write.latex(table)
    frame.loc[mine & (frame.seed != 3), "nll_paper"] = 3.0
    assert texts(build("nll", made_up.Memory({"main": frame})))["He et al. 1D"][0].startswith(
        "3.00"
    )


def test_small_errors_keep_their_digits():
    frame = few(["naval"])
    frame["rmse"] = frame["rmse"] / 1e4
    shown = texts(build("rmse", made_up.Memory({"main": frame})))["Naval propulsion"]
    assert re.fullmatch(r"0\.000\d+ \[0\.000\d+, 0\.000\d+\]\*?", shown[5])


def test_options_choose_methods_and_datasets():
    table = build("nll", methods=["rafs", "de"], datasets=["abalone", "he"])
    assert table.head == ["Dataset", "DE", "RAFs"]
    assert list(texts(table)) == ["He et al. 1D", "Abalone"]


# ------------------------------------------------------------------------- ranks, published


def test_ranks_are_those_of_the_medians():
    frame = few(["he", "naval"], methods=("de", "ae", "rafs"))
    levels = frame.method.map({"de": 5.0, "ae": 1.0, "rafs": 1.01})
    for metric in ("nll_paper", "rmse", "crps"):
        frame[metric] = levels + 0.1 * (frame.seed % 3)
    frame.loc[frame.dataset == "naval", "rmse"] = 1.0
    table = build("ranks", made_up.Memory({"main": frame}))
    assert texts(table)["He et al. 1D"] == ["3, 3, 3", "1, 1, 1", "2, 2, 2"]
    assert texts(table)["Naval propulsion"] == ["3, 3, 2", "1, 1, 2", "2, 2, 2"]
    assert bold(table, "He et al. 1D") == ["AE"]
    assert [cell.split(" ")[0] for cell in texts(table)["Mean, NLL"]] == ["3.00", "1.00", "2.00"]
    assert [cell.split(" ")[0] for cell in texts(table)["Mean, RMSE"]] == ["2.50", "1.50", "2.00"]
    ranking = statistics.ranking(frame, "nll_paper")
    mean = table.frame[table.frame.dataset == "mean"].set_index("method")
    assert mean.nll_rank.to_dict() == ranking.mean_ranks
    assert (mean.nll_low <= mean.nll_rank).all()


def test_the_papers_ranks_tie_by_overlap():
    frame = few(["he"], methods=("de", "ae", "rafs"))
    levels = frame.method.map({"de": 5.0, "ae": 1.0, "rafs": 1.01})
    for metric in ("nll_paper", "rmse"):
        frame[metric] = levels + 0.1 * (frame.seed % 3)
    table = build("ranks_vs_published", made_up.Memory({"main": frame}))
    ranks = table.frame.set_index("method")
    assert ranks.nll_rank.to_dict() == {"de": 2.0, "ae": 1.0, "rafs": 1.0}


def test_one_mean_rank_everywhere():
    """The ranks of the tables and of the figure are the same numbers."""
    inputs = made_up.Memory(made_up.experiments(4, SOME))
    mean = build("ranks", inputs).frame.query("dataset == 'mean'").set_index("method")
    found = build("headline", inputs).frame.set_index("method")
    assert mean.nll_rank.to_dict() == found.mean_rank_nll.to_dict()
    assert mean.nll_low.to_dict() == found.mean_rank_nll_low.to_dict()
    against = build("comparison", inputs).frame.query("metric == 'nll'").set_index("method")
    assert against.mean_rank.to_dict() == mean.nll_rank.to_dict()
    assert against.mean_rank_high.to_dict() == mean.nll_high.to_dict()
    parts = build("categories", inputs, metric="nll_paper").frame.query("part == 'All'")
    assert parts.set_index("method").mean_rank.to_dict() == mean.nll_rank.to_dict()


def test_published_values_are_censored_at_100():
    frame = few(["he", "forrester"])
    frame.loc[frame.method == "de", "nll_paper"] = 250.0 + frame.seed
    frame.loc[frame.method == "rafs", "nll_paper"] = 2.21 + 0.01 * (frame.seed - 4.5)
    table = build("nll_vs_published", made_up.Memory({"main": frame}))
    he = texts(table)["He et al. 1D"]
    assert he[0] == "> 100 [> 100]"
    assert he[1].endswith(" [71.31]")  # as it is printed, and not rounded as ours
    assert he[5] == "2.21 [2.21]"
    assert bold(table, "He et al. 1D") == ["DE", "RAFs"]
    cells = table.frame.set_index(["dataset", "method"])
    assert cells.loc[("he", "de"), "relation"] == "agree"
    assert cells.loc[("forrester", "ntkgp"), "relation"] == "lower"  # ours 2, theirs > 100
    assert cells.loc[("forrester", "rafs"), "relation"] == "higher"
    assert "Of 12 cells" in table.notes[1]


def test_methods_that_the_paper_does_not_have_stand_alone():
    inputs = made_up.Memory()
    table = build("nll_vs_published", inputs, experiments=["main", "de_nll"], datasets=["he"])
    assert texts(table)["He et al. 1D"][-1].endswith("[–]")


def test_same_ranks_are_counted():
    table = build("ranks_vs_published")
    same = table.frame.dropna()
    count = (same.nll_rank == same.published_nll_rank).sum()
    assert f"NLL {count} of 150 cells" in table.notes[0]


def test_sizes_are_the_published_ones():
    table = build("sizes")
    known = table.frame.dropna(subset="published_train")
    assert len(known) == 25
    assert (known.train == known.published_train).all()
    assert (known.test == known.published_test).all()
    other = build("sizes", entries={"he": {"train": 40}})
    assert texts(other)["He et al. 1D"][2] == "40 [20]"


def test_the_catalogue_says_of_every_dataset_what_it_is():
    table = build("datasets")
    known = {"category", "features", "train", "test", "noise", "source", "licence", "citation"}
    assert known <= set(table.frame.columns)
    shown = {row[0]: row for row in table.rows if row}
    assert shown["Boston housing"][2:4] == ["1", "354 + 152"]
    assert shown["PUMA560 9D"][3:6] == ["3693 + 4499", "ddq3 (rad/s^2)", "0.40"]
    assert shown["Abalone"][6] == "UCI 1: Nash et al. (1994)"
    assert shown["Abalone"][7] == "CC BY 4.0"
    assert max(len(cell) for row in shown.values() for cell in row) < 40  # one line each
    cited = table.frame.set_index("dataset").citation["abalone"]
    assert cited.startswith("Nash, Sellers, Talbot, Cawthorn and Ford (1994), ")  # in full
    other = build("datasets", entries={"he": {"train": 40, "noise": 0.3}})
    assert other.rows[0][3:6] == ["40 + 50", "y", "0.30"]


# ------------------------------------------------------------------------ effects and duels


def test_rafs_on_everything_gives_the_change_and_its_interval():
    table = build("rafs_on", datasets=["he", "abalone"])
    assert [head.split(" ")[0] for head in table.head[1:]] == [
        "DE", "HDE", "AE", "NTKGP-param", "RP-param",
    ]  # fmt: skip
    change = table.frame.set_index(["base", "dataset"]).loc[("de", "he")]
    main, on = made_up.scores(datasets=["he"]), made_up.experiments()["rafs_on"]
    on = on[(on.dataset == "he") & (on.method == "de+rafs")]
    plain = main[main.method == "de"]
    expected = statistics.hodges_lehmann(on.nll.to_numpy() - plain.nll.to_numpy())
    assert (change.difference, change.low, change.high) == pytest.approx(expected)
    abalone = table.frame.set_index(["base", "dataset"]).loc[("de", "abalone")]
    assert abalone.p == statistics.compare(
        pd.concat(made_up.Memory().frames[name] for name in ("main", "rafs_on")),
        "nll", "de+rafs", "de",
    ).set_index("dataset").p["abalone"]  # fmt: skip
    assert texts(table)["Lower, higher on"][0] == "2, 0"
    assert not bold(table, "p over datasets (Holm)")  # two datasets are too few
    whole = build("rafs_on")
    assert len(bold(whole, "p over datasets (Holm)")) >= 4
    p = [statistics.against(made_up.Memory().frames["main"], "nll", "rafs", ["ae"]).p[0]]
    assert max(p) < 0.001


def test_rafs_of_anchored_is_rafs_itself():
    from rafs.reporting.random_activations import pairs

    assert pairs(["de", "ae", "rafs", "de+rafs"]) == {"de": "de+rafs", "ae": "rafs"}
    assert pairs(["ae", "de", "rafs", "de_nll"]) == {"ae": "rafs"}


def test_comparison_tests_against_each_rival_over_datasets():
    table = build("comparison")
    rows = {row[1]: row[2:] for row in table.rows[:6] if row}
    assert rows["DE"][1] == "25, 0"
    assert rows["DE"][4] == t.Cell("< 0.001", True)
    assert rows["RAFs"][0].startswith("1.00 [1.00")
    assert rows["RAFs"][1] == "–"
    assert "Friedman's test p < 0.001" in table.notes[1]
    assert "1.51" in table.notes[1]
    assert len(table.frame.p.dropna()) == 15
    family = build("pairwise").frame
    for row in table.frame[table.frame.method != "rafs"].itertuples():
        same = family[(family.metric == row.metric) & (family.method == row.method)]
        assert row.p_holm == same[same.rival == "rafs"].p_holm.item()
    crps = table.frame[(table.frame.metric == "crps") & (table.frame.method == "de")].iloc[0]
    (shown,) = [row for row in table.rows if row and row[:2] == ["CRPS", "DE"]]
    assert shown[4] == number(math.exp(crps.difference))


def test_pairwise_is_one_matrix_per_metric_corrected_as_a_whole():
    table = build("pairwise")
    assert len(table.frame) == 45
    assert table.frame.p_holm.to_numpy() == pytest.approx(statistics.holm(table.frame.p))
    rows = {row[1]: row[2:] for row in table.rows[:6]}
    assert rows["RAFs"][0] == t.Cell("25, 0 (p < 0.001)", True)
    assert rows["DE"][5] == t.Cell("0, 25 (p < 0.001)", False)
    assert rows["DE"][0] == t.Cell("")
    assert "NLL: lowest mean rank RAFs; not significantly different from it: none." in table.notes
    noise = np.random.default_rng(0)
    frame = few(made_up.PAPER, nll=lambda m, d, s: noise.normal(), seeds=2)
    found = build("pairwise", made_up.Memory({"main": frame}))
    assert found.notes[1].count(",") >= 4  # no method is better than another
    assert found.notes[0] == table.notes[0] == "Bold: the method of the row is significantly " \
        "better (5 %)."  # fmt: skip


def test_pairwise_says_that_bold_does_not_follow_the_counts():
    """DE beats AE by a little on all but three datasets, which it loses by much; HDE always."""
    place = {name: k for k, name in enumerate(made_up.PAPER)}
    level = {
        "de": lambda k: 0.0,
        "ae": lambda k: 0.1 + 0.01 * k if k > 4 else -9.0,
        "hde": lambda k: 0.1 + 0.01 * k if k > 6 else -0.01 * (k + 1),
    }
    frame = few(made_up.PAPER, methods=tuple(level), nll=lambda m, d, s: level[m](place[d]))
    table = build("pairwise", made_up.Memory({"main": frame}))
    rows = {row[1]: dict(zip(table.head[2:], row[2:], strict=True)) for row in table.rows[:3]}
    assert rows["DE"]["against AE"].text.startswith("20, 5")
    assert not rows["DE"]["against AE"].bold
    assert rows["DE"]["against HDE"].text.startswith("18, 7")
    assert rows["DE"]["against HDE"].bold
    assert t.PAIRED in table.notes[0]


def test_too_few_seeds_are_said():
    generated = [name for name in SOME if made_up.CATEGORY[name] != "real"]
    inputs = made_up.Memory(made_up.experiments(3, generated))
    assert t.TOO_FEW in build("nll", inputs).notes
    assert t.TOO_FEW not in build("nll", datasets=SOME).notes


def test_methods_of_a_sweep_are_chosen_at_all_its_values():
    table = build("steps", methods=["rafs"])
    assert [row[0] for row in table.rows if row] == ["RAFs"]


def test_a_caption_names_the_metric():
    assert build("categories", metric="rmse").caption.startswith("Mean rank in RMSE by ")
    assert build("nll", metric="crps").caption.startswith("CRPS on the test points: median ")


def test_comparison_of_one_method_has_no_rivals():
    table = build("comparison", methods=["rafs"])
    assert [row[1] for row in table.rows if row] == ["RAFs"] * 3


def test_calibration_bolds_what_is_nearest_to_nominal():
    frame = few(["he"], methods=("de", "ae"))
    frame["coverage_95"] = frame.method.map({"de": 1.0, "ae": 0.93})
    table = build("calibration", made_up.Memory({"main": frame}))
    assert "95 %" in bold(table, "AE")
    assert texts(table)["AE"][2] == "0.93"


def test_recalibration_compares_the_ways_on_the_same_runs():
    frame = few(["he", "friedman", "boston"], methods=("ae", "rafs"))
    table = build("recalibration", made_up.Memory({"main": frame}))
    rows = [[getattr(cell, "text", cell) for cell in row] for row in table.rows if row]
    head = list(table.head)
    assert [row[:3] for row in rows] == [
        [method, part, way]
        for method in ("AE", "RAFs")
        for part in ("all", "inside", "outside")
        for way in ("raw", "scaled", "conformal")
    ]
    cells = {tuple(row[1:3]): dict(zip(head, row, strict=True)) for row in rows[:9]}
    for place, part in enumerate(("inside", "outside")):
        for way, (factor, *levels) in made_up.COVERED.items():
            cell, level = cells[part, way], levels[place]
            assert float(cell["width"]) == factor  # everywhere the same
            assert float(cell["90 %"]) == pytest.approx(level - 0.05 + 0.0025, abs=0.005)
            ratio = (8 - 4 * level) / (8 - 4 * made_up.COVERED["raw"][1 + place])
            assert float(cell["interval score"]) == pytest.approx(ratio, abs=0.005)
            assert cell["NLL"] == ("–" if way == "conformal" else f"{2 - level:.2f}")
    holding = {part: cells[part, "conformal"]["holds on"] for part in ("all", "inside", "outside")}
    assert holding == {"all": "3/3", "inside": "2/2", "outside": "0/2"}  # boston has no range
    bold = {tuple(r[1:3]) for r in table.rows[:9] if any(getattr(c, "bold", 0) for c in r)}
    assert bold == {("all", "conformal"), ("inside", "conformal")}
    assert "NLL (with ½ ln 2π)" in table.caption
    assert (
        "Inside the training range the raw 95 % intervals cover 0.70 to 0.70 of the targets, "
        "depending on the method, the scaled ones 0.92 to 0.92 and the conformal ones 0.96 to 0.96"
    ) in table.notes[0]
    assert "of 4 pairs of method and dataset, 0 reach 0.93 raw, 0 scaled" in table.notes[0]
    assert "and 2 conformal. Outside the training range" in table.notes[0]  # boston, twice
    assert not any(note.startswith("(a/b)") for note in table.notes)


def test_gap_and_tail_splits_are_no_random_test_rows():
    frame = few(["uci_boston", "uci_gap_boston", "uci_tail_boston"])
    said = build("recalibration", made_up.Memory({"main": frame})).notes[0]
    assert f"of {len(made_up.METHODS)} pairs of method and dataset" in said
    frame = frame[frame["dataset"] != "uci_boston"]
    said = build("recalibration", made_up.Memory({"main": frame})).notes[0]
    assert "random test rows" not in said


class Recalibrated(made_up.Memory):
    """Results whose recalibrated scores have been edited."""

    def __init__(self, frame, edit):
        super().__init__({"main": frame})
        self.edited = edit(made_up.recalibrated(frame))

    def recalibrated(self, experiment):
        return self.edited


def test_infinite_intervals_are_wider_than_any_and_counted():
    def edit(found):
        few_rows = found["way"].eq("conformal") & found["dataset"].eq("he")
        widths = [name for name in found if "width" in name or "interval_score" in name]
        found.loc[few_rows, widths] = np.nan
        found.loc[few_rows, [name for name in found if "coverage" in name]] = 1.0
        return found

    table = build("recalibration", Recalibrated(few(["he", "friedman"]), edit))
    mine = table.frame[table.frame["way"].eq("conformal") & table.frame["dataset"].eq("he")]
    assert (mine["infinite"] == mine["runs"]).all()
    assert np.isinf(mine[["width_ratio", "interval_score_ratio"]]).all(axis=None)
    assert mine["coverage_95"].eq(1.0).all()
    runs = int(mine.loc[mine["part"].eq("all"), "runs"].sum())
    said = f"The conformal 95 % interval is infinite in {runs} of {2 * runs} runs"
    assert any(note.startswith(said) for note in table.notes)


def test_runs_without_held_out_rows_are_counted():
    def edit(found):
        gone = found["dataset"].eq("he") & found["seed"].eq(0)
        scores = found.columns[list(found.columns).index("held_out_rows") :]
        found.loc[gone, "status"] = "not held out"
        found.loc[gone, scores] = np.nan
        return found

    table = build("recalibration", Recalibrated(few(["he", "friedman"], methods=("ae",)), edit))
    (note,) = [note for note in table.notes if note.startswith("Not held out")]
    assert "AE on He et al. 1D (1)" in note
    runs = len(table.frame["dataset"].unique()) * int(table.frame["runs"].max())
    assert {row[0] for row in table.rows if row} == {f"AE ({runs - 1}/{runs})"}
    assert any("these; a method that loses its hardest runs" in note for note in table.notes)
    he = table.frame[table.frame["dataset"].eq("he")]
    friedman = table.frame[table.frame["dataset"].eq("friedman")]
    assert set(friedman["runs"]) == {he["runs"].iloc[0] + 1}


def test_datasets_with_few_rows_inside_are_left_out_and_named():
    frame = few(["he", "wing_weight"])
    frame.loc[frame.dataset == "wing_weight", ["n_inside", "in_coverage_95"]] = [3, 0.123]
    frame.loc[frame.dataset == "he", "in_coverage_95"] = 0.9
    inputs = made_up.Memory({"main": frame})
    table = build("calibration", inputs)
    assert {row[3] for row in texts(table).values()} == {"0.90"}
    note = "Inside without Wing weight 10D: fewer than 5 % of the test rows are inside the range."
    assert note in table.notes
    parts = build("categories", inputs)
    assert note in parts.notes
    assert "Inside (1)" in parts.head
    assert "Outside (2)" in parts.head


def test_categories_rank_within_the_parts():
    frame = few(["he", "friedman", "naval"])
    worst = (frame.method == "rafs") & (frame.dataset == "naval")
    frame.loc[worst, "nll"] = 99.0
    table = build("categories", made_up.Memory({"main": frame}))
    assert table.head[:4] == ["Method", "All (3)", "Trigonometric (2)", "Real-world (1)"]
    assert texts(table)["RAFs"][:3] == ["2.67", "1.00", "6.00"]


def test_headline_by_hand():
    """Three datasets, three methods, one seed each; every number was worked out on paper."""
    nll = {"de": (0.0, 2.0, 5.0), "ae": (1.0, 1.0, 4.0), "rafs": (3.0, 0.0, 1.0)}
    rmse = {"de": (1.0, 2.0, 4.0), "ae": (2.0, 1.0, 8.0), "rafs": (4.0, 2.0, 2.0)}
    names = ["he", "friedman", "naval"]
    main = made_up.scores(methods=list(nll), datasets=names, seeds=1)
    constant = made_up.scores("references", ["constant"], names, seeds=1)
    where = [names.index(name) for name in main.dataset]
    for column, values in (("nll_paper", nll), ("nll", nll), ("rmse", rmse), ("crps", rmse)):
        main[column] = [values[m][k] for m, k in zip(main.method, where, strict=True)]
        constant[column] = 2.0
    frames = {"main": main, "references": constant}
    table = build("headline", made_up.Memory(frames), experiments=list(frames))
    found = table.frame.set_index("method")
    assert list(found.index) == ["rafs", "ae", "de"]
    assert found.mean_rank_nll.to_dict() == pytest.approx({"rafs": 5 / 3, "ae": 2.0, "de": 7 / 3})
    assert found.lowest_nll.to_dict() == {"rafs": 2, "ae": 0, "de": 1}
    assert found.median_excess_nll.to_dict() == {"rafs": 0.0, "ae": 1.0, "de": 2.0}
    assert found.median_relative_rmse.to_dict() == {"rafs": 2.0, "ae": 2.0, "de": 2.0}
    assert found.skill_nll.to_dict() == {"rafs": -1.0, "ae": -1.0, "de": 0.0}
    assert found.skill_crps.to_dict() == pytest.approx(
        {"rafs": 2 ** (1 / 3), "ae": 2 ** (1 / 3), "de": 1.0}  # of (2, 1, 1), (1, 1/2, 4), ...
    )
    assert found.activations_difference["ae"] == -1.0  # of 2, -1, -3
    assert found.activations_better["ae"] == 2
    assert math.isnan(found.activations_difference["de"])
    assert set(found.datasets) == {3}
    assert table.head[:3] == ["Method", "Mean rank, NLL", "Lowest NLL on"]
    assert texts(table)["RAFs"][1:4] == ["2", "0.00", "−1.00"]


# --------------------------------------------------------------------------------- tuning


def test_tuned_values_at_an_edge_are_flagged():
    rows = [
        ("rafs", "he", seed, "learning_rate", value, 0.001, 0.1, 1 + seed)
        for seed, value in enumerate(
            [0.001, 0.00105, 0.0011, 0.01, 0.02, 0.05, 0.05, 0.05, 0.05, 0.099]
        )
    ]
    rows += [("de", "he", 0, "activation", "tanh", None, None, 2)]
    rows += [("rafs", "he", 11, "noise", 0.1, None, None, 0)]  # the default, its noise fitted
    names = ["method", "dataset", "seed", "name", "value", "low", "high", "trial"]
    runs = made_up.scores(methods=["rafs", "de"], datasets=["he"], seeds=14)
    runs.loc[runs.seed == 12, "status"] = "diverged"  # tuned, and then lost
    runs.loc[runs.seed == 13, "status"] = "missing"  # never tuned
    inputs = made_up.Memory({"main": runs}, tuned=pd.DataFrame(rows, columns=names))
    table = build("tuned_values", inputs)
    row = table.frame.iloc[0]
    assert len(table.frame) == 1  # a choice without a range has no edge
    assert (row.at_low_edge, row.at_high_edge) == (0.3, 0.1)  # by the logarithm
    assert row["median"] == pytest.approx(0.035)
    shown = next(row for row in table.rows if row)
    assert shown[2:5] == ["0.001 to 0.1", "0.0350", "0.00332 to 0.0500"]
    assert shown[5] == t.Cell("30 %", True)
    assert shown[6] == t.Cell("10 %", False)
    assert shown[7:] == ["10", "3"]  # of 13 tuned runs, the default won three
    assert table.notes[0].endswith("RAFs learning_rate.")


def test_tuned_values_are_read_from_their_file(tmp_path):
    from rafs.reporting.inputs import Inputs

    path = tmp_path / paths.TUNED.format(experiment="main")
    path.parent.mkdir(parents=True)
    made_up.tuned().to_csv(path, index=False)
    scores = tmp_path / paths.SCORES.format(experiment="main")
    scores.parent.mkdir(parents=True)
    made_up.scores().to_csv(scores, index=False)
    assert len(build("tuned_values", Inputs(tmp_path)).frame) == len(
        build("tuned_values", made_up.Memory()).frame
    )
    with pytest.raises(DataError, match="no tuned values of 'other'"):
        Inputs(tmp_path).tuned("other")


def test_members_are_counted():
    frame = few(["he"], methods=("hde", "rafs"))
    frame["members"] = [1, 2, 2, 3, 3, 3, 5, 5, 5, 5] + [5] * 10
    table = build("members", made_up.Memory({"main": frame}))
    assert table.head == ["Method", "1", "2", "3", "5", "Mean", "Runs"]
    assert texts(table)["HDE"] == ["10 %", "20 %", "30 %", "40 %", "3.40", "10"]
    assert table.notes[0].endswith("1 of 20 runs.")
    older = few(["he"]).drop(columns="members")
    assert not build("members", made_up.Memory({"main": older})).rows


def swept(experiment, name, levels):
    """Return an experiment in which the NLL of a method at a swept value is given."""
    methods = [f"{m}@{name}={v}" for m, v in levels]
    return made_up.scores(
        experiment, methods, ["he", "welch"], 3,
        lambda m, d, s: levels[m.partition("@")[0], int(m.rpartition("=")[2])] + 0.001 * s,
    )  # fmt: skip


def test_tuning_luck_is_the_spread_of_mean_ranks():
    levels = {("rafs", k): 1.0 for k in range(5)} | {("de", k): 2.0 for k in range(5)}
    levels["de", 3] = 0.5
    frame = swept("tuning_luck", "seed", levels)
    table = build("tuning_luck", made_up.Memory({"tuning_luck": frame}))
    assert table.head == ["Method", *(f"seed {k}" for k in range(5)), "sd", "sd before"]
    assert texts(table)["RAFs"] == ["1.00", "1.00", "1.00", "2.00", "1.00", "0.45", "0.15"]
    assert texts(table)["DE"][-2:] == ["0.45", "–"]


ALIKE = "0.00 [0.00, 0.00]"


def test_steps_name_the_smallest_budget_that_agrees():
    levels = {("rafs", 1000): 2.0, ("de", 1000): 1.0, ("ae", 1000): 3.0}
    levels |= {
        (m, k): v for k in (3000, 10000) for m, v in (("rafs", 1.0), ("de", 2.0), ("ae", 3.0))
    }
    frame = swept("steps", "steps", levels)
    table = build("steps", made_up.Memory({"steps": frame}))
    assert table.head[1:4] == ["1000 steps", "3000 steps", "10000 steps"]
    assert table.head[4:] == ["1000 − 10000", "3000 − 10000"]
    assert texts(table)["RAFs"] == ["2.00", "1.00", "1.00", "1.00 [1.00, 1.00]", ALIKE]
    assert texts(table)["AE"] == ["3.00", "3.00", "3.00", ALIKE, ALIKE]
    assert "within 0.2: 3000. Largest differences: 1.00 at 1000 steps" in table.notes[0]
    assert table.notes[1].startswith("Differences whose interval leaves out zero: 2 of 6")


def test_the_difference_of_ranks_is_uncertain_where_seeds_disagree():
    """Ranks at both budgets are a coin toss: the interval of their difference contains zero."""
    rng = np.random.default_rng(0)
    methods = [f"{m}@steps={k}" for m in ("rafs", "de") for k in (1, 2)]
    frame = made_up.scores("steps", methods, ["he", "welch", "piston"], 6,
                           lambda m, d, s: rng.normal())  # fmt: skip
    found = build("steps", made_up.Memory({"steps": frame})).frame
    fewer = found[found["steps"] == 1]
    assert (fewer["low"] < fewer["high"]).all()
    assert ((fewer["low"] <= 0) & (fewer["high"] >= 0)).all()


def test_cost_gives_medians_and_totals():
    table = build("cost", datasets=["he"])
    costs = made_up.costs(made_up.scores())
    costs = costs[(costs.dataset == "he") & (costs.method == "de")].cpu_seconds
    assert texts(table)["He et al. 1D"][0] == f"{costs.median():.2f}"
    assert texts(table)["All runs, minutes"][0] == f"{costs.sum() / 60:.2f}"


def test_scalability_shows_the_published_words():
    table = build("scalability")
    published = {(row[0], row[1]): row[3] for row in table.rows if row}
    assert published["Superconductivity", "RAFs"] == "5.49"
    assert published["Superconductivity", "RP-param"] == "> 100"
    assert published["Superconductivity", "AE"] == "–"


# ------------------------------------------------------------------------------------ looks


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1.005, "1.00"),
        (-1.236, "−1.24"),
        (-0.001, "0.00"),
        (0.0995, "0.10"),
        (0.00444, "0.00"),
        (99.96, "100"),
        (-535.9, "−536"),
        (9999.0, "10000"),
        (12345.6, "12300"),
        (99950.0, "1.00e5"),
        (-3e123, "−3.00e123"),
        (math.nan, "–"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
    ],
)
def test_numbers(value, shown):
    assert number(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0.00"),
        (0.00553, "0.00553"),
        (-0.0123456, "−0.0123"),
        (0.00009876, "9.88e−5"),
        (0.43449, "0.434"),
        (429.52, "430"),
    ],
)
def test_numbers_without_a_limit_keep_three_digits(value, shown):
    assert number(value, None) == shown


@given(st.floats(-1e300, 1e300), st.sampled_from([2, None]))
def test_numbers_are_short_and_near(value, decimals):
    shown = number(value, decimals)
    assert len(shown) <= 10
    back = float(shown.replace("−", "-"))
    limit = 0.0 if decimals is None else 0.0051
    assert back == pytest.approx(value, abs=limit, rel=0.0051)


def digits(text):
    """Return the numbers in some cells, split into digits before and after the point."""
    return re.findall(r"(?<![\d.e−])(\d+)(?:\.(\d+))?(?![\d.]*e)", text)


@pytest.mark.parametrize("name", ["nll", "crps", "rmse", "interval_score"])
def test_a_table_has_one_number_format(built, name):
    """Three significant digits everywhere; where decimals are limited, at most two of them."""
    table = built[name]
    limited = "at most two decimals" in table.caption
    cells = [cell for row in table.rows if row for cell in row[1:] if isinstance(cell, t.Cell)]
    found = [pair for cell in cells for pair in digits(cell.text.partition(" (")[0])]
    assert len(found) > 50
    for whole, part in found:
        size = len(whole) if whole != "0" else 0
        if limited or size:
            assert len(part) == max(0, min(2, 3 - max(1, size))), (whole, part)
        else:
            assert len(part.lstrip("0")) == 3, (whole, part)


def test_latex_escapes_everything_special():
    table = t.ReportTable(
        caption="50 % of a_b & c.",
        frame=pd.DataFrame({"a": [1]}),
        head=["#", "x^2"],
        rows=[["{~}", "\\"]],
    )
    latex = write.latex(table)
    for part in (r"50 \% of a\_b \& c.", r"\#", r"x\textasciicircum{}2", r"\{\textasciitilde{}\}"):
        assert part in latex
    assert r"\textbackslash{} \\" in latex


def test_markdown_escapes_pipes_and_shows_notes():
    table = t.ShownTable(
        caption="C.", head=["a"], rows=[[t.Cell("x|y", True)], None], notes=["A note."]
    )
    assert write.markdown(table) == "C.\n\n| a        |\n| -------- |\n| **x\\|y** |\n\n- A note.\n"


def test_an_unknown_format_is_an_error(tmp_path):
    table = t.ReportTable(caption="C.", frame=pd.DataFrame(), head=["a"], rows=[])
    with pytest.raises(ParameterError, match="cannot be written as 'docx'"):
        write.write(table, tmp_path / "a.docx")


def test_latex_compiles(built, tmp_path):
    """With a LaTeX at hand every table is typeset; without one, the braces were counted above."""
    latex = shutil.which("pdflatex")
    body = "\n".join(write.latex(built[name]) for name in NAMES)
    text = (
        "\\documentclass{article}\\usepackage[utf8]{inputenc}\\usepackage[T1]{fontenc}"
        "\\usepackage{booktabs,threeparttable}\\begin{document}" + body + "\\end{document}"
    )
    assert text.isascii() or not set(re.findall(r"[^\x00-\x7F]", text)) - set("éüöäáóíčžøł’“”")
    if latex:
        (tmp_path / "all.tex").write_text(text)
        command = [latex, "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)


# ------------------------------------------------------------------- released code and its quirks


def released(levels, methods=("ae",), datasets=("he",)):
    """Return a released experiment whose NLL at each seed is given, beside a main one."""
    frame = made_up.scores(
        "released", methods, datasets, len(levels), lambda m, d, s: levels[s], interval=0.13
    )
    return made_up.Memory({"released": frame, "main": few(datasets=datasets)})


@pytest.mark.parametrize(
    ("method", "levels", "place"),
    [
        ("ae", (30.0, 40.0), "within"),  # printed: 38.75
        ("ae", (38.754, 50.0), "within"),  # would be printed as 38.75
        ("ae", (38.76, 50.0), "outside"),
        ("ae", (20.0, 38.74), "outside"),
        ("de", (20.0, 101.0), "within"),  # printed: > 100
        ("de", (20.0, 99.0), "outside"),
    ],
)
def test_where_a_printed_value_lies(method, levels, place):
    table = build("released_vs_published", released(levels, [method]))
    row = table.frame[table.frame.metric == "nll"].iloc[0]
    assert row["place"] == place
    assert (row["least"], row["most"]) == levels
    (shown,) = [row for row in table.rows if row]
    assert shown[2].endswith("†") == (place == "outside")
    assert f"[{number(levels[0])}, {t.number(levels[1])}]" in shown[3]
    assert table.frame["described"].notna().all()
    assert shown[-1].endswith(", 0.13")


def test_diverged_released_runs_exceed_a_limit_and_widen_no_range():
    inputs = released((30.0, 35.0), ["ae", "de"])
    frame = inputs.frames["released"]
    frame.loc[frame.seed == 1, ["status", "nll_paper", "rmse"]] = ["diverged", math.nan, math.nan]
    table = build("released_vs_published", inputs)
    nll = table.frame[table.frame.metric == "nll"].set_index("method")
    assert nll["place"].to_dict() == {"ae": "outside", "de": "within"}
    assert nll.loc["ae", "most"] == 30.0


def test_the_summary_counts_what_was_run():
    inputs = released((30.0, 40.0), ["ae", "rafs"], ["he", "naval"])
    frame = inputs.frames["released"]
    frame.loc[frame.dataset == "naval", "status"] = "missing"
    table = build("released_vs_published", inputs)
    inside = int(table.frame["place"].eq("within").sum())
    assert inside >= 1
    words = f"Of the 300 printed cells 4 were run; {inside} of these lie within the range"
    assert table.notes[0].startswith(words)


def test_cells_that_were_not_run_are_named_with_their_cost():
    """A cell without any run is left out and named; one that lacks a seed says so itself."""
    inputs = released((30.0, 40.0, 50.0), ["ae", "de", "rp"], ["he", "naval"])
    frame = inputs.frames["released"]
    none = [math.nan, "not run", "three days"]
    rest = (frame.method == "de") | ((frame.method == "rp") & (frame.dataset == "naval"))
    late = (frame.method == "ae") & (frame.dataset == "he") & (frame.seed == 2)
    frame.loc[rest | late, ["nll_paper", "status", "message"]] = none
    table = build("released_vs_published", inputs)
    assert set(zip(table.frame.method, table.frame.dataset, strict=True)) == {
        ("ae", "he"), ("ae", "naval"), ("rp", "he"),
    }  # fmt: skip
    first = next(row for row in table.rows if row)
    assert first[3].endswith("[30.0, 40.0] (2/3)")
    assert table.notes[0].startswith("Of the 300 printed cells 6 were run; ")
    others = {part.partition(" on ")[0]: part for part in table.notes[1].split("; ")}
    assert others["NTKGP-param"] == "NTKGP-param on any dataset"
    assert "Naval" in others["RP-param"]
    assert "He et al." not in others["RP-param"]
    assert table.notes[2] == "The experiment in whole costs three days."


def test_nothing_of_the_released_experiment_was_run():
    inputs = released((30.0, 40.0), ["ae", "de"])
    inputs.frames["released"][["nll_paper", "status", "message"]] = [math.nan, "not run", "a day"]
    table = build("released_vs_published", inputs)
    assert table.frame.empty
    assert not table.rows
    assert table.notes[0] == (
        "Of the 300 printed cells 0 were run; 0 of these lie within the range of the released runs."
    )
    assert table.notes[1].count(" on any dataset") == 6


def test_a_quirk_that_was_not_run_is_no_row():
    odd = made_up.scores("quirks", ["rp@quirk=rp_no_noise"], ["he", "welch"], 3)
    odd.loc[odd.dataset == "welch", ["nll_paper", "status"]] = [math.nan, "not run"]
    main = made_up.scores("main", ["rp"], ["he", "welch"], 3)
    table = build("quirks", made_up.Memory({"main": main, "quirks": odd}))
    assert set(table.frame.dataset) == {"he"}
    assert table.notes[-1].startswith("Not run runs: 3 of 6: ")


def test_quirks_lead_with_a_summary():
    """One quirk on three datasets: up by 3 on two of them, unclear on the third."""
    datasets = ["he", "welch", "friedman"]
    main = made_up.scores("main", ["rp"], datasets, 8, lambda m, d, s: 2.0 + s)
    change = {"he": 3.0, "welch": 3.0, "friedman": 0.0}
    odd = made_up.scores(
        "quirks", ["rp@quirk=rp_no_noise"], datasets, 8,
        lambda m, d, s: 2.0 + s + change[d] + 0.01 * (-1) ** s,
    )  # fmt: skip
    table = build("quirks", made_up.Memory({"main": main, "quirks": odd}))
    first = table.rows[0]
    assert first[:3] == [t.Cell("rp_no_noise", True), "3 datasets", "1 method"]
    assert first[3:6] == ["", "", "3.00; 2 higher, 0 lower of 3"]
    assert table.rows[1] is None
    assert len(table.rows) == 2 + 3


def test_a_quirk_is_compared_with_the_same_seeds():
    main = made_up.scores("main", ["rp", "rafs"], ["he", "welch"], 6, lambda m, d, s: 2.0 + s)
    odd = made_up.scores(
        "quirks", ["rp@quirk=rp_no_noise"], ["he"], 4, lambda m, d, s: 5.0 + s
    )  # fmt: skip
    table = build("quirks", made_up.Memory({"main": main, "quirks": odd}))
    nll = table.frame[table.frame.metric == "nll_paper"]
    assert len(nll) == 1
    row = nll.iloc[0]
    assert (row["quirk"], row["dataset"], row["method"]) == ("rp_no_noise", "he", "rp")
    assert (row["described_median"], row["quirk_median"], row["difference"]) == (3.5, 6.5, 3.0)
    assert row["pairs"] == 4
    _, line, shown = table.rows
    assert line is None
    assert shown[:5] == ["rp_no_noise", "He et al. 1D", "RP-param", "3.50", "6.50"]
    assert table.notes[0].startswith("rp_no_noise: RP-param adds no noise variance. Effect: ")
