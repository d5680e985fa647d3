"""The reports on the UCI tables: printed results, ranks, paired tests, and widening under shift."""

import hashlib
import math
import shutil
from importlib import resources
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import made_up
import shown
from rafs.evaluation import statistics
from rafs.reporting import published, readme, style, uci
from rafs.reporting.inputs import Inputs
from rafs.reporting.page import elements
from rafs.reporting.page import uci as page
from rafs.reporting.tables import uci as short
from rafs.reporting.widening import direction

ROOT = Path(__file__).resolve().parents[1]
SECTION = ("uci", "uci_nll", "uci_rmse", "uci_gap", "uci_tail")
TABLES = [f"uci_{name}" for name in made_up.UCI]


# ------------------------------------------------------------------------------ printed results


@pytest.mark.parametrize(
    ("name", "sha256"),
    [
        ("uci", "15bd5d44d160cb557d89a9f2a7f1de0a795a924ae31d5f15a0a87d50b17b1403"),
        (
            "uci_mc_dropout_by_split",
            "1446317e9a6633d784e67795048cd91f3cdc64995705b926da6a1e3222a882e1",
        ),
    ],
)
def test_the_printed_numbers_are_as_they_were_transcribed(name, sha256):
    content = (resources.files("rafs.reporting") / "published" / f"{name}.csv").read_bytes()
    assert hashlib.sha256(content).hexdigest() == sha256


def test_printed_cells():
    """From Table 1 of Lakshminarayanan et al. (2017)."""
    found = published.uci().set_index(["dataset", "source"])
    assert len(found) == 27
    assert tuple(found.loc[("uci_naval", "DE-2017")]) == (0.0, 0.0, -5.63, 0.05)
    assert tuple(found.loc[("uci_protein", "PBP")]) == (4.73, 0.01, 2.97, 0.0)
    assert tuple(found.loc[("uci_boston", "MC-dropout-2016")]) == (2.97, 0.85, 2.46, 0.25)
    assert set(found.index.get_level_values("source")) == set(published.UCI_SOURCES)
    splits = published.uci_mc_dropout().groupby("dataset")["split"].agg([list])["list"]
    assert {name: len(each) for name, each in splits.items()} == {
        name: 5 if name == "uci_protein" else 20 for name in TABLES
    }
    assert all(each == list(range(len(each))) for each in splits)


def test_tuned_mc_dropout_has_the_means_that_are_known_of_it():
    """As Gal's repository gives them, over all 20 splits."""
    means = published.uci_mc_dropout().groupby("dataset")[["rmse", "nll"]].mean().round(2)
    assert tuple(means.loc["uci_yacht"]) == (0.67, 1.25)
    assert tuple(means.loc["uci_concrete"]) == (4.83, 2.94)
    assert tuple(means.loc["uci_boston"]) == (2.90, 2.40)


# --------------------------------------------------------------------------------- their tables


def like_mc_dropout(shift, methods=("ae", "rafs")):
    """Return runs whose scores differ from those of tuned MC dropout by `shift(method, ...)`."""
    rows = []
    for row in published.uci_mc_dropout().to_dict("records"):
        for method in methods:
            off = shift(method, row["dataset"], row["split"])
            scores = {"nll": row["nll"] + off, "rmse": row["rmse"] + off, "crps": 1 + off}
            run = made_up.run("uci", method, row["dataset"], row["split"])
            rows.append(run | scores | {"n_train": 90, "n_test": 10})
    return pd.DataFrame(rows)


def jitter(seed):
    """Return a small shift that differs by split and sums to nothing over five."""
    return 0.01 * (seed % 5 - 2)


def test_a_cell_is_the_mean_over_splits_and_its_standard_error():
    frame = made_up.scores("uci", ("ae", "rafs"), ["uci_boston"], 20)
    table = shown.build("uci_nll", made_up.Memory({"uci": frame}))
    runs = frame.loc[frame.method == "rafs", "nll"]
    row = table.frame.set_index("method").loc["rafs"]
    assert row["mean"] == pytest.approx(runs.mean(), rel=1e-12)
    assert row["se"] == pytest.approx(runs.std(ddof=1) / math.sqrt(20), rel=1e-12)
    cells = {r[0]: r[1] for r in table.rows if r}
    assert str(cells["RAFs"]) != str(cells["AE"])
    assert cells["RAFs"].text == f"{runs.mean():.2f} ± {runs.sem():.2f}*"
    assert cells["RAFs"].bold
    assert cells["DE (2017), printed"].text == "2.41 ± 0.25"
    assert runs.mean() == pytest.approx(
        frame.loc[frame.method == "rafs", "nll_paper"].mean() + 0.5 * math.log(2 * math.pi)
    )


def test_ensembles_references_and_printed_results_have_blocks_of_their_own():
    frame = made_up.scores("uci", ("ae", "rafs", "constant"), TABLES[:2], 3)
    low = frame.method == "constant"
    frame.loc[low, "rmse"] = 0.001
    table = shown.build("uci_rmse", made_up.Memory({"uci": frame}))
    blocks = [[]]
    for row in table.rows:
        blocks.append([]) if row is None else blocks[-1].append(row[0])
    assert blocks == [["AE", "RAFs"], ["Constant"], list(published.UCI_SOURCES.values())]
    bold = {row[0] for row in table.rows if row for cell in row[1:] if cell.bold}
    assert bold == {"RAFs"}  # neither the constant nor DE, which are lower
    assert table.head == ["Method", "Boston (UCI)", "Concrete (UCI)"]


def test_a_method_that_lost_a_run_is_not_bold():
    frame = made_up.scores("uci", ("ae", "rafs"), ["uci_wine"], 4)
    first = (frame.method == "rafs") & (frame.seed == 0)
    gone = pd.DataFrame([made_up.lost("uci", "rafs", "uci_wine", 0)])
    frame = pd.concat([frame[~first], gone], ignore_index=True)
    table = shown.build("uci_nll", made_up.Memory({"uci": frame}))
    cells = {row[0]: row[1] for row in table.rows if row}
    assert cells["RAFs"].text.endswith("(3/4)")
    assert not cells["RAFs"].bold
    assert cells["AE"].bold
    assert "Diverged runs: 1 of 8" in " ".join(table.notes)
    inside = shown.build("uci", made_up.Memory({"uci": frame})).frame.set_index("method")
    assert inside.loc["rafs", "below_pbp_nll"] == 0


def test_a_diverged_run_does_not_raise_the_coverage():
    frame = made_up.scores("uci", ("ae", "rafs"), ["uci_wine"], 3)
    frame["coverage_95"] = 0.5
    first = (frame.method == "rafs") & (frame.seed < 2)
    gone = pd.DataFrame([made_up.lost("uci", "rafs", "uci_wine", seed) for seed in (0, 1)])
    frame = pd.concat([frame[~first], gone], ignore_index=True)
    assert short.numbers(frame).set_index("method").loc["rafs", "coverage_95"] == 0.5


def test_cells_that_are_not_run_are_explained():
    frame = made_up.scores("uci", ("ae", "rafs", "constant"), TABLES[:2], 3)
    note = "–: A method is not run on tables that have too many rows for it (`largest`)."
    whole = shown.build("uci_nll", made_up.Memory({"uci": frame}))
    assert note not in whole.notes
    frame = frame[(frame.method != "constant") | (frame.dataset == TABLES[0])]
    table = shown.build("uci_nll", made_up.Memory({"uci": frame}))
    assert note in table.notes


@pytest.mark.parametrize("status", ["diverged", "failed", "missing"])
def test_only_tables_with_scores_count_and_a_lost_run_is_never_lower(status):
    frame = made_up.scores("uci", ("ae", "rafs"), TABLES, 4)
    frame["nll"] -= 50.0
    gone = (frame.dataset == "uci_wine") | ((frame.dataset == "uci_yacht") & (frame.seed == 0))
    gone &= frame.method == "rafs"
    rows = [
        made_up.lost("uci", "rafs", r.dataset, r.seed, status) for r in frame[gone].itertuples()
    ]
    lost = pd.DataFrame(rows).assign(n_train=400, n_test=200)
    frame = pd.concat([frame[~gone], lost], ignore_index=True)
    found = short.numbers(frame).set_index("method")
    assert found["tables"].to_dict() == {"ae": 9, "rafs": 8}
    assert found["below_pbp_nll"].to_dict() == {"ae": 9, "rafs": 7}
    said = uci.sentences({"uci": short.numbers(frame)})[0]
    ranked = 8 if status == "missing" else 9
    assert said.startswith(f"On {'nine' if ranked == 9 else ranked} UCI tables")
    lone = frame[frame.dataset == "uci_wine"]
    assert short.numbers(lone).set_index("method").loc["rafs", "tables"] == 0


def test_wins_and_losses_are_those_of_the_paired_test():
    """RAFs is better on three tables, worse on one, and as good on the rest; AE is MC dropout."""
    better, worse = TABLES[:3], TABLES[4]

    def shift(method, dataset, seed):
        if method == "ae":
            return 0.0
        return jitter(seed) + (-1.0 if dataset in better else 1.0 if dataset == worse else 0.0)

    frame = like_mc_dropout(shift)
    found = short.numbers(frame).set_index("method")
    for metric in short.COMPARED:
        counted = [f"{name}_{metric}" for name in ("wins", "ties", "losses")]
        assert list(found.loc["rafs", counted]) == [3, 5, 1]
        assert list(found.loc["ae", counted]) == [0, 9, 0]


def test_the_paired_test_allows_for_the_rows_that_splits_share():
    """A shift that an ordinary paired t-test over splits takes for significant is none."""

    def shift(method, dataset, seed):
        return -0.055 + 0.1 * float(stats.norm.ppf((seed + 0.5) / 20))

    frame = like_mc_dropout(shift, ("rafs",))
    frame = frame[frame.dataset == "uci_boston"]
    drawn = frame.nll.to_numpy() - published.uci_mc_dropout().query("dataset == 'uci_boston'").nll
    assert stats.ttest_1samp(drawn, 0.0).pvalue < 0.05
    mean, sd = drawn.mean(), drawn.std(ddof=1)
    t = mean / math.sqrt((1 / 20 + 10 / 90) * sd**2)  # Nadeau and Bengio (2003)
    assert 2 * stats.t.sf(abs(t), 19) > 0.05
    assert short.numbers(frame).set_index("method").loc["rafs", "ties_nll"] == 1


def test_how_often_a_printed_mean_is_undercut():
    """Scores 0.02 below DE as printed, on one table equal to it, against a count by hand."""
    printed = published.uci().query("source == 'DE-2017'").set_index("dataset")
    frame = made_up.scores("uci", ("ae", "rafs"), TABLES, 5)
    off = np.where(frame.dataset == "uci_wine", 0.004, -0.02)
    frame["nll"] = frame.dataset.map(printed.nll) + off
    frame["rmse"] = frame.dataset.map(printed.rmse) + 1.0
    row = short.numbers(frame).set_index("method").loc["rafs"]
    assert (row["below_de_2017_nll"], row["below_de_2017_rmse"]) == (8, 0)  # 0.944 is 0.94
    other = published.uci().query("source == 'PBP'").set_index("dataset").nll
    ours = frame.groupby("dataset").nll.mean()
    assert row["below_pbp_nll"] == (ours.round(2) < other[ours.index]).sum()


def test_ranks_are_of_the_ensembles_alone():
    frame = made_up.scores("uci", (*made_up.METHODS, "constant"), TABLES, 5)
    frame.loc[frame.method == "constant", ["nll", "rmse", "crps"]] = -9.0
    table = shown.build("uci", made_up.Memory({"uci": frame}))
    found = table.frame.set_index("method")
    medians = frame[frame.method != "constant"].groupby(["dataset", "method"]).nll.median()
    by_hand = medians.unstack().rank(axis=1).mean()  # noqa: PD010
    assert found.mean_rank_nll.drop("constant").to_dict() == pytest.approx(by_hand.to_dict())
    assert math.isnan(found.loc["constant", "mean_rank_nll"])
    assert next(iter(found.index)) == "rafs"
    assert list(found.index)[-1] == "constant"
    friedman = stats.friedmanchisquare(*medians.unstack().T.to_numpy()).pvalue  # noqa: PD010
    assert friedman < 0.001
    assert "p < 0.001" in table.notes[0]


# ------------------------------------------------------------------------------- gaps and tails


def shifted(widening, growth, kind="uci_gap", methods=("ae", "rafs"), seeds=5):
    """Return results in which test rows are so much wider, and so much worse, than held-out."""
    frame = made_up.scores(kind, methods, [f"{kind}_{name}" for name in made_up.UCI], seeds)
    return made_up.Memory({kind: frame}, shift=(widening, growth))


def test_widening_is_the_median_over_tables_of_the_median_over_splits():
    def widening(method, dataset, seed):
        k = made_up.UCI.index(dataset.rpartition("_")[2])
        return (1.5 + 0.1 * k) * (1 if seed < 3 else 100.0)

    table = shown.build("uci_gap", shifted(widening, 6.0))
    row = table.frame.set_index("method").loc["rafs"]
    assert row["widening"] == pytest.approx(1.9)
    assert (row["widening_low"], row["widening_high"]) == pytest.approx((1.6, 2.2))
    assert row["kept_up"] == pytest.approx(1.9 / 6)
    assert row["p_widening"] == pytest.approx(2 * 0.5**9)
    assert row["p_widening_holm"] == pytest.approx(2 * 2 * 0.5**9)  # of two ensembles
    cells = {r[0]: r[1:] for r in table.rows if r}["RAFs"]
    assert cells[2].startswith("yes")
    assert cells[5].startswith("less")


@pytest.mark.parametrize(
    ("widening", "growth", "widens", "keeps_up"),
    [
        (2.0, 2.0, 1, 0),
        (3.0, 2.0, 1, 1),
        (0.5, 2.0, -1, -1),
        (1.0, 1.0, 0, 0),
    ],
)
def test_directions(widening, growth, widens, keeps_up):
    for row in shown.build("uci_tail", shifted(widening, growth, "uci_tail")).frame.to_dict(
        "records"
    ):
        assert direction(row, "widening") == widens
        assert direction(row, "kept_up") == keeps_up


def test_a_widening_on_half_of_the_tables_is_not_shown():
    def widening(method, dataset, seed):
        k = made_up.UCI.index(dataset.rpartition("_")[2])
        return 1.0 + (0.05 + 0.01 * k) * (-1) ** k

    table = shown.build("uci_gap", shifted(widening, 1.0))
    assert {row[3].partition(" (")[0] for row in table.rows if row} == {"not shown"}
    logs = [math.log(widening("rafs", f"uci_gap_{name}", 0)) for name in made_up.UCI]
    p = table.frame.set_index("method").loc["rafs", "p_widening"]
    assert p == pytest.approx(stats.wilcoxon(logs, method="exact").pvalue)


def test_five_tables_can_show_nothing():
    frame = shifted(2.0, 3.0).frames["uci_gap"]
    few = frame[frame.dataset.isin(TABLES_GAP[:5])]
    table = shown.build("uci_gap", made_up.Memory({"uci_gap": few}, shift=(2.0, 3.0)))
    words = {row[k] for row in table.rows if row for k in (3, 6)}
    assert words == {"too few tables"}


def test_runs_without_held_out_rows_have_no_row():
    table = shown.build("uci_gap", shifted(2.0, 3.0, methods=("rafs", "constant")))
    assert list(table.frame["method"]) == ["rafs"]


def test_a_method_that_lost_runs_shows_how_many():
    frame = shifted(2.0, 3.0).frames["uci_gap"]
    first = (frame.method == "rafs") & (frame.dataset == "uci_gap_wine") & (frame.seed == 0)
    gone = pd.DataFrame([made_up.lost("uci_gap", "rafs", "uci_gap_wine", 0)])
    frame = pd.concat([frame[~first], gone], ignore_index=True)
    table = shown.build("uci_gap", made_up.Memory({"uci_gap": frame}, shift=(2.0, 3.0)))
    assert {row[0] for row in table.rows if row} == {"AE", "RAFs (44/45)"}
    assert any(note.startswith("(a/b)") for note in table.notes)
    assert "over the runs with scores" in table.caption
    whole = shown.build("uci_gap", shifted(2.0, 3.0))
    assert not any(note.startswith("(a/b)") for note in whole.notes)


def test_the_figure_shows_both_ratios_of_gap_and_tail():
    frames = shifted(2.0, 3.0).frames | shifted(2.0, 3.0, "uci_tail").frames
    figure = shown.draw("uci_gap", made_up.Memory(frames, shift=(2.0, 3.0)))
    panels = figure.axes[:2]
    for axes in panels:
        points = {line.get_gid(): line.get_xdata()[0] for line in axes.lines if line.get_gid()}
        assert points["rafs-widening"] == pytest.approx(2.0)
        assert points["rafs-growth"] == pytest.approx(3.0)
    assert [axes.get_title(loc="left") for axes in panels] == ["gap", "tails"]
    alone = shown.draw("uci_gap", shifted(2.0, 3.0))
    style.render(alone, "svg")
    words = " ".join(text.get_text() for text in alone.axes[1].texts)
    assert "No run of this kind has held-out rows." in words.replace("\n", " ")


# ----------------------------------------------------------------------- page, README and docs


@pytest.fixture(scope="module")
def tables():
    frames = {k: v for k, v in made_up.experiments(5).items() if k.startswith("uci")}
    inputs = made_up.Memory(frames)
    return {name: shown.build(name, inputs) for name in SECTION}


def test_what_is_said_is_what_the_tables_say(tables):
    answer, shift = uci.sentences({name: table.frame for name, table in tables.items()})
    assert answer.startswith(
        "On nine UCI tables the lowest mean rank in NLL is that of RAFs, 1.00 of 6"
    )
    row = tables["uci"].frame.set_index("method").loc["rafs"]
    assert f"DE (2017) on {row['below_de_2017_nll']}, PBP on {row['below_pbp_nll']}" in answer
    assert f"better on {row['wins_nll']} and worse on {row['losses_nll']}." in answer
    p = statistics.ranking(
        pd.DataFrame(made_up.experiments(5)["uci"]).query("method != 'constant'"), "nll"
    ).nemenyi["rafs"]
    worse = answer.partition("worse: ")[2].partition(" (")[0].split(", ")
    assert len(worse) == (p.drop("rafs") < 0.05).sum()
    assert shift == (
        "In gap splits of UCI tables 6 of 6 ensembles widen significantly, and 6 significantly "
        "less than their error grows; in tail splits 6 of 6 ensembles widen significantly, and 6 "
        "significantly less than their error grows (signed-rank test over tables, 5 %)."
    )
    assert uci.sentences({}) == []
    only = uci.sentences({"uci_gap": tables["uci_gap"].frame})
    assert only[0].startswith("In gap splits of UCI tables 6 of 6")


def test_the_page_has_a_section_only_where_they_were_run(tables):
    text = str(elements.join(page.section(tables, [])))
    assert "On nine UCI tables" in text
    assert all(f'href="#table-{name}"' in text for name in SECTION)
    assert page.section({}, []) == []


def test_the_readme_has_a_bullet_and_a_table_only_where_they_were_made(tables, tmp_path):
    for name in ("README.md", "reports"):
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    for name in SECTION:
        (tmp_path / f"reports/tables/{name}.csv").unlink(missing_ok=True)
    assert "UCI" not in readme.current(tmp_path).partition(readme.END)[0]
    for name, table in tables.items():
        table.frame.to_csv(tmp_path / f"reports/tables/{name}.csv", index=False)
    lines = readme.current(tmp_path).splitlines()
    (bullet,) = [line for line in lines if line.startswith("- On nine UCI tables")]
    assert bullet.count("widen significantly") == 2
    (head,) = [
        k
        for k, line in enumerate(lines)
        if line.startswith("| Method | Mean rank, NLL | Mean rank, RMSE")
    ]
    assert lines[head + 2].startswith("| RAFs | 1.00 | 1.00 | 1.00 | 9 | ")
    assert lines[head + 9] == ""  # six ensembles and the constant


def test_the_documentation_says_it_once_they_were_run(tables, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import reported

    from rafs.reporting import table_files

    monkeypatch.setattr(reported, "ROOT", tmp_path)
    monkeypatch.setattr(reported, "REPORTS", tmp_path / "reports")
    (tmp_path / "reports/tables").mkdir(parents=True)
    missing = (
        "These results are without the experiments of this page: `snakemake uci_all` adds them."
    )
    assert reported.uci_answer() == reported.uci_table("uci") == missing
    for name, table in tables.items():
        for form in ("csv", "md"):
            table_files.write(table, tmp_path / f"reports/tables/{name}.{form}")
    assert reported.uci_answer().startswith("On nine UCI tables")
    assert "[uci_gap.csv](reports/tables/uci_gap.csv)" in reported.uci_table("uci_gap")


def test_results_are_read_from_their_files(tmp_path):
    frame = made_up.scores("uci_gap", ("ae", "rafs"), TABLES_GAP, 3)
    for folder in ("scores", "recalibrated"):
        (tmp_path / "results" / folder).mkdir(parents=True)
    frame.to_csv(tmp_path / "results/scores/uci_gap.csv", index=False)
    held = made_up.recalibrated(frame, 2.0, 3.0)
    held.to_csv(tmp_path / "results/recalibrated/uci_gap.csv", index=False)
    found = shown.build("uci_gap", Inputs(tmp_path)).frame
    assert found["widening"].to_numpy() == pytest.approx(2.0)
    assert found["growth"].to_numpy() == pytest.approx(3.0)


TABLES_GAP = [f"uci_gap_{name}" for name in made_up.UCI]
